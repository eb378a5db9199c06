// How quickly results go into a bucket: `node test/bench/bucket.mjs [files] [megabytes] [dist/bin.cjs]`, after `npm run build`. Beside it the same
// bytes by the library in a plain loop, in a process of its own, and four at a time, as genrun sends them. The store keeps sizes and throws the bytes away, so that it bounds neither.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { executableAt } from './executable.mjs'

const [files = '1000', megabytes = '2', path] = isMainThread ? process.argv.slice(2) : workerData

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

/** The service and the store, on a thread of their own: whoever is measured waits for neither. */
if (!isMainThread) {
  const sizes = new Map()
  const server = createServer(async (request, response) => {
    const { method, url } = request
    let bytes = 0
    let text = ''
    for await (const piece of request) {
      bytes += piece.length
      if (method === 'POST') text += piece
    }
    if (!url.startsWith('/s3/'))
      return response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(text))
    if (method === 'PUT') {
      sizes.set(url, bytes)
      return response.writeHead(200, { etag: `"${bytes}"` }).end()
    }
    const size = sizes.get(url)
    if (size === undefined) return response.writeHead(404).end()
    response.writeHead(200, { 'content-length': method === 'HEAD' ? size : 0 }).end()
  })
  server.listen(Number(process.env.BENCH_PORT), '127.0.0.1')
} else {
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
  const worker = new Worker(new URL(import.meta.url), {
    workerData: [files, megabytes],
    env: { ...process.env, BENCH_PORT: String(port) },
  })
  await new Promise(done => setTimeout(done, 1000))
  try {
    measure(folder, `http://127.0.0.1:${port}`)
  } finally {
    await worker.terminate()
    rmSync(folder, { recursive: true, force: true })
  }
}

function measure(folder, origin) {
  const env = {
    ...process.env,
    GENRUN_BASE_URL: `${origin}/gw-v2`,
    GENRUN_API_KEY: 'bench-key',
    AWS_ENDPOINT_URL_S3: `${origin}/s3`,
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench-secret',
    CI: '',
  }
  const run = (program, words, cwd = folder) => {
    const began = performance.now()
    const { status, stderr } = spawnSync(process.execPath, [program, ...words], {
      cwd,
      env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`exit ${status}\n${stderr}`)
    return (performance.now() - began) / 1000
  }
  const manifest = `jobs:\n  p:\n    matrix: { n: { rows: rows.csv, key: item } }\n    model: fama-imagine-image\n    mode: execute\n    prompt: Tea \${{ matrix.n.item }}\n`
  const rows = Array.from({ length: Number(files) }, (_, nth) => `r${nth}`)
  writeFileSync(join(folder, 'm.yaml'), manifest)
  writeFileSync(join(folder, 'rows.csv'), `item\n${rows.join('\n')}\n`)
  const executable = executableAt(path)
  // The pictures are of one pixel, and what is unlike what was asked for is not put into a cache.
  run(executable, ['m.yaml', '-q', '--verify', 'off'])
  const made = readdirSync(join(folder, 'out/m'), { recursive: true }).filter(name => name.endsWith('.png'))
  if (made.length !== Number(files)) throw new Error(`${made.length} files`)
  // Beside this file, where the library is found.
  const loop = join(import.meta.dirname, 'bucket-loop.mjs')
  // In turns: the machine is seldom quiet.
  const rounds = [1, 2, 3].map(round => ({
    loop: run(loop, [join(folder, 'out/m'), `loop-${round}`]),
    four: run(loop, [join(folder, 'out/m'), `four-${round}`, '4']),
    cache: run(executable, ['m.yaml', '-q', '--cache', `s3://results/cache-${round}`]),
    publish: run(executable, ['m.yaml', '-q', '--publish', `s3://results/publish-${round}`]),
  }))
  const best = what => Math.min(...rounds.map(round => round[what]))
  const total = Number(files) * Number(megabytes)
  for (const what of ['loop', 'four', 'cache', 'publish'])
    console.log(
      `${what.padEnd(10)} ${best(what).toFixed(1).padStart(8)} s   ${(total / best(what)).toFixed(0)} MB/s   ${(best('loop') / best(what)).toFixed(2)} × the loop   (all: ${rounds.map(round => round[what].toFixed(1)).join(', ')})`,
    )
}

/** Like no other: its prompt stands in it. */
function pictureOf(name) {
  const body = Buffer.concat([Buffer.from('prVt'), Buffer.alloc(Number(megabytes) * 1e6, name)])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([pixel.subarray(0, 33), length, body, check, pixel.subarray(33)])
}
