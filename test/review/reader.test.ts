import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { jobAddress } from '../../src/base/names.ts'
import { systemRandom } from '../../src/base/random.ts'
import { openModel } from '../../src/review/model.ts'
import { type OrderWords, openReader, type ReadResult, readingOf } from '../../src/review/reader.ts'
import { openReaderAside } from '../../src/review/reader-thread.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { putVerdicts } from '../../src/store/verdicts/put-verdicts.ts'
import { loadPicks } from '../../src/store/verdicts/verdicts-file.ts'
import { type Review, reviewOf } from '../../src/verbs/review.ts'
import { made } from './fixture.ts'

const about = { can: { judge: true }, who: 'mara' }

async function opened() {
  const request = { manifest: 'tea.yaml', cwd: (await made()).folder, rehearsal: true }
  const first = reviewOf(request)
  if (first.got !== 'review') throw new Error(first.got)
  return { first, options: { request, about, paths: first.paths, output: first.report.output } }
}

/** As the page's server writes it down. */
async function wish(address: string, { paths, exhibits }: Review): Promise<void> {
  const exhibit = exhibits.find(each => each.address === address)
  const seen = exhibit?.files.map(({ digest }) => digest) ?? []
  const of = exhibit?.purchase && { of: exhibit.purchase }
  const when = '2026-03-01T09:30:00Z'
  const place = { path: paths.verdicts, manifest: 'tea.yaml', disk: systemDisk }
  await putVerdicts(
    place,
    [],
    [{ address: jobAddress(address), pick: 'take', who: 'mara', when, seen, ...of }],
  )
}

function reviewIn(result: ReadResult): Review {
  if (result.got !== 'reading') throw new Error(result.got)
  return result.review
}

test('everything is read once, and again only when something is another', async () => {
  const opening = await opened()
  const reader = openReader(opening.options)
  expect((await reader.look(false)).got).toBe('reading')
  expect((await reader.look(false)).got).toBe('same')
  await wish('hero#2', opening.first)
  const waiting = reviewIn(await reader.look(false)).exhibits
  expect(waiting.filter(({ picked, waits }) => picked ?? waits)).toMatchObject([
    { address: 'hero#2', waits: 'take' },
  ])
  expect(await reader.pickWaiting()).toEqual({ got: 'picked', isNews: true, refused: [], later: [] })
  const after = reviewIn(await reader.look(false)).exhibits
  expect(after.filter(({ picked, waits }) => picked ?? waits)).toMatchObject([
    { address: 'hero#2', picked: true },
  ])
  // Files are looked at for a thirtieth of the time: on a busy machine that they moved is seen by the look after that.
  await expect.poll(async () => (await reader.look(false)).got).toBe('same')
})

test('other prices are something else: an amount that stands open is counted anew', async () => {
  const { options } = await opened()
  const prices = 'prices.yaml'
  const path = join(options.request.cwd, prices)
  writeFileSync(path, 'currency: USD\nmodels:\n  famc-v3: { perSecond: 0.1 }\n')
  const reader = openReader({ ...options, request: { ...options.request, prices } })
  expect((await reader.look(false)).got).toBe('reading')
  expect((await reader.look(false)).got).toBe('same')
  writeFileSync(path, 'currency: USD\nmodels:\n  famc-v3: { perSecond: 10.5 }\n')
  expect((await reader.look(false)).got).toBe('reading')
})

test('a pick that cannot be carried out keeps no other, and waits no more', async () => {
  const { options, first } = await opened()
  const reader = openReader(options)
  await wish('clip', first)
  await wish('hero#3', first)
  expect(await reader.pickWaiting()).toMatchObject({
    refused: [expect.stringContaining('clip is another result than the one that was meant')],
  })
  expect(reviewIn(await reader.look(true)).exhibits.filter(({ picked }) => picked)).toMatchObject([
    { address: 'hero#3' },
  ])
  expect(loadPicks(first.paths.verdicts, systemDisk)).toEqual([])
})

test('a pick of this page is no genrun at work', async () => {
  const { options, first } = await opened()
  const reader = openReaderAside(options)
  await wish('hero#2', first)
  let isOver = false
  const picked = reader.pickWaiting().finally(() => (isOver = true))
  const seen: boolean[] = []
  while (!isOver) {
    seen.push(reviewIn(await reader.look(true)).isAtWork)
    await systemClock.until(systemClock.now() + 1)
  }
  expect(await picked).toEqual({ got: 'picked', isNews: true, refused: [], later: [] })
  expect(seen).not.toContain(true)
})

test('what is asked of it is plain, so that a thread can hand it on', async () => {
  const { options } = await opened()
  const reader = openReaderAside(options)
  const quoted = async (words: OrderWords) => structuredClone(await reader.quote(words))
  expect(await quoted({ redo: true, select: { words: ['cup'] } })).toMatchObject({
    quote: { buys: [{ address: 'cup#2' }], against: [], word: { caps: { maxPaid: 1 } } },
  })
  expect(await quoted({ select: { words: ['nobody'] } })).toEqual({
    got: 'refused',
    message: 'no job is called nobody',
  })
  const edited = await reader.edit({
    address: jobAddress('hero#2'),
    was: 'A celadon teapot',
    prompt: 'A jug',
  })
  expect(structuredClone(edited)).toMatchObject({ got: 'edited', place: 'tea.yaml:4' })
  await reader.close()
  await expect(reader.quote({})).rejects.toThrow('the reader is closed')
})

test('a verdict that comes while everything is read is not replaced by what was read', async () => {
  const { first, options } = await opened()
  const read = await openReader(options).look(true)
  let answer: (result: ReadResult) => void = () => undefined
  const look = () => new Promise<ReadResult>(resolve => (answer = resolve))
  if (read.got !== 'reading') throw new Error(read.got)
  const model = openModel({
    look,
    first: read,
    clock: systemClock,
    random: systemRandom,
    redact: text => text,
  })
  const cup = first.exhibits.find(({ address }) => address === 'cup')
  if (!cup) throw new Error('no cup')
  const seen = cup.files.map(({ digest }) => digest)
  const verdict = {
    address: cup.address,
    is: 'rejected',
    who: 'mara',
    when: '2026-03-01T09:30:00Z',
    seen,
  } as const
  model.wrote([verdict])
  answer(read)
  await systemClock.until(systemClock.now() + 10)
  expect(JSON.parse(model.json())).toMatchObject({ verdicts: [verdict], writes: 1 })
  model.close()
})

test('what is in sight at first is some of it, with the verdicts on that, and says of how many', async () => {
  const { first, options } = await opened()
  const read = readingOf(first, options.about)
  const [cup] = read.results.filter(([address]) => address === 'cup')
  const results = Array.from({ length: 70 }, (_, nth) => [`r${nth}`, cup?.[1] ?? ''] as const)
  const verdict = { is: 'rejected', who: 'mara', when: '2026-03-01T09:30:00Z', seen: [] } as const
  const verdicts = ['r59', 'r60'].map(each => ({ ...verdict, address: jobAddress(each) }))
  const all = { ...read, results, review: { ...first, verdicts } }
  const look = () => Promise.resolve<ReadResult>({ got: 'same' })
  const model = openModel({
    look,
    first: all,
    clock: systemClock,
    random: systemRandom,
    redact: text => text.replaceAll('cup', ''),
  })
  const shown = model.first()
  expect([shown.results.length, shown.of]).toEqual([60, 70])
  expect(shown.verdicts.map(({ address }) => address)).toEqual(['r59'])
  // What is secret stays so.
  expect(JSON.stringify(shown)).not.toContain('cup')
  model.close()
})
