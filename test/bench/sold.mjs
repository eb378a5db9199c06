// What benchmarks of many processes have in common: a service that keeps a ledger by prompt, genrun as people start it, and the comparison
// of what was sold with what stands in the lock.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

/** So large as is asked for: what is unlike that is put into no cache by one machine, and a fleet's has to be. */
const side = 1024

/** One bit for a pixel, all of them black. */
const picture = [
  Buffer.from('89504e470d0a1a0a', 'hex'),
  chunk('IHDR', Buffer.from([0, 0, side >> 8, side & 255, 0, 0, side >> 8, side & 255, 1, 0, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.alloc(side * (1 + side / 8)))),
  chunk('IEND', Buffer.alloc(0)),
]

/** What is executed is answered by the picture itself, what is submitted by the id of a run. `total`: orders, `sold`: by prompt. */
export async function openService({ latencyMs = 0 } = {}) {
  const [sold, runs] = [new Map(), new Map()]
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', piece => (body += piece))
    request.on('end', async () => {
      const json = value =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      const id = request.url.split('/').at(-2)
      if (request.url.endsWith('/result'))
        return json({ id, status: 'completed', outputs: [{ url: `${origin}/files/${id}/x.png` }] })
      const picture = prompt =>
        response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(prompt))
      if (request.method === 'GET') return picture(runs.get(id))
      const prompt = /"prompt":"([^"]*)"/.exec(body)?.[1] ?? ''
      sold.set(prompt, (sold.get(prompt) ?? 0) + 1)
      if (latencyMs > 0) await pause(latencyMs * (0.5 + Math.random()))
      if (request.url.endsWith('/execute')) return picture(prompt)
      const run = `r${runs.size}`
      runs.set(run, prompt)
      json({ id: run, status: 'queued' })
    })
  })
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${server.address().port}`
  const total = () => [...sold.values()].reduce((sum, times) => sum + times, 0)
  return { origin, sold, total, close: () => server.close() }
}

/** Like no other: its prompt stands in it. */
function pictureOf(name) {
  const [mark, head, ...rest] = picture
  return Buffer.concat([mark, head, chunk('prVt', Buffer.from(name)), ...rest])
}

function chunk(name, bytes) {
  const body = Buffer.concat([Buffer.from(name), bytes])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(bytes.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A folder with so many pictures to be made, and as many that are made from these. */
export function writeProject(folder, rows, { mode }) {
  const items = Array.from({ length: rows }, (_, nth) => `r${nth}`)
  writeFileSync(join(folder, 'rows.csv'), `item\n${items.join('\n')}\n`)
  writeFileSync(
    join(folder, 'm.yaml'),
    `jobs:
  still:
    matrix: { item: { rows: rows.csv, key: item } }
    model: fama-imagine-image
    mode: execute
    prompt: Teapot \${{ matrix.item.item }}
  close:
    matrix: { item: { rows: rows.csv, key: item } }
    model: famb-character
    mode: ${mode}
    prompt: Spout \${{ matrix.item.item }}
    imageUrls: \${{ jobs.still.output }}
`,
  )
}

/** Starts genrun in a folder; `ended` tells what it said last. */
export function startsIn(folder, { executable, origin, ...more }) {
  const given = { GENRUN_BASE_URL: `${origin}/gw-v2`, GENRUN_API_KEY: 'bench-key', CI: '' }
  const env = { ...process.env, ...given, ...more }
  return words => {
    const stdio = ['ignore', 'pipe', 'pipe']
    const child = spawn(process.execPath, [executable, ...words], { cwd: folder, env, stdio })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', text => (said = (said + text).slice(-4000)))
    return {
      child,
      ended: new Promise(done => child.on('close', (code, signal) => done({ code, signal, said }))),
    }
  }
}

/** Prints what the lock says beside what was sold, and tells it. */
export async function compare(folder, { rows, genrun, service }) {
  const before = service.total()
  const after = await genrun(['m.yaml', '-q', '--max-paid', '0']).ended
  row('one run of the whole after that', `exit ${after.code}`, `${service.total() - before} orders`)
  if (![0, 3].includes(after.code)) console.log(after.said.slice(-1500))
  const lock = JSON.parse(readFileSync(join(folder, 'm.lock.json'), 'utf8')).jobs.slice(0, -1)
  const states = lock.reduce((all, { state }) => ({ ...all, [state]: (all[state] ?? 0) + 1 }), {})
  const addresses = new Set(lock.map(({ address }) => address)).size
  const prompts = of => new Set(lock.filter(of).map(({ recipe }) => recipe.params.prompt))
  const doubted = prompts(({ state }) => state === 'doubt').size
  const known = prompts(() => true)
  const twice = [...service.sold].filter(([, times]) => times > 1).length
  const lost = [...service.sold.keys()].filter(prompt => !known.has(prompt))
  const isPicture = name => name.endsWith('.png')
  const files = readdirSync(join(folder, 'out/m'), { recursive: true }).filter(isPicture).length
  const held = 2 * rows - addresses
  row('jobs in the lock', `${addresses}`, JSON.stringify(states))
  row('files', `${files}`, '')
  const orders = `${service.total()} orders of ${service.sold.size} prompts, ${doubted} in doubt`
  row('ordered twice by the ledger', `${twice}`, orders)
  row('sold and in no record', `${lost.length}`, lost.slice(0, 3).join(', '))
  row('jobs that wait for one in doubt', `${held}`, '')
  const isRight = twice === 0 && lost.length === 0 && held <= doubted && files === (states.done ?? 0)
  return { isRight, doubted }
}

/** Seconds of processor time that a process and its children had. */
export function cpuSecondsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) / 100
  } catch {
    return undefined
  }
}

export const pause = ms => new Promise(done => setTimeout(done, ms))

export function row(what, figure, about) {
  console.log(`${what.padEnd(36)} ${figure.padStart(10)}   ${about}`)
}

export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
