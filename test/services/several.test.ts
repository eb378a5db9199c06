import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { planManifest } from '../../src/verbs/plan.ts'
import { openRehearsal } from '../../src/verbs/rehearse.ts'
import { runManifest } from '../../src/verbs/run.ts'
import { cancelRuns, listRuns } from '../../src/verbs/runs-at-service.ts'
import type { NamedService, Service } from '../../src/workspace/service/service.ts'
import { begin, type Double } from './double.ts'
import { type Doubles, project, runAll, servicesAt } from './run.ts'
import { shapes } from './shapes.ts'

/** Two services of one shape, whose keys are not each other's. */
async function two(): Promise<{ cwd: string; here: Double; there: Double; service: Service }> {
  const cwd = await project()
  const [here, there] = [
    await begin(shapes.queue, 'key-of-here-55e1'),
    await begin(shapes.queue, 'key-of-there-90c2'),
  ]
  const { others = {} } = servicesAt(cwd, { queue: here, codes: there })
  const profile = join(cwd, 'queue.profile.yaml')
  const named = { here: { ...others.queue, profile }, there: { ...others.codes, profile } }
  return { cwd, here, there, service: { ...servicesAt(cwd, {}), others: named as Service['others'] & {} } }
}

const manifest = 'two.yaml'

function write(cwd: string, ...jobs: string[]): void {
  writeFileSync(
    join(cwd, manifest),
    `catalog: queue.catalog.yaml\noutput: out\njobs:\n  ${jobs.join('\n  ')}\n`,
  )
}

const fox = (service: string) => `fox: { model: brush/fast, prompt: A paper fox, service: ${service} }`

function run(cwd: string, service: Service, more: object = {}) {
  return runAll(cwd, {}, { manifest, service, ...more })
}

/** Ends a run as soon as the service of the job has accepted its order. */
async function leaveUnderWay(cwd: string, service: Service): Promise<void> {
  const stop = new AbortController()
  write(cwd, fox('here'))
  const emit = (told: { event: string }) => told.event === 'accepted' && stop.abort()
  await run(cwd, service, { stop: stop.signal, emit })
}

function planned(cwd: string, service: Service) {
  const seen = planManifest({ manifest, cwd, service })
  return seen.got === 'plan' ? seen.plan : expect.fail(JSON.stringify(seen))
}

test('a job that moves is another purchase: the plan says so, and moving back is free', async () => {
  const { cwd, here, there, service } = await two()
  write(cwd, fox('here'))
  expect(await run(cwd, service)).toMatchObject({ paid: 1, exit: 0 })
  const lock = readFileSync(join(cwd, 'two.lock.json'), 'utf8')
  expect(lock).toContain('"service":"here"')
  write(cwd, fox('there'))
  expect(planned(cwd, service)).toMatchObject({
    paid: 1,
    again: 1,
    steps: [{ do: 'buy', because: ['ordered from there, and not from here: another purchase (two.yaml:4)'] }],
  })
  expect(await run(cwd, service)).toMatchObject({ paid: 1, exit: 0 })
  write(cwd, fox('here'))
  expect(planned(cwd, service)).toMatchObject({ paid: 0 })
  expect(await run(cwd, service)).toMatchObject({ paid: 0, exit: 0 })
  expect([here.orders.length, there.orders.length]).toEqual([1, 1])
  expect([...here.strange, ...there.strange]).toEqual([])
})

/** The person calls the service `here` by another name, at the same address and with the same key. */
function renamed({ others: { here, ...rest } = {}, ...service }: Service): Service {
  return { ...service, others: { ...rest, studio: here } as Service['others'] & {} }
}

test('a service that the person calls by another name has what was bought there', async () => {
  const { cwd, here, there, service } = await two()
  write(cwd, fox('here'))
  expect(await run(cwd, service)).toMatchObject({ paid: 1, exit: 0 })
  const lock = readFileSync(join(cwd, 'two.lock.json'), 'utf8')
  // As in another checkout: nothing but the lock knows where it was bought.
  rmSync(join(cwd, '.genrun'), { recursive: true })
  write(cwd, fox('studio'))
  expect(planned(cwd, renamed(service))).toMatchObject({ paid: 0, steps: [{ do: 'keep' }] })
  expect(await run(cwd, renamed(service))).toMatchObject({ paid: 0, exit: 0 })
  expect(readFileSync(join(cwd, 'two.lock.json'), 'utf8')).toBe(lock)
  write(cwd, fox('there'))
  expect(planned(cwd, renamed(service))).toMatchObject({ paid: 1, again: 1 })
  expect([here.orders.length, there.orders.length]).toEqual([1, 0])
})

test('what is under way at a service is fetched from there, and given up there, under its new name', async () => {
  const { cwd, here, service } = await two()
  await leaveUnderWay(cwd, service)
  write(cwd, fox('studio'))
  const desk = { manifest, cwd, service: renamed(service), stop: new AbortController().signal }
  // `elsewhere` would be that nobody was asked.
  expect(await cancelRuns({ ...desk, words: ['fox'] })).toMatchObject({ runs: [{ is: 'not-offered' }] })
  expect(await run(cwd, renamed(service))).toMatchObject({ paid: 0, exit: 0 })
  expect(here.orders.length).toBe(1)
  expect([...here.strange]).toEqual([])
})

test('what is in doubt at a service is not bought again under its new name', async () => {
  const { cwd, here, service } = await two()
  here.fates.push('lost')
  write(cwd, fox('here'))
  expect(await run(cwd, service)).toMatchObject({ exit: 3 })
  write(cwd, fox('studio'))
  expect(await run(cwd, renamed(service))).toMatchObject({ paid: 0, exit: 3 })
  const desk = { manifest, cwd, service: renamed(service), stop: new AbortController().signal }
  const told = { services: [{ service: 'studio' }], doubts: [{ address: 'fox', service: 'studio' }] }
  expect(await listRuns(desk)).toMatchObject(told)
  expect(here.orders.length).toBe(1)
})

test('what is in doubt at one service is not bought at another', async () => {
  const { cwd, here, there, service } = await two()
  here.fates.push('lost')
  write(cwd, fox('here'))
  expect(await run(cwd, service)).toMatchObject({ exit: 3 })
  write(cwd, fox('there'))
  expect(await run(cwd, service)).toMatchObject({ paid: 0, exit: 3 })
  expect([here.orders.length, there.orders.length]).toEqual([1, 0])
})

test('what is under way at one service is fetched from there, whatever the job names by now', async () => {
  const { cwd, here, there, service } = await two()
  await leaveUnderWay(cwd, service)
  write(cwd, fox('there'))
  expect(await run(cwd, service)).toMatchObject({ paid: 1, exit: 0 })
  write(cwd, fox('here'))
  expect(await run(cwd, service)).toMatchObject({ paid: 0, exit: 0 })
  expect([here.orders.length, there.orders.length]).toEqual([1, 1])
  expect([...here.strange, ...there.strange]).toEqual([])
})

test('what a service has under way is left alone where nobody knows the service any more', async () => {
  const { cwd, here, there, service } = await two()
  await leaveUnderWay(cwd, service)
  write(cwd, fox('there'))
  const { here: _forgotten, ...others } = service.others ?? {}
  const report = await run(cwd, { ...service, others })
  expect(report).toMatchObject({ paid: 1 })
  expect(there.unknown).toEqual([])
  expect(here.orders.map(({ asked }) => asked)).toEqual([0])
})

test('a service that turns everybody away stops nobody at another', async () => {
  const { cwd, there, service } = await two()
  const { here } = service.others ?? {}
  const others = { ...service.others, here: { ...here, key: 'key-of-nobody-1111' } as Service }
  const many = [1, 2, 3, 4].map(
    nth => `a${nth}: { model: brush/fast, prompt: Fox ${nth}, service: ${nth % 2 === 1 ? 'here' : 'there'} }`,
  )
  write(cwd, ...many)
  const report = await run(cwd, { ...service, others })
  expect(report.jobs.map(({ ending }) => ending)).toEqual(['failed', 'made', 'skipped', 'made'])
  expect(there.orders.length).toBe(2)
})

test('a service is paid no more often than its own cap lets it be', async () => {
  const { cwd, here, there, service } = await two()
  const limits = { maxPaid: 1 }
  const others = { ...service.others, here: { ...service.others?.here, limits } as NamedService }
  write(
    cwd,
    fox('here'),
    'owl: { model: brush/fast, prompt: A paper owl, service: here }',
    'elk: { model: brush/fast, prompt: A paper elk, service: there }',
    'hen: { model: brush/fast, prompt: A paper hen, service: there }',
  )
  expect(planManifest({ manifest, cwd, service: { ...service, others } })).toMatchObject({
    plan: { over: { address: 'owl', why: 'this run may make 1 paid request at here at most' } },
  })
  const report = await run(cwd, { ...service, others })
  expect([here.orders.length, there.orders.length]).toEqual([1, 2])
  expect(report.exit).toBe(6)
})

test('a file of one service goes to another as bytes, and no link or key with it', async () => {
  const { cwd, here, there, service } = await two()
  write(
    cwd,
    fox('here'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a manifest
    'night: { model: brush/edit, prompt: At night, imageUrl: "${{ jobs.fox.output }}", service: there }',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a manifest
    'noon: { model: brush/edit, prompt: At noon, imageUrl: "${{ jobs.fox.output }}", service: here }',
  )
  expect(await run(cwd, service)).toMatchObject({ paid: 3, exit: 0 })
  expect(there.orders[0]?.body.image_url).toMatch(/^data:image\/png;base64,/)
  expect(here.orders[1]?.body.image_url).toBe(`${here.origin}/cdn/a.png`)
  expect([...here.strange, ...there.strange]).toEqual([])
})

test.each<[string, string, Partial<Service>, object]>([
  [
    'a service that nobody has declared',
    fox('hare'),
    {},
    { code: 'unknown-service', hint: 'did you mean here' },
  ],
  [
    'no service where there is no usual one',
    'fox: { model: brush/fast, prompt: A fox }',
    {},
    { code: 'unknown-service' },
  ],
  [
    'a service whose key is not there',
    fox('here'),
    { others: { here: { problem: 'HERE_KEY is not set' } } },
    { code: 'bad-service', message: 'the service here: HERE_KEY is not set' },
  ],
])('nothing is sent for %s', async (_, job, more, problem) => {
  const { cwd, here, there, service } = await two()
  write(cwd, job)
  const result = await runManifest({
    manifest,
    cwd,
    service: { ...service, ...more },
    emit: () => {},
    stop: new AbortController().signal,
  })
  expect(result).toMatchObject({ got: 'refused', problems: [problem] })
  expect([here.orders.length, there.orders.length]).toEqual([0, 0])
  expect(existsSync(join(cwd, 'two.lock.json'))).toBe(false)
})

test('a rehearsal asks none of them, and its jobs are made by the gateway', async () => {
  const doubles: Doubles = {}
  const cwd = await project()
  write(cwd, fox('nobody-knows'))
  const seen = planManifest({ manifest, cwd, rehearsal: true, service: servicesAt(cwd, doubles) })
  expect(seen).toMatchObject({ got: 'plan', plan: { paid: 1 } })
})

/** The same id in the catalogs of two services, each with its own words. */
async function atBoth() {
  const all = await two()
  const { cwd } = all
  const catalog = (service: string, values: string, price: number) =>
    writeFileSync(
      join(cwd, `both-${service}.yaml`),
      `currency: EUR
models:
  brush/fast:
    inputType: t2i
    service: ${service}
    price: { perRun: ${price} }
    params:
      prompt: { type: text, required: true }
      imageSize: { type: enum, values: [${values}], default: ${values.split(',')[0]} }
`,
    )
  catalog('here', 'square_hd, portrait_4_3', 0.25)
  catalog('there', 'landscape_16_9, square_hd', 0.5)
  const profile = readFileSync(join(cwd, 'queue.profile.yaml'), 'utf8')
  writeFileSync(
    join(cwd, 'queue.profile.yaml'),
    profile.replace('case: snake', 'case: snake\n  defaults: send'),
  )
  const put = (job: string) =>
    writeFileSync(join(cwd, manifest), `catalog: 'both-*.yaml'\noutput: out\njobs:\n  fox: ${job}\n`)
  return { ...all, put }
}

test('a model that two services have moves by one line, with the words, the defaults and the price of each', async () => {
  const { cwd, here, there, service, put } = await atBoth()
  put('{ model: brush/fast, prompt: A fox, service: here }')
  expect(planned(cwd, service)).toMatchObject({ paid: 1, cost: { currency: 'EUR', total: { amount: 0.25 } } })
  expect(await run(cwd, service)).toMatchObject({ paid: 1, exit: 0 })
  put('{ model: brush/fast, prompt: A fox, service: there }')
  expect(planned(cwd, service)).toMatchObject({
    paid: 1,
    cost: { total: { amount: 0.5 } },
    steps: [{ because: ['ordered from there, and not from here: another purchase (two.yaml:4)'] }],
  })
  expect(await run(cwd, service)).toMatchObject({ paid: 1, exit: 0 })
  const sizes = [here, there].map(({ orders }) => orders.map(({ body }) => body.image_size))
  expect(sizes).toEqual([['square_hd'], ['landscape_16_9']])
  put('{ model: brush/fast, prompt: A fox, service: here }')
  expect(await run(cwd, service)).toMatchObject({ paid: 0, exit: 0 })
})

test.each([
  ['names none of them', '{ model: brush/fast, prompt: A fox }', 'brush/fast is a model of here and there'],
  [
    'names another one',
    '{ model: brush/fast, prompt: A fox, service: hare }',
    'the service hare has no model brush/fast',
  ],
  [
    'has a value of the other',
    '{ model: brush/fast, prompt: A fox, imageSize: portrait_4_3, service: there }',
    'imageSize must be one of landscape_16_9, square_hd',
  ],
])('a job of a model that two services have, which %s, is refused', async (_, job, message) => {
  const { cwd, here, there, service, put } = await atBoth()
  put(job)
  const seen = planManifest({ manifest, cwd, service })
  expect(seen.got === 'refused' && seen.problems.map(each => each.message).join()).toContain(message)
  expect([here.orders.length, there.orders.length]).toEqual([0, 0])
})

test('a rehearsal of a model that two services have takes the words of either', async () => {
  const { cwd, put } = await atBoth()
  put(
    '{ model: brush/fast, prompt: A fox, imageSize: portrait_4_3, service: here }\n  elk: { model: brush/fast, prompt: An elk, imageSize: landscape_16_9, service: there }',
  )
  const rehearsal = openRehearsal()
  onTestFinished(() => rehearsal.release())
  const report = await runAll(cwd, {}, { manifest, service: await rehearsal.take() })
  expect(report).toMatchObject({ paid: 2, exit: 0 })
})
