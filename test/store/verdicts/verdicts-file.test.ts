import { describe, expect, test } from 'vitest'
import { jobAddress, purchaseId, sha256Digest } from '../../../src/base/names.ts'
import { dropPicks, putVerdicts } from '../../../src/store/verdicts/put-verdicts.ts'
import { loadAll, loadPicks } from '../../../src/store/verdicts/verdicts-file.ts'
import { writeVerdicts } from '../../../src/store/verdicts/verdicts-lines.ts'
import { mergeVerdicts } from '../../../src/store/verdicts/verdicts-merge.ts'
import { type PersonsVerdict, readVerdict, readVerdicts } from '../../../src/store/verdicts/verdicts-text.ts'
import type { WaitingPick } from '../../../src/store/verdicts/waiting-picks.ts'
import { memoryDisk } from '../memory-disk.ts'

const digest = sha256Digest('a'.repeat(64))
const ahead = ['2999-01-01T00:00:00Z', '2999-01-02T00:00:00Z'] as const
const later = '2026-03-02T09:30:00Z'

function takenBack(address: string, more: Partial<PersonsVerdict> = {}): PersonsVerdict {
  const { is: _, ...rest } = verdict(address, more)
  return rest
}

function verdict(address: string, more: Partial<PersonsVerdict> = {}): PersonsVerdict {
  return {
    address: jobAddress(address),
    is: 'approved',
    who: 'mara',
    when: '2026-03-01T09:30:00Z',
    seen: [digest],
    ...more,
  }
}

const [p, q] = ['p', 'q'].map(each => ({ of: purchaseId(each)! }))

function text(...verdicts: PersonsVerdict[]): string {
  return writeVerdicts({ manifest: 'tea.yaml', verdicts })
}

test('verdicts stand one a line, sorted, and are read back as they were', () => {
  const all = [verdict('b#2', { is: 'rejected', stars: 2, note: 'too "dark"\n' }), verdict('a')]
  const written = text(...all)
  expect(written).toBe(
    [
      '{"genrunReview":1,"manifest":"tea.yaml","verdicts":[',
      `{"address":"a","is":"approved","who":"mara","when":"2026-03-01T09:30:00Z","seen":["${digest}"]},`,
      `{"address":"b#2","is":"rejected","stars":2,"note":"too \\"dark\\"\\n","who":"mara","when":"2026-03-01T09:30:00Z","seen":["${digest}"]},`,
      'null]}',
      '',
    ].join('\n'),
  )
  const reading = readVerdicts(written.replaceAll('\n', '\r\n'))
  expect(reading).toEqual({ got: 'verdicts', verdicts: { manifest: 'tea.yaml', verdicts: [all[1], all[0]] } })
  expect(text(...all.toReversed())).toBe(written)
})

test.each<[string, string, string]>([
  [
    'a conflict',
    text(verdict('a')).replace('null', '<<<<<<< ours\nnull'),
    'it holds the marks of a merge conflict',
  ],
  [
    'a conflict of two renames',
    text(verdict('a')).replace('null', '<<<<<<<< HEAD:tea.review.json\nnull'),
    'it holds the marks of a merge conflict',
  ],
  ['a cut', text(verdict('a')).replace('null]}', ']}').replace(',\n]', '\n]'), 'its last line is missing'],
  ['another file', '{"genrun":2,"jobs":[null]}', 'it is not a file of verdicts'],
  ['a later format', text().replace(':1,', ':9,'), 'it was written by a newer genrun (format 9)'],
  ['one twice', text(verdict('a'), verdict('a')), 'a stands in it twice'],
  [
    'a verdict of another kind',
    text(verdict('a')).replace('approved', 'great'),
    'a verdict is not what genrun writes',
  ],
])('%s is damage, in words', (_, damaged, why) => {
  expect(readVerdicts(damaged)).toMatchObject({ got: 'damaged', why })
})

test.each<[string, object]>([
  ['no address', { address: '' }],
  ['six stars', { stars: 6 }],
  ['half a star', { stars: 1.5 }],
  ['no digest', { seen: [] }],
  ['a digest that is none', { seen: ['sha256:xyz'] }],
  ['a date in words', { when: 'today' }],
  ['a note like a book', { note: 'x'.repeat(4001) }],
])('%s is no verdict', (_, more) => {
  expect(readVerdict({ ...verdict('a') })).toEqual(verdict('a'))
  expect(readVerdict({ ...verdict('a'), ...more })).toBeUndefined()
})

test('a file is changed take by take, and what is taken back is told in it', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/p')
  const place = { path: '/p/tea.review.json', manifest: '/p/tea.yaml', disk }
  expect(loadAll(place.path, disk).verdicts).toEqual([])
  await putVerdicts(place, [verdict('a'), verdict('b')])
  const silent = takenBack('b', { when: later, who: 'ada' })
  const unknown = { ...silent, address: jobAddress('d'), seen: [sha256Digest('d'.repeat(64))] }
  // Nothing is taken back where nothing was decided.
  expect(await putVerdicts(place, [silent, verdict('c', { is: 'rejected' }), unknown])).toHaveLength(3)
  expect(loadAll(place.path, disk).verdicts).toEqual([verdict('a'), silent, verdict('c', { is: 'rejected' })])
  expect(Buffer.from(disk.readAll(place.path)).toString()).toContain(
    `{"address":"b","who":"ada","when":"${later}","seen":["${digest}"]},`,
  )
  await putVerdicts(place, [verdict('b')])
  expect(loadAll(place.path, disk).verdicts).toHaveLength(3)
})

test('what is taken back under another name than it was decided about is told in the file', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/p')
  const place = { path: '/p/tea.review.json', manifest: '/p/tea.yaml', disk }
  await putVerdicts(place, [verdict('a')])
  const silent = takenBack('b', { when: later })
  expect(await putVerdicts(place, [silent])).toEqual([verdict('a'), silent])
})

test('what was bought stands last in the line, is read tolerantly, and keeps two under one name apart', () => {
  const all = [verdict('a', p), verdict('a', { ...q, is: 'rejected' })]
  expect(text(...all.toReversed())).toBe(text(...all))
  expect(text(...all)).toContain(`"seen":["${digest}"],"of":"p"},\n`)
  expect(readVerdicts(text(...all))).toMatchObject({ got: 'verdicts', verdicts: { verdicts: all } })
  expect(readVerdicts(text(all[0]!, all[0]!))).toMatchObject({ why: 'a stands in it twice' })
  for (const of of ['../etc', '', 7, null]) expect(readVerdict({ ...verdict('a'), of })).toEqual(verdict('a'))
})

test('one about a purchase takes the place of those under its earlier names, and of no other, be it under the same name', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/p')
  const place = { path: '/p/tea.review.json', manifest: '/p/tea.yaml', disk }
  const rejected = { is: 'rejected', when: later } as const
  // Seen before the names of two results were swapped.
  await putVerdicts(place, [verdict('a', p), verdict('b', q), verdict('c')])
  const news = verdict('a', { ...q, ...rejected })
  expect(await putVerdicts(place, [news])).toEqual([verdict('a', p), verdict('c'), news])
  expect(loadAll(place.path, disk).verdicts).toEqual([verdict('a', p), news, verdict('c')])
  const other = verdict('b', { ...p, ...rejected })
  expect(await putVerdicts(place, [other])).toEqual([news, verdict('c'), other])
  // What names no purchase had this name.
  const third = { of: purchaseId('r')! }
  expect(await putVerdicts(place, [verdict('a', third), verdict('c', q)])).toEqual([
    other,
    verdict('a', third),
    verdict('c', q),
  ])
  // What lies aside had this name, and has it again when the edit is undone.
  const fourth = verdict('a', { of: purchaseId('s')! })
  expect(await putVerdicts(place, [fourth])).toEqual([verdict('a', third), other, verdict('c', q), fourth])
  expect(loadAll(place.path, disk).verdicts).toHaveLength(4)
})

test('a damaged file is left alone', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/p')
  const file = disk.open('/p/tea.review.json', 'create')
  disk.write(file, Buffer.from('<<<<<<< ours\n'))
  disk.close(file)
  await expect(
    putVerdicts({ path: '/p/tea.review.json', manifest: 'tea.yaml', disk }, [verdict('a')]),
  ).rejects.toThrow('it holds the marks of a merge conflict (line 1)')
  expect(Buffer.from(disk.readAll('/p/tea.review.json')).toString()).toBe('<<<<<<< ours\n')
})

test.each<[string, PersonsVerdict[], PersonsVerdict[], PersonsVerdict[], PersonsVerdict[]]>([
  ['both add', [], [verdict('a')], [verdict('b')], [verdict('a'), verdict('b')]],
  ['one takes back', [verdict('a')], [], [verdict('a')], []],
  [
    'one takes back what the other changed',
    [verdict('a')],
    [],
    [verdict('a', { stars: 1 })],
    [verdict('a', { stars: 1 })],
  ],
  [
    'the later one counts',
    [],
    [verdict('a', { when: later, is: 'rejected' })],
    [verdict('a')],
    [verdict('a', { when: later, is: 'rejected' })],
  ],
  [
    'taken back later than the other side decided',
    [verdict('a')],
    [takenBack('a', { when: '2026-03-03T09:30:00Z' })],
    [verdict('a', { when: later, is: 'rejected' })],
    [takenBack('a', { when: '2026-03-03T09:30:00Z' })],
  ],
  [
    'taken back, and decided later',
    [verdict('a')],
    [verdict('a', { when: later, is: 'rejected' })],
    [takenBack('a', { when: '2026-03-01T09:31:00Z' })],
    [verdict('a', { when: later, is: 'rejected' })],
  ],
  [
    'two under one name that are about two purchases stand both',
    [verdict('a', p)],
    [verdict('a', { ...p, is: 'rejected', when: later })],
    [verdict('a', p), verdict('a', q)],
    [verdict('a', { ...p, is: 'rejected', when: later }), verdict('a', q)],
  ],
  [
    'one side gave the purchase a word that the other has without it',
    [verdict('a')],
    [verdict('a', { ...p, is: 'rejected', when: later })],
    [verdict('a')],
    [verdict('a', { ...p, is: 'rejected', when: later })],
  ],
  [
    'taken back in the second in which the other side decided',
    [],
    [verdict('a')],
    [takenBack('a')],
    [takenBack('a')],
  ],
  [
    'of dates that were ahead both are known',
    [],
    [verdict('a', { dates: { [ahead[1]]: later } })],
    [verdict('a', { is: 'rejected', when: later, dates: { [ahead[0]]: later } })],
    [verdict('a', { is: 'rejected', when: later, dates: { [ahead[0]]: later, [ahead[1]]: later } })],
  ],
  [
    'at the same second one of them counts on both sides',
    [],
    [verdict('a', { stars: 1 })],
    [verdict('a', { stars: 2 })],
    [verdict('a', { stars: 2 })],
  ],
])('two branches: %s', (_, base, ours, theirs, expected) => {
  const [one, other] = [
    mergeVerdicts({ base: text(...base), ours: text(...ours), theirs: text(...theirs) }),
    mergeVerdicts({ base: text(...base), ours: text(...theirs), theirs: text(...ours) }),
  ]
  expect(one).toEqual({ got: 'merged', text: text(...expected) })
  expect(other).toEqual(one)
})

describe('picks that wait', () => {
  const wish = (address: string, more: Partial<WaitingPick> = {}): WaitingPick => ({
    address: jobAddress(address),
    pick: 'take',
    who: 'mara',
    when: '2026-03-01T09:30:00Z',
    seen: [digest],
    ...more,
  })

  test('stand behind the verdicts, of one job the last, until they are carried out', async () => {
    const disk = memoryDisk()
    disk.makeFolder('/p')
    const place = { path: '/p/tea.review.json', manifest: '/p/tea.yaml', disk }
    await putVerdicts(place, [verdict('a')], [wish('a'), wish('b[x]#2')])
    await putVerdicts(place, [], [wish('a#3', p)])
    expect(loadPicks(place.path, disk)).toEqual([wish('a#3', p), wish('b[x]#2')])
    expect(Buffer.from(disk.readAll(place.path)).toString().split('\n').slice(2)).toEqual([
      'null],"picks":[',
      `{"address":"a#3","pick":"take","who":"mara","when":"2026-03-01T09:30:00Z","seen":["${digest}"],"of":"p"},`,
      `{"address":"b[x]#2","pick":"take","who":"mara","when":"2026-03-01T09:30:00Z","seen":["${digest}"]},`,
      'null]}',
      '',
    ])
    // Another one was given in its place meanwhile.
    await dropPicks(place, [wish('a'), wish('b[x]#2')])
    expect(loadPicks(place.path, disk)).toEqual([wish('a#3', p)])
    await dropPicks(place, [wish('a#3', p)])
    expect(Buffer.from(disk.readAll(place.path)).toString()).toBe(text(verdict('a')))
  })

  test('two jobs that swapped their names keep theirs each, and of one job the last stays under whatever name', async () => {
    const disk = memoryDisk()
    disk.makeFolder('/p')
    const names = new Map([p, q].map((each, nth) => [each?.of, jobAddress(nth === 0 ? 'b#2' : 'a#2')]))
    const nameNow: Parameters<typeof putVerdicts>[0]['nameNow'] = of => names.get(of)
    const place = { path: '/p/tea.review.json', manifest: '/p/tea.yaml', disk }
    await putVerdicts(place, [], [wish('a#2', p)])
    await putVerdicts({ ...place, nameNow }, [], [wish('a#2', q)])
    expect(loadPicks(place.path, disk)).toEqual([wish('a#2', p), wish('a#2', q)])
    await putVerdicts({ ...place, nameNow }, [], [wish('b#3')])
    expect(loadPicks(place.path, disk)).toEqual([wish('a#2', q), wish('b#3')])
  })

  test('merge job by job, and what is none is passed over', () => {
    const sided = (...picks: WaitingPick[]) => writeVerdicts({ manifest: 'tea.yaml', verdicts: [], picks })
    const [base, ours] = [sided(wish('a'), wish('b')), sided(wish('a#2', { when: later }), wish('c'))]
    const theirs = sided(wish('a#3'), wish('b'))
    const merged = sided(wish('a#2', { when: later }), wish('c'))
    expect(mergeVerdicts({ base, ours, theirs })).toEqual({ got: 'merged', text: merged })
    expect(mergeVerdicts({ base, ours: theirs, theirs: ours })).toEqual({ got: 'merged', text: merged })
    expect(readVerdicts(ours.replace('"take"', '"best"'))).toMatchObject({
      verdicts: { picks: [{ address: 'c' }] },
    })
  })

  test('merge by what was bought: two jobs that exchanged their names on one side lose none', () => {
    const sided = (...picks: WaitingPick[]) => writeVerdicts({ manifest: 'tea.yaml', verdicts: [], picks })
    const either = (base: string, ours: string, theirs: string, merged: string) => {
      expect(mergeVerdicts({ base, ours, theirs })).toEqual({ got: 'merged', text: merged })
      expect(mergeVerdicts({ base, ours: theirs, theirs: ours })).toEqual({ got: 'merged', text: merged })
    }
    const [ours, theirs] = [wish('a#2', p), wish('a#2', { ...q, when: later })]
    either('', sided(ours), sided(theirs), sided(ours, theirs))
    either('', sided(ours, theirs), sided(theirs, ours), sided(ours, theirs))
    // Carried out on one side, it is over, and another of that name is not.
    either(sided(ours), sided(), sided(ours, theirs), sided(theirs))
    // About one purchase the later counts, under whatever name.
    either(
      '',
      sided(ours),
      sided(wish('b#2', { ...p, when: later })),
      sided(wish('b#2', { ...p, when: later })),
    )
  })
})
