import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import type { WorkspaceRequest } from '../../src/planning/open-workspace.ts'
import { type ApplyRequest, applyPlan } from '../../src/verbs/apply.ts'
import { planManifest } from '../../src/verbs/plan.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import type { Trust } from '../../src/workspace/read/trust.ts'
import { type Bench, manifestName, openBenchWith, paidAt, pixel } from '../verbs/bench.ts'
import { madeOnce, shopManifest } from '../verbs/made.ts'

const shop = madeOnce(shopManifest, 4, { 'photo.png': pixel })
const bench = () => shop.copy()

const of = (it: Bench) => ({ manifest: manifestName, cwd: it.folder })

describe('a saved plan', () => {
  const service = () => ({ baseUrl: shop.gateway.baseUrl, key: shop.gateway.key, rehearsal: false })
  const apply = (
    it: Bench,
    { rehearsal = false, ...more }: Partial<ApplyRequest> & { rehearsal?: boolean } = {},
  ) =>
    applyPlan({
      plan: 'plans/saved.plan',
      cwd: it.folder,
      service: { ...service(), rehearsal },
      emit: () => undefined,
      stop: new AbortController().signal,
      ...more,
    })
  const save = (it: Bench) => {
    const result = planManifest({ ...of(it), savedTo: 'plans/saved.plan' })
    if (result.got !== 'plan') throw new Error(result.got)
    writeFileSync(join(it.folder, 'plans', 'saved.plan'), JSON.stringify(result.saved))
  }
  const prepared = () => {
    const it = bench()
    it.edit(manifestName, 'A red teapot', 'A green teapot')
    it.makeFolder('plans')
    save(it)
    return it
  }

  test('says the same of models with prices of their own, from wherever it is made and whoever believes them', () => {
    const it = bench()
    const models =
      'models:\n  acme-paint:\n    inputType: t2i\n    price: { perRun: 1 }\n    params: { prompt: { type: text } }\n'
    writeFileSync(join(it.folder, 'acme.yaml'), models)
    writeFileSync(
      join(it.folder, 'own.yaml'),
      'catalog: acme.yaml\njobs: { a: { model: acme-paint, prompt: A } }\n',
    )
    const digests = (request: Pick<WorkspaceRequest, 'manifest' | 'cwd' | 'savedTo'>, trust?: Trust) => {
      const result = planManifest({ ...request, service: { ...service(), ...(trust && { trust }) } })
      return result.got === 'plan' ? result.saved?.digests : result
    }
    const name = basename(it.folder)
    const here = digests({ manifest: 'own.yaml', cwd: it.folder, savedTo: 'saved.plan' })
    const above = { manifest: `${name}/own.yaml`, cwd: dirname(it.folder), savedTo: `${name}/saved.plan` }
    expect(here).toHaveProperty('prices')
    expect(digests(above)).toEqual(here)
    expect(digests(above, { digests: [], isUnwatched: true })).toEqual(here)
  })

  test('is carried out when nothing changed', async () => {
    const it = prepared()
    const before = paidAt(shop.gateway)
    expect(await apply(it)).toMatchObject({ got: 'report', report: { paid: 3, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(3)
    // Once more, as by a step of CI that is tried again: it is done.
    expect(await apply(it)).toMatchObject({ got: 'report', report: { paid: 0, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(3)
  })

  test('is gone on with after a stop that left nothing to order', async () => {
    const it = prepared()
    const before = paidAt(shop.gateway)
    const stop = new AbortController()
    const taken: string[] = []
    const emit = (told: RunEvent) => {
      if (told.event === 'accepted' && taken.push(told.address) === 3) stop.abort()
    }
    expect(await apply(it, { stop: stop.signal, emit })).toMatchObject({ report: { paid: 3 } })
    expect(await apply(it)).toMatchObject({ got: 'report', report: { paid: 0, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(3)
  })

  test('is gone on with where a cap cut it short, and only with what it planned', async () => {
    const it = prepared()
    const before = paidAt(shop.gateway)
    expect(await apply(it, { caps: { maxPaid: 1 } })).toMatchObject({ report: { paid: 1, exit: 6 } })
    expect(await apply(it)).toMatchObject({ got: 'report', report: { paid: 2, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(3)
  })

  test('is not gone on with where what it counted on is another by now', async () => {
    const it = prepared()
    await apply(it, { caps: { maxPaid: 1 } })
    const request = it.request({ redo: true, select: { words: ['photo'] } })
    expect(await it.run(request)).toMatchObject({ report: { exit: 0, paid: 1 } })
    const before = paidAt(shop.gateway)
    expect(await apply(it)).toMatchObject({
      got: 'refused',
      problems: [{ message: 'the lock changed since this plan was made' }],
    })
    expect(paidAt(shop.gateway)).toBe(before)
  })

  test('says what it lacks where no service is asked', async () => {
    expect(await apply(prepared(), { rehearsal: true })).toMatchObject({
      got: 'refused',
      problems: [
        {
          message: 'it is no plan of a rehearsal, and no service is asked here',
          hint: 'name the service (GENRUN_BASE_URL and a key), or give --local to both commands',
        },
      ],
    })
  })

  test.each<[string, (it: Bench) => void, string]>([
    [
      'the manifest',
      it => it.edit(manifestName, 'in blue', 'in grey'),
      'the manifest changed since this plan was made',
    ],
    [
      'an input',
      it => it.write('photo.png', Buffer.concat([pixel, Buffer.from('x')])),
      'the input photo.png changed since this plan was made',
    ],
    [
      'a file on disk',
      it => it.remove('out/shop/photo.png'),
      'what lies on disk changed (planned: keep photo; now: fetch photo) since this plan was made',
    ],
    ['the lock', it => it.remove('m.lock.json'), 'the lock changed since this plan was made'],
    ['the plan itself', it => it.write('plans/saved.plan', '{"genrunPlan":2}'), 'it is no whole plan'],
    [
      "the plan's version",
      it => it.write('plans/saved.plan', '{"genrunPlan":1}'),
      'it was written by another version of genrun',
    ],
  ])('is refused when %s changed', async (_, change, message) => {
    const it = prepared()
    change(it)
    const before = paidAt(shop.gateway)
    expect(await apply(it)).toMatchObject({ got: 'refused', problems: [{ message }] })
    expect(paidAt(shop.gateway)).toBe(before)
  })
})

describe('a saved plan with all that a manifest can stand on', () => {
  const full = `include: shared.yaml
vars: { season: summer }
jobs:
  voice:
    forEach: lines.csv
    model: fama-tts
    prompt: \${{ item.text }}
  still:
    forEach: 'photos/*.png'
    model: famb-v3
    prompt: \${{ file('style.md') }} in \${{ vars.season }}
    imageUrls: \${{ item.path }}
`
  const prepared = async (more: Partial<WorkspaceRequest> = {}) => {
    const it = shop.empty()
    it.write(manifestName, full)
    it.write('shared.yaml', 'defaults: { count: 2 }\n')
    it.write('lines.csv', 'id,text\na,Hello\nb,Bye\n')
    it.write('style.md', 'Wet slate\n')
    it.makeFolder('photos')
    it.write('photos/one.png', pixel)
    it.write('prices.yaml', 'currency: USD\nmodels: { famb-v3: { perImage: 0.1 } }\n')
    it.write('profile.yaml', 'headers: { x-team: shop }\n')
    const vars = [{ name: 'season', value: 'winter', from: '--var' }]
    const result = planManifest({
      ...of(it),
      vars,
      prices: 'prices.yaml',
      profile: 'profile.yaml',
      output: 'media',
      ...more,
      savedTo: 'saved.plan',
    })
    if (result.got !== 'plan' || !result.saved) throw new Error(JSON.stringify(result))
    it.write('saved.plan', JSON.stringify(result.saved))
    return it
  }
  const apply = (it: Bench, more: Partial<ApplyRequest> = {}) =>
    applyPlan({
      plan: 'saved.plan',
      cwd: it.folder,
      service: { baseUrl: shop.gateway.baseUrl, key: shop.gateway.key, rehearsal: false },
      emit: () => undefined,
      stop: new AbortController().signal,
      ...more,
    })

  test('is carried out with what it was made with, from wherever', async () => {
    const it = await prepared()
    const plan = join(it.folder, 'saved.plan')
    const result = await apply(it, { plan, cwd: tmpdir() })
    expect(result).toMatchObject({
      got: 'report',
      report: {
        paid: 3,
        exit: 0,
        output: join(it.folder, 'media'),
        cost: { currency: 'USD', estimated: 0.2 },
      },
    })
    expect(it.has('media/voice/a.wav')).toBe(true)
    // Set by the plan, and by nobody now.
    expect(it.read('m.lock.json')).toContain('Wet slate in winter')
  })

  test.each<[string, (it: Bench) => void, string]>([
    [
      'an included file',
      it => it.write('shared.yaml', 'defaults: { count: 4 }\n'),
      'shared.yaml changed, which the manifest reads',
    ],
    ['a row', it => it.edit('lines.csv', 'Hello', 'Good day'), 'lines.csv changed, which the manifest reads'],
    ['a text', it => it.write('style.md', 'Oak\n'), 'style.md changed, which the manifest reads'],
    [
      'a file that is an input',
      it => it.write('photos/one.png', Buffer.concat([pixel, Buffer.from('x')])),
      'the input photos/one.png changed',
    ],
    ['what a glob finds', it => it.write('photos/two.png', pixel), 'the input photos/two.png changed'],
    ['a price', it => it.edit('prices.yaml', '0.1', '0.2'), 'the prices changed'],
    ['the profile', it => it.edit('profile.yaml', 'shop', 'web'), 'the profile changed'],
    [
      'a variable in the plan',
      it => it.edit('saved.plan', 'winter', 'spring'),
      'what the manifest comes to changed',
    ],
  ])('is refused when %s changed', async (_, change, message) => {
    const it = await prepared()
    change(it)
    const before = paidAt(shop.gateway)
    expect(await apply(it)).toMatchObject({
      got: 'refused',
      problems: [{ message: `${message} since this plan was made` }],
    })
    expect(paidAt(shop.gateway)).toBe(before)
  })

  test('that is stale says how to make a new one of the same', async () => {
    const it = await prepared({
      select: { words: ['still'], tags: [], models: ['famb-*'] },
      caps: { maxPaid: 2, maxCost: 0.2 },
    })
    it.write('style.md', 'Oak\n')
    expect(await apply(it)).toMatchObject({
      problems: [
        {
          hint: "make a new one: `genrun plan m.yaml still --model 'famb-*' --var season=winter --prices prices.yaml --profile profile.yaml --max-paid 2 --max-cost 0.2 -o saved.plan --output-folder media`",
        },
      ],
    })
  })

  test('of a shard that is stale names the words that make all of its division anew', async () => {
    const it = await prepared({ shard: { nth: 1, of: 3 } })
    it.write('style.md', 'Oak\n')
    const result = await apply(it)
    const hint = result.got === 'refused' ? result.problems[0]?.hint : undefined
    expect(hint).toMatch(/ --shards 3 -o \. --output-folder media`$/)
  })

  test('puts its files where the settings had them when it was made', async () => {
    const it = await prepared()
    it.write(manifestName, 'jobs: { hero: { model: fama-imagine-image, prompt: A cup } }\n')
    const seen = planManifest({ ...of(it), savedTo: 'saved.plan', outputs: 'elsewhere' })
    if (seen.got !== 'plan') throw new Error(seen.got)
    it.write('saved.plan', JSON.stringify(seen.saved))
    expect(await apply(it)).toMatchObject({ report: { output: join(it.folder, 'elsewhere/m') } })
  })

  test('is refused with other prices', async () => {
    const it = await prepared()
    it.write('dear.yaml', 'currency: USD\nmodels: { famb-v3: { perImage: 9 } }\n')
    expect(await apply(it, { prices: 'dear.yaml' })).toMatchObject({
      got: 'refused',
      problems: [{ message: 'the prices changed since this plan was made' }],
    })
  })
})

test('a saved plan that was carried out orders nothing once more, where what it bought is lost in its turn', async () => {
  let later = 0
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + later,
    until: (date, signal) => systemClock.until(date - later, signal),
  }
  const manifest =
    'jobs:\n  a: { model: fama-imagine-image, prompt: A cup }\n  b: { model: fama-imagine-image, prompt: A jug }\n'
  const { bench: it, gateway } = await openBenchWith(manifest, { resultSeconds: 60, clock })
  const lose = (...names: string[]) => {
    later += 120_000
    for (const name of names) it.remove(`out/m/${name}.png`)
  }
  await it.run()
  lose('a', 'b')
  await it.run()
  const planned = planManifest({ ...of(it), choices: { rebuy: true }, savedTo: 'saved.plan' })
  if (planned.got !== 'plan') throw new Error(planned.got)
  it.write('saved.plan', JSON.stringify(planned.saved))
  const carryOut = (caps = {}) =>
    applyPlan({ ...it.request({ caps }), manifest: join(it.folder, manifestName), plan: 'saved.plan' })
  expect(await carryOut({ maxPaid: 1 })).toMatchObject({ report: { exit: 6, paid: 1 } })
  expect(await carryOut()).toMatchObject({ report: { exit: 0, paid: 1 } })
  lose('a')
  // What is lost is asked for, which is free, and is not there any more.
  expect(await carryOut()).toMatchObject({ report: { exit: 1, paid: 0 } })
  expect(await carryOut()).toMatchObject({
    got: 'refused',
    problems: [{ message: 'the lock changed since this plan was made' }],
  })
  expect(paidAt(gateway)).toBe(4)
})
