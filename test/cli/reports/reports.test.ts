import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { XmlDocument } from 'libxml2-wasm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { main } from '../../../src/cli/main.ts'
import { type GatewayOptions, startGateway } from '../../../src/gateway/server.ts'
import { eventSchema } from '../../../src/reports/events-schema.ts'
import { fakeSurroundings } from '../fake.ts'

const schemaFile = join(import.meta.dirname, '../../../schemas/events.schema.json')
const ajv = new Ajv({ allErrors: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } })
const isEvent = ajv.compile(eventSchema())

const two = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A teapot
  clip:
    model: famc-v3
    prompt: Steam rising
    startFrame: \${{ jobs.hero.output }}
    duration: 3
`
const single = 'jobs:\n  clip:\n    model: famc-v3\n    prompt: Steam rising\n    duration: 3\n'

function folderWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-reports-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'tea.yaml'), text)
  return folder
}

async function ran(words: readonly string[], cwd: string, env: { readonly [name: string]: string } = {}) {
  const around = fakeSurroundings({ env, cwd, clock: systemClock })
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

async function served(options: Partial<GatewayOptions> = {}) {
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  return { gateway, env: { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key } }
}

/** Every line of a file of events, checked by the schema. */
function eventsIn(text: string): any[] {
  const records = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  for (const record of records) {
    if (!isEvent(record)) throw new Error(`${JSON.stringify(record)}: ${ajv.errorsText(isEvent.errors)}`)
  }
  return records
}

// `UPDATE=1 npx vitest run test/cli/reports/reports.test.ts` writes it anew.
test('the published schema of events is the one that the lines obey', () => {
  const text = `${JSON.stringify(eventSchema(), null, 2)}\n`
  if (process.env.UPDATE === '1') writeFileSync(schemaFile, text)
  expect(readFileSync(schemaFile, 'utf8')).toBe(text)
})

test('the schema refuses what is not an event', () => {
  const begin = { at: '2026-01-31T12:00:00.000Z', event: 'begin', format: 1, genrun: '1', manifest: 'm' }
  expect(isEvent(begin)).toBe(true)
  for (const wrong of [
    { ...begin, format: 2 },
    { ...begin, more: 1 },
    { ...begin, event: 'began' },
    { ...begin, at: 1 },
  ])
    expect(isEvent(wrong)).toBe(false)
})

describe('--events', () => {
  test('to stdout: one line for everything that happens, and nothing else there', async () => {
    const cwd = folderWith(two)
    const { code, stdout, stderr } = await ran(['tea.yaml', '--events', '-'], cwd)
    const events = eventsIn(stdout)
    expect(code).toBe(0)
    expect(
      events.map(({ event }) => event).filter(event => event !== 'progress' && event !== 'bytes'),
    ).toEqual([
      'begin',
      'planned',
      ...['sending', 'accepted', 'made', 'settled'],
      ...['sending', 'accepted', 'made', 'settled'],
      'end',
    ])
    expect(events[0]).toMatchObject({ format: 1, manifest: 'tea.yaml' })
    expect(events[1]).toMatchObject({ rehearsal: true, work: [{ address: 'hero' }, { needs: ['hero'] }] })
    expect(events.at(-1)).toMatchObject({ exit: 0, counts: { made: 2 }, problems: [] })
    expect(stderr).toContain('2 jobs: 2 made')
    const again = eventsIn((await ran(['tea.yaml', '--events', '-'], cwd)).stdout)
    expect(again.map(({ event }) => event)).toEqual(['begin', 'planned', 'end'])
  })

  test('of a job that failed, one that was skipped for it, and a run that is taken up again', async () => {
    const cwd = folderWith(two)
    const { gateway, env } = await served({ manual: true })
    const running = ran(['tea.yaml', '--events', 'logs/events.jsonl'], cwd, env)
    await (await gateway.nextRun()).fail('no steam, see https://example.com/x?signed=1')
    expect((await running).code).toBe(1)
    const events = eventsIn(readFileSync(join(cwd, 'logs/events.jsonl'), 'utf8'))
    const settled = events.filter(({ event }) => event === 'settled')
    expect(settled).toMatchObject([
      { address: 'hero', state: 'failed', failure: { why: 'remote' } },
      { address: 'clip', state: 'skipped', failure: { why: 'needs' } },
    ])
    expect(settled[0].failure.message).toContain('https://example.com/x?…')
  })

  test('of a stopped run, and of the next one that goes on', async () => {
    const cwd = folderWith(single)
    const { gateway, env } = await served({ manual: true })
    const around = fakeSurroundings({ env, cwd, clock: systemClock })
    const running = main(['tea.yaml', '--events', 'e.jsonl', '--junit', 'j.xml', '--summary', 's.md'], around)
    const run = await gateway.nextRun()
    run.progress(0.4)
    await until(() => readFileSync(join(cwd, 'e.jsonl'), 'utf8').includes('"progress"'))
    around.send('SIGINT')
    expect(await running).toBe(130)
    const events = eventsIn(readFileSync(join(cwd, 'e.jsonl'), 'utf8'))
    expect(events.slice(-2)).toMatchObject([
      { event: 'settled', state: 'detached', run: run.id, failure: { why: 'stopped' } },
      { event: 'end', exit: 130, counts: { detached: 1 } },
    ])
    expect(readFileSync(join(cwd, 'j.xml'), 'utf8')).toContain('skipped="1"')
    expect(readFileSync(join(cwd, 's.md'), 'utf8')).toContain('1 unfinished')
    await run.finish()
    await ran(['tea.yaml', '--events', 'e.jsonl'], cwd, env)
    const second = eventsIn(readFileSync(join(cwd, 'e.jsonl'), 'utf8'))
    expect(second[2]).toMatchObject({ event: 'resumed', address: 'clip', run: run.id })
  })

  test('are dated by the clock on the wall, and timed by one that nobody sets', async () => {
    const cwd = folderWith(single)
    const { gateway, env } = await served({ manual: true })
    let aheadMs = 0
    const clock = { ...systemClock, wall: () => Date.UTC(2030, 0, 1) + aheadMs }
    const around = fakeSurroundings({ env, cwd, clock })
    const running = main(['tea.yaml', '--events', 'e.jsonl', '--junit', 'j.xml'], around)
    const run = await gateway.nextRun()
    run.progress(0.4)
    await until(() => readFileSync(join(cwd, 'e.jsonl'), 'utf8').includes('"progress"'))
    // Past the hour: what happened a moment before it was written has the hour, too.
    aheadMs = 2.5 * 3_600_000
    await run.finish()
    expect(await running).toBe(0)
    const events = eventsIn(readFileSync(join(cwd, 'e.jsonl'), 'utf8'))
    const hours = events.map(({ at }) => String(at).slice(0, 13))
    expect(new Set(hours)).toEqual(new Set(['2030-01-01T00', '2030-01-01T02']))
    expect(hours.slice(0, 3)).toEqual(['2030-01-01T00', '2030-01-01T00', '2030-01-01T00'])
    expect(hours.at(-1)).toBe('2030-01-01T02')
    expect(events.at(-1).seconds).toBeLessThan(60)
    expect(readFileSync(join(cwd, 'j.xml'), 'utf8')).toContain('timestamp="2030-01-01T00:00:')
  })

  test('never hold the key', async () => {
    const cwd = folderWith(single)
    const { gateway, env } = await served({ manual: true })
    const running = ran(['tea.yaml', '--events', '-', '--sarif', 's.json'], cwd, env)
    await (await gateway.nextRun()).fail(`not with ${gateway.key}`)
    const { stdout } = await running
    expect(stdout).toContain('not with [secret]')
    expect(readFileSync(join(cwd, 's.json'), 'utf8')).toContain('not with [secret]')
  })
})

describe('reports', () => {
  const all = ['--events', 'r/e.jsonl', '--junit', 'r/j.xml', '--sarif', 'r/s.json', '--summary', 'r/s.md']

  test('are written whole, with nothing left beside them, into folders that were not there', async () => {
    const cwd = folderWith(two)
    expect((await ran(['tea.yaml', ...all], cwd)).code).toBe(0)
    expect(readdirSync(join(cwd, 'r')).toSorted()).toEqual(['e.jsonl', 'j.xml', 's.json', 's.md'])
    const read = (name: string) => readFileSync(join(cwd, 'r', name), 'utf8')
    expect(XmlDocument.fromString(read('j.xml')).find('//testcase')).toHaveLength(2)
    expect(JSON.parse(read('s.json')).runs[0].results).toEqual([])
    expect(read('s.md')).toContain('**2 jobs: 2 made;')
  })

  test('are written of a manifest that is refused', async () => {
    const cwd = folderWith(two.replace('duration: 3', 'duration: 4'))
    expect((await ran(['tea.yaml', ...all], cwd)).code).toBe(2)
    const read = (name: string) => readFileSync(join(cwd, 'r', name), 'utf8')
    expect(read('j.xml')).toContain('tea.yaml:9:15 bad-value')
    expect(JSON.parse(read('s.json')).runs[0].results).toMatchObject([{ ruleId: 'bad-value' }])
    expect(eventsIn(read('e.jsonl')).at(-1)).toMatchObject({
      exit: 2,
      problems: [{ code: 'bad-value', line: 9 }],
    })
  })

  const key = { CI: '1', GENRUN_BASE_URL: 'http://127.0.0.1:9/gw-v2', GENRUN_API_KEY: 'abc123' }
  const wrong = { 'genrun.config.yaml': 'limits: { maxPaid: x }\n' }
  test.each<[string, string[], { [name: string]: string }, { [name: string]: string }?]>([
    ['no-service', ['tea.yaml'], { CI: '1' }],
    ['no-cap', ['tea.yaml'], key],
    ['no-cap', ['redo', 'tea.yaml', 'hero'], key],
    ['no-cap', ['apply', 'saved.plan'], key],
    ['bad-setting', ['tea.yaml', '--local'], {}, wrong],
    ['bad-setting', ['verify', 'tea.yaml', '--local'], {}, wrong],
    ['usage', ['tea.yaml', '--local', '--bogus'], {}],
    ['usage', ['redo', 'tea.yaml'], {}],
    ['usage', ['verify', 'tea.yaml', '--bogus'], {}],
  ])('are written, over those of an older run, when %s refuses %j', async (why, words, env, files = {}) => {
    const cwd = folderWith(two)
    const asked = words[0] === 'verify' ? all.slice(2) : all
    const read = (name: string) => readFileSync(join(cwd, 'r', name), 'utf8')
    await ran(['tea.yaml', '--local', ...all], cwd)
    expect(read('j.xml')).not.toContain(why)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
    const { code, stderr } = await ran([...words, ...asked], cwd, env)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`[${why}]`)])
    expect(read('j.xml')).toContain(why)
    expect(read('s.md')).not.toContain('made')
    expect(JSON.parse(read('s.json')).runs[0].results).toHaveLength(why === 'bad-setting' ? 1 : 0)
    if (words[0] === 'verify') return
    const told = why === 'bad-setting' ? { problems: [{ code: why }] } : { error: { code: why } }
    expect(eventsIn(read('e.jsonl')).at(-1)).toMatchObject({ exit: 2, ...told })
  })

  test.each([
    ['an older file that is no report', ['--junit=tea.txt'], 'tea.txt'],
    ['what stands behind a flag without its file', ['--summary', '--junit', '--json'], '--json'],
  ])('of a line that cannot be read take no place of %s', async (_, words, name) => {
    const cwd = folderWith(two)
    writeFileSync(join(cwd, name), 'mine')
    expect((await ran(['tea.yaml', '--bogus', ...words], cwd)).code).toBe(2)
    expect(readFileSync(join(cwd, name), 'utf8')).toBe('mine')
    expect(readdirSync(cwd).toSorted()).toEqual([name, 'tea.yaml'].toSorted())
  })

  test.each([
    [['--junit', 'tea.yaml'], 'the manifest is there'],
    [['--junit', 'folder'], 'it is a folder'],
    [['--junit', 'tea.yaml/j.xml'], 'a part of its path is not a folder'],
    [['--events', 'same', '--summary', './same'], '--events is there'],
    [['--events', '-', '--json'], 'both want stdout'],
    [['--frozen', '--events', 'e.jsonl'], 'makes nothing, so that --events has nothing to tell'],
    [['--frozen', '--junit', 'folder'], 'it is a folder'],
  ])('%j is refused before anything is made', async (words, why) => {
    const cwd = folderWith(two)
    mkdirSync(join(cwd, 'folder'))
    const { code, stderr } = await ran(['tea.yaml', ...words], cwd)
    expect([code, existsSync(join(cwd, 'out'))]).toEqual([2, false])
    expect(stderr).toMatch(new RegExp(why))
  })

  test('that cannot be written in the end make the run end as damaged, with its files made', async () => {
    const cwd = folderWith(single)
    const { gateway, env } = await served({ manual: true })
    const running = ran(['tea.yaml', '--junit', 'r/j.xml'], cwd, env)
    const run = await gateway.nextRun()
    rmSync(join(cwd, 'r'), { recursive: true })
    await run.finish()
    const { code, stderr, stdout } = await running
    expect([code, stdout]).toEqual([7, 'out/tea/clip.mp4\n'])
    expect(stderr).toContain('--junit r/j.xml could not be written')
  })
})

describe('in GitHub Actions', () => {
  test('the lines are folded, failed jobs mark their lines, and the page of the step is filled', async () => {
    const cwd = folderWith(single)
    const { gateway, env } = await served({ manual: true })
    writeFileSync(join(cwd, 'page.md'), 'before\n')
    const actions = {
      ...env,
      GENRUN_MAX_PAID: '1',
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: join(cwd, 'page.md'),
    }
    const running = ran(['tea.yaml'], cwd, actions)
    await (await gateway.nextRun()).fail('no steam')
    const { stderr } = await running
    const lines = stderr.split('\n')
    const at = (start: string) => lines.findIndex(line => line.startsWith(start))
    expect(at('::group::genrun: 1 job: 1 to make')).toBe(0)
    expect(at('::endgroup::')).toBeGreaterThan(at('genrun '))
    expect(at('failed: clip')).toBeGreaterThan(at('::endgroup::'))
    expect(lines).toContainEqual(
      expect.stringMatching(/^::error file=tea\.yaml,line=2,title=clip::.*no steam/),
    )
    expect(readFileSync(join(cwd, 'page.md'), 'utf8')).toMatch(/^before\n### ❌ tea\n[\s\S]*no steam/)
    expect(stderr).not.toContain('\u001B')
  })
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.until(systemClock.now() + 20)
}
