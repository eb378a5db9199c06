// How soon a command answers and how fast manifests are read: `node test/bench/reading.mjs [dist/bin.cjs]`.
// Figures are good as ratios inside one run only (shared/TARGETS.md): whole processes, medians of five, interleaved.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { executableAt } from './executable.mjs'

// Tells on stderr what a process used: milliseconds of CPU, MiB of memory.
const usageHook = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  process.stderr.write(\`usage \${(userCPUTime + systemCPUTime) / 1000} \${maxRSS / 1024}\\n\`)
})`

const root = join(import.meta.dirname, '..', '..')
const executable = executableAt(process.argv[2])
const rounds = 5
// What a script does that trusts its data: parse, one validator per model, no two outputs the same.
const plainCheck = `
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
const require = createRequire(${JSON.stringify(join(root, 'package.json'))})
const { Ajv } = require('ajv')
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, validateSchema: false, strict: false })
const validators = new Map()
const outputs = new Set()
let wrong = 0
for (const job of Object.values(JSON.parse(readFileSync(process.argv[2], 'utf8')).jobs)) {
  const { model, output, tags, description, ...params } = job
  if (!validators.has(model)) validators.set(model, ajv.compile(require('./schemas/models/' + model + '.schema.json')))
  if (!validators.get(model)(params) || outputs.has(output)) wrong++
  outputs.add(output)
}
if (wrong > 0) throw new Error(wrong + ' jobs are wrong')
`
const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))

try {
  const hook = written('usage.mjs', usageHook)
  const plain = written('plain.mjs', plainCheck)
  const run = (...words) => measured(['--import', pathToFileURL(hook).href, ...words])
  const nothing = () => run('-e', '0')
  const validate = name => () => run(executable, 'validate', name)

  row('--version / node -e 0 (1.2)', () => run(executable, '--version'), nothing)
  row('validate, 20 jobs / node -e 0 (2.5)', validate(manifests(20).yaml), nothing)
  const many = manifests(10_000)
  row('validate, 10,000 jobs / JSON.parse and ajv (12)', validate(many.yaml), () => run(plain, many.json))
  row('the same as JSON / JSON.parse and ajv (3)', validate(many.json), () => run(plain, many.json))
  const most = manifests(100_000)
  row('validate, 100,000 jobs (2 GiB) / JSON.parse and ajv', validate(most.yaml), () => run(plain, most.json))
  const cells = written('cells.yaml', matrixManifest())
  // Two seconds where `node -e 0` takes 60 ms.
  row('plan, 100,000 jobs of a matrix / node -e 0 (33)', () => run(executable, 'plan', cells), nothing)
} finally {
  rmSync(folder, { recursive: true })
}

/** Prints the ratio of the medians, then what it was made of. */
function row(what, ours, theirs) {
  const [mine, other] = [[], []]
  for (let round = 0; round < rounds; round++) {
    mine.push(ours())
    other.push(theirs())
  }
  const of = (runs, key) => runs.map(each => each[key]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)]
  const ratio = key => `${(of(mine, key) / of(other, key)).toFixed(2)} ×`
  const figures = runs => `${of(runs, 'ms').toFixed(0)} ms, ${of(runs, 'rss').toFixed(0)} MiB`
  console.log(
    `${what.padEnd(50)} ${ratio('ms').padStart(8)}   CPU ${ratio('cpu').padStart(8)}   ${figures(mine)} / ${figures(other)}`,
  )
}

function measured(args) {
  const before = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  const ms = performance.now() - before
  const usage = /usage (\S+) (\S+)/.exec(stderr)
  if (status !== 0 || !usage) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return { ms, cpu: Number(usage[1]), rss: Number(usage[2]) }
}

function written(name, text) {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** A hundred thousand jobs in ten lines. */
function matrixManifest() {
  const axis = (name, length) =>
    `      ${name}: [${Array.from({ length }, (_, nth) => `${name}${nth}`).join(', ')}]\n`
  const axes = axis('product', 100) + axis('view', 100) + axis('light', 10)
  const prompt = 'Teapot ${{ matrix.product }}, ${{ matrix.view }}, ${{ matrix.light }}'
  return `name: cells\njobs:\n  still:\n    model: fama-imagine-image\n    matrix:\n${axes}    prompt: ${prompt}\n`
}

/** The same jobs as YAML, eight lines each, and as JSON. */
function manifests(count) {
  const jobs = Array.from({ length: count }, (_, nth) => [`job-${nth}`, jobOf(nth)])
  const yaml = jobs.map(([id, job]) => `  ${id}:\n${lines(job)}`).join('')
  written(`${count}.yaml`, `name: big\njobs:\n${yaml}`)
  written(`${count}.json`, JSON.stringify({ name: 'big', jobs: Object.fromEntries(jobs) }))
  return { yaml: `${count}.yaml`, json: `${count}.json` }
}

function jobOf(nth) {
  const shared = {
    prompt: `Teapot number ${nth} on wet slate, steam rising`,
    aspectRatio: '16:9',
    tags: ['shop'],
  }
  return nth % 2 === 0
    ? { model: 'famc-v3', ...shared, duration: 5, generateAudio: false, output: `clips/${nth}` }
    : { model: 'fama-imagine-image', ...shared, count: 1, description: 'a still', output: `stills/${nth}` }
}

function lines(job) {
  return Object.entries(job)
    .map(([key, value]) => `    ${key}: ${Array.isArray(value) ? `[${value.join(', ')}]` : value}\n`)
    .join('')
}
