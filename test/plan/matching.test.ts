import { describe, expect, test } from 'vitest'
import { type JsonObject, jobAddress, pointer, type RunId } from '../../src/base/names.ts'
import { type DonePurchase, type DoubtfulPurchase, orderOf, type Purchase } from '../../src/base/purchase.ts'
import type { Recipe } from '../../src/base/state.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { planJobs } from '../../src/plan/plan.ts'
import { planRequest } from '../../src/plan/request/planned.ts'
import { type Choices, isJobStep } from '../../src/plan/shapes/step.ts'
import fc from '../cases.ts'
import { named } from '../store/records.ts'
import {
  digest,
  done,
  doubt,
  facts,
  failed,
  job,
  picture,
  planned,
  recipeOf,
  ref,
  running,
  told,
  type World,
} from './world.ts'

const anyJob = job
const tea = job('hero')
const mud = job('hero', { prompt: 'mud' })
const [a, b] = [job('a', { prompt: 'one' }), job('b', { prompt: 'two' })]
/** The same two jobs with each other's prompts. */
const swapped = [job('a', { prompt: 'two' }), job('b', { prompt: 'one' })]
const id = named('other')
const there = 'https://there.example'
const here = 'https://here.example'
const gone = { is: 'missing', paths: ['hero.png'] } as const

test.each<[string, readonly Purchase[], string]>([
  [
    'holds no twin of it once its job was made by another order',
    [failed(tea), done(tea, { id })],
    'buy twin: not made yet',
  ],
  ['or has one under way', [failed(tea), running(tea, { id })], 'buy twin: not made yet'],
  [
    'holds a twin where its job asks for other things since',
    [failed(tea), done(mud, { id })],
    'hold twin: failed-before',
  ],
  [
    'holds none that a person ordered anew',
    [failed(tea), done(mud, { id }), { ...orderOf(done(job('twin'))), resubmitted: true, is: 'open' }],
    'buy twin: asked for by `resolve --resubmit`',
  ],
])('what failed %s', (_, purchases, step) => {
  const asked = purchases.some(({ recipe }) => recipe.params.prompt === 'mud') ? mud : tea
  expect(planned([asked, job('twin')], purchases)).toContain(step)
})

describe('edits', () => {
  test.each<[string, readonly Job[], readonly Purchase[], string[]]>([
    [
      'of a job under way buys anew, and puts what comes aside',
      [mud],
      [running(tea)],
      ['buy hero again: prompt tea → mud (m.yaml:3)', 'aside hero'],
    ],
    [
      'of a job that is done buys anew, and says nothing of what stands beside it',
      [mud],
      [done(tea)],
      ['buy hero again: prompt tea → mud (m.yaml:3)'],
    ],
    [
      'taken back while the new one is under way keeps the old one, and puts the new aside',
      [tea],
      [done(tea), running(mud, { id })],
      ['keep hero', 'aside hero'],
    ],
    [
      'taken back while both are under way goes on with the first',
      [tea],
      [running(tea), running(mud, { id })],
      ['resume hero', 'aside hero'],
    ],
    [
      'taken back when the new one is done takes the old one from aside',
      [tea],
      [done(tea, { aside: true }), done(mud, { id })],
      ['adopt hero from hero'],
    ],
    [
      'taken back when the new one failed keeps the old one',
      [tea],
      [done(tea), failed(mud, { id })],
      ['keep hero'],
    ],
    [
      'taken back when the new one is in doubt keeps the old one, and tells of the doubt',
      [tea],
      [done(tea), doubt(mud, { id })],
      ['keep hero', 'drop hero'],
    ],
    [
      'made twice buys the third, with both of the others aside',
      [job('hero', { prompt: 'ink' })],
      [running(tea), running(mud, { id })],
      ['buy hero again: prompt mud → ink (m.yaml:3)', 'aside hero', 'aside hero'],
    ],
    [
      'of a job that failed buys what is new',
      [mud],
      [failed(tea)],
      ['buy hero: prompt tea → mud (m.yaml:3)'],
    ],
  ])('%s', (_, jobs, purchases, wanted) => {
    expect(planned(jobs, purchases)).toEqual(wanted)
  })
})

describe('names that change hands', () => {
  test.each<[string, readonly Job[], readonly Purchase[], string[]]>([
    ['two done jobs swap', swapped, [done(a), done(b)], ['adopt a from b', 'adopt b from a']],
    ['two jobs under way swap', swapped, [running(a), running(b)], ['resume a from b', 'resume b from a']],
    [
      'one done and one under way swap',
      swapped,
      [done(a), running(b)],
      ['resume a from b', 'adopt b from a'],
    ],
    ['two jobs in doubt swap', swapped, [doubt(a), doubt(b)], ['doubt a', 'doubt b']],
    [
      'three jobs take turns',
      [job('a', { prompt: 'two' }), job('b', { prompt: 'three' }), job('c', { prompt: 'one' })],
      [done(a), done(b), done(job('c', { prompt: 'three' }))],
      ['adopt a from b', 'adopt b from c', 'adopt c from a'],
    ],
    ['a job under way is renamed', [job('poster')], [running(tea)], ['resume poster from hero']],
    ['a job in doubt is renamed', [job('poster')], [doubt(tea)], ['doubt poster']],
    [
      'a job that failed is renamed: it is held',
      [job('poster')],
      [failed(tea)],
      ['hold poster: failed-before'],
    ],
    [
      'a job that was refused is renamed: nothing was bought',
      [job('poster')],
      [failed(tea, { billed: 'no' })],
      ['buy poster: not made yet'],
    ],
    [
      'a job is renamed and its name given to another',
      [mud, job('poster')],
      [running(tea)],
      ['buy hero again: prompt tea → mud (m.yaml:3)', 'resume poster from hero'],
    ],
    [
      'whatever order they stand in',
      [job('poster'), mud],
      [running(tea)],
      ['resume poster from hero', 'buy hero again: prompt tea → mud (m.yaml:3)'],
    ],
    [
      'what is aside is adopted when another job asks for it',
      [mud, job('poster')],
      [done(tea, { aside: true }), done(mud, { id })],
      ['keep hero', 'adopt poster from hero'],
    ],
    [
      'files that are gone go along, when their run is known',
      [job('poster')],
      [done(tea, { run: ref, files: [] })],
      ['adopt poster from hero'],
    ],
  ])('%s', (_, jobs, purchases, wanted) => {
    expect(planned(jobs, purchases)).toEqual(wanted)
  })

  test('each purchase of a swap is the one that was asked for', () => {
    const { steps } = planJobs(swapped, facts({ purchases: [running(a), running(b)] }))
    expect(steps.map(step => (step.do === 'resume' ? step.purchase.recipe.params.prompt : step.do))).toEqual([
      'two',
      'one',
    ])
  })
})

describe('a doubt', () => {
  test.each<[string, readonly Job[], readonly Purchase[], string[]]>([
    ['that its own job asks for is that job’s', [tea], [doubt(tea)], ['doubt hero']],
    ['that nobody asks for blocks its own job', [mud], [doubt(tea)], ['doubt hero']],
    [
      'that another job asks for moves with the recipe, and its own job buys',
      [mud, job('poster')],
      [doubt(tea)],
      ['buy hero: prompt tea → mud (m.yaml:3)', 'doubt poster'],
    ],
    [
      'of a job that left the manifest is told',
      [mud],
      [doubt(job('gone', { prompt: 'ink' }))],
      ['buy hero: not made yet', 'drop gone'],
    ],
    [
      'blocks what is made from its job',
      [mud, clip('hero')],
      [doubt(tea)],
      ['doubt hero', 'hold clip: needs'],
    ],
    [
      'beside what is done and asked for is told, and blocks nothing',
      [mud, clip('hero')],
      [done(mud), doubt(tea, { id })],
      ['keep hero', 'buy clip: not made yet', 'drop hero'],
    ],
    [
      'beside what is under way blocks nothing',
      [tea],
      [running(tea), doubt(tea, { id })],
      ['resume hero', 'drop hero'],
    ],
    ['weighs more than an older failure', [tea], [failed(tea), doubt(tea, { id })], ['doubt hero']],
    ['is settled before a wish is carried out', [tea], [doubt(tea)], ['doubt hero']],
  ])('%s', (_, jobs, purchases, wanted) => {
    expect(planned(jobs, purchases)).toEqual(wanted)
  })

  test('is not bought past by redo, --failed or --rebuy', () => {
    for (const choices of [{ redo: new Set([tea.address]) }, { failed: true }, { rebuy: true }]) {
      expect(planned([tea], [doubt(tea)], {}, choices)).toEqual(['doubt hero'])
      expect(planned([mud], [doubt(tea)], {}, choices)).toEqual(['doubt hero'])
    }
  })
})

describe('an order in doubt that is not all there is', () => {
  test('is of what the job asked for in between, and what it asks for again was refused', () => {
    const purchases = [failed(tea, { billed: 'no' }), doubt(mud, { id })]
    expect(planned([tea], purchases)).toEqual(['doubt hero'])
  })

  test.each<[string, Purchase, Choices]>([
    ['--failed', failed(tea), { failed: true }],
    ['redo', done(tea), { redo: new Set([tea.address]) }],
  ])('is not bought past by %s', (_, before, choices) => {
    expect(planned([tea], [before, doubt(mud, { id })], {}, choices)).toEqual(['doubt hero'])
    expect(planned([tea], [before, doubt(tea, { id })], {}, choices)).toEqual(['doubt hero'])
  })

  test('is what --rebuy ordered the last time', () => {
    const purchases = [done(tea, { run: ref, isGone: true }), doubt(tea, { id })]
    expect(planned([tea], purchases, { standing: gone }, { rebuy: true })).toEqual(['doubt hero'])
    // Without the word nothing is bought, and what is paid for is fetched.
    expect(planned([tea], purchases, { standing: gone })).toContain('fetch hero')
  })

  test('holds the job that it was for, and no other that an order was for under the same name', () => {
    const [poster, hero] = [job('poster'), job('hero', { prompt: 'ink' })]
    // Both were ordered as `hero`: tea is the poster's by now, mud is nobody's.
    const purchases = [doubt(tea), doubt(mud, { id })]
    expect(planned([hero, poster], purchases)).toEqual(['doubt hero', 'doubt poster'])
    expect(planned([poster, hero], purchases)).toEqual(['doubt poster', 'doubt hero'])
  })

  test('leaves alone a job that buys nothing', () => {
    expect(planned([tea], [done(tea), doubt(mud, { id })])).toEqual(['keep hero', 'drop hero'])
  })
})

test('what may be billed is held, though an order after it was refused', () => {
  const refused = failed(tea, { id, billed: 'no' })
  expect(planned([tea], [failed(tea), refused])).toEqual(['hold hero: failed-before'])
  expect(planned([tea], [refused, failed(tea)])).toEqual(['hold hero: failed-before'])
})

describe('twins', () => {
  const twin = job('twin')
  test.each<[string, readonly Job[], readonly Purchase[], string[]]>([
    ['a live one is never taken', [tea, twin], [done(tea)], ['keep hero', 'buy twin: not made yet']],
    ['nor one under way', [tea, twin], [running(tea)], ['resume hero', 'buy twin: not made yet']],
    ['nor by one that comes first', [twin, tea], [done(tea)], ['buy twin: not made yet', 'keep hero']],
    [
      'two jobs with one recipe are two purchases',
      [tea, twin],
      [done(tea), done(twin)],
      ['keep hero', 'keep twin'],
    ],
    [
      'of which the second is under way',
      [tea, twin],
      [done(tea), running(twin)],
      ['keep hero', 'resume twin'],
    ],
    [
      'a second one of the same job is for whoever asks',
      [tea, twin],
      [done(tea), done(tea, { id, aside: true })],
      ['keep hero', 'adopt twin from hero'],
    ],
    [
      'two that left the manifest go to two jobs, and not to three',
      [job('x'), job('y'), job('z')],
      [done(tea), done(twin)],
      ['adopt x from hero', 'adopt y from twin', 'buy z: not made yet'],
    ],
  ])('%s', (_, jobs, purchases, wanted) => {
    expect(planned(jobs, purchases).toSorted()).toEqual(wanted.toSorted())
  })
})

// Of the second several orders may bring the files.
describe.each(['famc-v3', 'fama-imagine-image'])(
  'twins of %s that lose their names go where they were used:',
  id => {
    const model = findModel(id) as Model // it is in the catalog
    const job = (name: string, params?: JsonObject, rest: Partial<Job> = {}) =>
      anyJob(name, params, { model, ...rest })
    const made = (its: Job, rest: Partial<DonePurchase> = {}) =>
      done(its, { files: [{ ...picture, path: `${its.address}.png`, digest: digest(its.address) }], ...rest })
    /** Made from another job's file; no two of them say the same, but where they have no words. */
    const from = (
      name: string,
      source: string,
      params: JsonObject = { prompt: `of ${name.replace(/^new /, '')}` },
    ) =>
      job(name, params, {
        needs: [jobAddress(source)],
        files: { [pointer(['startFrame'])]: [{ from: 'job', address: jobAddress(source), nth: 0 }] },
      })
    const recipe = (its: Job, source: string) =>
      recipeOf(its, { '/startFrame': [digest(source)] } as Recipe['inputs'])
    const madeFrom = (its: Job, source: string, rest: Partial<DonePurchase> = {}) =>
      made(its, { recipe: recipe(its, source), ...rest })
    const requested = (jobs: readonly Job[], purchases: readonly Purchase[]) => {
      const outcome = planRequest({ jobs, picked: [] }, facts({ purchases }))
      return outcome.got === 'planned' ? told(outcome.plan.steps) : []
    }
    const wordless: JsonObject = {}
    const used = [madeFrom(from('ca', 'a'), 'a'), madeFrom(from('cb', 'b'), 'b')]
    const [fox, owl] = [job('a'), job('b')]
    const both = (its: Job) => [its, { ...its, address: jobAddress(`${its.address}#2`), take: 2 }]

    test.each<[string, readonly Job[], readonly Purchase[], string[]]>([
      [
        'whatever their new names are',
        [job('z'), job('y'), from('ca', 'z'), from('cb', 'y')],
        [made(fox), made(owl), ...used],
        ['adopt z from a', 'adopt y from b', 'keep ca', 'keep cb'],
      ],
      [
        'and in whatever order they stand',
        [job('y'), job('z'), from('ca', 'z'), from('cb', 'y')],
        [made(fox), made(owl), ...used],
        ['adopt y from b', 'adopt z from a', 'keep ca', 'keep cb'],
      ],
      [
        'where what uses them has other names, too',
        [job('y'), job('z'), from('new ca', 'z'), from('new cb', 'y')],
        [made(fox), made(owl), ...used],
        ['adopt y from b', 'adopt z from a', 'adopt new ca from ca', 'adopt new cb from cb'],
      ],
      [
        'where another that asks for the same comes first, and has nothing',
        [job('z'), job('y'), from('cb', 'y')],
        [made(owl), ...used.slice(1)],
        ['buy z: not made yet', 'adopt y from b', 'keep cb'],
      ],
      [
        'where the name of one of them is that of a job with other words by now',
        [job('b', { prompt: 'ink' }), job('z'), job('y'), from('cb', 'y')],
        [made(owl), ...used.slice(1)],
        ['buy b again: prompt tea → ink (m.yaml:3)', 'buy z: not made yet', 'adopt y from b', 'keep cb'],
      ],
      [
        'with their takes',
        [...both(job('z')), ...both(job('y')), from('cb', 'y')],
        [...both(owl).map(each => made(each)), ...used.slice(1)],
        ['buy z: not made yet', 'buy z#2: not made yet', 'adopt y from b', 'adopt y#2 from b#2', 'keep cb'],
      ],
      [
        'where one of them gets the name of the other',
        [job('z'), job('a'), from('ca', 'z'), from('cb', 'a')],
        [made(fox), made(owl), ...used],
        ['adopt z from a', 'adopt a from b', 'keep ca', 'keep cb'],
      ],
      [
        'where three of them do',
        [job('z'), job('a'), job('b'), from('cc', 'b')],
        [made(fox), made(owl), made(job('c')), madeFrom(from('cc', 'c'), 'c')],
        ['adopt z from b', 'keep a', 'adopt b from c', 'keep cc'],
      ],
      [
        'where one of them gets the name of one that is in doubt',
        [job('z'), job('a'), from('cb', 'a')],
        [doubt(fox), made(owl), ...used.slice(1)],
        ['doubt z', 'adopt a from b', 'keep cb'],
      ],
      [
        'where one of them gets the name of one that is in doubt, in whatever order',
        [job('a'), job('z'), from('cb', 'a')],
        [doubt(fox), made(owl), ...used.slice(1)],
        ['adopt a from b', 'doubt z', 'keep cb'],
      ],
      [
        'where one of them gets the name of one that is under way',
        [job('z'), job('a'), from('cb', 'a')],
        [running(fox), made(owl), ...used.slice(1)],
        ['resume z from a', 'adopt a from b', 'keep cb'],
      ],
      [
        'where one of them gets the name of one that is under way, in whatever order',
        [job('a'), job('z'), from('cb', 'a')],
        [running(fox), made(owl), ...used.slice(1)],
        ['adopt a from b', 'resume z from a', 'keep cb'],
      ],
      [
        'where one of them gets the name of one that is failed',
        [job('z'), job('a'), from('cb', 'a')],
        [failed(fox), made(owl), ...used.slice(1)],
        ['hold z: failed-before', 'adopt a from b', 'keep cb'],
      ],
      [
        'where one of them gets the name of one that is failed, in whatever order',
        [job('a'), job('z'), from('cb', 'a')],
        [failed(fox), made(owl), ...used.slice(1)],
        ['adopt a from b', 'hold z: failed-before', 'keep cb'],
      ],
      [
        'and stay there beside a doubt that had their name',
        [job('z'), job('a'), from('cb', 'a')],
        [doubt(fox), made(job('a'), { id: made(owl).id, files: made(owl).files }), ...used.slice(1)],
        ['doubt z', 'keep a', 'keep cb'],
      ],
      [
        'but not where what has the name was used, too',
        [job('z'), job('a'), from('ca', 'a'), from('cb', 'a')],
        [made(fox), made(owl), ...used],
        ['adopt z from b', 'keep a', 'keep ca', 'buy cb again: startFrame: the file changed (m.yaml:3)'],
      ],
      [
        'nor where nobody else asks for what has the name',
        [job('a'), from('cb', 'a')],
        [made(fox), made(owl), ...used.slice(1)],
        ['keep a', 'buy cb again: startFrame: the file changed (m.yaml:3)', 'drop b'],
      ],
      [
        'nor where two use it alike',
        [job('z'), job('y'), from('cb', 'y'), from('cd', 'z', { prompt: 'of cb' })],
        [made(owl), ...used.slice(1)],
        [
          'adopt z from b',
          'buy y: not made yet',
          'buy cb again: startFrame: y is made anew',
          'adopt cd from cb',
        ],
      ],
      [
        'where nothing uses one of them',
        [job('y'), job('z'), from('cb', 'y')],
        [made(owl), made(fox), ...used.slice(1)],
        ['adopt y from b', 'adopt z from a', 'keep cb'],
      ],
      [
        'be the one aside, and the other in its place',
        [job('y'), job('z'), from('ca', 'z'), from('cb', 'y')],
        [made(fox), made(owl, { aside: true }), ...used],
        ['adopt y from b', 'adopt z from a', 'keep ca', 'keep cb'],
      ],
      [
        'through what is made from them without a word of its own',
        [
          job('y'),
          job('z'),
          from('my', 'y', wordless),
          from('mz', 'z', wordless),
          from('ca', 'mz'),
          from('cb', 'my'),
        ],
        [
          made(fox),
          made(owl),
          madeFrom(from('ma', 'a', wordless), 'a'),
          madeFrom(from('mb', 'b', wordless), 'b'),
          madeFrom(from('ca', 'ma'), 'ma'),
          madeFrom(from('cb', 'mb'), 'mb'),
        ],
        ['adopt y from b', 'adopt z from a', 'adopt my from mb', 'adopt mz from ma', 'keep ca', 'keep cb'],
      ],
      [
        'and what is in doubt of what uses them stays in doubt',
        [job('z'), job('y'), from('new ca', 'z'), from('new cb', 'y')],
        [
          made(fox),
          made(owl),
          doubt(from('ca', 'a'), { recipe: recipe(from('ca', 'a'), 'a') }),
          doubt(from('cb', 'b'), { recipe: recipe(from('cb', 'b'), 'b') }),
        ],
        ['adopt z from a', 'adopt y from b', 'doubt new ca', 'doubt new cb'],
      ],
      [
        'also where one of them is in doubt, and nothing was made from that',
        [job('z'), job('y'), from('cb', 'y')],
        [doubt(fox), made(owl), ...used.slice(1)],
        ['doubt z', 'adopt y from b', 'keep cb'],
      ],
      [
        'what is in doubt, too: the first has it, and the other is bought',
        [job('z'), job('y')],
        [doubt(fox)],
        ['doubt z', 'buy y: not made yet'],
      ],
      [
        'in their order, also where one of them is in doubt, or on its way',
        [job('z'), job('y'), job('x')],
        [doubt(fox), made(owl), running(job('c'))],
        ['doubt z', 'adopt y from b', 'resume x from c'],
      ],
      [
        'but what is there goes first where not all are asked for',
        [job('z')],
        [doubt(fox), made(owl)],
        ['adopt z from b', 'drop a'],
      ],
      [
        'one job that asks for either gets the one that was used',
        [job('hero'), from('ca', 'hero')],
        [made(fox), made(owl), ...used.slice(0, 1)],
        ['adopt hero from a', 'keep ca', 'drop b'],
      ],
      [
        'cells of a matrix that was renamed keep their keys',
        [job('shot[u]'), job('shot[v]')],
        [made(job('still[u]')), made(job('still[v]'))],
        ['adopt shot[u] from still[u]', 'adopt shot[v] from still[v]'],
      ],
      [
        'where nothing tells them apart they stay in their order',
        [job('z'), job('y')],
        [made(fox), made(owl)],
        ['adopt z from a', 'adopt y from b'],
      ],
    ])('%s', (_, jobs, purchases, expected) => {
      expect(requested(jobs, purchases)).toEqual(expected)
      const sorted = purchases.toSorted((a, b) => (a.address < b.address ? -1 : 1))
      expect(requested(jobs, sorted)).toEqual(expected)
    })
  },
)

describe('of several that are asked for', () => {
  test.each<[string, readonly Purchase[], World, string[]]>([
    [
      'the whole one is taken before the one under way',
      [running(tea), done(tea, { id })],
      {},
      ['keep hero', 'aside hero'],
    ],
    [
      'the one under way before the doubt',
      [doubt(tea), running(tea, { id })],
      {},
      ['resume hero', 'drop hero'],
    ],
    [
      'what can be fetched before what is in doubt',
      [doubt(tea), done(tea, { id, run: ref })],
      { standing: gone },
      ['fetch hero', 'drop hero'],
    ],
    [
      'what is under way before what is gone',
      [done(tea, { run: ref }), running(tea, { id })],
      { standing: gone },
      ['resume hero'],
    ],
    ['the last one of two', [done(tea), done(tea, { id })], {}, ['keep hero']],
  ])('%s', (_, purchases, world, wanted) => {
    expect(planned([tea], purchases, world)).toEqual(wanted)
  })

  test('the last of two is kept', () => {
    const [step] = planJobs([tea], facts({ purchases: [done(tea), done(tea, { id })] })).steps
    expect(step).toMatchObject({ do: 'keep', entry: { id } })
  })
})

describe('a run at another service', () => {
  const run = { ...ref, origin: there }
  const world: World = { origin: here }
  test.each<[string, readonly Purchase[], World, string[]]>([
    ['is not asked for here', [running(tea, { run })], world, ['hold hero: other-service']],
    ['nor when it has another name', [running(job('old'), { run })], world, ['hold hero: other-service']],
    ['is asked for there', [running(tea, { run })], { origin: there }, ['resume hero']],
    ['is asked for where nobody has said which', [running(tea, { run })], {}, ['resume hero']],
    ['without an origin is asked for anywhere', [running(tea)], world, ['resume hero']],
    [
      'of which the files are at hand needs no service',
      [running(tea, { run, files: [{ from: 'spool', path: '/s/1' }] })],
      world,
      ['resume hero'],
    ],
    [
      'is not asked for lost files here',
      [done(tea, { run })],
      { ...world, standing: gone },
      ['hold hero: other-service'],
    ],
    [
      'is asked for lost files there',
      [done(tea, { run })],
      { origin: there, standing: gone },
      ['fetch hero'],
    ],
  ])('%s', (_, purchases, its, wanted) => {
    expect(planned([tea], purchases, its)).toEqual(wanted)
  })
})

describe('a wish', () => {
  const far = { ...ref, origin: there }
  const unknown = { why: 'gone', run: ref.id, message: 'the service does not know the run' } as const
  test.each<[string, readonly Purchase[], World, Choices, string[]]>([
    [
      '--failed asks the run once more, which is free',
      [failed(tea, { run: ref })],
      {},
      { failed: true },
      ['buy hero: asked for by --failed (after r1 of p-hero)'],
    ],
    ['without a run it buys', [failed(tea)], {}, { failed: true }, ['buy hero: asked for by --failed']],
    [
      'nor can a run elsewhere be asked',
      [failed(tea, { run: far })],
      { origin: here },
      { failed: true },
      ['buy hero: asked for by --failed'],
    ],
    [
      '--failed holds what was unknown there and may come yet',
      [failed(tea, { run: far, flaw: unknown })],
      { origin: here },
      { failed: true },
      ['hold hero: other-service'],
    ],
    [
      '--rebuy beside it orders that anew',
      [failed(tea, { run: far, flaw: unknown })],
      { origin: here },
      { failed: true, rebuy: true },
      ['buy hero: asked for by --failed'],
    ],
    [
      'what was unknown here is asked for once more',
      [failed(tea, { run: { ...ref, origin: here }, flaw: unknown })],
      { origin: here },
      { failed: true },
      ['buy hero: asked for by --failed (after r1 of p-hero)'],
    ],
    [
      '--failed of what was renamed',
      [failed(job('old'), { run: ref })],
      {},
      { failed: true },
      ['buy hero: asked for by --failed (after r1 of p-old)'],
    ],
    [
      '--rebuy fetches what nobody has said to be gone',
      [done(tea, { run: ref })],
      { standing: gone },
      { rebuy: true },
      ['fetch hero'],
    ],
    [
      '--rebuy asks the run once more',
      [done(tea, { run: ref, isGone: true })],
      { standing: gone },
      { rebuy: true },
      ['buy hero: asked for by --rebuy (after r1 of p-hero)'],
    ],
    [
      '--rebuy without a run',
      [done(tea)],
      { standing: gone },
      { rebuy: true },
      ['buy hero: asked for by --rebuy'],
    ],
    [
      'redo is bought again',
      [done(tea)],
      {},
      { redo: new Set([tea.address]) },
      ['buy hero again: asked for by redo'],
    ],
    [
      'accept makes what is there what is asked for',
      [done(mud)],
      {},
      { accept: new Set([tea.address]) },
      ['adopt hero from hero'],
    ],
    [
      'accept does not put aside what was accepted before',
      [done(mud, { acceptedAs: recipeOf(tea) })],
      {},
      {},
      ['keep hero'],
    ],
  ])('%s', (_, purchases, world, choices, wanted) => {
    expect(planned([tea], purchases, world, choices)).toEqual(wanted)
  })
})

test('what is under way at another service and nobody asks for is left there', () => {
  const far = running(mud, { id, run: { ...ref, origin: there } })
  const last = (origin: string) => planJobs([], facts({ purchases: [far], origin })).steps
  expect(last(here)).toMatchObject([{ do: 'aside', elsewhere: there }])
  expect(last(there).map(step => 'elsewhere' in step)).toEqual([false])
})

test('what is fetched for nobody is not told twice, and what is aside stays quiet', () => {
  expect(planned([tea], [done(tea), done(mud, { id, aside: true })])).toEqual(['keep hero'])
  expect(planned([], [done(tea, { aside: true }), running(mud, { id })])).toEqual(['aside hero'])
})

test('a paid failure of nobody is told, a free one is not', () => {
  expect(planned([], [failed(tea), failed(mud, { id, billed: 'no' })])).toEqual(['drop hero'])
})

test('a selection leaves all else as it is', () => {
  const only = new Set([a.address])
  expect(planned([a, b], [running(job('x')), running(b)], {}, { only })).toEqual(['buy a: not made yet'])
})

test('what is asked for is never bought while a purchase of nobody would do', () => {
  const prompts = ['one', 'two', 'three']
  const anyJob = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom(...prompts))
  const anyPurchase = fc.tuple(anyJob, fc.nat(3))
  fc.assert(
    fc.property(
      fc.uniqueArray(anyJob, { selector: ([name]) => name, maxLength: 4 }),
      fc.array(anyPurchase, { maxLength: 5 }),
      (wanted, bought) => {
        const jobs = wanted.map(([name, prompt]) => job(name, { prompt }))
        const purchases = bought.map(([[name, prompt], which], nth) => {
          const its = job(name, { prompt })
          const rest = { id: named(`p${nth}`) }
          return (
            [done(its, rest), done(its, { ...rest, aside: true }), running(its, rest), doubt(its, rest)][
              which
            ] ?? done(its, rest)
          )
        })
        const { steps } = planJobs(jobs, facts({ purchases }))
        const used = steps.flatMap(step => {
          if ('entry' in step) return [step.entry.id]
          return 'purchase' in step ? [step.purchase.id] : []
        })
        expect(new Set(used).size).toBe(used.length)
        // A purchase that is left stands under no other recipe than those that are bought.
        const left = purchases.filter(
          each => !steps.some(step => isAbout(step, each) && step.do !== 'drop' && step.do !== 'aside'),
        )
        const sought = steps.flatMap(step => (step.do === 'buy' ? [step.job.params.prompt] : []))
        expect(left.filter(each => sought.includes(each.recipe.params.prompt))).toEqual([])
      },
    ),
    { numRuns: 500 },
  )
})

function isAbout(step: ReturnType<typeof planJobs>['steps'][number], { id: its }: Purchase): boolean {
  return ('entry' in step && step.entry.id === its) || ('purchase' in step && step.purchase.id === its)
}

test('twenty thousand jobs with one edit are decided in two rounds at most', () => {
  const count = 20_000
  const jobs = Array.from({ length: count }, (_, nth) => job(`j${nth}`, { prompt: `${nth}` }))
  const purchases = jobs.map(its => done(its))
  const wanted = jobs.map((its, nth) => (nth === 700 ? job('j700', { prompt: 'edited' }) : its))
  let asked = 0
  const { steps, buys } = planJobs(wanted, {
    ...facts({ purchases }),
    standing: () => {
      asked++
      return { is: 'whole' }
    },
  })
  expect([steps.length, buys]).toEqual([count, 1])
  expect(asked).toBeLessThanOrEqual(2 * count)
}, 20_000)

/** Made from what another job makes. */
function clip(from: string): Job {
  return job(
    'clip',
    { prompt: 'push in' },
    {
      files: { ['/startFrame' as never]: [{ from: 'job', address: jobAddress(from), nth: 0 }] },
      needs: [jobAddress(from)],
    },
  )
}

describe('what is made from another', () => {
  const made = (name: string) => ({ '/startFrame': [digest(name)] }) as Recipe['inputs']
  test('goes on when that is renamed and still the same', () => {
    const purchases = [done(tea), done(clip('hero'), { recipe: recipeOf(clip('hero'), made('hero')) })]
    expect(planned([job('poster'), clip('poster')], purchases)).toEqual([
      'adopt poster from hero',
      'keep clip',
    ])
  })

  test('is bought again when that is, and adopted again when the edit is taken back', () => {
    const clipped = done(clip('hero'), { recipe: recipeOf(clip('hero'), made('hero')), aside: true })
    const newer = done(clip('hero'), { id, recipe: recipeOf(clip('hero'), made('newer')) })
    const purchases = [done(tea, { aside: true }), clipped, done(mud, { id: named('mud') }), newer]
    expect(planned([tea, clip('hero')], purchases)).toEqual(['adopt hero from hero', 'adopt clip from clip'])
  })

  test.each<[string, (of: Job, recipe: Recipe) => Purchase]>([
    ['done', (of, recipe) => done(of, { recipe })],
    ['under way', (of, recipe) => running(of, { recipe, run: { ...ref, id: 'r2' as RunId } })], // short, printable
  ])('and is %s is bought again while that is under way: it will be another file', (_, made) => {
    const clipped = made(
      clip('hero'),
      recipeOf(clip('hero'), { '/startFrame': [digest('older')] } as Recipe['inputs']),
    )
    const steps = planned([tea, clip('hero')], [running(tea), clipped])
    expect(steps.slice(0, 2)).toEqual(['resume hero', 'buy clip again: startFrame: hero is made anew'])
    // Adopted before it was known what it was made from: whatever comes is that.
    const unknown = made(
      clip('hero'),
      recipeOf(clip('hero'), { '/startFrame': ['unmade'] } as Recipe['inputs']),
    )
    expect(planned([tea, clip('hero')], [running(tea), unknown]).some(step => step.startsWith('buy'))).toBe(
      false,
    )
  })
})

test.each<Pick<Choices, 'failed' | 'rebuy'>>([{}, { failed: true }])(
  'a take beyond those of the manifest that failed is not bought by --failed, whatever was made under its number before: %j',
  word => {
    const second = job('hero#2', { prompt: 'tea' }, { take: 2 })
    const before = done(job('hero#2', { prompt: 'mud' }, { take: 2 }), { aside: true })
    const purchases = [done(tea), before, failed(second, { id })]
    expect(planned([tea, second], purchases, {}, { ...word, further: new Set([second.address]) })).toEqual([
      'keep hero',
    ])
  },
)

test.each<[string, Purchase, boolean]>([
  ['made', done(job('old', { prompt: 'one' })), true],
  ['under way', running(job('old', { prompt: 'one' })), true],
  ['in doubt', doubt(job('old', { prompt: 'one' })), true],
  ['failed', failed(job('old', { prompt: 'one' })), false],
  ['something else', done(job('old', { prompt: 'two' })), false],
])('a run under way has a spare where another of the same is there for nobody: %s', (_, other, hasSpare) => {
  const { steps } = planJobs([a], facts({ purchases: [other, running(a)] }))
  const [step] = steps
  expect(step).toMatchObject({ do: 'resume', job: a })
  expect(step?.do === 'resume' && step.hasSpare === true).toBe(hasSpare)
})

test.each<[string, (of: Job) => Purchase, string]>([
  ['made', of => done(of, { id: named('second') }), 'adopt renamed#2 from old#2'],
  ['in doubt', of => doubt(of, { id: named('second') }), 'doubt renamed#2'],
])(
  'a renamed job keeps its take that is %s where another that asks for the same takes its result over',
  (_, second, step) => {
    const take = (of: Job, nth: number) => ({ ...of, address: jobAddress(`${of.address}#${nth}`), take: nth })
    const [first, old, renamed] = ['first', 'old', 'renamed'].map(name => job(name, { prompt: 'tea' })) as [
      Job,
      Job,
      Job,
    ]
    const purchases = [doubt(first), done(old, { id }), second(take(old, 2))]
    const outcome = planRequest(
      { jobs: [first, renamed, take(renamed, 2)], picked: [] },
      facts({ purchases }),
    )
    const steps = outcome.got === 'planned' ? outcome.plan.steps : []
    expect(told(steps)).toEqual(['adopt first from old', 'doubt renamed', step])
  },
)

test('what a person waits for keeps its name when the take that had it goes to another job', () => {
  const [hero, pot] = [job('hero'), job('pot', { prompt: 'mud' })]
  const take = (its: Job) => ({ ...its, address: jobAddress(`${its.address}#2`), take: 2 })
  const swapped = { ...pot, params: hero.params }
  const wish = { ...orderOf(done(take(pot), { id: named('wish') })), resubmitted: true, is: 'open' } as const
  const purchases = [
    running({ ...hero, params: pot.params }),
    running(swapped),
    running(take(swapped), { id }),
    wish,
  ]
  const outcome = planRequest({ jobs: [hero, take(hero), pot], picked: [] }, facts({ purchases }))
  expect(outcome.got === 'planned' && told(outcome.plan.steps).toSorted()).toEqual([
    'buy pot#2: asked for by `resolve --resubmit`',
    'resume hero from pot',
    'resume hero#2 from pot#2',
    'resume pot from hero',
  ])
})

test.each<[string, Partial<DoubtfulPurchase>, readonly string[]]>([
  ['that the manifest asks for is ordered anew for its own job', {}, ['buy pot#2', 'buy pot']],
  [
    'that a person asked for is one of the job that asks for the same',
    { redo: true },
    ['buy hero#2', 'buy pot', 'buy pot#2'],
  ],
])('with prompts that were swapped, a take in doubt %s', (_, of, bought) => {
  const [hero, pot] = [job('hero'), job('pot', { prompt: 'mud' })]
  const take = (its: Job) => ({ ...its, address: jobAddress(`${its.address}#2`), take: 2 })
  const before = { ...pot, params: hero.params }
  const purchases = [running(before), doubt(take(before), { id, ...of })]
  const outcome = planRequest(
    { jobs: [hero, pot, take(pot)], picked: [], choices: { resubmit: true } },
    facts({ purchases }),
  )
  const steps = outcome.got === 'planned' ? outcome.plan.steps : []
  expect(steps.flatMap(step => (step.do === 'buy' ? [`buy ${step.job.address}`] : [])).toSorted()).toEqual(
    bought.toSorted(),
  )
  expect(
    steps.flatMap(step => (step.do === 'buy' && step.insteadOf?.length ? [step.job.address] : [])),
  ).toEqual([bought[0]?.slice(4)])
})

test.each([
  ['in doubt', doubt],
  ['on its way', running],
] as const)('an edit that was taken back leaves the pick, with an order of it %s', (_, other) => {
  const second = { ...tea, address: jobAddress('hero#2'), take: 2, output: 'takes/hero.take2' }
  const edited = { ...mud, address: second.address, take: 2 }
  const purchases = [done(tea), done(second, { picked: true }), other(edited, { id })]
  const outcome = planRequest({ jobs: [tea, second], picked: [second.address] }, facts({ purchases }))
  expect(outcome).toMatchObject({ got: 'planned', unpicked: [] })
  const jobs = outcome.got === 'planned' ? outcome.jobs : []
  expect(jobs.map(({ output }) => output)).toEqual(['takes/hero.take1', 'hero'])
})

describe('of a picked take that is lost', () => {
  const second = { ...tea, address: jobAddress('hero#2'), take: 2, output: 'takes/hero.take2' }
  const lost = done(second, { picked: true })
  const standing: World['standing'] = each => (each.id === lost.id ? gone : { is: 'whole' })
  const jobs = [tea, second]

  test.each([
    ['on its way', running],
    ['in doubt', doubt],
  ] as const)('the pick is over while the take that is made in its place is %s', (_, other) => {
    const purchases = [done(tea), lost, other(second, { id })]
    const outcome = planRequest({ jobs, picked: [second.address] }, facts({ purchases, standing }))
    expect(outcome).toMatchObject({ unpicked: [second.address] })
    const names = outcome.got === 'planned' ? outcome.jobs.map(({ output }) => output) : []
    expect(names).toEqual(['hero', 'takes/hero.take2'])
  })

  test('redo makes the take anew, and picks it when it is there', () => {
    const outcome = planRequest(
      { jobs, picked: [second.address], redo: true, select: { words: ['hero#2'] } },
      facts({ purchases: [done(tea), lost], standing }),
    )
    if (outcome.got !== 'planned') throw new Error('nothing is planned')
    expect(told(outcome.plan.steps)).toContain('buy hero#2 again: asked for by redo')
    expect([...outcome.redone]).toEqual([second.address])
    // Until then it has the name of any take, as when the next run comes to its end.
    expect(outcome.jobs.map(({ output }) => output)).toEqual(['hero', 'takes/hero.take2'])
    expect(outcome.afterPicks.map(({ output }) => output)).toEqual(['takes/hero.take1', 'hero'])
  })
})

test('a pick goes along with a renamed job whose files are fetched again', () => {
  const second = { ...tea, address: jobAddress('hero#2'), take: 2 }
  const purchases = [done(tea), done(second, { id, run: ref, picked: true })]
  const poster = job('poster')
  const outcome = planRequest(
    {
      jobs: [poster, { ...poster, address: jobAddress('poster#2'), take: 2, output: 'takes/poster.take2' }],
      picked: [second.address],
    },
    facts({ purchases, standing: each => (each.id === id ? gone : { is: 'whole' }) }),
  )
  const jobs = outcome.got === 'planned' ? outcome.jobs : []
  expect(jobs.find(({ address }) => address === 'poster#2')?.output).toBe('poster')
})

test.each<[string, World['standing']]>([
  ['moved', undefined],
  ['fetched', each => (each.run ? gone : { is: 'whole' })],
])('a pick says nothing of the take of another job that has its name by now, and is %s', (_, standing) => {
  const take2 = (of: Job) => ({
    ...of,
    address: jobAddress(`${of.address}#2`),
    take: 2,
    output: `takes/${of.output}.take2`,
  })
  const [before, pot] = [job('hero'), job('pot', { prompt: 'two' })]
  const [hero, other] = [job('hero', { prompt: 'two' }), job('pot', { prompt: 'mud' })]
  const purchases = [
    done(before),
    done(take2(before), { picked: true, id: named('picked') }),
    done(pot),
    done(take2(pot), { run: ref, id }),
  ]
  const outcome = planRequest(
    { jobs: [hero, take2(hero), other], picked: [take2(hero).address] },
    facts({ purchases, ...(standing && { standing }) }),
  )
  expect(outcome).toMatchObject({ unpicked: [take2(hero).address] })
  const jobs = outcome.got === 'planned' ? outcome.jobs : []
  expect(jobs.map(({ output }) => output)).toEqual(['hero', 'takes/hero.take2', 'pot'])
})

test('a take that was given another number keeps it, and the recipe that it was ordered by', () => {
  const second = { ...tea, address: jobAddress('hero#2'), take: 2, output: 'takes/hero.take2' }
  const third = jobAddress('hero#3')
  const purchases = [done(tea), done(second), { ...done(second, { id }), address: third }]
  const outcome = planRequest({ jobs: [tea], picked: [] }, facts({ purchases }))
  const steps = outcome.got === 'planned' ? told(outcome.plan.steps) : []
  expect(steps).toEqual(['keep hero', 'keep hero#2', 'keep hero#3'])
})

describe('twins, one with a take that its manifest does not ask for', () => {
  const take = (its: Job, nth: number): Job => ({
    ...its,
    address: jobAddress(`${its.address}#${nth}`),
    take: nth,
    output: `takes/${its.address}.take${nth}`,
  })
  const [left, right] = [job('left'), job('right')]
  const more = done(take(right, 2), { run: ref })

  test.each<[string, Purchase, readonly Job[], string]>([
    ['the twin that is asked for takes it', more, [right, left, take(left, 2)], 'adopt left#2 from right#2'],
    [
      'one that somebody picked stays',
      { ...more, picked: true },
      [left, take(left, 2), right],
      'buy left#2: not made yet',
    ],
    [
      'one that waits to be picked stays',
      { ...more, redo: true },
      [left, take(left, 2), right],
      'buy left#2: not made yet',
    ],
    [
      'one that a person ordered anew stays ordered',
      { ...orderOf(more), resubmitted: true, is: 'open' },
      [left, take(left, 2), right],
      'buy left#2: not made yet',
    ],
  ])('%s', (_, purchase, jobs, wanted) => {
    const outcome = planRequest(
      { jobs, picked: [] },
      facts({ purchases: [done(left), done(right), purchase] }),
    )
    const steps = outcome.got === 'planned' ? told(outcome.plan.steps) : []
    expect(steps.filter(step => step.includes('#'))).toContain(wanted)
    expect(steps.map(step => step.split(' ')[1]?.replace(':', ''))).toEqual(
      wanted.startsWith('adopt') ? ['right', 'left', 'left#2'] : ['left', 'left#2', 'right', 'right#2'],
    )
  })
})

test('a pick that was put aside comes back to the job that asks for it, whoever has the name by now', () => {
  const [hero, poster] = [job('hero'), job('poster', { prompt: 'mud' })]
  const former = done(mud, { id, picked: true, aside: true })
  const outcome = planRequest(
    { jobs: [hero, poster], picked: [] },
    facts({ purchases: [done(hero), former] }),
  )
  expect(outcome.got === 'planned' && told(outcome.plan.steps)).toEqual([
    'keep hero',
    'adopt poster from hero',
  ])
})

test('a pick goes along where a job and one that is made from it exchange their names', () => {
  const digestOf = (name: string) => [
    { path: `${name}.png`, digest: digest(name), bytes: 1, type: 'image/png' },
  ]
  const chained = (address: string, prompt: string, need?: string) =>
    job(address, { prompt }, need === undefined ? {} : madeOf(need))
  const madeOf = (need: string): Partial<Job> => ({
    files: { [pointer(['startFrame'])]: [{ from: 'job', address: jobAddress(need), nth: 0 }] },
    needs: [jobAddress(need)],
  })
  const take2 = (of: Job) => ({ ...of, address: jobAddress(`${of.address}#2`), take: 2 })
  const [still, clip] = [chained('a', 'cup'), chained('b', 'steam', 'a')]
  const inputs = { [pointer(['startFrame'])]: [digest('still')] }
  const ofClip = (of: Job, its: Partial<DonePurchase>) =>
    done(of, { recipe: { ...recipeOf(of), inputs }, ...its })
  const purchases = [
    done(still, { id: named('still'), files: digestOf('still') }),
    ofClip(clip, { id: named('first'), files: digestOf('first') }),
    ofClip(take2(clip), { id: named('second'), files: digestOf('second'), picked: true }),
  ]
  const jobs = [chained('b', 'cup'), chained('a', 'steam', 'b')]
  const outcome = planRequest({ jobs, picked: [jobAddress('b#2')] }, facts({ purchases }))
  expect(outcome).toMatchObject({ got: 'planned', unpicked: [] })
  const now = outcome.got === 'planned' ? outcome : undefined
  expect(told(now?.plan.steps ?? [])).toEqual(['adopt b from a', 'adopt a from b', 'adopt a#2 from b#2'])
  // By the names that they get: the picked one has that of its job.
  expect(now?.plan.steps.map(step => isJobStep(step) && step.job.output)).toEqual(['b', 'takes/a.take1', 'a'])
})

test('a pick ends where another result stands in its place, though it was never put aside', () => {
  const hero = job('hero')
  const second = job('hero', undefined, {
    address: jobAddress('hero#2'),
    take: 2,
    output: 'takes/hero.take2',
  })
  const former = done({ ...second, params: mud.params }, { id, picked: true })
  const outcome = planRequest(
    { jobs: [hero, second], picked: [second.address] },
    facts({ purchases: [done(hero), former, done(second)] }),
  )
  expect(outcome.got === 'planned' && outcome.unpicked).toEqual(['hero#2'])
})

describe('of two orders of two branches one is under way, and from the other something is made:', () => {
  const clip = job('clip', { prompt: 'by night' })
  const mine = running(tea, { id })
  const theirs = done(tea, { run: ref })
  const used = done(clip, { recipe: recipeOf(clip, { [pointer(['image'])]: [digest('hero')] }) })

  test.each<[string, readonly Purchase[], string[]]>([
    ['that one is fetched', [mine, theirs, used], ['fetch hero', 'aside hero']],
    ['not where nothing is made from it', [mine, theirs], ['resume hero']],
    ['not where the service has lost it', [mine, { ...theirs, isGone: true }, used], ['resume hero']],
    [
      'not where the other was ordered in its place',
      [{ ...mine, rebuy: true }, theirs, used],
      ['resume hero'],
    ],
  ])('%s', (_, purchases, steps) => {
    const standing: World['standing'] = each => (each.id === theirs.id ? gone : { is: 'whole' })
    expect(planned([tea], purchases, { standing })).toEqual(expect.arrayContaining(steps))
  })
})

describe('where a file is lost, and the cache has another result of the same words,', () => {
  const made = (name: string) => [{ path: 'hero.png', digest: digest(name), bytes: 1, type: 'image/png' }]
  const mine = done(tea, { run: ref, files: made('mine') })
  const { run: _, ...noRun } = mine
  const clip = job('clip', { prompt: 'by night' })
  const used = done(clip, { recipe: recipeOf(clip, { [pointer(['image'])]: [digest('mine')] }) })

  test.each<[string, string, readonly Purchase[], Choices, string]>([
    ['the very result comes from there', 'mine', [mine, used], {}, 'restore hero'],
    ['its own is fetched, as it was paid for', 'another', [mine], {}, 'fetch hero'],
    ['so it is where others were made from it', 'another', [mine, used], {}, 'fetch hero'],
    [
      'the other serves where no service has its own',
      'another',
      [{ ...mine, isGone: true }],
      {},
      'restore hero',
    ],
    ['or none was told', 'another', [noRun], {}, 'restore hero'],
    ['not where others were made from it', 'another', [noRun, used], {}, 'hold hero: files-gone'],
    ['but by a word', 'another', [noRun, used], { rebuy: true }, 'restore hero'],
    [
      'which changes nothing where its own can be had',
      'another',
      [mine, used],
      { rebuy: true },
      'fetch hero',
    ],
  ])('%s', (_, there, purchases, choices, step) => {
    const cached: World['cached'] = () => ({ files: made(there) })
    const standing: World['standing'] = each => (each.id === mine.id ? gone : { is: 'whole' })
    expect(planned([tea], purchases, { cached, standing }, choices)).toContain(step)
  })
})

test.each<[string, Choices, string]>([
  ['without a word', {}, 'restore hero'],
  ['by --failed', { failed: true }, 'restore hero'],
  ['by redo', { redo: new Set([tea.address]) }, 'buy hero: asked for by redo'],
])('what failed, and another checkout has, comes from the cache %s', (_, choices, step) => {
  const cached: World['cached'] = () => ({ files: done(tea).files })
  expect(planned([tea], [failed(tea)], { cached }, choices)).toContain(step)
})

describe('of two orders of two branches the one that has the name is lost at the service:', () => {
  const clip = job('clip', { prompt: 'by night' })
  const from = (file: string) => ({ recipe: recipeOf(clip, { [pointer(['image'])]: [digest(file)] }) })
  const of = (file: string) => ({
    files: [{ path: 'hero.png', digest: digest(file), bytes: 1, type: 'image/png' }],
  })
  const theirs = done(tea, { ...of('theirs'), run: ref, isGone: true })
  const mine = done(tea, { ...of('mine'), id, aside: true })
  const theirClip = done(clip, from('theirs'))
  const myClip = done(clip, { ...from('mine'), id: named('my-clip'), aside: true })

  test.each<[string, readonly Purchase[], Choices, string]>([
    [
      'the other serves where others are made from it',
      [theirs, mine, theirClip, myClip],
      {},
      'adopt hero from hero',
    ],
    ['else it is asked for again', [theirs, mine, theirClip], {}, 'fetch hero'],
    ['and by --rebuy the other serves', [theirs, mine, theirClip], { rebuy: true }, 'adopt hero from hero'],
  ])('%s', (_, purchases, choices, step) => {
    const standing: World['standing'] = each => (each.id === theirs.id ? gone : { is: 'elsewhere' })
    expect(planned([tea], purchases, { standing }, choices)).toContain(step)
  })
})

describe('of two orders of two branches the other one has the name:', () => {
  const at = pointer(['startFrame'])
  const clip = job(
    'clip',
    { prompt: 'by night' },
    { files: { [at]: [{ from: 'job', address: jobAddress('hero'), nth: 0 }] } },
  )
  const of = (file: string) => ({
    files: [{ path: 'hero.png', digest: digest(file), bytes: 1, type: 'image/png' }],
  })
  const named = done(tea, of('named'))
  const other = done(tea, { ...of('other'), id, aside: true, run: ref })
  const from = (file: string) => done(clip, { recipe: recipeOf(clip, { [at]: [digest(file)] }) })
  const nobodys = done(job('gone', { prompt: 'by day' }), {
    recipe: recipeOf(job('gone', { prompt: 'by day' }), { [at]: [digest('other')] }),
  })

  test.each<[string, readonly Purchase[], unknown[]]>([
    ['the job gets that from which its clip was made', [named, other, from('other')], ['keep clip']],
    [
      'not where the clip was made from what has the name',
      [named, other, from('named')],
      ['keep hero', 'keep clip'],
    ],
    ['nor where nobody asks for what was made from the other', [named, other, nobodys], ['keep hero']],
    [
      'nor where the service has lost that',
      [named, { ...other, isGone: true }, from('other')],
      ['keep hero', expect.stringMatching(/^buy clip/)],
    ],
  ])('%s', (_, purchases, steps) => {
    const standing: World['standing'] = each => (each.id === other.id ? gone : { is: 'whole' })
    expect(planned([tea, clip], purchases, { standing })).toEqual(expect.arrayContaining(steps))
  })
})
