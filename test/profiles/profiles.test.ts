import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { convertToCurl } from '../../src/convert/convert.ts'
import { checkProfile } from '../../src/verbs/profile-check.ts'
import { runManifest } from '../../src/verbs/run.ts'
import { project, serve } from './served.ts'
import { type Habit, habits } from './services.ts'

const profileOf = (name: string) => join(import.meta.dirname, `${name}.profile.yaml`)

test.each(Object.entries(habits))(
  'a batch for the service "%s" runs whole by its profile',
  async (name, habit) => {
    const cwd = project(habit)
    const { baseUrl, seen, unwanted } = await serve(habit)
    const request = {
      manifest: 'tea.yaml',
      cwd,
      profile: profileOf(name),
      service: { baseUrl, key: 'key-of-the-test', rehearsal: false },
      emit: () => {},
      stop: new AbortController().signal,
    }
    const result = await runManifest(request)
    if (result.got !== 'report') return expect.fail(JSON.stringify(result))
    expect(unwanted).toEqual([])
    expect(Object.fromEntries(result.report.jobs.map(job => [job.address, job.ending]))).toEqual(
      habit.endings,
    )
    for (const { files, ending } of result.report.jobs) {
      if (ending === 'made') expect(files.length).toBeGreaterThan(0)
    }
    const paid = seen.filter(({ method, path }) => method === 'POST' && path.startsWith('/api/gw-v2/'))
    expect(paid.map(({ path }) => path).toSorted()).toEqual(habit.paid.toSorted())
    // Whatever was made is not made again.
    const again = await runManifest(request)
    const wasMade = Object.values(habit.endings).every(ending => ending === 'made')
    if (wasMade) expect(again).toMatchObject({ got: 'report', report: { paid: 0, requests: 0, exit: 0 } })
  },
)

test('every profile here has a service, is without problems, and shows the requests it makes', () => {
  const names = readdirSync(import.meta.dirname).flatMap(
    name => /^(.*)\.profile\.yaml$/.exec(name)?.[1] ?? [],
  )
  expect(names.toSorted()).toEqual(Object.keys(habits).toSorted())
  expect(names).toHaveLength(12)
  for (const name of names) {
    const checked = checkProfile({ path: profileOf(name), cwd: '/' })
    expect(checked.problems).toEqual([])
    expect(checked).toMatchObject({ ok: true, name })
    expect(checked.requests).toHaveLength(25)
  }
})

test('the request for a job can be seen without a service', () => {
  const habit = habits.switched ?? expect.fail('it stands above')
  const cwd = project(habit)
  const shown = convertToCurl({
    manifest: 'tea.yaml',
    address: 'picture',
    cwd,
    profile: profileOf('switched'),
  })
  const text = shown.got === 'text' ? shown.text : expect.fail(JSON.stringify(shown))
  expect(text.replace(/Idempotency-Key: \w+/, 'Idempotency-Key: …')).toBe(
    [
      `curl -X POST "$GENRUN_BASE_URL"'/workflows/film-from-picture/submit' \\`,
      `  -H "Authorization: Bearer $GENRUN_API_KEY" \\`,
      `  -H 'accept: application/json, */*;q=0.5' \\`,
      `  -H 'accept-encoding: identity' \\`,
      `  -H 'content-type: application/json' \\`,
      `  -H 'Idempotency-Key: …' \\`,
      `  --data-binary '{`,
      `  "model": "famc-v3",`,
      `  "prompt": "steam",`,
      `  "duration": 5,`,
      `  "first_image": "<in.png, as a data URI or the link of its upload>"`,
      `}'`,
    ].join('\n'),
  )
  expect(convertToCurl({ manifest: 'tea.yaml', address: 'pictur', cwd })).toEqual({
    got: 'unknown',
    address: 'pictur',
    hint: 'did you mean picture',
  })
})

test('a profile that holds the key is refused without showing it, and so is one that sends files elsewhere', async () => {
  const habit = habits.snake ?? expect.fail('it stands above')
  const cwd = project(habit)
  writeFileSync(join(cwd, 'leak.yaml'), 'name: leak\nrequest: { constants: { token: key-of-the-test } }\n')
  writeFileSync(join(cwd, 'elsewhere.yaml'), 'upload: { url: https://evil.example/x }\n')
  const run = (profile: string) =>
    runManifest({
      manifest: 'tea.yaml',
      cwd,
      profile,
      service: { baseUrl: 'http://127.0.0.1:9/gw-v2', key: 'key-of-the-test', rehearsal: false },
      emit: () => {},
      stop: new AbortController().signal,
    })
  const told = async (profile: string) => {
    const result = await run(profile)
    return result.got === 'refused' ? result.problems.map(({ code, message }) => [code, message]) : result.got
  }
  expect(await told('leak.yaml')).toEqual([['key-in-profile', 'this file holds the key']])
  expect(await told('elsewhere.yaml')).toEqual([
    ['upload-origin', 'the profile sends files to https://evil.example, which is not the service'],
  ])
  expect(await told('missing.yaml')).toEqual([
    ['unreadable-profile', expect.stringContaining('the profile cannot be read')],
  ])
  expect(readFileSync(join(cwd, 'leak.yaml'), 'utf8')).toContain('key-of-the-test')
})

test.each([
  ['more', 1, 3, { ending: 'made', paths: ['still-1.png', 'still-2.png', 'still-3.png'], exit: 0 }],
  ['fewer', 4, 3, { ending: 'made', paths: ['still-1.png', 'still-2.png', 'still-3.png'], exit: 1 }],
])('%s files than were asked are kept, and fewer are told', async (_, count, delivered, expected) => {
  const jobs = `  still:\n    model: fama-imagine-image\n    prompt: a teapot\n    count: ${count}\n`
  const answer: Habit['answer'] = (__, { link }) => ({
    // Each link is another one, or it would be one file shown several times.
    json: { images: Array.from({ length: delivered }, (___, nth) => `${link('a.png')}?${nth}`) },
  })
  const habit: Habit = { jobs, answer, endings: {}, paid: [] }
  const { baseUrl } = await serve(habit)
  const result = await runManifest({
    manifest: 'tea.yaml',
    cwd: project(habit),
    service: { baseUrl, key: 'key-of-the-test', rehearsal: false },
    emit: () => {},
    stop: new AbortController().signal,
  })
  if (result.got !== 'report') return expect.fail(JSON.stringify(result))
  const [job] = result.report.jobs
  expect(job?.ending).toBe(expected.ending)
  expect(job?.files.map(file => file.path)).toEqual(expected.paths)
  expect(result.report.exit).toBe(expected.exit)
  // What came short says so; a sample of another size than was asked says that.
  expect(job?.failure?.why).toBe(delivered < count ? 'short-delivery' : 'unlike-asked')
})

test.each([
  ['warn', 'unlike-asked', 0],
  ['fail', 'unlike-asked', 1],
  ['off', undefined, 0],
] as const)(
  'with verify: %s a file of another size is kept, and counts so much',
  async (verify, why, exit) => {
    const jobs = '  still:\n    model: fama-imagine-image\n    prompt: a teapot\n'
    const habit: Habit = { jobs, answer: (_, { png }) => ({ bytes: png }), endings: {}, paid: [] }
    const { baseUrl, seen } = await serve(habit)
    const cwd = project(habit)
    const request = {
      manifest: 'tea.yaml',
      cwd,
      service: { baseUrl, key: 'key-of-the-test', rehearsal: false },
      verify,
      emit: () => {},
      stop: new AbortController().signal,
    }
    const result = await runManifest(request)
    if (result.got !== 'report') return expect.fail(JSON.stringify(result))
    expect(result.report.jobs).toMatchObject([{ ending: 'made', files: [{ path: 'still.png' }] }])
    expect(result.report.jobs[0]?.failure?.why).toBe(why)
    expect(result.report.exit).toBe(exit)
    expect(readFileSync(join(cwd, 'tea.lock.json'), 'utf8').includes('unlike-asked')).toBe(why !== undefined)
    expect(await runManifest(request)).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(seen).toHaveLength(1)
  },
)
