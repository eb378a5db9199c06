import { describe, expect, test } from 'vitest'
import { type Digest, jobAddress } from '../../src/base/names.ts'
import type { LockEntry, Recipe, SavedFile } from '../../src/base/state.ts'
import { recall } from '../../src/desk/ground/recall.ts'
import type { JobMemory } from '../../src/store/memory.ts'

const address = jobAddress('hero')

function recipe(prompt: string): Recipe {
  return { version: 1, model: 'fama-imagine-image', params: { prompt }, defaults: {}, inputs: {}, take: 1 }
}

function file(content: string): SavedFile {
  return { path: 'hero.png', digest: `sha256:${content}` as Digest, bytes: 1, type: 'image/png' }
}

function intent(prompt: string): JobMemory['intent'] {
  return {
    key: 'k',
    at: 1,
    recipe: recipe(prompt),
    request: 'sha256:r' as Digest,
    workflow: 'w',
    mode: 'execute',
    origin: 'https://service.example',
  }
}

function locked(content: string, prompt = 'A teapot'): LockEntry {
  return { address, state: 'done', recipe: recipe(prompt), files: [file(content)] }
}

/** What the journal knows was made. */
function made(content: string, more: Partial<JobMemory & { is: 'done' }> = {}): JobMemory {
  return {
    is: 'done',
    files: [file(content)],
    intent: intent('A teapot'),
    doubts: [],
    saved: [],
    ...more,
  } as JobMemory
}

/** What is known when the files of these contents lie there. */
function known(lock: LockEntry | undefined, journal: JobMemory, there: readonly string[] = []) {
  return recall(new Map(lock ? [[address, lock]] : []), new Map([[address, journal]]), {
    findSpooled: path => path,
    areThere: files => files.every(({ digest }) => there.includes(digest.slice('sha256:'.length))),
  }).get(address)
}

describe('a lock and a journal that tell of two results of one job', () => {
  test.each([
    ['the one whose files lie there is the newer: that of the journal', ['new'], 'new'],
    ['that of the lock', ['old'], 'old'],
    ['the lock has the word when both lie there', ['old', 'new'], 'old'],
    ['and when none does', [], 'old'],
  ])('%s', (_, there, content) => {
    expect(known(locked('old'), made('new'), there)).toEqual({
      is: 'done',
      entry: locked(content),
    })
  })

  test('of two recipes the one that the journal knows is kept beside the other', () => {
    expect(known(locked('old', 'A kettle'), made('new'), ['old', 'new'])).toEqual({
      is: 'done',
      entry: locked('old', 'A kettle'),
      other: locked('new'),
    })
  })

  test('the journal of the very same files adds nothing, wherever they are', () => {
    expect(known(locked('same'), made('same'), ['same'])).toEqual({ is: 'done', entry: locked('same') })
  })
})

describe('a result that waited in the spool', () => {
  const two = [
    { nth: 0, file: file('a'), part: '/a.part' },
    { nth: 1, file: file('b'), part: '/b.part' },
  ]
  const waiting = (saved: JobMemory['saved']): JobMemory => ({
    is: 'result',
    files: ['1', '2'].map(path => ({ from: 'spool', path })),
    intent: intent('A teapot'),
    doubts: [],
    saved,
  })
  const recalled = (
    saved: JobMemory['saved'],
    there: readonly string[],
    findSpooled: (path: string) => string | undefined = () => undefined,
  ) =>
    recall(new Map(), new Map([[address, waiting(saved)]]), {
      findSpooled,
      areThere: files => files.every(({ digest }) => there.includes(digest.slice('sha256:'.length))),
    }).get(address)

  test('is done when all of it was verified and lies under its names, in the spool or not', () => {
    const entry = { ...locked('a'), files: [file('a'), file('b')] }
    expect(recalled(two, ['a', 'b'])).toEqual({ is: 'done', entry })
    expect(recalled(two, ['a', 'b'], path => path)).toEqual({ is: 'done', entry })
    expect(recalled(two, ['a'], path => path)).toMatchObject({ is: 'under-way' })
  })

  test('keeps the flaw that was noted with its last file', () => {
    const flaw = { why: 'short-delivery', asked: 3, got: 2 } as const
    const noted = two.map((saved, nth) => (nth === 1 ? { ...saved, flaw } : saved))
    expect(recalled(noted, ['a', 'b'])).toMatchObject({ is: 'done', entry: { flaw: { why: flaw.why } } })
  })

  test.each([
    ['one of its files was not verified', two.slice(0, 1), ['a', 'b']],
    ['one of its files is not there', two, ['a']],
    ['none was verified', [], []],
  ])('is in doubt when %s', (_, saved, there) => {
    expect(recalled(saved, there)).toMatchObject({ is: 'doubt' })
  })
})

test('a flaw of a result outlives the lock', () => {
  const flaw = { why: 'short-delivery', asked: 2, got: 1 } as const
  expect(known(undefined, made('one', { flaw }))).toMatchObject({
    is: 'done',
    entry: { flaw: { why: 'short-delivery', message: expect.stringContaining('2') } },
  })
})

describe('what an order that failed leaves', () => {
  const failed = (before?: JobMemory): JobMemory =>
    ({
      is: 'failed',
      failure: { why: 'remote', detail: 'no' },
      billed: 'unknown',
      intent: intent('A kettle'),
      doubts: [],
      saved: [],
      ...(before && { made: before }),
    }) as JobMemory

  test('is what was made before it', () => {
    expect(known(undefined, failed(made('old')))).toMatchObject({ is: 'failed', made: locked('old') })
    expect(known(undefined, failed())).not.toHaveProperty('made')
  })

  test('is what the lock says was made, by whomever', () => {
    expect(known(locked('newer'), failed(made('old')))).toMatchObject({ made: locked('newer') })
    expect(known(locked('newer'), failed())).toMatchObject({ made: locked('newer') })
  })
})
