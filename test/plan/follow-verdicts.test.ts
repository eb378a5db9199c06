import { describe, expect, test } from 'vitest'
import { jobAddress, type PurchaseId, purchaseId, sha256Digest } from '../../src/base/names.ts'
import type { DonePurchase } from '../../src/base/purchase.ts'
import { addressNow, followVerdicts } from '../../src/plan/follow-verdicts.ts'
import type { PersonsVerdict } from '../../src/store/verdicts/verdicts-text.ts'

const digest = (letter: string) => sha256Digest(letter.repeat(64))

/** A result by the name that the records have, and the letter of its bytes. */
function made(address: string, letter: string, more: Partial<DonePurchase> = {}): DonePurchase {
  const id = idOf(Buffer.from(`${address}${letter}`).toString('hex').padEnd(32, '0').slice(0, 32))
  const recipe = { model: 'm', params: {}, defaults: {}, inputs: {} } as unknown as DonePurchase['recipe']
  const file = { path: `${address}.png`, digest: digest(letter), type: 'image/png', bytes: 1 }
  return { is: 'done', id, address: jobAddress(address), recipe, files: [file], ...more }
}

/** The same of a purchase that a verdict can name. */
function bought(id: string, address: string, letter: string, more: Partial<DonePurchase> = {}): DonePurchase {
  return made(address, letter, { id: idOf(id), ...more })
}

function idOf(text: string): PurchaseId {
  const id = purchaseId(text)
  if (!id) throw new Error('no id')
  return id
}

function verdict(address: string, letter: string, more: Partial<PersonsVerdict> = {}): PersonsVerdict {
  return {
    address: jobAddress(address),
    is: 'approved',
    who: 'mara',
    when: '2026-03-01T09:30:00Z',
    seen: [digest(letter)],
    ...more,
  }
}

const later = { when: '2026-03-02T09:30:00Z', is: 'rejected' } as const

/** Results as the jobs have them now, with the names that the records have, and what is found for each. */
type Row = readonly [string, PersonsVerdict[], [now: string, DonePurchase][], (string | undefined)[]]

describe('a verdict goes along with what was seen', () => {
  test.each<Row>([
    [
      'before the run that gives its files other names',
      [verdict('a', 'x')],
      [['b', made('a', 'x')]],
      ['approved'],
    ],
    ['after that run', [verdict('a', 'x')], [['b', made('b', 'x')]], ['approved']],
    [
      'not while its job is there, be its files others by now',
      [verdict('a', 'x')],
      [
        ['a', made('a', 'y')],
        ['b', made('b', 'x')],
      ],
      ['approved', undefined],
    ],
    [
      'not while a take of its job is there',
      [verdict('a#2', 'x')],
      [
        ['a', made('a', 'y')],
        ['b', made('b', 'x')],
      ],
      [undefined, undefined],
    ],
    [
      'but not in the place of one under its own name',
      [verdict('a', 'x', later), verdict('b', 'x')],
      [['b', made('b', 'x')]],
      ['approved'],
    ],
    [
      'in the place of one about files that are others by now',
      [verdict('a', 'x', later), verdict('b', 'y')],
      [['b', made('b', 'x')]],
      ['rejected'],
    ],
    [
      'the later one, of two names that are gone',
      [verdict('a', 'x', later), verdict('0', 'x')],
      [['b', made('b', 'x')]],
      ['rejected'],
    ],
    [
      'to the one that the records have under its name, where two are alike',
      [verdict('a', 'x')],
      [
        ['b', made('b', 'x')],
        ['c', made('a', 'x')],
      ],
      [undefined, 'approved'],
    ],
    [
      'to the one that nobody decided about, where two are alike',
      [verdict('a', 'x'), verdict('b', 'x', later)],
      [
        ['b', made('b', 'x')],
        ['c', made('c', 'x')],
      ],
      ['rejected', 'approved'],
    ],
    [
      'take by take, where they are alike',
      [verdict('a', 'x'), verdict('a#2', 'x', later)],
      [
        ['b', made('b', 'x')],
        ['b#2', made('b#2', 'x')],
      ],
      ['approved', 'rejected'],
    ],
    [
      'to none, where nobody knows to which of two',
      [verdict('a', 'x')],
      [
        ['b', made('b', 'x')],
        ['c', made('c', 'x')],
      ],
      [undefined, undefined],
    ],
    [
      'not to one that is alike, where its own was put aside',
      [verdict('a', 'x')],
      [['b', made('b', 'x')]],
      [undefined],
    ],
    ['not to other files', [verdict('a', 'x')], [['b', made('b', 'y')]], [undefined]],
  ])('%s', (name, verdicts, results, expected) => {
    const aside = name.includes('put aside') ? [made('a', 'x', { aside: true })] : []
    const jobs = results.map(([now]) => jobAddress(now))
    const known = followVerdicts(verdicts, jobs, [...results.map(([, each]) => each), ...aside])
    expect(results.map(([now, each]) => known.on(jobAddress(now), each)?.is)).toEqual(expected)
    const [[now, each] = []] = results
    if (now !== undefined && expected[0]) expect(known.on(jobAddress(now), each)?.address).toBe(now)
  })

  test('one that takes back what was decided goes along as well', () => {
    const { is: _, ...back } = verdict('a', 'x')
    const known = followVerdicts([back], [jobAddress('b')], [made('b', 'x')])
    expect(known.on(jobAddress('b'), made('b', 'x'))).toEqual({ ...back, address: 'b' })
    expect([known.hasMoved(back), known.hasMoved(verdict('a', 'x'))]).toEqual([true, false])
  })
})

const p = { of: idOf('p') }
const q = { of: idOf('q') }

describe('a verdict that names its purchase belongs to that', () => {
  test.each<Row>([
    [
      'under the name that it has, before and after a run',
      [verdict('a', 'x', p), verdict('b', 'y', { ...q, ...later })],
      [
        ['b', bought('p', 'a', 'x')],
        ['c', bought('q', 'c', 'y')],
      ],
      ['approved', 'rejected'],
    ],
    [
      'and counts by its date, whatever it is called again',
      [verdict('a', 'x', p), verdict('z', 'x', { ...p, ...later })],
      [['a', bought('p', 'a', 'x')]],
      ['rejected'],
    ],
    [
      'the older one under its own name does not count',
      [verdict('a', 'x', { ...p, ...later }), verdict('z', 'x', p)],
      [['z', bought('p', 'z', 'x')]],
      ['rejected'],
    ],
    [
      'and counts by its date beside one that names none',
      [verdict('a', 'x'), verdict('z', 'x', { ...p, ...later })],
      [['a', bought('p', 'a', 'x')]],
      ['rejected'],
    ],
    [
      'also beside one that is followed',
      [verdict('z', 'x', later), verdict('a', 'x', p)],
      [['a', bought('p', 'a', 'x')]],
      ['rejected'],
    ],
    [
      'after two names were swapped',
      [verdict('a', 'x', p), verdict('b', 'y', { ...q, ...later })],
      [
        ['a', bought('q', 'a', 'y')],
        ['b', bought('p', 'b', 'x')],
      ],
      ['rejected', 'approved'],
    ],
    [
      'after two names of equal bytes were swapped',
      [verdict('a', 'x', p), verdict('b', 'x', { ...q, ...later })],
      [
        ['a', bought('q', 'b', 'x')],
        ['b', bought('p', 'a', 'x')],
      ],
      ['rejected', 'approved'],
    ],
    [
      'when its name is that of another with its bytes',
      [verdict('a', 'x', p)],
      [
        ['a', bought('q', 'a', 'x')],
        ['b', bought('p', 'b', 'x')],
      ],
      [undefined, 'approved'],
    ],
    [
      'when its name is that of another with other bytes',
      [verdict('a', 'x', p)],
      [
        ['a', bought('q', 'a', 'y')],
        ['b', bought('p', 'b', 'x')],
      ],
      [undefined, 'approved'],
    ],
    [
      'when it is renamed beside others with its bytes',
      [verdict('a', 'x', p)],
      [
        ['c', bought('q', 'c', 'x')],
        ['b', bought('p', 'b', 'x')],
      ],
      [undefined, 'approved'],
    ],
    [
      'and to no other with its bytes once it is pruned',
      [verdict('a', 'x', p)],
      [['b', bought('q', 'b', 'x')]],
      [undefined],
    ],
    [
      'and no other with its bytes gets one that names none',
      [verdict('gone', 'x'), verdict('a', 'x', { ...p, ...later })],
      [
        ['a', bought('p', 'a', 'x')],
        ['b', bought('q', 'b', 'x')],
      ],
      ['rejected', 'approved'],
    ],
    [
      'or to these files under its name, where no record knows it',
      [verdict('a', 'x', p)],
      [['a', bought('q', 'a', 'x')]],
      ['approved'],
    ],
    [
      'and is over when its files are others',
      [verdict('a', 'x', p)],
      [['b', bought('p', 'b', 'y')]],
      [undefined],
    ],
  ])('%s', (_, verdicts, results, expected) => {
    const jobs = results.map(([now]) => jobAddress(now))
    for (const all of [verdicts, verdicts.toReversed()]) {
      const known = followVerdicts(
        all,
        jobs,
        results.map(([, each]) => each),
      )
      expect(results.map(([now, each]) => known.on(jobAddress(now), each)?.is)).toEqual(expected)
    }
  })

  test('what is taken back later under another name is taken back', () => {
    const { is: _, ...back } = verdict('z', 'x', { ...p, when: later.when })
    const known = followVerdicts([verdict('a', 'x', p), back], [jobAddress('a')], [bought('p', 'a', 'x')])
    expect(known.on(jobAddress('a'), bought('p', 'a', 'x'))).toEqual({ ...back, address: 'a' })
    expect(known.hasMoved(back)).toBe(true)
    // In one second as well, whichever name comes first.
    const at = followVerdicts(
      [verdict('z', 'x', p), { ...back, address: jobAddress('a'), when: verdict('z', 'x').when }],
      [jobAddress('a')],
      [bought('p', 'a', 'x')],
    )
    expect(at.on(jobAddress('a'), bought('p', 'a', 'x'))?.is).toBeUndefined()
  })

  test('what was put aside leaves what was decided about it under its name', () => {
    const aside = bought('p', 'a', 'x', { aside: true })
    const now = bought('q', 'a', 'y')
    const known = followVerdicts([verdict('a', 'x', p)], [jobAddress('a')], [aside, now])
    expect(known.on(jobAddress('a'), now)).toEqual(verdict('a', 'x', p))
    expect(known.on(jobAddress('a'), aside)?.is).toBe('approved')
  })
})

test('what is sent under an earlier name is about the result that was seen, where only one can be meant', () => {
  const shown = new Map([
    [jobAddress('b'), { seen: [digest('x')] }],
    [jobAddress('c'), { seen: [digest('y')], of: idOf('q') }],
    [jobAddress('d'), { seen: [digest('y')], of: idOf('p') }],
  ])
  const now = addressNow(shown)
  expect(now(verdict('a', 'x'))).toBe('b')
  expect(now(verdict('c', 'x'))).toBe('c')
  expect(now(verdict('a', 'y'))).toBe('a')
  expect(now(verdict('a', 'z'))).toBe('a')
  // What was bought says which of two it is, also where their names were swapped.
  expect(now(verdict('a', 'y', p))).toBe('d')
  expect(now(verdict('c', 'y', p))).toBe('d')
  // Also where its files are others by now: it is about no other that has those which were seen.
  expect(now(verdict('c', 'x', p))).toBe('d')
  expect(now(verdict('b', 'x', p))).toBe('d')
})
