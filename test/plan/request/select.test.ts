import { describe, expect, test } from 'vitest'
import { type JobAddress, jobAddress } from '../../../src/base/names.ts'
import { headOf } from '../../../src/base/source.ts'
import { findModel, type Model } from '../../../src/catalog/index.ts'
import type { Job } from '../../../src/manifest/shapes/job.ts'
import { withPicks } from '../../../src/plan/picks.ts'
import { type Selection, selectJobs } from '../../../src/plan/request/select.ts'

const file = { name: 'm.yaml', text: '' }

const axesOf: { readonly [id: string]: readonly string[] } = {
  still: ['product', 'view'],
  clip: ['product'],
  wide: ['ratio'],
}

function job(address: string, more: Partial<Job> = {}): Job {
  return {
    address: jobAddress(address),
    model: findModel('famc-v3') as Model, // it is in the catalog
    mode: 'submit',
    params: {},
    files: {},
    needs: [],
    output: address.replace(/#(\d+)$/, '.take$1'),
    count: 1,
    ...(axesOf[address.replace(/\[.*/, '')] && { axes: axesOf[address.replace(/\[.*/, '')] }),
    take: Number(/#(\d+)$/.exec(address)?.[1] ?? 1),
    tags: [],
    retries: 0,
    at: headOf(file),
    written: { locate: () => headOf(file) },
    ...more,
  }
}

const jobs = [
  job('hero'),
  job('hero#2'),
  job('still[fox,front]', { tags: ['shop'] }),
  job('still[fox,back]'),
  job('still[owl,front]', { model: findModel('famb-v3') as Model }), // it is in the catalog
  job('clip[fox]', { needs: [jobAddress('still[fox,front]')] }),
  job('wide[16x9]'),
  job('film', { needs: [jobAddress('clip[fox]'), jobAddress('hero')], tags: ['shop', 'web'] }),
]

function chosen(
  selection: Selection,
  failed: readonly string[] = [],
  open: readonly string[] = [],
  skipped: readonly string[] = [],
): string {
  const none = new Set<JobAddress>()
  const standings = {
    failed: new Set(failed as JobAddress[]),
    open: new Set(open as JobAddress[]),
    skipped: new Set(skipped as JobAddress[]),
    doubt: none,
    changed: none,
  }
  const selected = selectJobs(jobs, selection, standings)
  if (selected.got === 'nothing' && selected.about)
    return `${selected.about.message} (${selected.about.hint})`
  if (selected.got === 'nothing') return `nothing: ${selected.kind} ${selected.word}, near ${selected.near}`
  return [...selected.asked].join(' ')
}

describe('words choose', () => {
  test.each<[string[], string]>([
    [['hero'], 'hero hero#2'],
    [['hero#1'], 'hero'],
    [['hero#2'], 'hero#2'],
    [['still'], 'still[fox,front] still[fox,back] still[owl,front]'],
    [['still[fox,front]'], 'still[fox,front]'],
    [['still[*,front]'], 'still[fox,front] still[owl,front]'],
    [['still[f*,*]'], 'still[fox,front] still[fox,back]'],
    [['st*'], 'still[fox,front] still[fox,back] still[owl,front]'],
    [['*[fox]'], 'clip[fox]'],
    [['hero', 'film'], 'hero hero#2 film'],
    [['!still', '!hero'], 'clip[fox] wide[16x9] film'],
    [['still[view=front]'], 'still[fox,front] still[owl,front]'],
    [['still[view=front,product=owl]'], 'still[owl,front]'],
    [['still[product=f*]'], 'still[fox,front] still[fox,back]'],
    [['*[product=fox]'], 'still[fox,front] still[fox,back] clip[fox]'],
    [['still', '!still[view=front]'], 'still[fox,back]'],
    [['wide[ratio=16:9]'], 'wide[16x9]'],
    [['wide[16:9]'], 'wide[16x9]'],
    [['still', '!still[fox,*]'], 'still[owl,front]'],
    [['stil'], 'nothing: job stil, near still'],
    [['still[cat,*]'], 'the axis product of still has no cat (it has fox and owl)'],
    [['still[product=foxx]'], 'the axis product of still has no foxx (did you mean fox)'],
    [['still[veiw=front]'], 'still has no axis veiw (did you mean view)'],
    [['still[front,size=1]'], 'still has no axis front (it has product and view)'],
    [
      ['still[fox]'],
      'still has 2 axes: product and view (write a key for each, or only some with their names: still[product=…])',
    ],
    [['hero[fox]'], 'hero has no cells to choose from (write hero alone)'],
    [['hero#3'], 'no take 3 of hero (it has 2 takes)'],
    [['film#2'], 'no take 2 of film (it has one take; `takes: 2` in the job asks for two)'],
    [['.*'], 'nothing: job .*, near undefined'],
  ])('%j: %s', (words, expected) => {
    expect(chosen({ words })).toBe(expected)
  })
})

test('tags, models and standing narrow the choice', () => {
  expect(chosen({ tags: ['shop'] })).toBe('still[fox,front] film')
  expect(chosen({ tags: ['web', 'shop'], words: ['film'] })).toBe('film')
  expect(chosen({ models: ['famb-*'] })).toBe('still[owl,front]')
  expect(chosen({ failed: true }, ['hero#2'])).toBe('hero#2')
  expect(chosen({ tags: ['shopp'] })).toBe('nothing: tag shopp, near shop')
  expect(chosen({ models: ['famc-v4'] })).toBe('nothing: model famc-v4, near famc-v3')
})

test('what is needed comes along, however far, and not what was left out', () => {
  const none = new Set<JobAddress>()
  const standings = { failed: none, open: none, skipped: none, doubt: none, changed: none }
  const all = (words: string[]) => {
    const selected = selectJobs(jobs, { words }, standings)
    return selected.got === 'jobs' ? [...selected.all].toSorted().join(' ') : ''
  }
  expect(all(['film'])).toBe('clip[fox] film hero still[fox,front]')
  expect(all(['film', '!clip'])).toBe('film hero')
})

describe('picks', () => {
  const ref = (nth: number | 'pick') =>
    ({ ['/startFrame' as never]: [{ from: 'job', address: jobAddress('hero'), nth }] }) as Job['files']
  const clip = (nth: number | 'pick') => job('clip', { files: ref(nth), needs: [jobAddress('hero')] })
  const told = (all: readonly Job[]) =>
    all.map(
      ({ address, output, files }) => `${address} ${output} ${JSON.stringify(Object.values(files).flat())}`,
    )

  test('give the take the bare name, and the job to whoever uses it', () => {
    expect(told(withPicks([job('hero'), job('hero#2'), clip(0)], [jobAddress('hero#2')]))).toEqual([
      'hero takes/hero.take1 []',
      'hero#2 hero []',
      'clip clip [{"from":"job","address":"hero#2","nth":0}]',
    ])
  })

  test('of the first take only end the waiting', () => {
    expect(told(withPicks([job('hero'), job('hero#2'), clip('pick')], [jobAddress('hero')]))).toEqual([
      'hero hero []',
      'hero#2 hero.take2 []',
      'clip clip [{"from":"job","address":"hero","nth":0}]',
    ])
  })

  test('of takes that are no longer wanted count for nothing', () => {
    const before = [job('hero'), clip('pick')]
    expect(withPicks(before, [jobAddress('hero#3')])).toBe(before)
  })
})

test.each([
  [['clip[fox]', 'film'], 'still[fox,front] clip[fox] film'],
  [['clip[fox]'], 'still[fox,front] clip[fox]'],
  [['film', 'hero'], 'still[fox,front]'],
])('what failed is chosen with what waits for it: of %j', (open, all) => {
  expect(chosen({ failed: true }, ['still[fox,front]'], open)).toBe(all)
})

test('what was skipped when the buying ended is chosen with what failed, unless it is made by now', () => {
  expect(chosen({ failed: true }, ['hero'], ['film', 'wide[16x9]'], ['film', 'clip[fox]'])).toBe('hero film')
})
