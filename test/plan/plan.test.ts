import { describe, expect, test } from 'vitest'
import {
  type Digest,
  type JobAddress,
  type JsonObject,
  jobAddress,
  type RunId,
} from '../../src/base/names.ts'
import { headOf, type SourceFile, spanOf } from '../../src/base/source.ts'
import type { LockEntry, Recipe, SavedFile } from '../../src/base/state.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { Job } from '../../src/manifest/job.ts'
import type { Facts, Memory, Standing } from '../../src/plan/facts.ts'
import { planJobs } from '../../src/plan/plan.ts'
import { reasonText } from '../../src/plan/reasons.ts'
import { draftRecipe } from '../../src/plan/recipe.ts'
import type { Step } from '../../src/plan/step.ts'

const file: SourceFile = { name: 'm.yaml', text: 'jobs:\n  hero:\n    duration: 5\n' }

function job(address: string, params: JsonObject = { prompt: 'tea' }, rest: Partial<Job> = {}): Job {
  return {
    address: jobAddress(address),
    model: findModel('famc-v3') as Model, // it is in the catalog
    mode: 'submit',
    params,
    files: {},
    needs: [],
    output: address,
    count: 1,
    take: 1,
    tags: [],
    retries: 0,
    at: headOf(file),
    locate: () => spanOf(file, file.text.indexOf('duration'), file.text.length),
    ...rest,
  }
}

const digest = (name: string) => `sha256:${name}` as Digest // only compared

const picture: SavedFile = { path: 'hero.png', digest: digest('hero'), bytes: 1, type: 'image/png' }

function recipeOf(its: Job, inputs: Recipe['inputs'] = {}): Recipe {
  return { ...draftRecipe(its, () => undefined).recipe, inputs }
}

function doneEntry(its: Job, rest: Partial<LockEntry> = {}): LockEntry {
  return { address: its.address, state: 'done', recipe: recipeOf(its), files: [picture], ...rest }
}

function done(its: Job, rest?: Partial<LockEntry>): Memory {
  return { is: 'done', entry: doneEntry(its, rest) }
}

function failed(its: Job, rest: Partial<Memory & { is: 'failed' }> = {}): Memory {
  return { is: 'failed', recipe: recipeOf(its), message: 'bad', billed: 'unknown', ...rest }
}

const ref = { workflow: 'famc-v3', id: 'r1' as RunId } // short, printable

interface World {
  readonly memories?: Record<string, Memory>
  readonly inputs?: Record<string, Digest>
  readonly standing?: Standing
}

function facts({ memories = {}, inputs = {}, standing = { is: 'whole' } }: World = {}): Facts {
  return {
    memories: new Map(Object.entries(memories) as [JobAddress, Memory][]), // keys are addresses
    inputs: new Map(Object.entries(inputs)),
    standing: () => standing,
  }
}

/** `buy hero: not made yet` and the like, one line a step. */
function told(steps: readonly Step[]): string[] {
  return steps.map(step => {
    if (step.do === 'drop') return `drop ${step.address}`
    const its = `${step.do} ${step.job.address}`
    if (step.do === 'buy') return `${its}: ${step.because.map(reasonText).join('; ')}`
    if (step.do === 'hold') return `${its}: ${step.because.why}`
    if (step.do === 'adopt' || (step.do === 'resume' && step.from)) return `${its} from ${step.from}`
    if (step.do === 'keep' && step.altered) return `${its} altered`
    return its
  })
}

const clip = (rest: Partial<Job> = {}) =>
  job(
    'clip',
    { prompt: 'push in' },
    {
      files: { ['/startFrame' as never]: [{ from: 'job', address: jobAddress('hero'), nth: 0 }] },
      needs: [jobAddress('hero')],
      ...rest,
    },
  )

describe('what is done about one job', () => {
  const hero = job('hero')
  const table: [string, Job, World, string][] = [
    ['nothing is known', hero, {}, 'buy hero: not made yet'],
    ['it is done and whole', hero, { memories: { hero: done(hero) } }, 'keep hero'],
    [
      'a default is spelled out',
      job('hero', { prompt: 'tea', duration: 5 }),
      { memories: { hero: done(hero) } },
      'keep hero',
    ],
    [
      'the order of keys differs',
      job('hero', { duration: 5, prompt: 'tea' }),
      { memories: { hero: done(job('hero', { prompt: 'tea', duration: 5 })) } },
      'keep hero',
    ],
    [
      'output, tags and retries differ',
      job('hero', undefined, { output: 'x', tags: ['a'], retries: 2 }),
      { memories: { hero: done(hero) } },
      'keep hero',
    ],
    [
      'a value changed',
      job('hero', { prompt: 'tea', duration: 10 }),
      { memories: { hero: done(hero) } },
      'buy hero: duration 5 → 10 (m.yaml:3)',
    ],
    [
      'a value was added',
      job('hero', { prompt: 'tea', negativePrompt: 'mud' }),
      { memories: { hero: done(hero) } },
      'buy hero: negativePrompt mud added (m.yaml:3)',
    ],
    [
      'a value was removed',
      hero,
      { memories: { hero: done(job('hero', { prompt: 'tea', negativePrompt: 'mud' })) } },
      'buy hero: negativePrompt mud removed (m.yaml:3)',
    ],
    [
      'the model changed',
      job('hero', { prompt: 'tea' }, { model: findModel('famc-v2-6') as Model }),
      { memories: { hero: done(hero) } },
      'buy hero: model famc-v3 → famc-v2-6 (m.yaml:3)',
    ],
    [
      'the catalog has another default for what the user did not write',
      hero,
      {
        memories: {
          hero: done(hero, {
            recipe: { ...recipeOf(hero), defaults: { ...recipeOf(hero).defaults, duration: 3 } },
          }),
        },
      },
      'keep hero',
    ],
    [
      'the file was altered by hand',
      hero,
      { memories: { hero: done(hero) }, standing: { is: 'altered', paths: ['hero.png'] } },
      'keep hero altered',
    ],
    [
      'the file is to have another name',
      hero,
      { memories: { hero: done(hero) }, standing: { is: 'elsewhere' } },
      'adopt hero from hero',
    ],
    [
      'the file is gone and the run is known',
      hero,
      { memories: { hero: done(hero, { run: ref }) }, standing: { is: 'missing', paths: [] } },
      'fetch hero',
    ],
    [
      'the file is gone and nothing is known',
      hero,
      { memories: { hero: done(hero) }, standing: { is: 'missing', paths: [] } },
      'hold hero: files-gone',
    ],
    [
      'it was accepted and not finished',
      hero,
      { memories: { hero: { is: 'under-way', recipe: recipeOf(hero), key: 'k', run: ref } } },
      'resume hero',
    ],
    [
      'its payment is unknown',
      hero,
      { memories: { hero: { is: 'doubt', recipe: recipeOf(hero), detail: '' } } },
      'doubt hero',
    ],
    [
      'its payment is unknown and the manifest changed',
      job('hero', { prompt: 'coffee' }),
      { memories: { hero: { is: 'doubt', recipe: recipeOf(hero), detail: '' } } },
      'doubt hero',
    ],
    [
      'it was refused',
      hero,
      { memories: { hero: failed(hero, { billed: 'no' }) } },
      'buy hero: the last order was refused, nothing was billed: bad',
    ],
    ['it failed at the service', hero, { memories: { hero: failed(hero) } }, 'hold hero: failed-before'],
    [
      'it failed at the service and was changed',
      job('hero', { prompt: 'coffee' }),
      { memories: { hero: failed(hero) } },
      'buy hero: prompt tea → coffee (m.yaml:3)',
    ],
    [
      'it was changed, failed at the service, and the change was taken back',
      hero,
      { memories: { hero: failed(job('hero', { prompt: 'coffee' }), { made: doneEntry(hero) }) } },
      'keep hero',
    ],
    [
      'it was made, ordered once more, and failed at the service',
      hero,
      { memories: { hero: failed(hero, { made: doneEntry(hero) }) } },
      'hold hero: failed-before',
    ],
    ['it has a new address', job('poster'), { memories: { hero: done(hero) } }, 'adopt poster from hero'],
    [
      'its run has a new address',
      job('poster'),
      { memories: { hero: { is: 'under-way', recipe: recipeOf(hero), key: 'k', run: ref } } },
      'resume poster from hero',
    ],
  ]
  test.each(table)('when %s', (_, its, world, expected) => {
    expect(told(planJobs([its], facts(world)).steps)).toEqual([expected])
  })
})

test('a wish orders again what is held', () => {
  const hero = job('hero')
  const failed = facts({
    memories: {
      hero: {
        is: 'failed',
        recipe: recipeOf(hero),
        message: 'bad',
        billed: 'yes',
      },
    },
  })
  expect(told(planJobs([hero], failed, { failed: true }).steps)).toEqual(['buy hero: asked for by --failed'])
  const gone = facts({ memories: { hero: done(hero) }, standing: { is: 'missing', paths: ['hero.png'] } })
  expect(told(planJobs([hero], gone, { rebuy: true }).steps)).toEqual(['buy hero: asked for by --rebuy'])
})

test('a live twin is never taken: the same recipe under a second address is bought', () => {
  const [hero, twin] = [job('hero'), job('twin')]
  expect(told(planJobs([hero, twin], facts({ memories: { hero: done(hero) } })).steps)).toEqual([
    'keep hero',
    'buy twin: not made yet',
  ])
})

test('an orphan is adopted by one job only', () => {
  const steps = planJobs([job('a'), job('b')], facts({ memories: { hero: done(job('hero')) } })).steps
  expect(told(steps)).toEqual(['adopt a from hero', 'buy b: not made yet'])
})

test('what no job claims is dropped, last', () => {
  expect(
    told(planJobs([job('a', { prompt: 'x' })], facts({ memories: { hero: done(job('hero')) } })).steps),
  ).toEqual(['buy a: not made yet', 'drop hero'])
})

describe('jobs that need another', () => {
  const hero = job('hero')
  const made = { '/startFrame': [digest('hero')] } as Recipe['inputs']

  test('are kept while what they are made from is the same', () => {
    const memories = { hero: done(hero), clip: done(clip(), { recipe: recipeOf(clip(), made) }) }
    expect(told(planJobs([hero, clip()], facts({ memories })).steps)).toEqual(['keep hero', 'keep clip'])
  })

  test('are bought when it is made anew', () => {
    const memories = {
      hero: done(job('hero', { prompt: 'coffee' })),
      clip: done(clip(), { recipe: recipeOf(clip(), made) }),
    }
    const plan = planJobs([hero, clip()], facts({ memories }))
    expect(told(plan.steps)).toEqual([
      'buy hero: prompt coffee → tea (m.yaml:3)',
      'buy clip: startFrame: hero is made anew',
    ])
    expect(plan.buys).toBe(2)
  })

  test('are bought when it became another file', () => {
    const memories = {
      hero: done(hero),
      clip: done(clip(), { recipe: recipeOf(clip(), { '/startFrame': ['sha256:other'] } as never) }),
    }
    expect(told(planJobs([hero, clip()], facts({ memories })).steps)).toEqual([
      'keep hero',
      'buy clip: startFrame: the file changed (m.yaml:3)',
    ])
  })

  test('are held with it', () => {
    const memories = { hero: { is: 'doubt', recipe: recipeOf(hero), detail: '' } } as const
    expect(told(planJobs([hero, clip()], facts({ memories })).steps)).toEqual([
      'doubt hero',
      'hold clip: needs',
    ])
  })

  test('are kept when they are done and it is held', () => {
    const memories = {
      hero: { is: 'failed', recipe: recipeOf(hero), message: '', billed: 'yes' },
      clip: done(clip(), { recipe: recipeOf(clip(), made) }),
    } as const
    expect(told(planJobs([hero, clip()], facts({ memories })).steps)).toEqual([
      'hold hero: failed-before',
      'keep clip',
    ])
  })
})

test('a local input counts by its bytes, a link by its text', () => {
  const withPath = job('hero', undefined, {
    files: { ['/startFrame' as never]: [{ from: 'path', path: 'a.png' }] },
  })
  const before = done(withPath, { recipe: recipeOf(withPath, { '/startFrame': [digest('a')] } as never) })
  const plan = (now: string) =>
    told(planJobs([withPath], facts({ memories: { hero: before }, inputs: { 'a.png': digest(now) } })).steps)
  expect(plan('a')).toEqual(['keep hero'])
  expect(plan('b')).toEqual(['buy hero: startFrame: the file changed (m.yaml:3)'])
  const withLink = job('hero', undefined, {
    files: { ['/startFrame' as never]: [{ from: 'url', url: 'https://x.example/b.png' }] },
  })
  const link = done(withLink, {
    recipe: recipeOf(withLink, { '/startFrame': ['url:https://x.example/a.png'] } as never),
  })
  expect(told(planJobs([withLink], facts({ memories: { hero: link } })).steps)[0]).toMatch(
    /^buy hero: startFrame/,
  )
})
