import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPrices } from '../../src/forms/prices.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { planManifest } from '../../src/verbs/plan.ts'
import {
  type Bench,
  manifestName,
  openBenchAt,
  openBenchWith,
  paidAt,
  pixel,
  toldSteps,
  type With,
} from '../verbs/bench.ts'

async function atWork(manifest: string, more: With = {}) {
  const at = await openBenchWith(manifest, more)
  at.bench.write(
    'prices.yaml',
    'currency: USD\nmodels:\n  famc-t2a: { perSecond: 0.1 }\n  fama-imagine-image: { perImage: 0.5 }\n',
  )
  return at
}

function sounds(count: number, head = ''): string {
  const jobs = Array.from(
    { length: count },
    (_, nth) => `  j${nth}: { model: famc-t2a, prompt: Rain ${nth}, duration: 3, tags: [rain] }`,
  )
  return `${head}jobs:\n${jobs.join('\n')}\n`
}

const prices = 'prices.yaml'

describe('caps', () => {
  test('on paid requests end the buying with exit 6, and the next run goes on', async () => {
    const { bench, gateway } = await atWork(sounds(6))
    expect(await bench.run({ caps: { maxPaid: 4 } })).toMatchObject({
      report: { paid: 4, counts: { made: 4, skipped: 2 }, exit: 6 },
    })
    expect(paidAt(gateway)).toBe(4)
    expect(await bench.run()).toMatchObject({ report: { paid: 2, counts: { made: 2, kept: 4 }, exit: 0 } })
  })

  test('on the cost count by the prices', async () => {
    const { bench, gateway } = await atWork(sounds(6))
    const result = await bench.run({ prices, caps: { maxCost: 1 } })
    expect(result).toMatchObject({ report: { paid: 3, exit: 6, cost: { estimated: 0.9, currency: 'USD' } } })
    expect(paidAt(gateway)).toBe(3)
  })

  test('stand in the manifest too, and the lowest counts', async () => {
    const { bench, gateway } = await atWork(sounds(6, 'limits: { maxCost: 0.7, tags: { rain: 0.4 } }\n'))
    expect(await bench.run({ prices, caps: { maxCost: 5, maxPaid: 5 } })).toMatchObject({
      report: { paid: 1, exit: 6 },
    })
    expect(paidAt(gateway)).toBe(1)
  })

  test('on a cost that nobody knows stop everything before it begins', async () => {
    const { bench, gateway } = await atWork(sounds(2))
    expect(await bench.run({ caps: { maxCost: 5 } })).toMatchObject({
      got: 'refused',
      problems: [
        {
          code: 'unknown-cost',
          message: 'the cost is limited, and not all of it is known: no prices are given',
        },
      ],
    })
    expect(paidAt(gateway)).toBe(0)
  })

  test('on a cost do not hinder a rehearsal without prices', async () => {
    const { bench, gateway } = await atWork(sounds(2, 'limits: { maxCost: 0.1 }\n'))
    const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: true }
    expect(await bench.run({ service })).toMatchObject({ report: { paid: 2, exit: 0 } })
    expect(await bench.run({ service, prices, redo: true })).toMatchObject({ report: { paid: 0, exit: 6 } })
  })

  test('of nothing buy nothing', async () => {
    const { bench, gateway } = await atWork(sounds(2))
    expect(await bench.run({ caps: { maxPaid: 0 } })).toMatchObject({ report: { paid: 0, exit: 6 } })
    expect(paidAt(gateway)).toBe(0)
  })

  // Images by execute and sounds by submit, under a cap of each kind, at a service that does whatever it likes.
  test.each([1, 2, 3, 4, 5, 6])(
    'are never passed, whatever the service does (%d)',
    async round => {
      const mixed = Array.from({ length: 14 }, (_, nth) =>
        nth % 2 === 0
          ? `  j${nth}: { model: famc-t2a, prompt: Rain ${nth}, duration: 3, tags: [rain], retries: 1 }`
          : `  j${nth}: { model: fama-imagine-image, prompt: Tea ${nth}, tags: [tea] }`,
      ).join('\n')
      const [maxPaid, maxCost, tea] = [4 + round, 0.4 * (2 + round), 0.5 * (1 + (round % 3))]
      const { bench, gateway } = await atWork(
        `limits: { maxCost: ${maxCost}, tags: { tea: ${tea} } }\njobs:\n${mixed}\n`,
        {
          faults: [
            'refuse=422 chance=0.1',
            'refuse=429 chance=0.2 on=submit retry-after=0',
            'lose chance=0.15 on=submit',
            'spoil=502 chance=0.15 on=submit',
            'spoil=502 chance=0.1 on=execute',
            'fail chance=0.2 on=submit',
          ].join(', '),
          seed: round,
        },
      )
      const result = await bench.run({ prices, caps: { maxPaid } })
      const { billed } = gateway.ledger()
      const paid = billed.execute + billed.submit
      expect(paid).toBeGreaterThan(0)
      // A refusal costs nothing, and gives its place back: what is told is what was billed, or may have been.
      expect(paid).toBeLessThanOrEqual(maxPaid)
      expect(result).toMatchObject({ got: 'report', report: { paid } })
      expect(billed.execute * 0.5).toBeLessThanOrEqual(tea + 1e-9)
      expect(billed.execute * 0.5 + billed.submit * 0.3).toBeLessThanOrEqual(maxCost + 1e-9)
    },
    // After each refusal orders wait longer: for a minute and more where one follows the other. Rounds of 23 s were seen.
    240_000,
  )
})

test('the end of a run has the estimate, and what the service says that it cost', async () => {
  const told = readPrices({
    name: 'told',
    text: 'currency: credits\nmodels: { famc-t2a: { perSecond: 2 } }\n',
  })
  const { bench } = await atWork(sounds(3), { prices: told.value })
  const result = await bench.run({ prices })
  expect(result).toMatchObject({
    report: {
      cost: { estimated: 0.9, currency: 'USD', credits: 18 },
      jobs: ['j0', 'j1', 'j2'].map(address => ({
        address,
        spent: { estimated: 0.3, currency: 'USD', credits: 6 },
      })),
      exit: 0,
    },
  })
  expect(bench.read('m.lock.json').match(/"credits":6,?/g)).toHaveLength(3)
  // What is kept costs nothing, and nobody tells anything.
  expect(await bench.run({ prices })).not.toMatchObject({ report: { cost: { credits: expect.anything() } } })
  // What is fetched again was paid for once, also where the lock alone knows of it.
  bench.remove('out/m/j1.wav')
  bench.remove('.genrun')
  const fetched = await bench.run({ prices })
  expect(fetched).toMatchObject({
    report: { counts: { kept: 2, fetched: 1 }, paid: 0, cost: { estimated: 0 } },
  })
  expect(JSON.stringify(fetched)).not.toContain('"credits"')
  expect(bench.read('m.lock.json').match(/"credits":6,?/g)).toHaveLength(3)
})

test('a run that failed costs what the service says, and the next one in its place as well', async () => {
  let runs = 0
  const bench = await openBenchAt((request, answer) => {
    const outputs = [{ url: `${bench.origin}/tea.png` }]
    const end = runs === 1 ? { status: 'failed', credits: 0.1 } : { status: 'completed', credits: 3, outputs }
    const isOrder = request.method === 'POST'
    const isFile = request.url?.endsWith('/tea.png') === true
    answer.setHeader('content-type', isFile ? 'image/png' : 'application/json')
    const body = isOrder ? { id: `r${++runs}` } : { id: `r${runs}`, ...end }
    answer.end(isFile ? pixel : JSON.stringify(body))
  })
  bench.write(
    manifestName,
    'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea, mode: submit, retries: 1 }\n',
  )
  expect(await bench.run()).toMatchObject({
    report: { paid: 2, cost: { credits: 3.1 }, jobs: [{ ending: 'made', spent: { credits: 3.1 } }] },
  })
  expect(bench.read('m.lock.json')).toContain('"credits":3,')
})

describe('the plan tells the cost', () => {
  const manifest = `jobs:
  a: { model: famc-t2a, prompt: Rain, duration: 3, tags: [rain, shop] }
  b: { model: fama-imagine-image, prompt: Tea, count: 2, tags: [shop] }
  c: { model: fama-tts, prompt: Hello }
`

  test('by model and tag, and what is unknown as unknown', async () => {
    const { bench } = await atWork(manifest)
    expect(bench.plan({ prices }).cost).toEqual({
      currency: 'USD',
      total: { jobs: 3, amount: 1.3, unknown: 1 },
      byModel: [
        { model: 'famc-t2a', jobs: 1, amount: 0.3, unknown: 0 },
        { model: 'fama-imagine-image', jobs: 1, amount: 1, unknown: 0 },
        { model: 'fama-tts', jobs: 1, amount: 0, unknown: 1 },
      ],
      byTag: [
        { tag: 'rain', jobs: 1, amount: 0.3, unknown: 0 },
        { tag: 'shop', jobs: 2, amount: 1.3, unknown: 0 },
      ],
      unknown: ['there is no price for fama-tts'],
    })
  })

  test('or where the prices are wrong', async () => {
    const { bench } = await atWork(manifest)
    writeFileSync(join(bench.folder, prices), 'models: { famc-t2b: { perRun: 1 } }')
    const result = planManifest({ manifest: manifestName, cwd: bench.folder, prices })
    expect(result).toMatchObject({
      got: 'refused',
      problems: [{ message: 'there is no model famc-t2b', hint: 'did you mean famc-t2a' }],
    })
  })
})

describe('a cache', () => {
  const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: Tea }
  edit: { model: famb-character, prompt: In blue, imageUrls: '\${{ jobs.hero.output }}' }
`

  test('lets another checkout restore instead of buying', async () => {
    const { bench, gateway } = await atWork(manifest)
    const cache = { folder: join(bench.folder, 'cache') }
    expect(await bench.run({ cache })).toMatchObject({ report: { paid: 2, exit: 0 } })
    const bytes = bench.bytes('out/m/edit.png')
    for (const name of ['out', '.genrun', 'm.lock.json']) bench.remove(name)

    const before = JSON.stringify(gateway.requests())
    const readOnly = { ...cache, readOnly: true }
    expect(bench.plan({ cache: readOnly }).steps.map(step => step.do)).toEqual(['restore', 'restore'])
    expect(await bench.run({ cache: readOnly })).toMatchObject({ report: { paid: 0, requests: 0, exit: 0 } })
    expect(JSON.stringify(gateway.requests())).toBe(before)
    expect(bench.bytes('out/m/edit.png').equals(bytes)).toBe(true)
    expect(bench.plan().steps.map(step => step.do)).toEqual(['keep', 'keep'])
    bench.remove('m.lock.json')
    expect(bench.plan().steps.map(step => step.do)).toEqual(['keep', 'keep'])
  })

  test('gives a rehearsal’s placeholders to nobody who pays', async () => {
    const { bench, gateway } = await atWork(manifest)
    const cache = { folder: join(bench.folder, 'cache') }
    const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: true }
    expect(await bench.run({ cache, service })).toMatchObject({ report: { exit: 0 } })
    expect(bench.plan({ cache }).steps.map(step => step.do)).toEqual(['buy', 'buy'])
    for (const name of ['out', '.genrun', 'm.preview.lock.json']) bench.remove(name)
    expect(await bench.run({ cache, service })).toMatchObject({ report: { requests: 0, exit: 0 } })
  })

  test('restores files that are gone before it asks the service', async () => {
    const { bench, gateway } = await atWork(manifest)
    const cache = { folder: join(bench.folder, 'cache') }
    await bench.run({ cache })
    bench.remove('out/m/hero.png')
    const before = JSON.stringify(gateway.requests())
    expect(await bench.run({ cache })).toMatchObject({ report: { paid: 0, requests: 0, exit: 0 } })
    expect(JSON.stringify(gateway.requests())).toBe(before)
    expect(bench.has('out/m/hero.png')).toBe(true)
  })

  test('brings back what was lost as the purchase that it is', async () => {
    const { bench } = await atWork(manifest)
    const cache = { folder: join(bench.folder, 'cache') }
    await bench.run({ cache })
    const lock = bench.read('m.lock.json')
    bench.remove('out')
    expect(await bench.run({ cache })).toMatchObject({ report: { paid: 0, counts: { fetched: 2 } } })
    expect(bench.read('m.lock.json')).toBe(lock)
  })

  test('gets what was made before it was there, by the next run that has something to do', async () => {
    const { bench } = await atWork(manifest)
    await bench.run({ select: { words: ['hero'] } })
    const cache = { folder: join(bench.folder, 'cache') }
    await bench.run({ cache })
    for (const name of ['out', '.genrun', 'm.lock.json']) bench.remove(name)
    expect(await bench.run({ cache })).toMatchObject({ report: { paid: 0, counts: { fetched: 2 } } })
  })

  test('keeps the pick of a take whose files are gone, and tells the names that files have now', async () => {
    const jobs = manifest.replace('Tea }', 'Tea, takes: 2 }')
    const { bench, gateway } = await atWork(jobs.split('\n').slice(0, 2).join('\n'))
    const cache = { folder: join(bench.folder, 'cache') }
    await bench.run({ cache })
    await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'hero#2' })
    bench.write(manifestName, jobs)
    await bench.run({ cache })
    const before = JSON.stringify(gateway.requests())
    bench.remove('out')
    const result = await bench.run({ cache })
    const files = result.got === 'report' ? result.report.jobs.flatMap(job => job.files) : []
    expect(files.map(({ path }) => path)).toEqual(['takes/hero.take1.png', 'hero.png', 'edit.png'])
    for (const { path, bytes } of files) expect(bench.bytes(`out/m/${path}`)).toHaveLength(bytes)
    expect(await bench.run({ cache })).toMatchObject({ report: { counts: { kept: 3 } } })
    expect(JSON.stringify(gateway.requests())).toBe(before)
  })

  const damage = (bench: Bench) => {
    for (const name of readdirSync(join(bench.folder, 'cache', 'files'))) {
      const path = join('cache', 'files', name)
      const bytes = bench.bytes(path)
      bytes[40] = (bytes[40] ?? 0) ^ 1
      bench.write(path, bytes)
    }
  }

  test.each([false, true])(
    'whose copies are damaged is as good as empty, and says so (read-only: %s)',
    async readOnly => {
      const { bench, gateway } = await atWork(manifest)
      const cache = { folder: join(bench.folder, 'cache') }
      await bench.run({ cache })
      for (const name of ['out', '.genrun', 'm.lock.json']) bench.remove(name)
      damage(bench)
      const counted = paidAt(gateway)
      const told: string[] = []
      const asked = { cache: { ...cache, readOnly } }
      const planned = bench.plan(asked)
      expect(planned.paid).toBe(2)
      expect(planned.steps.map(step => step.do)).toEqual(['buy', 'buy'])
      // The second depends on what the first will be: it is not looked for.
      expect(planned.remarks).toEqual(['1 result in the cache is damaged: as good as not there'])
      const capped = await bench.run({ ...asked, caps: { maxPaid: 0 } })
      expect(capped).toMatchObject({ report: { paid: 0 } })
      expect(paidAt(gateway) - counted).toBe(0)

      const paid = await bench.run({
        ...asked,
        emit: each => void (each.event === 'planned' && told.push(...each.remarks)),
      })
      expect(paid).toMatchObject({ report: { paid: 2, counts: { made: 2 }, exit: 0 } })
      expect(paidAt(gateway) - counted).toBe(2)
      expect(told).toContain('1 result in the cache is damaged: as good as not there')
      expect(toldSteps(bench.plan())).toEqual([])

      for (const name of ['out', '.genrun', 'm.lock.json']) bench.remove(name)
      const mended = bench.plan(asked).steps.map(step => step.do)
      expect(mended).toEqual(readOnly ? ['buy', 'buy'] : ['restore', 'restore'])
    },
  )

  test('whose copy is damaged leaves a result that is gone as it would be without a cache', async () => {
    const { bench, gateway } = await atWork(manifest)
    const cache = { folder: join(bench.folder, 'cache') }
    await bench.run({ cache })
    bench.remove('out/m/hero.png')
    bench.write('m.lock.json', bench.read('m.lock.json').replaceAll('"run":', '"was":'))
    bench.remove('.genrun')
    damage(bench)
    const counted = paidAt(gateway)
    expect(bench.plan({ cache }).steps).toMatchObject([{ do: 'hold' }, { do: 'keep' }])
    expect(await bench.run({ cache })).toMatchObject({ report: { paid: 0, counts: { held: 1 }, exit: 4 } })
    expect(paidAt(gateway)).toBe(counted)
  })

  test('whose copy is damaged leaves what is paid for to the service', async () => {
    const { bench, gateway } = await atWork(manifest)
    const cache = { folder: join(bench.folder, 'cache') }
    await bench.run({ cache })
    bench.remove('out/m/hero.png')
    damage(bench)
    const counted = paidAt(gateway)
    expect(await bench.run({ cache })).toMatchObject({ report: { counts: { fetched: 1, kept: 1 }, exit: 0 } })
    expect(paidAt(gateway)).toBe(counted)
  })
})
