// What a run costs that has nothing to do, or one job: `node test/bench/rerun.mjs [dist/bin.cjs] [outputs …]`, after
// `npm run build`. Whole processes, interleaved, medians; good as ratios inside one run only (shared/TARGETS.md).
//
// The yardstick is ninja (Debian's ninja-build) with as many edges and its log; where there is none, `node -e 0`.
// One job is made by a rehearsal; its line of the lock, its file and its records in the journal are then written out as
// often as there are jobs, as if a service had made them all.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { executableAt } from './executable.mjs'

const root = join(import.meta.dirname, '..', '..')
const [named, ...counts] = process.argv.slice(2)
const executable = executableAt(named)
const sizes = counts.length > 0 ? counts.map(Number) : [1000, 10_000, 100_000]
const rounds = 5
const bounds = { 10_000: 1.5, 100_000: 0.6 }

const manifest = `jobs:
  still:
    forEach: rows.jsonl
    model: fama-imagine-image
    prompt: \${{ item.text }}
    output: stills/\${{ item.id }}
`

const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const hook = join(folder, 'usage.mjs')
writeFileSync(
  hook,
  "process.on('exit', () => process.stderr.write(`\\nusage ${process.resourceUsage().maxRSS / 1024}`))",
)
const refusing = await refuser()
const env = {
  ...process.env,
  GENRUN_BASE_URL: `${refusing.origin}/gw-v2`,
  GENRUN_API_KEY: 'rerun-key',
  CI: '',
}

try {
  const journal = await journalText()
  const hasNinja = spawnSync('ninja', ['--version']).status === 0
  if (!hasNinja) console.log('ninja is not on PATH: measured against `node -e 0`, whose bounds are others')
  const nothing = () => timed(process.execPath, ['-e', '0'], folder)
  const seed = seedOf(journal)
  for (const count of sizes) {
    const batch = batchOf(count, seed, journal)
    const name = count.toLocaleString('en')
    const rerun = () => timed(process.execPath, [executable, 'big.yaml'], batch.folder)
    const forgetful = () => {
      rmSync(batch.memory, { force: true })
      return rerun()
    }
    const ninja = hasNinja ? () => timed('ninja', ['-C', batch.ninja], batch.folder) : nothing
    const peer = hasNinja ? 'ninja' : 'node -e 0'
    // The first run puts there what a project of any age has. What changed a moment ago is not remembered.
    rerun()
    await new Promise(resolve => setTimeout(resolve, 2500))
    rerun()
    const [remembered, forgotten, asNinja, asNothing] = interleaved([rerun, forgetful, ninja, nothing])
    const memory = memoryOf(batch.folder)
    if (count <= 1000) row(`unchanged, ${name} outputs / node -e 0 (1.6)`, remembered, asNothing)
    row(`unchanged, ${name} outputs / ${peer} (${bounds[count] ?? '–'})`, remembered, asNinja, memory)
    row(`the same, nothing remembered / ${peer} (2.5)`, forgotten, asNinja)
    const [first, again] = [[], []]
    for (let round = 0; round < rounds; round++) {
      batch.change(round)
      first.push(await untilAsked(batch.folder))
      again.push(ninja())
    }
    row(`one job changed, to the first request / ${peer} (1.6)`, first, again)
    rmSync(batch.folder, { recursive: true })
  }
} finally {
  refusing.close()
  rmSync(folder, { recursive: true, force: true })
}

/** One job, made by a rehearsal: its line of the lock and its records. */
function seedOf({ decodeJournal }) {
  const at = join(folder, 'seed')
  mkdirSync(at)
  writeManifest(at, 1)
  const { status, stderr } = spawnSync(process.execPath, [executable, 'big.yaml', '--local'], {
    cwd: at,
    env: { ...process.env, GENRUN_BASE_URL: '', GENRUN_API_KEY: '' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the seed was not made: ${stderr}`)
  const [head, line] = readFileSync(join(at, 'big.preview.lock.json'), 'utf8').split('\n')
  const journals = join(at, '.genrun', 'big.preview', 'journal')
  const { entries } = decodeJournal(readFileSync(join(journals, readdirSync(journals)[0])))
  const file = readFileSync(join(at, 'out', 'big.preview', ...fileOf(line).split('/')))
  return { head, line, entries, file }
}

function fileOf(line) {
  return JSON.parse(line.slice(0, -1)).files[0].path
}

/** The rows are numbered alike, so that the seed's number stands wherever a job's own belongs. */
function writeManifest(at, count, changed = '') {
  writeFileSync(join(at, 'big.yaml'), manifest)
  const rows = Array.from({ length: count }, (_, nth) => {
    const text = `Teapot ${idOf(nth)} on wet slate, steam rising${nth === count - 1 ? changed : ''}`
    return JSON.stringify({ id: idOf(nth), text })
  })
  writeFileSync(join(at, 'rows.jsonl'), `${rows.join('\n')}\n`)
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function idOf(nth) {
  return `r${String(nth).padStart(7, '0')}`
}

/** What is said of the seed, said of another job: its row, and ids that nobody else has. */
function numbered(text, nth) {
  const own = hex => nth.toString(16).padStart(8, '0') + hex.slice(8)
  return text.replaceAll(idOf(0), idOf(nth)).replaceAll(/(?<=")[0-9a-f]{32}(?=")/g, own)
}

/** A folder in which everything is made: manifest, lock, journal, outputs, and the same for ninja. */
function batchOf(count, { head, line, entries, file }, { encodeRecord, chainStart }) {
  const at = join(folder, `batch-${count}`)
  const state = join(at, '.genrun', 'big')
  const ninja = join(at, 'ninja')
  for (const each of [join(at, 'out', 'big', 'stills'), join(state, 'journal'), ninja])
    mkdirSync(each, { recursive: true, mode: 0o700 })
  writeManifest(at, count)
  const bytes = file.subarray(0, 512)
  // An output that is not what its record says is no output that has nothing to do.
  const shortened = said =>
    said.replaceAll(/"bytes":\d+/g, `"bytes":${bytes.length}`).replaceAll(digestOf(file), digestOf(bytes))
  const short = shortened(line)
  const lines = Array.from({ length: count }, (_, nth) => numbered(short, nth))
  writeFileSync(join(at, 'big.lock.json'), `${[head, ...lines].join('\n')}\nnull]}\n`)
  const output = fileOf(line)
  let digest = chainStart
  const records = []
  const isOwn = entry => 'purchase' in entry
  const text = shortened(JSON.stringify(entries.filter(isOwn)))
  const note = entry => {
    const record = encodeRecord(digest, entry)
    digest = record.digest
    records.push(record.bytes)
  }
  for (const entry of entries.filter(each => each.kind === 'OPEN')) note(entry)
  for (let nth = 0; nth < count; nth++) for (const entry of JSON.parse(numbered(text, nth))) note(entry)
  for (const entry of entries.filter(each => each.kind === 'CLOSE')) note(entry)
  writeFileSync(join(state, 'journal', '000001.jnl'), Buffer.concat(records), { mode: 0o600 })
  for (let nth = 0; nth < count; nth++)
    writeFileSync(join(at, 'out', 'big', output.replaceAll(idOf(0), idOf(nth))), bytes)
  writeNinja(ninja, count, output)
  return {
    folder: at,
    ninja,
    memory: join(state, 'nothing-to-do'),
    change: round => writeManifest(at, count, `, version ${round}`),
  }
}

/** An edge per output, and a log as if ninja had made them. Its digests are not looked at for generators. */
function writeNinja(at, count, output) {
  const outputs = Array.from(
    { length: count },
    (_, nth) => `../out/big/${output.replaceAll(idOf(0), idOf(nth))}`,
  )
  const edges = outputs.map((path, nth) => `build ${path}: draw\n  text = Teapot ${idOf(nth)} on wet slate\n`)
  writeFileSync(
    join(at, 'build.ninja'),
    `rule draw\n  command = draw $text $out\n  generator = 1\n${edges.join('')}`,
  )
  const now = BigInt(Date.now()) * 1_000_000n
  const log = outputs.map((path, nth) => `0\t1\t${now}\t${path}\t${(nth + 1).toString(16)}`)
  writeFileSync(join(at, '.ninja_log'), `# ninja log v5\n${log.join('\n')}\n`)
}

/** Milliseconds of a process that has nothing to do. */
function timed(program, words, cwd) {
  const before = performance.now()
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, encoding: 'utf8' })
  const ms = performance.now() - before
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  const isMeant = words[0] !== executable || stderr.includes('nothing to do')
  if (!isMeant) throw new Error(`there was something to do: ${stderr}`)
  return ms
}

/** MiB of the process at its largest. */
function memoryOf(cwd) {
  const { stderr } = spawnSync(process.execPath, ['--import', hook, executable, 'big.yaml'], {
    cwd,
    env,
    encoding: 'utf8',
  })
  return Number(/usage (\S+)/.exec(stderr)?.[1])
}

/** From the start of the process to the first byte of its request, which is refused. */
async function untilAsked(cwd) {
  const asked = refusing.next()
  const before = performance.now()
  const child = spawn(process.execPath, [executable, 'big.yaml'], { cwd, env, stdio: 'ignore' })
  const ended = new Promise(resolve => child.once('exit', resolve))
  const ms =
    (await Promise.race([asked, ended.then(code => Promise.reject(new Error(`no request: ${code}`)))])) -
    before
  await ended
  return ms
}

/** A service that refuses everything definitely, and says when it was asked. */
async function refuser() {
  let tell = () => undefined
  const server = createServer((request, response) => {
    tell(performance.now())
    request.resume()
    request.on('end', () => response.writeHead(422, { 'content-type': 'application/json' }).end('{}'))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    next: () =>
      new Promise(resolve => {
        tell = resolve
      }),
    close: () => server.close(),
  }
}

/** The journal's format, from its source. */
async function journalText() {
  const outfile = join(folder, 'journal-text.mjs')
  const source = join(root, 'src', 'store', 'journal', 'journal-text.ts')
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  return import(outfile)
}

function interleaved(all) {
  const times = all.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [nth, each] of all.entries()) times[nth].push(each())
  return times
}

/** Prints the ratio of the medians, then what it was made of. */
function row(what, ours, theirs, memory) {
  const [mine, other] = [median(ours), median(theirs)]
  const rss = memory === undefined ? '' : `, ${memory.toFixed(0)} MiB`
  const figures = `${mine.toFixed(0)} ms${rss} / ${other.toFixed(0)} ms`
  console.log(`${what.padEnd(62)} ${`${(mine / other).toFixed(2)} ×`.padStart(8)}   ${figures}`)
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
