// A download of 2 GiB with its digest: `node test/bench/download.mjs [mebibytes]`, after `npm run build`.
// Memory above idle and speed against curl followed by sha256sum (shared/TARGETS.md), each side in a process of its own.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundled, root } from './driver.mjs'

const MiB = 1024 * 1024
const [what = '2048', ...rest] = process.argv.slice(2)

// What downloads once, in a process of its own: from where, to which file.
const fetching = `
import { systemClock } from '${root}/src/base/clock.ts'
import { exposeCollector } from '${root}/src/cli/io/process.ts'
import { createWire } from '${root}/src/wire/client.ts'
import { gwV2 } from '${root}/src/wire/profile/gw-v2.ts'

const [origin, to] = process.argv.slice(2)
exposeCollector() // as the executable does
const rss = () => Math.round(process.memoryUsage().rss / ${MiB})
const base = { baseUrl: origin + '/gw-v2', key: 'k', profile: gwV2, clock: systemClock, spool: async () => '' }
const wire = createWire(base)
const idle = rss()
const curve: number[] = []
let next = 0
const began = performance.now()
const reply = await wire.download({ from: 'link', url: origin + '/large.mp4' }, to, {
  signal: new AbortController().signal,
  progress(bytes, total) {
    if (bytes < next) return
    next += total / 16
    curve.push(rss())
  },
})
const seconds = (performance.now() - began) / 1000
if (reply.got !== 'bytes') throw new Error(JSON.stringify(reply))
await wire.close()
console.log(JSON.stringify({ seconds, idle, curve, above: Math.max(...curve) - idle }))
`

if (what === 'serve') serve(Number(rest[0]))
else await compare(Number(what))

async function compare(mebibytes) {
  const server = spawn(process.execPath, [import.meta.filename, 'serve', String(mebibytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
  try {
    const program = await bundled(folder, fetching)
    const file = join(folder, 'large.bin')
    const origin = await new Promise(resolve =>
      server.stdout.once('data', text => resolve(String(text).trim())),
    )
    const rounds = { ours: [], theirs: [] }
    let told
    for (let nth = 0; nth < (mebibytes > 512 ? 1 : 5); nth++) {
      const ours = await promisify(execFile)(process.execPath, [program, origin, file])
      rmSync(file)
      told = JSON.parse(ours.stdout)
      rounds.ours.push(told.seconds)
      const began = performance.now()
      await promisify(execFile)('curl', ['-s', '-o', file, `${origin}/large.mp4`])
      await promisify(execFile)('sha256sum', [file])
      rounds.theirs.push((performance.now() - began) / 1000)
      rmSync(file)
    }
    const [ours, theirs] = [median(rounds.ours), median(rounds.theirs)]
    row(
      `speed of ${mebibytes} MiB / curl and sha256sum (0.8)`,
      (theirs / ours).toFixed(2),
      `${ours.toFixed(1)} s / ${theirs.toFixed(1)} s`,
    )
    row(
      'memory above idle (40 MiB)',
      `${told.above} MiB`,
      `idle ${told.idle}, then ${told.curve.join(' ')} MiB`,
    )
  } finally {
    server.kill()
    rmSync(folder, { recursive: true })
  }
}

function row(name, ratio, figures) {
  console.log(`${name.padEnd(52)} ${ratio.padStart(8)}   ${figures}`)
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

function serve(mebibytes) {
  const piece = Buffer.alloc(MiB, 7)
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': mebibytes * MiB })
    let left = mebibytes
    const more = () => {
      while (left-- > 0) if (!response.write(piece)) return
      response.end()
    }
    response.on('drain', more)
    more()
  })
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
}
