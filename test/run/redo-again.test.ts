import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { statusOf } from '../../src/verbs/status.ts'
import type { RunRequest } from '../../src/workspace/workspace.ts'
import { type Bench, manifestName, openBenchWith, paidAt, toldSteps } from '../verbs/bench.ts'
import { madeOnce } from '../verbs/made.ts'

const names = ['a', 'b', 'c'] as const
const shop = madeOnce(
  `jobs:\n${names.map(name => `  ${name}: { model: fama-imagine-image, prompt: A teapot ${name}, mode: submit }\n`).join('')}`,
  3,
)

const redo = (bench: Bench, more: Partial<RunRequest> = {}, ...words: string[]) =>
  bench.run({ redo: true, select: { words: words.length > 0 ? words : [...names] }, ...more })

/** Of three takes one is made, one on its way, and one not ordered. */
async function stoppedInTheMiddle() {
  const bench = shop.copy()
  const before = paidAt(shop.gateway)
  const stop = new AbortController()
  let accepted = 0
  const result = await redo(bench, {
    limits: { submit: 1 },
    stop: stop.signal,
    emit: told => told.event === 'accepted' && ++accepted === 2 && stop.abort(),
  })
  const paid = () => paidAt(shop.gateway) - before
  expect(paid()).toBe(2)
  return { bench, paid, result }
}

const takes = (bench: Bench) =>
  bench.plan().steps.flatMap(({ do: what, address }) => (address.includes('#') ? `${what} ${address}` : []))

describe('the same `redo` once more', () => {
  test('after a stop goes on with what it had ordered, orders the rest, and is complete then', async () => {
    const { bench, paid, result } = await stoppedInTheMiddle()
    const hints = result.got === 'report' ? result.report.jobs.flatMap(({ hint }) => hint ?? []) : []
    expect(hints.toSorted()).toEqual([
      'give the same `redo` again: it orders nothing twice',
      'it is paid for: the same command goes on with it and pays nothing for it; so does a run, which orders no other take',
    ])
    expect(takes(bench)).toEqual(['keep a#2', 'resume b#2'])
    const again = { redo: true, select: { words: [...names] } }
    expect(bench.plan(again).remarks).toEqual(
      expect.arrayContaining([
        '1 job is ordered as another take, to be picked when it is there; the older ones stay',
        '1 take is on the way since an earlier redo: picked when it is there, nothing is ordered; the older ones stay',
        '1 take is there since a redo that did not come to its end, and not ordered again (a#2); once all of it is there, the same words order another',
      ]),
    )
    expect(await redo(bench)).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(paid()).toBe(3)
    for (const name of names) expect(bench.has(`out/m/takes/${name}.take1.png`)).toBe(true)
    expect(toldSteps(bench.plan())).toEqual([])
    expect(await redo(bench)).toMatchObject({ report: { paid: 3, exit: 0 } })
  })

  test('after a cap orders what the cap kept from it', async () => {
    const bench = shop.copy()
    const before = paidAt(shop.gateway)
    const capped = await redo(bench, { caps: { maxPaid: 1 } })
    expect(capped).toMatchObject({ report: { paid: 1, exit: 6 } })
    expect(JSON.stringify(capped)).toContain(
      'give the same `redo` again with a wider limit: it orders nothing twice',
    )
    expect(await redo(bench, { caps: { maxPaid: 3 } })).toMatchObject({ report: { paid: 2, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(3)
  })

  test('goes on behind a plain run, which has picked what came, and about those jobs that lack something', async () => {
    const { bench, paid } = await stoppedInTheMiddle()
    expect(await bench.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(bench.has('out/m/takes/b.take1.png')).toBe(true)
    // What is complete of it is at its end, whoever asks for that alone.
    expect(toldSteps(bench.plan({ redo: true, select: { words: ['a', 'b'] } }))).toMatchObject([
      /^buy a#3/,
      /^buy b#3/,
    ])
    expect(await redo(bench)).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(paid()).toBe(3)
  })

  test('after it was killed at its very end orders nothing, once', async () => {
    const bench = shop.copy()
    const before = paidAt(shop.gateway)
    await redo(bench)
    cutLastRecord(bench)
    expect(await redo(bench)).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(3)
    expect(await redo(bench)).toMatchObject({ report: { paid: 3, exit: 0 } })
  })

  test.each([
    ['another one has made its own', 3, {}],
    ['another one was to order nothing', 2, { caps: { maxPaid: 0 } }],
  ])('goes on though meanwhile %s', async (_, due, more) => {
    const bench = shop.copy()
    const before = paidAt(shop.gateway)
    await redo(bench, { caps: { maxPaid: 1 } }, 'a', 'b')
    await redo(bench, more, 'c')
    expect(await redo(bench, {}, 'a', 'b')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(due)
    expect(await redo(bench, {}, 'a', 'b')).toMatchObject({ report: { paid: 2, exit: 0 } })
  })

  test('goes on by the names that jobs have by now', async () => {
    const bench = shop.copy()
    const before = paidAt(shop.gateway)
    await redo(bench, { caps: { maxPaid: 1 } }, 'a', 'b')
    bench.edit(manifestName, '  a: {', '  hero: {')
    expect(await redo(bench, {}, 'hero', 'b')).toMatchObject({ report: { paid: 1, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(2)
  })

  test('orders what it brought again when a later one has brought another since', async () => {
    const bench = shop.copy()
    await redo(bench, { caps: { maxPaid: 1 } }, 'a', 'b')
    await redo(bench, {}, 'a')
    expect(toldSteps(bench.plan({ redo: true, select: { words: ['a', 'b'] } }))).toMatchObject([
      /^buy a#4/,
      /^buy b#2/,
    ])
  })

  test('orders nothing anew of a job that it ordered as it was asked for, after an edit', async () => {
    const bench = shop.copy()
    const before = paidAt(shop.gateway)
    bench.edit(manifestName, 'A teapot a', 'A cup')
    await redo(bench, { caps: { maxPaid: 1 } })
    expect(await redo(bench)).toMatchObject({ report: { paid: 2, exit: 0 } })
    expect(paidAt(shop.gateway) - before).toBe(3)
  })
})

/** The process was killed before it wrote that its run had come to an end. */
function cutLastRecord({ folder }: Bench): void {
  const journals = join(folder, '.genrun/m/journal')
  const [file = ''] = readdirSync(journals).toSorted().toReversed()
  const text = readFileSync(join(journals, file), 'utf8')
  const end = text.lastIndexOf('\n')
  expect(text.slice(end)).toContain('"CLOSE"')
  writeFileSync(join(journals, file), text.slice(0, end))
}

describe('a take of `redo` that another run brings', () => {
  test('is picked by that run, which says so before', async () => {
    const { bench } = await stoppedInTheMiddle()
    const first = bench.bytes('out/m/b.png')
    expect(bench.plan().remarks).toEqual([
      '1 take is on the way since an earlier redo: picked when it is there, nothing is ordered; the older ones stay',
      expect.stringContaining('1 job was paid for by an earlier run'),
    ])
    await bench.run()
    expect(bench.bytes('out/m/takes/b.take1.png').equals(first)).toBe(true)
    expect(bench.bytes('out/m/b.png').equals(first)).toBe(false)
    expect(bench.plan().remarks).toEqual([])
  })

  test('is told, with what it replaces, by the names that both have in the end', async () => {
    const { bench } = await stoppedInTheMiddle()
    bench.edit(manifestName, '  b: {', '  z: {')
    expect(await bench.run()).toMatchObject({
      report: {
        jobs: expect.arrayContaining([
          expect.objectContaining({
            address: 'z',
            files: [expect.objectContaining({ path: 'takes/z.take1.png' })],
          }),
          expect.objectContaining({ address: 'z#2', files: [expect.objectContaining({ path: 'z.png' })] }),
        ]),
      },
    })
  })

  test('is accepted on its way with those that are there, and the same words go on with it', async () => {
    const { bench, paid } = await stoppedInTheMiddle()
    bench.edit(manifestName, 'A teapot b', 'A tea pot b')
    const accepted = await acceptJobs({ ...bench.request(), select: { words: ['b'] } })
    expect(accepted).toMatchObject({
      got: 'accepted',
      record: { accepted: [{ address: 'b' }, { address: 'b#2' }] },
    })
    expect(takes(bench)).toEqual(['keep a#2', 'resume b#2'])
    expect(await redo(bench, {}, 'b')).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(bench.has('out/m/takes/b.take1.png')).toBe(true)
    expect([paid(), toldSteps(bench.plan()).filter(told => !told.startsWith('keep'))]).toEqual([2, []])
  })

  test('is one among others where a person has picked meanwhile', async () => {
    const { bench } = await stoppedInTheMiddle()
    const first = bench.bytes('out/m/b.png')
    expect(await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'b' })).toMatchObject({
      got: 'picked',
    })
    await bench.run()
    expect(bench.bytes('out/m/b.png').equals(first)).toBe(true)
    expect(bench.has('out/m/takes/b.take2.png')).toBe(true)
  })

  test('stays the pick, alone, where the lock is put back that knew it on its way, and another take picked', async () => {
    const bench = shop.copy()
    await redo(bench, {}, 'b')
    const stop = new AbortController()
    await redo(bench, { stop: stop.signal, emit: told => told.event === 'accepted' && stop.abort() }, 'b')
    const lock = bench.read('m.lock.json')
    expect(takes(bench)).toEqual(['keep b#2', 'resume b#3'])
    await redo(bench, {}, 'b')
    const third = bench.bytes('out/m/b.png')
    bench.write('m.lock.json', lock)
    for (let nth = 0; nth < 2; nth++) {
      expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
      expect(bench.bytes('out/m/b.png').equals(third)).toBe(true)
      const picked = bench
        .read('m.lock.json')
        .split('\n')
        .filter(line => line.includes('"picked":true'))
      expect(picked).toEqual([expect.stringContaining('b#3')])
    }
  })

  test('is one among others where the lock was put back that does not know it', async () => {
    const before = shop.copy()
    const { bench } = await stoppedInTheMiddle()
    const first = bench.bytes('out/m/b.png')
    bench.write('m.lock.json', before.read('m.lock.json'))
    for (let nth = 0; nth < 2; nth++) {
      await bench.run()
      expect(bench.bytes('out/m/b.png').equals(first)).toBe(true)
    }
  })
})

test('of a first order that is on its way nobody hears of an earlier `redo`', async () => {
  const { bench } = await openBenchWith(
    'jobs:\n  a: { model: famc-v3, prompt: A teapot, duration: 3, timeout: 1s }\n',
    { faults: 'stall first=1' },
  )
  expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 1 } })
  const remarks = bench.plan({ redo: true, select: { words: ['a'] } }).remarks
  expect(remarks).toContain(
    '1 job is on the way and not finished: gone on with, and no other is ordered beside it',
  )
  expect(remarks.join()).not.toContain('earlier redo')
})

test('of a run whose job has left the manifest, status says how it is given up', async () => {
  const { bench } = await openBenchWith(
    'jobs:\n  a: { model: famc-v3, prompt: A teapot, duration: 3, timeout: 1s }\n',
    { faults: 'stall first=1' },
  )
  await bench.run()
  bench.write(manifestName, 'jobs:\n  b: { model: famc-v3, prompt: Another, duration: 3 }\n')
  expect(statusOf(bench.request())).toMatchObject({
    status: {
      open: [
        {
          address: 'a',
          ofNobody: true,
          remedy: expect.stringMatching(
            /^should it never come: genrun resolve m\.yaml a@\w+ --abandon gives it up$/,
          ),
        },
      ],
    },
  })
})

test('of another take that failed the plan names words that order it', async () => {
  const { bench } = await openBenchWith(
    `jobs:\n  a: { model: fama-imagine-image, prompt: A teapot, mode: submit, takes: 2 }\n`,
    { faults: 'fail first=2' },
  )
  expect(await bench.run()).toMatchObject({ report: { exit: 1 } })
  bench.edit(manifestName, ', takes: 2', '')
  expect(JSON.stringify(bench.plan().steps)).toContain('another take, which failed; `genrun redo m.yaml a`')
  expect(await redo(bench, {}, 'a')).toMatchObject({ report: { exit: 0 } })
})
