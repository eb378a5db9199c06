import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DonePurchase } from '../../src/base/purchase.ts'
import { pickTake, pickWaiting } from '../../src/verbs/pick.ts'
import { reviewOf } from '../../src/verbs/review.ts'
import { statusOf } from '../../src/verbs/status.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import { type Bench, manifestName, openBenchWith, paidAt, toldSteps } from '../verbs/bench.ts'

// A pick of the page that nobody has carried out yet stands beside the verdicts: a run does it, and a plan counts it.

const verdicts = 'm.review.json'

const job = (name: string, prompt: string) =>
  `  ${name}: { model: fama-imagine-image, prompt: ${prompt}, takes: 2 }\n`
const clip = (name: string, from: string) =>
  `  ${name}: { model: famc-v3-turbo, prompt: Steam ${name}, startFrame: "\${{ jobs.${from}.output }}", duration: 3 }\n`

const before = `jobs:\n${job('a', 'A cup')}${job('b', 'A pot')}${clip('c1', 'a')}${clip('c2', 'b')}`
const swapped = `jobs:\n${job('b', 'A cup')}${job('a', 'A pot')}${clip('c1', 'b')}${clip('c2', 'a')}`

function results(bench: Bench) {
  const review = reviewOf({ manifest: manifestName, cwd: bench.folder })
  if (review.got !== 'review') throw new Error(review.got)
  return review.exhibits
}

/** As a server leaves it that was killed, or that never got the claim. */
function askFor(bench: Bench, address: string, more: object = {}): DonePurchase['files'] {
  const { pick, files } = wishFor(bench, address)
  write(bench, { ...pick, ...more })
  return files
}

function wishFor(bench: Bench, address: string) {
  const found = results(bench).find(each => each.address === address)
  if (!found) throw new Error(`${address} is not there`)
  const { files, purchase: of } = found
  const seen = files.map(({ digest }) => digest)
  const pick = { address, pick: 'take', who: 'Lead', when: '2026-03-01T09:30:00Z', seen, of }
  return { files, pick }
}

function write(bench: Bench, ...picks: readonly object[]): void {
  const lines = picks.map(each => `${JSON.stringify(each)},\n`).join('')
  bench.write(
    verdicts,
    `{"genrunReview":1,"manifest":"m.yaml","verdicts":[\nnull],"picks":[\n${lines}null]}\n`,
  )
}

const pickedIn = (bench: Bench) =>
  results(bench).flatMap(({ address, picked, files }) => (picked ? [[address, files[0]?.digest]] : []))

test('two jobs swap their names before the next run: the pick goes along, and no take of the other is picked by it', async () => {
  const { bench, gateway } = await openBenchWith(before)
  await bench.run()
  const [cup] = askFor(bench, 'a#2')
  const at = { manifest: manifestName, cwd: bench.folder }
  expect(statusOf(at)).toMatchObject({ status: { picks: [{ address: 'a#2', who: 'Lead' }] } })
  bench.write(manifestName, swapped)
  const paid = paidAt(gateway)
  expect(toldSteps(bench.plan()).filter(told => told.startsWith('buy'))).toHaveLength(1)
  await bench.run()
  expect(pickedIn(bench)).toEqual([['b#2', cup?.digest]])
  expect(toldSteps(bench.plan())).toEqual([])
  await bench.run()
  expect(paidAt(gateway) - paid).toBe(1)
  expect(bench.read(verdicts)).not.toContain('picks')
})

test('two picks under one name, which two jobs exchanged between them, are carried out each for its own job', async () => {
  const { bench } = await openBenchWith(before)
  await bench.run()
  const [cup, pot] = ['a#2', 'b#2'].map(address => wishFor(bench, address))
  bench.write(manifestName, swapped)
  write(bench, { ...cup?.pick }, { ...pot?.pick, address: 'a#2', when: '2026-03-02T09:30:00Z' })
  await bench.run()
  expect(pickedIn(bench).toSorted()).toEqual([
    ['a#2', pot?.files[0]?.digest],
    ['b#2', cup?.files[0]?.digest],
  ])
  expect(bench.read(verdicts)).not.toContain('picks')
})

test('none is to be picked any more, and two jobs swap their names: the pick of the other job stays', async () => {
  const { bench } = await openBenchWith(before)
  await bench.run()
  askFor(bench, 'b#2')
  await bench.run()
  const [pot] = results(bench).find(({ address }) => address === 'b#2')?.files ?? []
  askFor(bench, 'a', { pick: 'none' })
  bench.write(manifestName, swapped)
  await bench.run()
  expect(pickedIn(bench)).toEqual([['a#2', pot?.digest]])
})

test.each([
  ['be it the first that is read', 0],
  ['be it the second', 1],
])(
  'of two picks of one job, under the names that it had, the later counts, %s, and both are over',
  async (_, nth) => {
    const { bench } = await openBenchWith(`jobs:\n${job('a', 'A cup')}`)
    await bench.run()
    const [first, second] = [wishFor(bench, 'a').pick, wishFor(bench, 'a#2').pick]
    bench.write(manifestName, `jobs:\n${job('x', 'A cup')}`)
    const later = { ...second, address: 'x#2', when: '2026-03-01T09:30:01Z' }
    write(bench, ...(nth === 0 ? [later, first] : [first, later]))
    await bench.run()
    expect(pickedIn(bench)).toEqual([['x#2', second.seen[0]]])
    expect(bench.read(verdicts)).not.toContain('picks')
    await bench.run()
    expect(pickedIn(bench)).toEqual([['x#2', second.seen[0]]])
  },
)

test.each([
  ['while it is as long as before', (bytes: Buffer) => Buffer.from(bytes.map(byte => byte ^ 255))],
  ['by its size', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('more')])],
])(
  'a take whose file was altered %s is not picked, which is told, and the pick is over',
  async (_, altered) => {
    const { bench, gateway } = await openBenchWith(`jobs:\n${job('a', 'A cup')}${clip('c', 'a')}`)
    await bench.run({ select: { words: ['a'] } })
    askFor(bench, 'a#2')
    const path = 'out/m/takes/a.take2.png'
    const there = altered(bench.bytes(path))
    bench.write(path, there)
    const told = 'a#2 is not picked: takes/a.take2.png was altered since'
    const planned = bench.plan()
    expect(planned.remarks).toContain(told)
    expect(toldSteps(planned).filter(each => !each.startsWith('keep'))).toEqual(['buy c: not made yet'])
    const paid = paidAt(gateway)
    const remarks: string[] = []
    await bench.run({ emit: each => each.event === 'planned' && remarks.push(...each.remarks) })
    expect(remarks).toContain(told)
    expect([pickedIn(bench), bench.bytes(path)]).toEqual([[], there])
    expect(bench.read(verdicts)).not.toContain('picks')
    await bench.run()
    expect(paidAt(gateway) - paid).toBe(1)
    expect(bench.plan().remarks).not.toContain(told)
  },
)

test('a pick is of what was seen: its name is another’s by a run of that one alone, and it counts under the new one', async () => {
  const plain = `jobs:\n${job('a', 'A cup')}${job('b', 'A pot')}`
  const { bench } = await openBenchWith(plain)
  await bench.run()
  const [cup] = askFor(bench, 'a#2')
  bench.write(manifestName, `jobs:\n${job('b', 'A cup')}${job('a', 'A pot')}`)
  await bench.run({ redo: true, select: { words: ['a'] } })
  await bench.run()
  expect(pickedIn(bench)).toContainEqual(['b#2', cup?.digest])
  expect(toldSteps(bench.plan())).toEqual([])
})

test('a pick is of what was seen: an edit that is taken back before the run brings none to what comes back', async () => {
  const { bench } = await openBenchWith(`jobs:\n${job('a', 'A cup')}`)
  await bench.run()
  bench.write(manifestName, `jobs:\n${job('a', 'A mug')}`)
  await bench.run()
  const [mug] = askFor(bench, 'a')
  bench.write(manifestName, `jobs:\n${job('a', 'A cup')}`)
  await bench.run()
  expect(pickedIn(bench)).toEqual([])
  bench.write(manifestName, `jobs:\n${job('a', 'A mug')}`)
  await bench.run()
  expect(pickedIn(bench)).toEqual([['a', mug?.digest]])
})

test('a pick of what the cache has, and is gone from its place, waits for the run that brings it', async () => {
  const { bench } = await openBenchWith(`jobs:\n${job('a', 'A cup')}`)
  const cache = { folder: join(bench.folder, 'cache') }
  await bench.run({ cache })
  const [cup] = askFor(bench, 'a#2')
  bench.remove('out')
  expect(await pickWaiting({ manifest: manifestName, cwd: bench.folder, cache })).toMatchObject({
    picked: [],
    refused: [],
    later: [{ address: 'a#2', why: expect.stringContaining('the next run gives them these, and picks it') }],
  })
  await bench.run({ cache })
  expect(pickedIn(bench)).toEqual([['a#2', cup?.digest]])
})

test('a pick of what an edit no longer asks for waits; a run keeps it with what it puts aside, and it comes back with that', async () => {
  const { bench, gateway } = await openBenchWith(`jobs:\n${job('a', 'A cup')}`)
  await bench.run()
  const [cup] = askFor(bench, 'a#2')
  bench.write(manifestName, `jobs:\n${job('a', 'A mug')}`)
  const why =
    'what was seen of a#2 is not what it asks for by now (prompt A cup → A mug (m.yaml:2)): it is picked when it asks for that again'
  expect(await pickWaiting({ manifest: manifestName, cwd: bench.folder })).toMatchObject({
    picked: [],
    refused: [],
    later: [{ address: 'a#2', why }],
  })
  await bench.run()
  expect(pickedIn(bench)).toEqual([])
  const paid = paidAt(gateway)
  bench.write(manifestName, `jobs:\n${job('a', 'A cup')}`)
  await bench.run()
  expect(pickedIn(bench)).toEqual([['a#2', cup?.digest]])
  expect(paidAt(gateway)).toBe(paid)
})

/** Texts and what was decided, as version control has them where nobody commits locks; the cache is everybody's. */
async function cloned() {
  const { bench, gateway } = await openBenchWith(`jobs:\n${job('a', 'A cup')}`)
  const cache = { folder: join(bench.folder, 'cache') }
  await bench.run({ cache })
  const [cup] = askFor(bench, 'a#2')
  const lock = bench.read('m.lock.json')
  for (const name of ['m.lock.json', '.genrun', 'out']) bench.remove(name)
  bench.write(manifestName, `jobs:\n${job('a', 'A cup')}${clip('c', 'a')}`)
  return { bench, gateway, cache, cup, lock }
}

test('the run that brings a take from the cache picks it in a fresh clone, and what is made from it is made once', async () => {
  const { bench, gateway, cache, cup } = await cloned()
  const at = { manifest: manifestName, cwd: bench.folder, cache }
  // Whoever opens the page first ends no pick.
  expect(await pickWaiting(at)).toMatchObject({ refused: [], later: [{ address: 'a#2' }] })
  const paid = paidAt(gateway)
  expect(bench.plan({ cache })).toMatchObject({ paid: 1 })
  await bench.run({ cache })
  expect(pickedIn(bench)).toEqual([['a#2', cup?.digest]])
  expect(bench.read('m.lock.json')).toContain('"picked":true,"byHand":true')
  expect(bench.read(verdicts)).not.toContain('picks')
  expect(toldSteps(bench.plan({ cache }))).toEqual([])
  expect(paidAt(gateway) - paid).toBe(1)
})

test('a pick that came from another checkout without its records waits for these, and every plan and run says so', async () => {
  const { bench, gateway, cup, lock } = await cloned()
  const told =
    'a#2 waits to be picked: what was seen of a#2 is neither recorded nor in a cache here; another pick of its job ends that'
  expect(bench.plan().remarks).toContain(told)
  const at = { manifest: manifestName, cwd: bench.folder }
  expect(await pickWaiting(at)).toMatchObject({ refused: [], later: [{ address: 'a#2' }] })
  const why = told.replace('a#2 waits to be picked: ', '')
  expect(statusOf(at)).toMatchObject({ status: { picks: [{ address: 'a#2', who: 'Lead', why }] } })
  const remarks: string[] = []
  const emit = (each: RunEvent) => each.event === 'planned' && remarks.push(...each.remarks)
  await bench.run({ emit, caps: { maxPaid: 0 } })
  bench.remove('.genrun')
  if (bench.has('m.lock.json')) bench.remove('m.lock.json')
  expect(remarks).toContain(told)
  bench.write('m.lock.json', lock)
  const paid = paidAt(gateway)
  await bench.run()
  expect(pickedIn(bench)).toEqual([['a#2', cup?.digest]])
  expect(paidAt(gateway) - paid).toBe(1)
  expect(bench.plan().remarks).not.toContain(told)
})

test('another pick of its job ends one that came without its records', async () => {
  const { bench } = await cloned()
  await bench.run({ select: { words: ['a'] } })
  expect(bench.read(verdicts)).toContain('picks')
  await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'a#1' })
  expect(bench.read(verdicts)).not.toContain('picks')
})

test.each([
  ['another length', () => 'retouched'],
  ['the same length', (made: Uint8Array) => made.map((byte, at) => (at === 500 ? byte ^ 1 : byte))],
])(
  'a pick where a file of %s is in the way is none at all, and the clip is not bought anew once it is put back',
  async (_name, altered) => {
    const { bench, gateway } = await openBenchWith(`jobs:\n${job('a', 'A cup')}${clip('c', 'a')}`)
    await bench.run()
    const at = { manifest: manifestName, cwd: bench.folder }
    await pickTake({ ...at, address: 'a#2' })
    await bench.run()
    const [cup] = results(bench).find(({ address }) => address === 'a#2')?.files ?? []
    const [paid, lock, made] = [paidAt(gateway), bench.read('m.lock.json'), bench.bytes('out/m/a.png')]
    bench.write('out/m/a.png', altered(made))
    const inTheWay = { got: 'refused', problems: [{ code: 'file-in-the-way' }] }
    expect(await pickTake({ ...at, address: 'a#1' })).toMatchObject(inTheWay)
    expect(bench.read('m.lock.json')).toBe(lock)
    // Nor is a take paid for that could not be picked.
    expect(await bench.run({ redo: true, select: { words: ['a'] } })).toMatchObject(inTheWay)
    // Nor is one of the page half carried out: it waits, and says why.
    askFor(bench, 'a')
    expect(await pickWaiting(at)).toMatchObject(inTheWay)
    expect([bench.read('m.lock.json'), bench.read(verdicts)]).toEqual([
      lock,
      expect.stringContaining('picks'),
    ])
    bench.write(verdicts, '{"genrunReview":1,"manifest":"m.yaml","verdicts":[\nnull]}\n')
    bench.write('out/m/a.png', made)
    await bench.run()
    expect(pickedIn(bench)).toEqual([['a#2', cup?.digest]])
    expect(paidAt(gateway)).toBe(paid)
  },
)
