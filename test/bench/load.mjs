// Whole runs of many small jobs: `node test/bench/load.mjs [jobs] [dist/bin.cjs]`, after `npm run build`.
// A service without delay answers 32 requests at a time with pictures of 64 KiB; what genrun takes is compared with the
// raw ceiling (undici and writeFile, nothing else) and with xargs and parallel running curl (shared/TARGETS.md). Every
// side is a process of its own; medians of interleaved rounds.
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflateSync } from 'node:zlib'
import { executableAt } from './executable.mjs'

const run = promisify(execFile)
const atOnce = 32
const [what = '2000', ...rest] = process.argv.slice(2)

const nameOf = { raw: 'undici and writeFile', xargs: 'xargs and curl', parallel: 'parallel and curl' }

if (what === 'serve') serve()
else if (what === 'raw') await raw(...rest)
else await compare(Number(what), executableAt(rest[0]))

async function compare(jobs, executable) {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
  const server = spawn(process.execPath, [import.meta.filename, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const origin = await new Promise(done => server.stdout.once('data', text => done(String(text).trim())))
    for (const [mode, model] of [
      ['execute', 'fama-imagine-image'],
      ['submit', 'fama-imagine-image'],
    ]) {
      const sides = {
        genrun: to => genrun(executable, origin, to, { jobs, mode, model }),
        raw: to => run(process.execPath, [import.meta.filename, 'raw', origin, to, String(jobs), mode]),
        ...(mode === 'execute' && (await curlSides(origin, jobs))),
      }
      const taken = await interleaved(sides, folder, jobs)
      const ours = median(taken.genrun)
      for (const [other, target] of [
        ['raw', '≤ 1.5'],
        ['xargs', '≤ 0.2'],
        ['parallel', '≤ 0.2'],
      ]) {
        if (!taken[other]) continue
        const theirs = median(taken[other])
        row(
          `${jobs} ${mode} jobs / ${nameOf[other]} (${target})`,
          ours / theirs,
          `${seconds(ours)} / ${seconds(theirs)}`,
        )
      }
    }
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds of every side and round; each side must have left as many files as there are jobs. */
async function interleaved(sides, folder, jobs) {
  const rounds = Number(process.env.ROUNDS ?? 5)
  const taken = Object.fromEntries(Object.keys(sides).map(name => [name, []]))
  for (let nth = 0; nth < rounds; nth++) {
    for (const [name, side] of Object.entries(sides)) {
      const to = join(folder, `${name}-${nth}`)
      mkdirSync(to)
      const began = performance.now()
      await side(to)
      taken[name].push(performance.now() - began)
      const made = readdirSync(to, { recursive: true }).filter(path => path.endsWith('.png')).length
      if (made !== jobs) throw new Error(`${name} left ${made} of ${jobs} files`)
      rmSync(to, { recursive: true })
    }
  }
  return taken
}

function genrun(executable, origin, to, { jobs, mode, model }) {
  const numbers = Array.from({ length: jobs }, (_, nth) => nth)
  const manifest = [
    `limits: { execute: ${atOnce}, submit: ${atOnce} }`,
    'jobs:',
    '  still:',
    `    matrix: { n: [${numbers.join(', ')}] }`,
    `    model: ${model}`,
    `    mode: ${mode}`,
    "    prompt: 'Teapot ${{ matrix.n }}'",
  ]
  writeFileSync(join(to, 'm.yaml'), `${manifest.join('\n')}\n`)
  const env = { ...process.env, GENRUN_BASE_URL: `${origin}/gw-v2`, GENRUN_API_KEY: 'bench-key' }
  return run(process.execPath, [executable, 'm.yaml'], { cwd: to, env, maxBuffer: 1e9 })
}

async function curlSides(origin, jobs) {
  const list = Array.from({ length: jobs }, (_, nth) => nth).join('\n')
  const call = to =>
    `curl -sf -H 'authorization: Bearer bench-key' -H 'content-type: application/json' -o '${to}/{}.png' ` +
    `-d '{"params":{"model":"fama-imagine-image","prompt":"Teapot {}"}}' ${origin}/gw-v2/workflows/fama-imagine-image/execute`
  const by = command => to =>
    run('sh', ['-c', `printf '%s\\n' "$LIST" | ${command(to)}`], { env: { ...process.env, LIST: list } })
  return {
    ...((await has('xargs')) && { xargs: by(to => `xargs -P ${atOnce} -I '{}' ${call(to)}`) }),
    ...((await has('parallel')) && {
      parallel: by(to => `parallel -j ${atOnce} ${JSON.stringify(call(to))}`),
    }),
  }
}

/** The ceiling: the same requests by undici, and nothing but writeFile. */
async function raw(origin, to, jobs, mode) {
  const { Pool } = await import('undici')
  const pool = new Pool(origin, { connections: atOnce })
  const headers = { authorization: 'Bearer bench-key', 'content-type': 'application/json' }
  const ask = async (method, path, body) => (await pool.request({ method, path, headers, body })).body.bytes()
  const base = '/gw-v2/workflows/fama-imagine-image'
  const one = async nth => {
    const body = JSON.stringify({ params: { model: 'fama-imagine-image', prompt: `Teapot ${nth}` } })
    let bytes = await ask('POST', `${base}/${mode}`, body)
    if (mode === 'submit') {
      const { id } = JSON.parse(Buffer.from(bytes))
      const result = JSON.parse(Buffer.from(await ask('GET', `${base}/${id}/result`)))
      bytes = await ask('GET', new URL(result.outputs[0].url).pathname)
    }
    await writeFile(join(to, `${nth}.png`), bytes)
  }
  let next = 0
  const work = async () => {
    while (next < Number(jobs)) await one(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await pool.close()
}

function serve() {
  const picture = pictureOf(64 * 1024)
  let runs = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const json = body =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (request.url.endsWith('/submit')) return json({ id: `r${runs++}`, status: 'queued' })
      if (request.url.endsWith('/result')) {
        const id = request.url.split('/').at(-2)
        return json({ id, status: 'completed', outputs: [{ url: `${origin}/files/${id}.png` }] })
      }
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': picture.length }).end(picture)
    })
  })
  let origin = ''
  server.listen(0, '127.0.0.1', () => {
    origin = `http://127.0.0.1:${server.address().port}`
    console.log(origin)
  })
}

/** A whole PNG of 1024 × 1024 in black and white, so large by its noise. */
function pictureOf(bytes) {
  const rows = Array.from({ length: 1024 }, (_, y) => {
    const row = Buffer.alloc(129)
    return y < bytes / 128 ? Buffer.concat([row.subarray(0, 1), randomBytes(128)]) : row
  })
  const header = Buffer.from('00000400000004000100000000', 'hex')
  const chunks = [
    ['IHDR', header],
    ['IDAT', deflateSync(Buffer.concat(rows))],
    ['IEND', Buffer.alloc(0)],
  ]
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...chunks.flatMap(([name, data]) => chunkOf(name, data)),
  ])
}

function chunkOf(name, data) {
  const content = Buffer.concat([Buffer.from(name), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(content))
  return [length, content, sum]
}

function has(command) {
  return run('which', [command]).then(
    () => true,
    () => false,
  )
}

function row(name, ratio, figures) {
  console.log(`${name.padEnd(58)} ${ratio.toFixed(2).padStart(8)}   ${figures}`)
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
