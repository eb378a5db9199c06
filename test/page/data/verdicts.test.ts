import { expect, test } from 'vitest'
import {
  formerVerdict,
  savedText,
  stepFor,
  verdictOn,
  verdictsText,
  withGiven,
} from '../../../src/page/data/verdicts.ts'
import { readVerdicts } from '../../../src/store/verdicts/verdicts-text.ts'
import { approved, shown } from './shown.ts'

const [one, two] = [shown('hero'), shown('hero#2')]
const takes = [one, two]
const seenOf = ({ files }: typeof one) => files.map(({ key }) => `sha256:${key}`)

test('a verdict is about the files that were seen, and over when they are others', () => {
  const verdicts = approved(one)
  expect(verdictOn(one, verdicts)).toMatchObject({ is: 'approved', who: 'mara' })
  const other = { ...one, files: [{ ...one.files[0]!, key: 'f'.repeat(64) }] }
  expect(verdictOn(other, verdicts)).toBeUndefined()
  expect(formerVerdict(other, verdicts)).toMatchObject({ is: 'approved' })
  expect(formerVerdict({ ...one, files: [] }, verdicts)).toBeUndefined()
  // What somebody altered is not what was seen, whatever else of it is as it was.
  expect(verdictOn({ ...one, altered: ['hero-2.png'] }, verdicts)).toBeUndefined()
})

test('who approves a take picks it, and approves no other take of the job', () => {
  const step = stepFor({ is: 'approved' }, two, { verdicts: approved(one), takes })
  expect(step).toEqual({
    what: 'hero#2 picked',
    verdicts: [
      { address: 'hero#2', is: 'approved', seen: seenOf(two) },
      // As old as it was: it is no decision of today about that take.
      { address: 'hero', who: 'mara', when: '2026-03-01T09:30:00Z', seen: seenOf(one) },
    ],
    picks: [{ address: 'hero#2', seen: seenOf(two) }],
    back: {
      what: 'hero#2 picked, taken back',
      // Decided anew by whoever takes it back, who the server says.
      verdicts: [
        { address: 'hero#2', seen: seenOf(two) },
        { address: 'hero', is: 'approved', seen: seenOf(one) },
      ],
      picks: [{ address: 'hero', seen: seenOf(one), isNone: true }],
    },
  })
})

test('what was picked before is picked again when that is taken back; what is picked is not picked twice', () => {
  const picked = [{ ...one, picked: true as const }, two]
  const step = stepFor({ is: 'approved' }, two, { verdicts: new Map(), takes: picked })
  // As it was: by a run, or by a person.
  expect(step?.back.picks).toEqual([{ address: 'hero', seen: seenOf(one), byRun: true }])
  const byHand = [{ ...picked[0]!, byHand: true as const }, two]
  const chosen = stepFor({ is: 'approved' }, two, { verdicts: new Map(), takes: byHand })
  expect(chosen?.back.picks).toEqual([{ address: 'hero', seen: seenOf(one) }])
  const again = stepFor({ is: 'approved' }, picked[0]!, { verdicts: new Map(), takes: picked })
  expect(again).toMatchObject({ picks: [], back: { picks: [] } })
})

test('what was bought goes with what is decided about it, and into the file that somebody sends back', () => {
  const step = stepFor({ stars: 3 }, { ...one, of: 'p' }, { verdicts: new Map(), takes })
  expect([step?.verdicts[0]?.of, step?.back.verdicts[0]?.of]).toEqual(['p', 'p'])
  const text = verdictsText(step?.verdicts ?? [], {
    manifest: 'tea.yaml',
    who: 'Noor',
    when: '2026-03-02T09:30:00Z',
  })
  expect(readVerdicts(text)).toMatchObject({
    verdicts: { verdicts: [{ address: 'hero', of: 'p', stars: 3 }] },
  })
})

test('stars and notes stay beside a verdict, and are taken away by themselves', () => {
  let verdicts = approved(one)
  const give = (decision: Parameters<typeof stepFor>[0]) => {
    const step = stepFor(decision, one, { verdicts, takes })
    const by = { who: 'noor', when: '2026-03-02T09:30:00Z', results: new Map() }
    verdicts = withGiven(verdicts, step?.verdicts ?? [], by)
    return verdicts.get('hero')
  }
  expect(give({ stars: 4 })).toMatchObject({ is: 'approved', stars: 4, who: 'noor' })
  expect(give({ note: 'warmer' })).toMatchObject({ is: 'approved', stars: 4, note: 'warmer' })
  expect(give({ is: 'undecided' })).toMatchObject({ stars: 4, note: 'warmer' })
  expect(give({ is: 'undecided' })).not.toHaveProperty('is')
  give({ stars: 0 })
  expect(give({ note: '' })).toBeUndefined()
})

test('what cannot be seen cannot be judged', () => {
  expect(
    stepFor({ is: 'rejected' }, shown('clip', { files: [] }), { verdicts: new Map(), takes }),
  ).toBeUndefined()
})

test('what is not on the disk is said to be on its way only while somebody takes it', () => {
  const none = { verdicts: [], picks: [], isLost: true }
  expect(savedText(none)).toBe('all saved')
  expect(savedText({ ...none, picks: [1], isLost: false })).toBe('saving…')
  expect(savedText({ ...none, verdicts: [1] })).toBe('not saved yet')
  expect(savedText({ ...none, verdicts: [1], isLost: false, trouble: 'the disk is full' })).toBe(
    'not saved yet',
  )
})
