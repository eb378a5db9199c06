import { describe, expect, test } from 'vitest'
import { jobAddress, purchaseId, sha256Digest } from '../../src/base/names.ts'
import type { DonePurchase } from '../../src/base/purchase.ts'
import { addressNow, followVerdicts } from '../../src/plan/follow-verdicts.ts'
import type { PersonsVerdict } from '../../src/store/verdicts/verdicts-text.ts'

const digest = (letter: string) => sha256Digest(letter.repeat(64))

/** A result by the name that the records have, and the letter of its bytes. */
function made(address: string, letter: string, more: Partial<DonePurchase> = {}): DonePurchase {
  const id = purchaseId(Buffer.from(`${address}${letter}`).toString('hex').padEnd(32, '0').slice(0, 32))
  if (!id) throw new Error('no id')
  const recipe = { model: 'm', params: {}, defaults: {}, inputs: {} } as unknown as DonePurchase['recipe']
  const file = { path: `${address}.png`, digest: digest(letter), type: 'image/png', bytes: 1 }
  return { is: 'done', id, address: jobAddress(address), recipe, files: [file], ...more }
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

test('what is sent under an earlier name is about the result that was seen, where only one can be meant', () => {
  const shown = new Map([
    [jobAddress('b'), [digest('x')]],
    [jobAddress('c'), [digest('y')]],
    [jobAddress('d'), [digest('y')]],
  ])
  const now = addressNow(shown)
  expect(now(verdict('a', 'x'))).toBe('b')
  expect(now(verdict('c', 'x'))).toBe('c')
  expect(now(verdict('a', 'y'))).toBe('a')
  expect(now(verdict('a', 'z'))).toBe('a')
})
