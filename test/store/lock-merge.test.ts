import { describe, expect, test } from 'vitest'
import { jobAddress, type RunId } from '../../src/base/names.ts'
import type { LockEntry } from '../../src/base/state.ts'
import { readLock, writeLock } from '../../src/store/lock.ts'
import { mergeLocks } from '../../src/store/lock-merge.ts'

const lineage = '0123456789abcdef0123456789abcdef'

function entry(address: string, prompt = 'tea', more: Partial<LockEntry> = {}): LockEntry {
  const recipe = { version: 1, model: 'm', params: { prompt }, defaults: {}, inputs: {}, take: 1 } as const
  return { address: jobAddress(address), state: 'done', recipe, files: [], ...more }
}

const lock = (...jobs: LockEntry[]) => writeLock({ lineage, manifest: 'm.yaml', jobs })

/** `a=tea b=mud`, or the conflicts. */
function merged(base: string, ours: string, theirs: string): string {
  const result = mergeLocks({ base, ours, theirs })
  if (result.got === 'damaged') return `${result.side}: ${result.why}`
  if (result.conflicts.length > 0) return `conflict ${result.conflicts.join(' ')}`
  const reading = readLock(result.text, 'm.yaml')
  if (reading.got === 'damaged') return reading.why
  return reading.lock.jobs
    .map(job => `${job.address}=${String(job.recipe.params.prompt)}/${job.state}`)
    .join(' ')
}

const run = { workflow: 'w', id: 'r1' as RunId } // short, printable

describe('two locks become one', () => {
  const a = entry('a')
  const b = entry('b')
  test.each<[string, [string, string, string], string]>([
    ['neighbours are added on both sides', [lock(), lock(a), lock(b)], 'a=tea/done b=tea/done'],
    ['there was none before', ['', lock(a), lock(b)], 'a=tea/done b=tea/done'],
    [
      'neighbours change',
      [lock(a, b), lock(entry('a', 'mud'), b), lock(a, entry('b', 'ink'))],
      'a=mud/done b=ink/done',
    ],
    ['one side takes out', [lock(a, b), lock(a), lock(a, b)], 'a=tea/done'],
    ['one side takes out what the other changed', [lock(a), lock(), lock(entry('a', 'mud'))], 'a=mud/done'],
    ['both make the same', [lock(), lock(a), lock(a)], 'a=tea/done'],
    ['both make different things', [lock(), lock(a), lock(entry('a', 'mud'))], 'conflict a'],
    [
      'one side finished the run of the other',
      [lock(), lock(entry('a', 'tea', { state: 'running', run })), lock(entry('a', 'tea', { run }))],
      'a=tea/done',
    ],
    [
      'one side has another run under way',
      [lock(), lock(entry('a', 'tea', { state: 'running', run })), lock(entry('a', 'mud'))],
      'conflict a',
    ],
    ['one side is no lock', [lock(), lock(a), '{}'], 'theirs: it is not a lock of genrun'],
    [
      'they are of two manifests',
      [lock(), lock(a), lock(b).replace('m.yaml', 'n.yaml')],
      'theirs: it belongs to the manifest n.yaml, not to m.yaml',
    ],
  ])('when %s', (_, [base, ours, theirs], expected) => {
    expect(merged(base, ours, theirs)).toBe(expected)
  })
})

test('a conflict stands in the lock as git writes it, and nothing can be bought by that', () => {
  const result = mergeLocks({
    base: lock(),
    ours: lock(entry('a'), entry('z')),
    theirs: lock(entry('a', 'mud')),
  })
  if (result.got !== 'merged') throw new Error(result.why)
  expect(result.text.split('\n').map(line => line.slice(0, 15))).toEqual([
    '{"genrun":1,"li',
    '<<<<<<< ours',
    '{"address":"a",',
    '=======',
    '{"address":"a",',
    '>>>>>>> theirs',
    '{"address":"z",',
    'null]}',
    '',
  ])
  expect(readLock(result.text)).toMatchObject({ got: 'damaged', damage: 'conflict', line: 2 })
  const solved = result.text.replace(/<<<<<<< ours\n.*\n=======\n/, '').replace('>>>>>>> theirs\n', '')
  expect(readLock(solved)).toMatchObject({ got: 'lock' })
})
