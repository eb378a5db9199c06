import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { Recipe } from '../../src/base/state.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { planJobs } from '../../src/plan/plan.ts'
import { named } from '../store/records.ts'
import { digest, done, doubt, facts, failed, job, recipeOf, ref, running, told, type World } from './world.ts'

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
    ['it is done and whole', hero, { purchases: [done(hero)] }, 'keep hero'],
    [
      'a default is spelled out',
      job('hero', { prompt: 'tea', duration: 5 }),
      { purchases: [done(hero)] },
      'keep hero',
    ],
    [
      'the order of keys differs',
      job('hero', { duration: 5, prompt: 'tea' }),
      { purchases: [done(job('hero', { prompt: 'tea', duration: 5 }))] },
      'keep hero',
    ],
    [
      'output, tags and retries differ',
      job('hero', undefined, { output: 'x', tags: ['a'], retries: 2 }),
      { purchases: [done(hero)] },
      'keep hero',
    ],
    [
      'a value changed',
      job('hero', { prompt: 'tea', duration: 10 }),
      { purchases: [done(hero)] },
      'buy hero again: duration 5 → 10 (m.yaml:3)',
    ],
    [
      'a value was added',
      job('hero', { prompt: 'tea', negativePrompt: 'mud' }),
      { purchases: [done(hero)] },
      'buy hero again: negativePrompt mud added (m.yaml:3)',
    ],
    [
      'a value was removed',
      hero,
      { purchases: [done(job('hero', { prompt: 'tea', negativePrompt: 'mud' }))] },
      'buy hero again: negativePrompt mud removed (m.yaml:3)',
    ],
    [
      'a text of several lines changed: it is told on one',
      job('hero', { prompt: 'tea\n\nsecond' }),
      { purchases: [done(hero)] },
      'buy hero again: prompt tea → tea⏎⏎second (m.yaml:3)',
    ],
    [
      'the model changed',
      job('hero', { prompt: 'tea' }, { model: findModel('famc-v2-6') as Model }),
      { purchases: [done(hero)] },
      'buy hero again: model famc-v3 → famc-v2-6 (m.yaml:3)',
    ],
    [
      'the catalog has another default for what the user did not write',
      hero,
      {
        purchases: [
          done(hero, {
            recipe: { ...recipeOf(hero), defaults: { ...recipeOf(hero).defaults, duration: 3 } },
          }),
        ],
      },
      'keep hero',
    ],
    [
      'the file was altered by hand',
      hero,
      { purchases: [done(hero)], standing: { is: 'altered', paths: ['hero.png'] } },
      'keep hero altered',
    ],
    [
      'the file is to have another name',
      hero,
      { purchases: [done(hero)], standing: { is: 'elsewhere' } },
      'adopt hero from hero',
    ],
    [
      'the file is gone and the run is known',
      hero,
      { purchases: [done(hero, { run: ref })], standing: { is: 'missing', paths: [] } },
      'fetch hero',
    ],
    [
      'the file is gone and nothing is known',
      hero,
      { purchases: [done(hero)], standing: { is: 'missing', paths: [] } },
      'hold hero: files-gone',
    ],
    ['it was accepted and not finished', hero, { purchases: [running(hero)] }, 'resume hero'],
    ['its payment is unknown', hero, { purchases: [doubt(hero)] }, 'doubt hero'],
    [
      'its payment is unknown and the manifest changed',
      job('hero', { prompt: 'coffee' }),
      { purchases: [doubt(hero)] },
      'doubt hero',
    ],
    [
      'it was refused',
      hero,
      { purchases: [failed(hero, { billed: 'no' })] },
      'buy hero: the last order was refused, nothing was billed: bad',
    ],
    ['it failed at the service', hero, { purchases: [failed(hero)] }, 'hold hero: failed-before'],
    [
      'it failed at the service and was changed',
      job('hero', { prompt: 'coffee' }),
      { purchases: [failed(hero)] },
      'buy hero: prompt tea → coffee (m.yaml:3)',
    ],
    [
      'it was changed, failed at the service, and the change was taken back',
      hero,
      { purchases: [done(hero), failed(job('hero', { prompt: 'coffee' }), { id: named('later') })] },
      'keep hero',
    ],
    [
      'it was made, ordered once more, and failed at the service: what is there is what it asks for',
      hero,
      { purchases: [done(hero), failed(hero, { id: named('later') })] },
      'keep hero',
    ],
    ['it has a new address', job('poster'), { purchases: [done(hero)] }, 'adopt poster from hero'],
    ['its run has a new address', job('poster'), { purchases: [running(hero)] }, 'resume poster from hero'],
  ]
  test.each(table)('when %s', (_, its, world, expected) => {
    expect(told(planJobs([its], facts(world)).steps)).toEqual([expected])
  })
})

test('a wish orders again what is held', () => {
  const hero = job('hero')
  const failure = facts({ purchases: [failed(hero, { billed: 'yes' })] })
  expect(told(planJobs([hero], failure, { failed: true }).steps)).toEqual(['buy hero: asked for by --failed'])
  const gone = facts({ purchases: [done(hero)], standing: { is: 'missing', paths: ['hero.png'] } })
  expect(told(planJobs([hero], gone, { rebuy: true }).steps)).toEqual(['buy hero: asked for by --rebuy'])
})

test('of what failed twice for a job nothing holds another job', () => {
  const [hero, twin] = [job('hero'), job('twin')]
  const twice = facts({ purchases: [failed(hero), failed(hero, { id: named('later') })] })
  expect(told(planJobs([hero, twin], twice).steps)).toEqual([
    'hold hero: failed-before',
    'buy twin: not made yet',
  ])
  // Where its job is gone, one order may be billed that nobody had anything of.
  expect(told(planJobs([twin], twice).steps)).toContain('hold twin: failed-before')
})

test('a live twin is never taken: the same recipe under a second address is bought', () => {
  const [hero, twin] = [job('hero'), job('twin')]
  expect(told(planJobs([hero, twin], facts({ purchases: [done(hero)] })).steps)).toEqual([
    'keep hero',
    'buy twin: not made yet',
  ])
})

test('an orphan is adopted by one job only', () => {
  const steps = planJobs([job('a'), job('b')], facts({ purchases: [done(job('hero'))] })).steps
  expect(told(steps)).toEqual(['adopt a from hero', 'buy b: not made yet'])
})

test('what no job claims is dropped, last', () => {
  expect(
    told(planJobs([job('a', { prompt: 'x' })], facts({ purchases: [done(job('hero'))] })).steps),
  ).toEqual(['buy a: not made yet', 'drop hero'])
})

describe('jobs that need another', () => {
  const hero = job('hero')
  const made = { '/startFrame': [digest('hero')] } as Recipe['inputs']

  test('are kept while what they are made from is the same', () => {
    const purchases = [done(hero), done(clip(), { recipe: recipeOf(clip(), made) })]
    expect(told(planJobs([hero, clip()], facts({ purchases })).steps)).toEqual(['keep hero', 'keep clip'])
  })

  test('are bought when it is made anew', () => {
    const purchases = [
      done(job('hero', { prompt: 'coffee' })),
      done(clip(), { recipe: recipeOf(clip(), made) }),
    ]
    const plan = planJobs([hero, clip()], facts({ purchases }))
    expect(told(plan.steps)).toEqual([
      'buy hero again: prompt coffee → tea (m.yaml:3)',
      'buy clip again: startFrame: hero is made anew',
    ])
    expect(plan.buys).toBe(2)
  })

  test('are bought when it became another file', () => {
    const purchases = [
      done(hero),
      done(clip(), { recipe: recipeOf(clip(), { '/startFrame': ['sha256:other'] } as never) }),
    ]
    expect(told(planJobs([hero, clip()], facts({ purchases })).steps)).toEqual([
      'keep hero',
      'buy clip again: startFrame: the file changed (m.yaml:3)',
    ])
  })

  test('are bought when they take a file that they did without before, whatever comes of its maker', () => {
    const purchases = [running(hero), done(clip(), { recipe: recipeOf(clip()) })]
    expect(told(planJobs([hero, clip()], facts({ purchases })).steps)).toEqual([
      'resume hero',
      'buy clip again: startFrame added (m.yaml:3)',
    ])
  })

  test('leave what was made without the file to a job that asks for it so', () => {
    const purchases = [running(hero), done(clip(), { recipe: recipeOf(clip()) })]
    const still = job('still', { prompt: 'push in' })
    expect(told(planJobs([hero, clip(), still], facts({ purchases })).steps)).toEqual([
      'resume hero',
      'buy clip again: startFrame added (m.yaml:3)',
      'adopt still from clip',
    ])
  })

  test('are held with it', () => {
    const purchases = [doubt(hero)]
    expect(told(planJobs([hero, clip()], facts({ purchases })).steps)).toEqual([
      'doubt hero',
      'hold clip: needs',
    ])
  })

  test('are kept when they are done and it is held', () => {
    const purchases = [failed(hero, { billed: 'yes' }), done(clip(), { recipe: recipeOf(clip(), made) })]
    expect(told(planJobs([hero, clip()], facts({ purchases })).steps)).toEqual([
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
    told(planJobs([withPath], facts({ purchases: [before], inputs: { 'a.png': digest(now) } })).steps)
  expect(plan('a')).toEqual(['keep hero'])
  expect(plan('b')).toEqual(['buy hero again: startFrame: the file changed (m.yaml:3)'])
  const withLink = job('hero', undefined, {
    files: { ['/startFrame' as never]: [{ from: 'url', url: 'https://x.example/b.png' }] },
  })
  const link = done(withLink, {
    recipe: recipeOf(withLink, { '/startFrame': ['url:https://x.example/a.png'] } as never),
  })
  expect(told(planJobs([withLink], facts({ purchases: [link] })).steps)[0]).toMatch(
    /^buy hero again: startFrame/,
  )
})
