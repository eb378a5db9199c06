import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { begin, type Double } from './double.ts'
import { project, runAll, servicesAt, writeSettings } from './run.ts'
import { shapes } from './shapes.ts'

const manifest = 'sketch.yaml'

/** A person with one service, and a manifest of two jobs for it. */
async function desk(double: Double) {
  const cwd = await project()
  writeSettings(cwd, { predictions: double })
  const model = "'sketch/lines:5c7d1e'"
  const jobs = ['a', 'b'].map(name => `  ${name}: { model: ${model}, prompt: ${name} }\n`).join('')
  writeFileSync(join(cwd, manifest), `catalog: predictions.catalog.yaml\noutput: out\njobs:\n${jobs}`)
  const run = (more: object = {}) => runAll(cwd, { predictions: double }, { manifest, ...more })
  async function typed(...line: string[]) {
    const around = fakeSurroundings({ cwd, env: { HOME: cwd } })
    const code = await main(line, around)
    return { code, said: around.stdout.text(), told: around.stderr.text() }
  }
  /** Ends a run as soon as the order of `a` is accepted. */
  async function leaveUnderWay() {
    const stop = new AbortController()
    const emit = (told: { event: string }) => told.event === 'accepted' && stop.abort()
    await run({ select: { words: ['a'] }, stop: stop.signal, emit })
  }
  return { cwd, run, typed, leaveUnderWay }
}

test('a run is given up at its service by your word, and nothing is ordered by it', async () => {
  const double = await begin(shapes.predictions)
  const { cwd, run, typed, leaveUnderWay } = await desk(double)
  await leaveUnderWay()
  const lock = readFileSync(join(cwd, 'sketch.lock.json'), 'utf8')
  const { code, said } = await typed('cancel', manifest, 'a')
  expect({ code, said }).toEqual({
    code: 0,
    said: expect.stringMatching(/^a: the service was told to give up http/),
  })
  expect(double.orders.map(each => each.isCanceled)).toEqual([true])
  expect(readFileSync(join(cwd, 'sketch.lock.json'), 'utf8')).toBe(lock)
  const report = await run()
  expect(report.jobs.map(({ address, ending }) => [address, ending])).toEqual([
    ['a', 'failed'],
    ['b', 'made'],
  ])
  expect(await run()).toMatchObject({ paid: 0 })
  expect(double.orders.length).toBe(2)
  expect(double.unknown).toEqual([])
})

test.each([
  [['cancel', manifest, 'c'], 2, 'no job that is under way is called c'],
  [['cancel', manifest, 'a', '--json'], 0, ''],
])('%j ends with %d', async (line, code, message) => {
  const double = await begin(shapes.predictions)
  const { typed, leaveUnderWay } = await desk(double)
  await leaveUnderWay()
  const ended = await typed(...line)
  expect(ended.code).toBe(code)
  expect(ended.told).toContain(message)
})

test('a service without a way to give runs up is not asked', async () => {
  const double = await begin(shapes.predictions)
  const { cwd, typed, leaveUnderWay } = await desk(double)
  await leaveUnderWay()
  const profile = readFileSync(join(cwd, 'predictions.profile.yaml'), 'utf8')
  writeFileSync(join(cwd, 'predictions.profile.yaml'), profile.replace(/^ {2}(cancel|list):.*\n/gm, ''))
  const asked: string[] = []
  double.heard = (method, path) => asked.push(`${method} ${path}`)
  expect(await typed('cancel', manifest, 'a')).toMatchObject({
    code: 4,
    said: expect.stringContaining('the profile names no `endpoints.cancel`'),
  })
  expect(await typed('runs', manifest)).toMatchObject({
    code: 4,
    said: 'predictions: no list: its profile names no `endpoints.list`\n',
  })
  expect(asked).toEqual([])
})

test('a run whose answer was lost is found on the list, and made by its id for nothing', async () => {
  const double = await begin(shapes.predictions)
  double.fates.push('lost')
  const { run, typed } = await desk(double)
  expect(await run()).toMatchObject({ exit: 3 })
  expect((await typed('status', manifest)).said).toContain(
    `genrun runs ${manifest} shows what the service lists; genrun resolve`,
  )
  const { code, said, told } = await typed('runs', manifest)
  expect(code).toBe(0)
  const lost = double.orders[0]?.id ?? expect.fail()
  expect(said).toContain('predictions: 1 run of 2 that nothing here knows\n')
  expect(said).toMatch(new RegExp(`/v1/predictions/${lost}  2026-11-25T10:00:00Z  processing\n`))
  const [, settle] = /is its run: genrun (resolve .*) ID$/m.exec(said) ?? expect.fail(said)
  expect(told).toContain('that a run is not on it proves nothing')
  const found = /(http\S+)/.exec(said)?.[1] ?? expect.fail(said)
  expect(await typed(...(settle?.split(' ') ?? []), found)).toMatchObject({ code: 0 })
  expect(await run()).toMatchObject({ paid: 0, exit: 0 })
  expect(double.orders.length).toBe(2)
  expect((await typed('runs', manifest, '--json')).said).toContain('"unknown": []')
})

test('what is under way at a service that nobody knows any more is asked of no other', async () => {
  const double = await begin(shapes.predictions)
  const other = await begin(shapes.predictions, 'key-of-other-41c0')
  const { cwd, typed, leaveUnderWay } = await desk(double)
  await leaveUnderWay()
  // The name leads elsewhere now.
  writeSettings(cwd, { predictions: other })
  expect(await typed('cancel', manifest, 'a')).toMatchObject({
    code: 4,
    said: expect.stringContaining('at another service'),
  })
  expect([other.unknown, other.strange]).toEqual([[], []])
  expect(servicesAt(cwd, {}).isNone).toBe(true)
})

test('of a long list the latest are shown, and how many more there are', async () => {
  const results = Array.from({ length: 60 }, (_, nth) => ({
    id: `r${nth}`,
    urls: { get: `/v1/predictions/r${nth}` },
    status: 'processing',
    created_at: 1_764_064_800 + nth,
  }))
  const double = await begin({
    ...shapes.predictions,
    answer: (heard, shop) =>
      heard.path === '/v1/predictions' && heard.method === 'GET'
        ? { json: { results } }
        : shapes.predictions.answer(heard, shop),
  })
  const { typed } = await desk(double)
  const { said } = await typed('runs', manifest)
  const lines = said.trim().split('\n')
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    52,
    'predictions: 60 runs of 60 that nothing here knows',
    '  /v1/predictions/r59  2025-11-25T10:00:59Z  processing',
    '  and 10 older; --json has all',
  ])
})
