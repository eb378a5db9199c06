import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from './fake.ts'

let cwd: string

const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: A red teapot, takes: 2 }
  rain: { model: famc-t2a, prompt: Rain, duration: 3 }
`

async function genrun(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const around = fakeSurroundings({ cwd, clock: systemClock })
  const code = await main(line.split(' '), around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'genrun-cli-'))
  writeFileSync(join(cwd, 'm.yaml'), manifest)
  writeFileSync(
    join(cwd, 'p.yaml'),
    'currency: EUR\nmodels: { fama-*: { perImage: 0.5 }, famc-t2a: { perSecond: 0.1 } }\n',
  )
  expect((await genrun('plan m.yaml --local -o s.plan')).code).toBe(0)
  expect((await genrun('apply s.plan --local -q')).code).toBe(0)
}, 60_000)

afterAll(() => rmSync(cwd, { recursive: true }))

test.each<[string, number, string]>([
  ['plan m.yaml --local', 0, 'nothing to do: 3 jobs are up to date\n'],
  [
    'plan m.yaml --prices p.yaml hero#2',
    0,
    `buy       hero#2  fama-imagine-image  0.50 EUR  not made yet

by model  fama-imagine-image     1 job  0.50 EUR

1 paid request, about 0.50 EUR
`,
  ],
  [
    'plan m.yaml --summary --prices p.yaml --model famc-*',
    0,
    `### m

**This change buys 1 sound, about 0.30 EUR.**

| | job | model | cost | why |
|---|---|---|---|---|
| buy | \`rain\` | famc-t2a | 0.30 EUR | not made yet |
`,
  ],
  [
    'plan m.yaml --max-paid 2',
    6,
    'buy       hero, hero#2  fama-imagine-image  not made yet\nbuy       rain          famc-t2a            not made yet\n\n3 paid requests\n',
  ],
  [
    'plan m.yaml --prices p.yaml --max-cost 1 rain',
    0,
    'buy       rain  famc-t2a  0.30 EUR  not made yet\n\nby model  famc-t2a     1 job  0.30 EUR\n\n1 paid request, about 0.30 EUR\n',
  ],
  ['plan m.yaml hera', 2, ''],
  ['plan none.yaml', 2, ''],
  ['apply s.plan --local', 0, ''],
  ['verify m.yaml --local', 0, 'm.yaml agrees with its lock and its files: 3 jobs, 3 files\n'],
  ['m.yaml --frozen --local', 0, 'm.yaml agrees with its lock and its files: 3 jobs, 3 files\n'],
  [
    'verify m.yaml --allow stale',
    0,
    'm.yaml: nothing differs but what is allowed (3 stale); 0 jobs, 0 files agree\n',
  ],
  ['verify m.yaml --allow rotten', 2, ''],
  [
    'm.yaml --frozen',
    8,
    expect.stringContaining('m.yaml:2:3: error: hero is not what the manifest asks for') as never,
  ],
  ['graph m.yaml --local --form svg', 2, ''],
  [
    'graph m.yaml --local rain',
    0,
    'flowchart LR\n  j1["rain<br>famc-t2a<br>keep"]:::keep\n  classDef keep fill:#d9ead3,color:#000\n',
  ],
  [
    'why m.yaml rain --local',
    0,
    'rain: keep\n  it is there, and made from exactly this\n\nmodel     famc-t2a  the job, m.yaml:3\nprompt    Rain      the job, m.yaml:3\nduration  3         the job, m.yaml:3\n',
  ],
  ['why m.yaml rian --local', 2, ''],
  ['accept m.yaml hero --local', 0, ''],
  ['pick m.yaml hero#2 --local', 0, 'hero.png\n'],
  ['prune m.yaml --local', 0, ''],
  [
    'pricing famb-v3 -n 4 --speed=TURBO',
    0,
    'famb-v3 costs by\n  count           4\n  renderingSpeed  TURBO\none run: 4 images\nthe amount is not known: no prices are given\n',
  ],
  [
    'pricing famb-v3 -n 1 --speed=TURBO',
    0,
    'famb-v3 costs by\n  count           1\n  renderingSpeed  TURBO\none run: 1 image\nthe amount is not known: no prices are given\n',
  ],
  [
    'pricing famc-t2a -d 4.5 --prices p.yaml',
    0,
    'famc-t2a costs by\n  seconds  4.5\none run: 4.5 seconds\n0.45 EUR\n',
  ],
  ['pricing famc-t2a -d 4.7', 2, ''],
  ['pricing famc-t2a --ar 1:1', 2, ''],
  ['pricing famc-t3a', 2, ''],
  ['lock merge a b', 2, ''],
])('genrun %s: exit %d', async (line, code, stdout) => {
  const result = await genrun(line)
  expect(result.stdout).toEqual(stdout)
  expect(result.code).toBe(code)
})

test('accept says why it accepted nothing', async () => {
  expect(await genrun('accept m.yaml rain --local')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'rain: nothing to accept: made from what the manifest asks for\n0 results accepted\n',
  })
})

test('plan --limit says how many are left for another run', async () => {
  const { remarks } = JSON.parse((await genrun('plan m.yaml --limit 1 --json')).stdout)
  expect(remarks).toEqual(['2 more jobs are to buy: --limit leaves them for another run'])
  expect((await genrun('plan m.yaml --limit 1')).stderr).toContain('2 more jobs are to buy: --limit leaves')
})

test('the plan of a rehearsal speaks of no purchase', async () => {
  writeFileSync(
    join(cwd, 'cup.yaml'),
    'jobs: { cup: { model: fama-imagine-image, prompt: A cup, takes: 2 } }\n',
  )
  expect((await genrun('plan cup.yaml --local --max-paid 1')).stderr).toContain(
    'beyond the limits from cup#2 on, in the order of this plan, and left out of the rehearsal as well: this run may make 1 paid request at most\n',
  )
  const { stdout } = await genrun('plan cup.yaml --local --summary')
  expect(stdout).toContain('| make | `cup` | fama-imagine-image |')
  expect(stdout).not.toMatch(/buy/)
})

test('a plan that is to be written where a folder is names the flag for the folder of the results', async () => {
  mkdirSync(join(cwd, 'media'))
  const { code, stderr } = await genrun('plan m.yaml -o media')
  expect(code).toBe(7)
  expect(stderr).toContain('--output-folder is for the folder of the results')
})

test('a cost that is known is told beside one of the same model that is not', async () => {
  writeFileSync(join(cwd, 'q.yaml'), 'currency: EUR\nmodels: { famc-*: { perRun: 0.1 } }\n')
  writeFileSync(
    join(cwd, 'rain.yaml'),
    'jobs:\n  rain: { model: famc-t2a, prompt: Rain }\n  own: { model: famc-t2a, prompt: Rain, workflow: own-flow }\n',
  )
  const { stdout } = await genrun('plan rain.yaml --prices q.yaml')
  expect(stdout).toMatch(/^buy +rain +famc-t2a +0\.10 EUR /m)
  expect(stdout).toMatch(/^buy +own +famc-t2a +not known /m)
})

test('verify names the flag of prune that shows what an edit that is taken back brings again', async () => {
  const jobs = (count: number, prompt: string, more = '') =>
    writeFileSync(
      join(cwd, 'pics.yaml'),
      `jobs:\n  pics: { model: fama-imagine-image, prompt: ${prompt}, count: ${count} }\n${more}`,
    )
  const made = async () => expect((await genrun('pics.yaml --local -q')).code).toBe(0)
  jobs(1, 'A cup', '  jug: { model: fama-imagine-image, prompt: A jug }\n')
  await made()
  jobs(2, 'A cup', '  jug: { model: fama-imagine-image, prompt: A jug }\n')
  await made()
  jobs(1, 'A pan')
  await made()
  expect(
    (await genrun('verify pics.yaml --local')).stderr,
  ).toBe(`jug stays, though no longer in the manifest; \`genrun prune pics.yaml --local\` shows its files
pics+2 stays, though no longer asked for; \`genrun prune pics.yaml --aside --local\` shows its files
`)
  const pruned = await genrun('prune pics.yaml --aside --local')
  expect(pruned.stdout).toContain('pics+2\n')
  expect(pruned.stderr).toContain('when the manifest asks for it again, it is made again')
})

test('everything that is a record is JSON on request', async () => {
  for (const [line, part] of [
    ['plan m.yaml --json', { ok: true, paid: 3, steps: [{ do: 'buy', address: 'hero' }, {}, {}] }],
    ['verify m.yaml --local --json', { ok: true, exit: 0, counts: { stale: 0 } }],
    ['why m.yaml rain --local --json', { step: { do: 'keep' }, take: 1 }],
    ['pricing famc-t2a --json', { model: 'famc-t2a', quantities: { perSecond: 5 }, cost: { is: 'unknown' } }],
    ['plan m.yaml hera --json', { ok: false, exit: 2, problems: [{ code: 'nothing-selected' }] }],
  ] as const) {
    expect(JSON.parse((await genrun(line)).stdout)).toMatchObject(part)
  }
})

test('status says that what lies beside is a rehearsal, where nothing else was made', async () => {
  expect((await genrun('m.yaml --local -q')).code).toBe(0)
  const { code, stderr } = await genrun('status m.yaml')
  expect(code).toBe(0)
  expect(stderr).toContain('3 jobs: 3 to order\n')
  expect(stderr).toContain(
    'a rehearsal was made, and its placeholders are not counted: nothing is bought yet; --local tells of it',
  )
  expect((await genrun('status m.yaml --local')).stderr).toBe('3 jobs: 3 done\n')
}, 30_000)

test('a saved plan says what it stands on', () => {
  expect(JSON.parse(readFileSync(join(cwd, 's.plan'), 'utf8'))).toMatchObject({
    genrunPlan: 2,
    manifest: 'm.yaml',
    asked: { rehearsal: true },
    steps: ['buy hero', 'buy hero#2', 'buy rain'],
    paid: 3,
  })
})

test('redo orders again, and run goes on with what is left', async () => {
  expect((await genrun('redo m.yaml rain --local -q')).code).toBe(0)
  expect((await genrun('m.yaml --local -q')).code).toBe(0)
}, 30_000)

test('plan says which job breaks the cap', async () => {
  const over = (line: string) => genrun(`plan m.yaml ${line}`).then(({ stderr }) => stderr)
  expect(await over('--max-paid 2')).toContain(
    'over budget from rain on, in the order of this plan: this run may make 2 paid requests at most\n',
  )
  expect(await over('--prices p.yaml --max-cost 0.6')).toContain(
    'over budget from hero#2 on, in the order of this plan: this run may cost 0.6 at most\n',
  )
  expect(await over('--max-paid 3')).not.toContain('over budget')
  expect(JSON.parse((await genrun('plan m.yaml --max-paid 2 --json')).stdout)).toMatchObject({
    over: { address: 'rain' },
  })
})

test('verify says what it let pass, and marks what differs in CI', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-verify-'))
  writeFileSync(join(folder, 'm.yaml'), manifest)
  const inFolder = async (line: string, env = {}) => {
    const around = fakeSurroundings({ cwd: folder, clock: systemClock, env })
    const code = await main(line.split(' '), around)
    return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
  }
  expect((await inFolder('m.yaml --local -q')).code).toBe(0)
  rmSync(join(folder, 'out/m.preview/rain.wav'))
  const allowed = await inFolder('verify m.yaml --local --allow missing,stale')
  expect(allowed.stdout).toMatch(/nothing differs but what is allowed \(1 stale\); 2 jobs, 2 files agree\n$/)
  const frozen = await inFolder('m.yaml --frozen --local', { GITHUB_ACTIONS: 'true', CI: 'true' })
  expect(frozen.code).toBe(8)
  expect(frozen.stderr).toContain('::error file=m.yaml,line=3,')
  // It buys nothing, so that no cap is asked for, also where a key is at hand.
  const service = { GENRUN_BASE_URL: 'http://127.0.0.1:9/gw-v2', GENRUN_API_KEY: 'abc123', CI: 'true' }
  expect((await inFolder('m.yaml --frozen', service)).code).toBe(8)
  expect((await inFolder('m.yaml', service)).stderr).toContain('[no-cap]')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const page = { GITHUB_ACTIONS: 'true', CI: 'true', GITHUB_STEP_SUMMARY: join(folder, 'page.md') }
  // Both write what a run writes.
  for (const line of ['verify m.yaml --local', 'm.yaml --frozen --local']) {
    const differing = await inFolder(`${line} --junit j.xml --summary s.md --sarif s.sarif`, page)
    expect(differing.code).toBe(8)
    expect(differing.stderr.match(/::error /g)).toHaveLength(1)
    expect(read('s.md')).toMatch(/^### ❌ m\.yaml\n\n\*\*1 difference between manifest, lock and files: 1 /)
    expect(read('page.md')).toContain(read('s.md'))
    expect(read('j.xml')).toContain('<testsuite name="m.yaml" tests="3" failures="1" errors="0" skipped="0"')
    expect(read('j.xml')).toContain('<testcase name="hero" classname="fama-imagine-image" time="0.000"/>')
    expect(read('j.xml').match(/(?<=<testcase name=")[^"]+/g)).toEqual(['hero', 'hero#2', 'rain'])
    expect(JSON.parse(read('s.sarif')).runs[0].results).toHaveLength(1)
    rmSync(page.GITHUB_STEP_SUMMARY)
  }
  expect((await inFolder('verify m.yaml --local --allow stale,missing --junit j.xml', page)).code).toBe(0)
  expect(read('j.xml')).toMatch(/name="rain".*>\n +<system-out>allowed: rain /)
  expect(read('page.md')).toContain('nothing differs but what is allowed')
  rmSync(folder, { recursive: true })
}, 30_000)
