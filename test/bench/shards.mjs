// One manifest in shards, by processes that are killed and started twice: `node test/bench/shards.mjs [jobs] [shards] [processes]
// [dist/bin.js]`, after `npm run build`. The service keeps a ledger by prompt. In the end the locks are merged and compared with what was
// sold: nothing may be bought twice, and every job is there or named as being in doubt.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { executableAt } from './executable.mjs'

const [jobs = '100000', shards = '16', processes = '4', path] = process.argv.slice(2)
const [of, atOnce] = [Number(shards), Number(processes)]
const rows = Number(jobs) / 2
const executable = executableAt(path)
const killEveryMs = Number(process.env.KILL_MS ?? 20_000)

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const manifest = `jobs:
  still:
    matrix: { item: { rows: rows.csv, key: item } }
    model: fama-imagine-image
    mode: execute
    prompt: Teapot \${{ matrix.item.item }}
  close:
    matrix: { item: { rows: rows.csv, key: item } }
    model: famb-character
    mode: execute
    prompt: Spout \${{ matrix.item.item }}
    imageUrls: \${{ jobs.still.output }}
`
const sold = new Map()
const server = createServer((request, response) => {
  let body = ''
  request.on('data', piece => (body += piece))
  request.on('end', () => {
    const prompt = /"prompt":"([^"]*)"/.exec(body)?.[1] ?? ''
    sold.set(prompt, (sold.get(prompt) ?? 0) + 1)
    response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(prompt))
  })
})
await new Promise(done => server.listen(0, '127.0.0.1', done))
const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
try {
  await measure(`http://127.0.0.1:${server.address().port}/gw-v2`)
} finally {
  server.close()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(baseUrl) {
  const env = { ...process.env, GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: 'bench-key', CI: '' }
  const genrun = words => {
    const child = spawn(process.execPath, [executable, ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', text => (said = (said + text).slice(-2000)))
    return {
      child,
      ended: new Promise(done => child.on('close', (code, signal) => done({ code, signal, said }))),
    }
  }
  writeFileSync(
    join(folder, 'rows.csv'),
    `item\n${Array.from({ length: rows }, (_, nth) => `r${nth}`).join('\n')}\n`,
  )
  writeFileSync(join(folder, 'm.yaml'), manifest)

  const began = performance.now()
  const queue = Array.from({ length: of }, (_, nth) => `${nth + 1}/${of}`)
  const running = new Map()
  const counts = { started: 0, killed: 0, twice: 0 }
  const killer = setInterval(() => {
    const alive = [...running.values()]
    const victim = alive[Math.floor(Math.random() * alive.length)]
    if (victim?.kill('SIGKILL')) counts.killed++
  }, killEveryMs)
  async function work() {
    for (let shard = queue.shift(); shard !== undefined; shard = queue.shift()) {
      counts.started++
      const { child, ended } = genrun(['run', 'm.yaml', '--shard', shard, '-q'])
      running.set(shard, child)
      // Now and then somebody starts it once more.
      if (counts.started % 8 === 3) {
        await new Promise(done => setTimeout(done, 15_000))
        const second = await genrun(['run', 'm.yaml', '--shard', shard, '-q']).ended
        if (second.code === 5) counts.twice++
      }
      const { code, signal, said } = await ended
      running.delete(shard)
      if (signal === null && ![0, 3].includes(code)) throw new Error(`shard ${shard}: exit ${code}\n${said}`)
      if (signal !== null) queue.push(shard)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  clearInterval(killer)
  const made = performance.now()
  row(
    'all shards',
    seconds(made - began),
    `${counts.started} processes, ${counts.killed} killed, ${counts.twice} told that one is at work`,
  )
  const merged = await genrun(['merge', 'm.yaml']).ended
  row('merge', seconds(performance.now() - made), merged.said.trim().split('\n')[0])
  const before = total()
  const after = await genrun(['m.yaml', '-q', '--max-paid', '0']).ended
  row('one run of the whole after that', `exit ${after.code}`, `${total() - before} orders`)

  const lock = JSON.parse(readFileSync(join(folder, 'm.lock.json'), 'utf8')).jobs.slice(0, -1)
  const states = lock.reduce((all, { state }) => ({ ...all, [state]: (all[state] ?? 0) + 1 }), {})
  const addresses = new Set(lock.map(({ address }) => address)).size
  const doubted = new Set(
    lock.filter(({ state }) => state === 'doubt').map(({ recipe }) => recipe.params.prompt),
  )
  const twice = [...sold.values()].filter(times => times > 1).length
  const files = readdirSync(join(folder, 'out/m'), { recursive: true }).filter(name =>
    name.endsWith('.png'),
  ).length
  row('jobs in the lock', `${addresses}`, JSON.stringify(states))
  row('files', `${files}`, '')
  row(
    'ordered twice by the ledger',
    `${twice}`,
    `${total()} orders of ${sold.size} prompts, ${doubted.size} in doubt`,
  )
  const held = 2 * rows - addresses
  row('jobs that wait for one in doubt', `${held}`, '')
  if (twice > 0 || held > doubted.size || files !== (states.done ?? 0)) process.exitCode = 1
}

function total() {
  return [...sold.values()].reduce((sum, times) => sum + times, 0)
}

/** Like no other: its prompt stands in it. */
function pictureOf(name) {
  const body = Buffer.from(`prVt${name}`)
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([pixel.subarray(0, 33), length, body, check, pixel.subarray(33)])
}

function row(what, figure, about) {
  console.log(`${what.padEnd(36)} ${figure.padStart(10)}   ${about}`)
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
