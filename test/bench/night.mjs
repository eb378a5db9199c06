// A night shift: `node test/bench/night.mjs [jobs] [dist/bin.cjs]`, after `npm run build`; 10,000 jobs unless it is told.
// Pictures, pictures of pictures, clips of those, sounds and speech are ordered from the embedded gateway, of which 15 % of
// the runs fail, 3 % of the orders are refused, 1 % bring another kind of file, and some answers are lost. The genrun is
// killed twice, and its disk is full once (where a small file system may be mounted). In the morning the service works.
// Everything is told as a log, and in the end lock, journal, reports and the gateway's ledger must be of one mind.
import { execFileSync, spawn } from 'node:child_process'
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executableAt } from './executable.mjs'

const prices = `currency: credits
models:
  fama-imagine-image: { perImage: 2 }
  famc-v3-turbo: { perSecond: 1 }
  famc-t2a: { perSecond: 0.5 }
  fama-tts: { perCharacter: 0.01 }
`
const jobs = Number(process.argv[2] ?? 10_000)
const bin = executableAt(process.argv[3])
const mishaps = [
  'fail chance=0.15',
  'refuse=422 chance=0.03',
  'deliver=tiff chance=0.01',
  'lose chance=0.001',
].join(', ')
const folder = mkdtempSync(join(tmpdir(), 'genrun-night-'))
const project = join(folder, 'project')
const startedAt = performance.now()
const checks = []

mkdirSync(project)
const isSmallDisk = mount('size=100%')
try {
  await nightAndMorning()
} finally {
  if (isSmallDisk) execFileSync('umount', ['-l', project])
  rmSync(folder, { recursive: true, force: true })
}
const broken = checks.filter(({ holds }) => !holds)
if (broken.length > 0) process.exitCode = 1

async function nightAndMorning() {
  writeFileSync(join(project, 'night.yaml'), manifest())
  writeFileSync(join(folder, 'prices.yaml'), prices)
  const port = await freePort()
  tell(`${jobs} jobs; faults: ${mishaps}`)
  let gateway = await serve(port, mishaps)
  const reports = []
  const ledgers = []
  await killedAt(0.25, port)
  // What waits for one that failed, or is in doubt since a kill, cannot be made before the morning: later is too late.
  if (isSmallDisk) await fullAt(0.4, port, reports)
  await killedAt(0.55, port)
  reports.push(await run(['night.yaml'], port, 'the run that ends the night'))
  await status('the morning')
  ledgers.push(await ledger(port))
  gateway.kill()
  await new Promise(done => gateway.once('exit', done))
  gateway = await serve(port, undefined)
  const last = reports.at(-1)
  const lost = last.jobs.filter(job => job.ending === 'doubt')
  tell(`${lost.length} in doubt`)
  const before = await ledger(port)
  reports.push(await run(['night.yaml', '--failed', '--resubmit'], port, 'the command of the morning'))
  const after = await ledger(port)
  ledgers.push(await ledger(port))
  const unchanged = await run(['night.yaml'], port, 'once more')
  const verified = await genrun(['verify', 'night.yaml'], port)
  compare({ reports, ledgers, unchanged, verified, morning: { before, after } })
  gateway.kill()
}

/** What everybody counted. */
function compare({ reports, ledgers, unchanged, verified, morning }) {
  const lock = JSON.parse(readFileSync(join(project, 'night.lock.json'), 'utf8')).jobs.filter(Boolean)
  const done = lock.filter(({ state }) => state === 'done')
  const keys = new Map()
  for (const { byKey } of ledgers)
    for (const [key, { requests, billed }] of Object.entries(byKey)) {
      const known = keys.get(key) ?? { requests: 0, billed: 0 }
      keys.set(key, { requests: known.requests + requests, billed: known.billed + billed })
    }
  const entries = JSON.parse(
    execFileSync(process.execPath, [bin, 'journal', 'night.yaml', '--json'], {
      cwd: project,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    }),
  ).entries
  const journal = paidByJournal(entries, lock)
  const billed = [...keys.values()].reduce((sum, each) => sum + each.billed, 0)
  const twice = [...keys.values()].filter(each => each.billed > 1).length
  const unknown = [...keys].filter(([key, { billed: paid }]) => paid > 0 && !journal.has(key)).length
  const made = new Set(done.map(({ address }) => address))
  const ended = reports.find(report => report.title === 'the command of the morning')
  check('exit code of the morning', ended.exit, 0)
  check('every job has its result', made.size, jobs)
  check('files in the output folder that the lock names', filesThere(done), done.length)
  check('orders that were billed and that no record knows', unknown, 0)
  check('orders that were billed twice', twice, 0)
  check(
    'paid requests of the morning, by its report and by the ledger',
    ended.paid,
    requestsOf(morning.after) - requestsOf(morning.before),
  )
  check(
    'credits of the morning, by its report and job by job',
    round(ended.cost?.credits ?? 0),
    round(ended.jobs.reduce((sum, { spent }) => sum + (spent?.credits ?? 0), 0)),
  )
  check('requests of an unchanged run', unchanged.requests, 0)
  check('genrun verify', verified.code, 0)
  tell(
    `${billed} orders were billed by the ledger, for ${jobs} jobs; ${done.length} results in the lock cost ${round(done.reduce((sum, { credits = 0 }) => sum + credits, 0))} credits`,
  )
}

/** Orders that the records know of: a journal that was made shorter has only how they stand. */
function paidByJournal(entries, lock) {
  const known = new Set(lock.map(({ id }) => id))
  for (const { kind, purchase } of entries) if (purchase && kind !== 'INTENT') known.add(purchase)
  return known
}

function filesThere(done) {
  const there = new Set(readdirSync(join(project, 'out', 'night'), { recursive: true }))
  return done.filter(({ files }) => files.every(({ path }) => there.has(path))).length
}

function check(what, is, shall) {
  const holds = is === shall
  checks.push({ what, holds })
  tell(`${holds ? 'ok ' : 'NOT'}  ${what}: ${is}${holds ? '' : `, and it should be ${shall}`}`)
}

/** kill -9 once so many of the jobs are done, and the hundredth part of them by this run. */
async function killedAt(share, port) {
  const began = begin(['night.yaml'], port)
  await until(() => began.ended() || began.made() >= Math.max(jobs * share - doneBefore(began), jobs / 100))
  if (began.ended()) return tell(`ended by itself before it could be killed, exit ${await began.code}`)
  began.child.kill('SIGKILL')
  await began.code
  tell(`kill -9 when ${Math.round(share * 100)} % of the jobs were done`)
}

/** No more room once so many of the jobs are done, until the run has ended; then there is room again. */
async function fullAt(share, port, reports) {
  const began = begin(['night.yaml'], port)
  await until(() => began.ended() || began.made() >= jobs * share - doneBefore(began))
  const isInTime = !began.ended()
  if (isInTime) mount(`remount,size=${Math.ceil(usedKibibytes() + 256)}k`)
  const code = await began.code
  tell(
    isInTime
      ? `the disk was full when ${Math.round(share * 100)} % of the jobs were done: exit ${code}`
      : `ended by itself before the disk could be full, exit ${code}`,
  )
  for (const line of began.last(3)) tell(`    ${line}`)
  mount('remount,size=100%')
  reports.push({ title: 'full', ...began.report() })
}

function doneBefore({ plan }) {
  return plan().kept
}

/** A run with its report. */
async function run(words, port, title) {
  const from = performance.now()
  const began = begin(words, port)
  const code = await began.code
  const report = began.report()
  tell(`${title}: genrun ${words.join(' ')}, exit ${code}, ${seconds(from)}, ${report.paid} paid requests`)
  tell(
    `    ${Object.entries(report.counts)
      .map(([ending, count]) => `${count} ${ending}`)
      .join(', ')}`,
  )
  for (const line of began.last(4)) tell(`    ${line}`)
  return { title, ...report }
}

async function status(title) {
  const from = performance.now()
  const { text } = await genrun(['status', 'night.yaml'])
  const lines = text.trimEnd().split('\n')
  tell(`${title}: genrun status night.yaml, ${lines.length} lines, ${seconds(from)}`)
  for (const line of lines.slice(0, 12)) tell(`    ${line}`)
  if (lines.length > 12) tell(`    … and ${lines.length - 12} lines more`)
}

/** What a genrun says, and how far it is. */
function begin(words, port) {
  const out = join(folder, `${words.length}-${Date.now()}.json`)
  const stdout = createWriteStream(out)
  const child = spawn(process.execPath, [bin, ...words, '--json', '--yes'], {
    cwd: project,
    env: environment(port),
  })
  let made = 0
  let kept = 0
  let isOver = false
  const tail = []
  child.stdout.pipe(stdout)
  let rest = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (/ {2}made {2}/.test(line)) made++
      kept ||= Number(/([\d,]+) up to date/.exec(line)?.[1]?.replaceAll(',', '') ?? 0)
      tail.push(line)
      if (tail.length > 20) tail.shift()
    }
  })
  const code = new Promise(done =>
    child.once('close', (exit, signal) => stdout.end(() => done(exit ?? signal))),
  ).then(exit => {
    isOver = true
    return exit
  })
  return {
    child,
    code,
    made: () => made,
    plan: () => ({ kept }),
    ended: () => isOver,
    last: many => tail.slice(-many),
    report: () => JSON.parse(readFileSync(out, 'utf8')),
  }
}

function genrun(words, port) {
  return new Promise(done => {
    const child = spawn(process.execPath, [bin, ...words], { cwd: project, env: environment(port) })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', more => (text += more))
    child.once('close', code => done({ code, text }))
  })
}

function environment(port) {
  const { GENRUN_BASE_URL: _, ...rest } = process.env
  if (port === undefined) return rest
  return { ...rest, GENRUN_BASE_URL: `http://127.0.0.1:${port}/gw-v2`, GENRUN_API_KEY: 'night-shift' }
}

async function serve(port, faults) {
  const words = [
    'serve',
    '--port',
    String(port),
    '--ledger',
    '--format',
    'jpeg',
    '--prices',
    join(folder, 'prices.yaml'),
    '--max-store',
    '8GB',
  ]
  const child = spawn(process.execPath, [bin, ...words, ...(faults ? ['--fault', faults] : [])], {
    env: { ...process.env, GENRUN_API_KEY: 'night-shift' },
    stdio: 'ignore',
  })
  await until(() => ledger(port).then(Boolean, () => false))
  return child
}

async function ledger(port) {
  const answer = await fetch(`http://127.0.0.1:${port}/__ledger`, {
    headers: { authorization: 'Bearer night-shift' },
  })
  if (!answer.ok) throw new Error(`the ledger answers ${answer.status}`)
  return answer.json()
}

function requestsOf({ requests }) {
  return requests.execute + requests.submit
}

async function until(holds) {
  for (const giveUp = performance.now() + 3_600_000; performance.now() < giveUp; ) {
    if (await holds()) return
    await new Promise(done => setTimeout(done, 50))
  }
  throw new Error('nothing happened for an hour')
}

/** Of its own, so that it can be full; false where that is not permitted. */
function mount(options) {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'genrun-night', project], { stdio: 'pipe' })
    return true
  } catch {
    tell('no file system can be mounted here: the disk is not full in this night')
    return false
  }
}

function usedKibibytes() {
  return Number(execFileSync('df', ['-k', '--output=used', project], { encoding: 'utf8' }).split('\n')[1])
}

function freePort() {
  return new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}

function tell(line) {
  console.log(`${clock()}  ${line}`)
}

function clock() {
  return `${((performance.now() - startedAt) / 1000).toFixed(0)} s`.padStart(7)
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`
}

function round(amount) {
  return Math.round(amount * 1e6) / 1e6
}

/** Of ten jobs six are pictures, one is made from a picture, one a clip of that, one a sound, one speech. */
function manifest() {
  const lines = Array.from({ length: jobs }, (_, nth) => {
    const ten = Math.floor(nth / 10)
    switch (nth % 10) {
      case 6:
        return `edit${ten}: { model: fama-imagine-image, prompt: At dusk ${ten}, imageUrls: '\${{ jobs.pic${ten}x0.output }}' }`
      case 7:
        return `clip${ten}: { model: famc-v3-turbo, prompt: Push in ${ten}, duration: 3, startFrame: '\${{ jobs.edit${ten}.output }}' }`
      case 8:
        return `rain${ten}: { model: famc-t2a, prompt: Rain ${ten}, duration: 3 }`
      case 9:
        return `voice${ten}: { model: fama-tts, prompt: Good night ${ten} }`
      default:
        return `pic${ten}x${nth % 10}: { model: fama-imagine-image, prompt: Teapot ${nth} }`
    }
  })
  return `jobs:\n${lines.map(line => `  ${line}\n`).join('')}`
}
