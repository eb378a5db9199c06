// The page of `genrun review` with 5,000 results in Debian's chromium: how soon it is painted, tasks longer than 50 ms while somebody
// scrolls, searches and filters (by the clock, and by processor time, which a busy machine hardly changes), what
// it takes in memory and over the line, and how long from a key to the next result painted. `[KEYS=300] node test/bench/page.mjs [results]
// [folder]`, after `npm run build`; a service of its own answers with pictures that all differ, unless a folder has them already.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createCanvas } from '@napi-rs/canvas'
import { chromium } from 'playwright-core'
import { executableAt } from './executable.mjs'

const results = Number(process.argv[2] ?? 5000)
const judged = Math.min(Number(process.env.KEYS ?? 300), results - 1)
const executable = executableAt()
const [, , , there] = process.argv
const folder = there ?? mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const closing = []
try {
  if (there === undefined) await made()
  const serving = spawn(process.execPath, [executable, 'review', 'm.yaml', '--port', '0'], { cwd: folder })
  closing.push(() => serving.kill())
  const url = await new Promise(found => serving.stdout.once('data', text => found(String(text).trim())))
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ]
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args })
  closing.push(() => browser.close())
  // The second time small pictures are there.
  for (const which of ['first', 'second']) await measured(browser, url, which)
} finally {
  for (const close of closing.toReversed()) await close()
  if (there === undefined) rmSync(folder, { recursive: true, force: true })
}

async function measured(browser, url, which) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  let bytes = 0
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  // Counted by the processor time of the page's thread, which a busy machine does not change.
  await line.send('Performance.enable', { timeDomain: 'threadTicks' })
  const used = async () => {
    const { metrics } = await line.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
  line.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await page.addInitScript(watch)
  const begun = usedByAll()
  await page.goto(url)
  await until(page, 'document.querySelectorAll(".card").length > 0 && watched.paints().fcp > 0')
  const { fcp, card } = await page.evaluate('watched.paints()')
  row(
    `${results} results, ${which} time: first paint (≤ 500 ms)`,
    fcp,
    `the first result at ${Math.round(card)} ms`,
  )
  row(
    `${which} time: processor time of browser and server until it is painted (≤ 500 ms)`,
    usedByAll() - begun,
    'ms, of all processes and threads, and of asking for it',
  )
  const elements = await page.evaluate('document.querySelectorAll("*").length')
  row(`${which} time: processor time until results are there`, await used(), `ms; ${elements} elements`)
  await page.waitForTimeout(1000)
  await tasks(page)
  await page.mouse.move(800, 500)
  for (let nth = 0; nth < 60; nth++) {
    await page.mouse.wheel(0, 1500)
    await page.waitForTimeout(50)
  }
  await told(page, `${which} time: tasks > 50 ms while it is scrolled`)
  await page.getByRole('searchbox').pressSequentially('teapot 12', { delay: 80 })
  await page.getByRole('searchbox').fill('')
  await told(page, `${which} time: tasks > 50 ms while words are searched for`)
  for (const chip of ['b', 'a']) await page.locator('.chip', { hasText: new RegExp(`^${chip} `) }).click()
  await told(page, `${which} time: tasks > 50 ms by two filters`)
  await page.getByRole('button', { name: 'Show everything' }).click()
  await page.keyboard.press('Escape')
  await page.locator('.list').click({ position: { x: 2, y: 2 } })
  for (const [name, keys] of [
    ['wall', ['Home']],
    ['one at a time', ['Enter']],
  ]) {
    for (const key of keys) await page.keyboard.press(key)
    await page.waitForTimeout(300)
    const times = []
    const [before, all] = [await used(), usedByAll()]
    for (let nth = 0; nth < judged; nth++) {
      await page.keyboard.press('xp3u'[nth % 4])
      if ('xp3u'[nth % 4] === '3') await page.keyboard.press('ArrowRight')
      times.push(await page.evaluate('watched.painted()'))
    }
    const each = ((await used()) - before) / judged
    const whole = (usedByAll() - all) / judged
    row(
      `${which} time, ${name}: processor time for a key until the next is painted (≤ 100 ms)`,
      whole,
      `ms, of browser and server; of the page's thread ${each.toFixed(1)}`,
    )
    times.sort((a, b) => a - b)
    const [median, late, worst] = [0.5, 0.95, 1].map(part => times[Math.ceil(part * times.length) - 1])
    row(
      `${which} time, ${name}: ${judged} keys to the next painted (≤ 100 ms)`,
      late,
      `95 %; median ${Math.round(median)}, worst ${Math.round(worst)}`,
    )
    await told(page, `${which} time, ${name}: tasks > 50 ms while judging`)
  }
  const { metrics } = await line.send('Performance.getMetrics')
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize').value
  row(
    `${which} time: page and small pictures over the line (≤ 60 MB)`,
    bytes / 1e6,
    `MB; heap ${(heap / 1e6).toFixed(1)} MB`,
  )
  await browser.stopTracing()
  await context.close()
}

/** Runs in the page, before anything of it. */
function watch() {
  const long = []
  let [card, pressed, seen] = [0, 0, 0]
  new PerformanceObserver(list => long.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
    buffered: true,
  })
  addEventListener('keydown', ({ timeStamp }) => ([pressed, seen] = [timeStamp, 0]), true)
  const isThere = () => {
    const picture = document.querySelector('img.whole') ?? document.querySelector('.card.here img')
    return picture !== null && picture.complete && picture.naturalWidth > 0
  }
  const look = now => {
    if (card === 0 && document.querySelector('.card')) card = now
    // The frame after the one in which it is there has it on the screen.
    if (pressed > 0 && seen === 0 && isThere()) requestAnimationFrame(() => (seen = performance.now()))
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  globalThis.watched = {
    paints: () => ({ fcp: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, card }),
    tasks: () => long.splice(0),
    async painted() {
      while (seen === 0) await new Promise(resolve => requestAnimationFrame(resolve))
      return seen - pressed
    },
  }
}

/**
 * Processor time of all that this program has started, in milliseconds: what the clock would show on a quiet machine with one core, if
 * nothing were done at the same time. Of threads that have ended nothing is known.
 */
function usedByAll() {
  const parents = new Map()
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const stat = read(`/proc/${pid}/stat`)
    parents.set(pid, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  }
  const isOurs = pid => pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)))
  let sum = 0
  for (const [pid, parent] of parents) {
    if (!isOurs(parent)) continue
    for (const thread of list(`/proc/${pid}/task`))
      sum += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e6
  }
  return sum
}

/** Empty of what has ended meanwhile. */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function list(path) {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

async function until(page, what) {
  while (!(await page.evaluate(what))) await page.waitForTimeout(20)
}

/** Begins to count anew. */
async function tasks(page) {
  await page.evaluate('watched.tasks()')
  await page
    .context()
    .browser()
    .startTracing(page, { categories: ['toplevel'] })
}

async function told(page, name) {
  const all = await page.evaluate('watched.tasks()')
  const { traceEvents } = JSON.parse(String(await page.context().browser().stopTracing()))
  const isPages = new Set(
    traceEvents
      .filter(({ name: what, args }) => what === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const used = traceEvents
    .filter(
      ({ name: what, pid, tid, tdur }) => /RunTask$/.test(what) && tdur > 0 && isPages.has(`${pid} ${tid}`),
    )
    .map(({ tdur }) => tdur / 1000)
  const longest = Math.max(0, ...used)
  const note = `by processor time, the longest ${Math.round(longest)} ms; by the clock ${all.length}, ${Math.round(Math.max(0, ...all))} ms`
  row(name, used.filter(each => each > 50).length, note)
  await tasks(page)
}

function row(name, value, note) {
  console.log(`${name.padEnd(72)} ${value.toFixed(1).padStart(8)}   ${note}`)
}

/** 5,000 pictures as a run leaves them. */
async function made() {
  const pictures = Array.from({ length: 24 }, (_, nth) => drawn(nth))
  let count = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const picture = numbered(pictures[count % pictures.length], count++)
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': picture.length }).end(picture)
    })
  })
  await new Promise(begun => server.listen(0, '127.0.0.1', begun))
  const numbers = Array.from({ length: results / 2 }, (_, nth) => nth)
  const matrix = { n: numbers, view: ['a', 'b'] }
  const job = {
    matrix,
    model: 'fama-imagine-image',
    mode: 'execute',
    prompt: 'Teapot ${{ matrix.n }} from ${{ matrix.view }}',
  }
  writeFileSync(join(folder, 'm.yaml'), JSON.stringify({ limits: { execute: 32 }, jobs: { still: job } }))
  const env = {
    ...process.env,
    GENRUN_BASE_URL: `http://127.0.0.1:${server.address().port}/gw-v2`,
    GENRUN_API_KEY: 'bench-key',
  }
  const run = spawn(process.execPath, [executable, 'm.yaml', '--quiet', '--verify', 'off'], {
    cwd: folder,
    env,
    stdio: 'ignore',
  })
  const code = await new Promise(done => run.once('exit', done))
  server.close()
  server.closeAllConnections()
  if (code !== 0) throw new Error(`the run ended with ${code}`)
}

function drawn(nth) {
  const canvas = createCanvas(1024, 1024)
  const pen = canvas.getContext('2d')
  for (let at = 0; at < 400; at++) {
    pen.fillStyle = `hsl(${(nth * 47 + at * 3) % 360} 60% ${30 + (at % 40)}%)`
    pen.fillRect((at * 211) % 1024, (at * 97 * (nth + 1)) % 1024, 90 + (at % 120), 60 + (at % 90))
  }
  return canvas.toBuffer('image/png')
}

/** The same picture with another digest. */
function numbered(picture, nth) {
  const body = Buffer.from(`tEXtComment\0${nth}`, 'latin1')
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([picture.subarray(0, -12), length, body, sum, picture.subarray(-12)])
}
