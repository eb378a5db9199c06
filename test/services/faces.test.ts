import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { begin } from './double.ts'
import { project, writeSettings } from './run.ts'
import { shapes } from './shapes.ts'

/** Two services in the settings of a person, and no usual one. */
async function home() {
  const cwd = await project()
  const [queue, codes] = [
    await begin(shapes.queue, 'key-of-queue-55e1'),
    await begin(shapes.codes, 'key-of-codes-90c2'),
  ]
  writeSettings(cwd, { queue, codes })
  async function typed(...line: string[]) {
    const around = fakeSurroundings({ cwd, env: { HOME: cwd } })
    const code = await main(line, around)
    return { code, said: around.stdout.text(), told: around.stderr.text() }
  }
  return { cwd, queue, codes, typed }
}

const fox = ['generate', '-m', 'brush/fast', '-p', 'A fox', '--catalog', 'queue.catalog.yaml', '-o', 'fox']

test('a single order goes to the service of its model, with its key alone', async () => {
  const { queue, codes, typed } = await home()
  expect(await typed(...fox)).toMatchObject({ code: 0 })
  expect(queue.orders.map(({ body }) => body)).toEqual([{ model: 'brush/fast', prompt: 'A fox' }])
  expect([...queue.strange, ...codes.orders]).toEqual([])
})

test.each<[string, string[], string]>([
  [
    'another service than that of its model',
    ['--service', 'codes'],
    'brush/fast is a model of the service queue',
  ],
  ['one that nobody has declared', ['--service', 'film'], 'no service is called film here'],
])('a single order for %s is not sent', async (_, more, message) => {
  const { queue, codes, typed } = await home()
  const { code, told } = await typed(...fox, ...more)
  expect(code).toBe(2)
  expect(told).toContain(message)
  expect([...queue.orders, ...codes.orders]).toEqual([])
})

test('a single order of a model that names none is not sent where there is no usual one', async () => {
  const { typed } = await home()
  const { code, told } = await typed('generate', '-m', 'famb-v3', '-p', 'A fox', '-o', 'fox')
  expect({ code, told }).toEqual({
    code: 2,
    told: expect.stringContaining('nobody has said which service is asked'),
  })
})

test.each([
  ['may be paid nothing', { maxPaid: 0 }, 'this run may make 0 paid requests at most'],
  ['has a cap on the cost, which nobody knows', { maxCost: 1 }, 'what it costs is not known'],
])('a single order for a service that %s is not sent', async (_, limits, message) => {
  const { cwd, queue, typed } = await home()
  const path = join(cwd, '.config/genrun/config.yaml')
  const settings = JSON.parse(readFileSync(path, 'utf8')) as { services: { queue: object } }
  writeFileSync(
    path,
    JSON.stringify({ services: { ...settings.services, queue: { ...settings.services.queue, limits } } }),
  )
  const { code, told } = await typed(...fox)
  expect(code).toBe(6)
  expect(told).toContain(message)
  expect(queue.orders).toEqual([])
})

test('a single order of a model that two services have names one of them', async () => {
  const { cwd, queue, codes, typed } = await home()
  const catalog = readFileSync(join(cwd, 'queue.catalog.yaml'), 'utf8')
  writeFileSync(join(cwd, 'other.catalog.yaml'), catalog.replaceAll('service: queue', 'service: codes'))
  const path = join(cwd, '.config/genrun/config.yaml')
  const settings = JSON.parse(readFileSync(path, 'utf8')) as object
  const files = ['queue.catalog.yaml', 'other.catalog.yaml'].map(name => join(cwd, name))
  writeFileSync(path, JSON.stringify({ ...settings, catalog: files }))
  const line = ['generate', '-m', 'brush/fast', '-p', 'A fox', '-o', 'fox']
  const { code, told } = await typed(...line)
  expect(code).toBe(2)
  expect(told).toContain('brush/fast is a model of queue and codes')
  expect(await typed(...line, '--service', 'queue')).toMatchObject({ code: 0 })
  expect([queue.orders.length, codes.orders.length]).toEqual([1, 0])
})

test('a result is asked for at the service of its model, for nothing', async () => {
  const { queue, typed } = await home()
  await typed(...fox)
  const run = `${queue.origin}/queue/brush/fast/requests/${queue.orders[0]?.id}/status`
  const line = ['result', run, '-m', 'brush/fast', '--catalog', 'queue.catalog.yaml', '-o', 'again']
  expect(await typed(...line)).toMatchObject({ code: 0 })
  expect([queue.orders.length, queue.strange.length]).toEqual([1, 0])
})

test('settings and doctor tell of each service, and show no key', async () => {
  const { cwd, typed, queue } = await home()
  const settings = await typed('settings')
  expect(settings.said).toContain(`service queue: ${queue.origin}`)
  chmodSync(join(cwd, '.codes-key'), 0o000)
  const doctor = await typed('doctor', '--json', '--offline')
  const { findings } = JSON.parse(doctor.said) as { findings: { check: string; is: string; says: string }[] }
  expect(findings.filter(({ check }) => check.startsWith('service'))).toEqual([
    { check: 'service', is: 'good', says: 'no usual one; jobs name theirs' },
    expect.objectContaining({ check: 'service-queue', says: expect.stringContaining('was not asked') }),
    expect.objectContaining({ check: 'service-codes' }),
  ])
  expect(settings.said + doctor.said + doctor.told).not.toContain('key-of-')
})

test('a job is converted by the service that it names: its address, its profile, its key', async () => {
  const { cwd, typed, queue } = await home()
  const line = ['convert', 'everywhere.yaml', 'fox', '--to', 'curl']
  const { code, said } = await typed(...line)
  expect(code).toBe(0)
  expect(said).toContain(`curl -X POST '${queue.origin}/queue/brush/fast'`)
  expect(said).toContain(`-H "Authorization: Key $(cat ${join(cwd, '.queue-key')})"`)
  expect(said).toContain('"image_size": "square_hd"')
  expect(said).not.toContain('key-of-')
  const unknown = await typed('convert', 'everywhere.yaml', 'waves', '--to', 'curl')
  expect(unknown.told).toContain('nobody has said how the service operations is spoken to')
  const moved = `catalog: queue.catalog.yaml\njobs:\n  a: { model: famb-v3, prompt: A, service: queue }\n`
  writeFileSync(join(cwd, 'moved.yaml'), moved)
  expect((await typed('convert', 'moved.yaml', 'a')).said).toBe(
    'genrun generate -m famb-v3 -p A --mode submit --service queue\n',
  )
})
