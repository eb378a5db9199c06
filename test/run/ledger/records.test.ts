import { expect, test } from 'vitest'

import { type Digest, jobAddress, type PurchaseId } from '../../../src/base/names.ts'
import type { DonePurchase, JournalRecord, Purchase } from '../../../src/base/purchase.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { openLedger } from '../../../src/run/ledger/ledger.ts'
import { openRecords, openSaver } from '../../../src/run/ledger/records.ts'
import type { Claim } from '../../../src/store/claim/claim.ts'
import { writeAtomically } from '../../../src/store/files/atomic-write.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { newLock, writeLock } from '../../../src/store/lock/lock.ts'
import { noIndex } from '../../../src/store/lock/results.ts'
import type { Recorded, Workspace } from '../../../src/workspace/workspace.ts'
import { memoryDisk } from '../../store/memory-disk.ts'
import { handClock, named, run } from '../../store/records.ts'

const entry: DonePurchase = {
  id: named('k1'),
  address: jobAddress('hero'),
  is: 'done',
  recipe: { version: 1, model: 'famb-v3', params: {}, defaults: {}, inputs: {}, take: 1 },
  files: [{ path: 'stills/hero.png', digest: 'sha256:a' as Digest, bytes: 1, type: 'image/png' }],
}

const claim = { standing: () => 'mine', number: 1 } as unknown as Claim // all that is looked at

function recordedOf(purchases: readonly Purchase[], unwritten = purchases): Recorded {
  return {
    lock: newLock('t'),
    lockText: undefined,
    purchases,
    orderedAt: new Map(),
    unwritten: new Set(unwritten.map(({ id }) => id)),
    untold: [],
    overtaken: [],
    rescued: [],
    hidden: new Set(),
    skipped: new Set(),
    ages: { latest: 0, unknown: new Set() },
    delivered: [],
  }
}

function place() {
  const disk = memoryDisk()
  for (const folder of ['/out', '/out/stills', '/out/stills/sub']) disk.makeFolder(folder)
  const clock = handClock()
  // All that is looked at.
  const where = {
    layout: { output: '/out', lock: '/t.lock.json', state: '/.genrun/t', rehearsal: false },
    folders: { journal: '/.genrun/t/journal' },
    machine: { disk, clock, random: systemRandom },
  } as unknown as Workspace
  return { disk, clock, where }
}

/** What the disk is asked for when a run begins, and this is what the journal does not know. */
async function callsFor(unwritten: readonly Purchase[], its: Purchase = entry): Promise<readonly string[]> {
  const { disk, clock, where } = place()
  const before = disk.calls.length
  const recorded = recordedOf([its], unwritten)
  const saver = await openSaver(where, recorded, claim)
  await openLedger({ recorded, journal: { append: async () => undefined }, saver, clock }).flush()
  return disk.calls.slice(before)
}

const { files, ...order } = entry
const unusual: Purchase = {
  ...order,
  is: 'failed',
  flaw: { why: 'bad-media', message: '' },
  billed: 'yes',
  files,
}

test.each<[string, Purchase]>([
  ['that the job is done', entry],
  ['that they are no result', unusual],
])('names that a killed run gave its files are durable before the lock says %s', async (_, its) => {
  const [first, ...rest] = await callsFor([its], its)
  expect(first).toBe('sync /out/stills')
  expect(rest.some(call => call.includes('t.lock.json'))).toBe(true)
})

test('a run that came to its end has seen to that itself', async () => {
  expect(await callsFor([])).not.toContain('sync /out/stills')
})

test('what is aside has no names', async () => {
  const aside = { ...entry, aside: true } as const
  expect(await callsFor([aside], aside)).not.toContain('sync /out/stills')
})

test('a lock counts as seen when what it says stands in the journal, and not before', async () => {
  const { disk, where } = place()
  const lockText = 'the lock of another checkout'
  const lock = digestBytes(lockText)
  const seenWhen: boolean[] = []
  const told = { ...recordedOf([entry]), lockText, untold: [entry] }
  const journalOf = () =>
    Object.entries(disk.files()).flatMap(([path, text]) => (path.endsWith('.jnl') ? [text] : []))[0] ?? ''
  const records = await openRecords(where, told, claim)
  const text = journalOf()
  seenWhen.push(text.slice(0, text.indexOf('"STANDS"')).includes(lock), text.includes(lock))
  await records.close()
  expect(seenWhen).toEqual([false, true])
  const known = place()
  await openRecords(known.where, { ...recordedOf([entry]), lockText }, claim)
  expect(JSON.stringify(known.disk.files())).toContain(lock)
})

test('the journal is closed with the digest of the lock that it leaves', async () => {
  const { disk, where } = place()
  const records = await openRecords(where, recordedOf([entry]), claim)
  await records.ledger.stands({ ...entry, picked: true })
  await records.close()
  const [journal = ''] = Object.keys(disk.files()).filter(path => path.endsWith('.jnl'))
  const kinds = [...(disk.files()[journal] ?? '').matchAll(/"kind":"(\w+)"/g)].map(match => match[1])
  expect(kinds).toEqual(['OPEN', 'LOCK', 'STANDS', 'LOCK', 'CLOSE'])
  expect(disk.files()[journal]).toMatch(/"kind":"CLOSE","lock":"sha256:[0-9a-f]{64}"}$/)
  const lock = disk.files()['/t.lock.json'] ?? ''
  expect(lock).toContain('"picked":true')
  // A run that dies right after it wrote the lock is no stranger to it.
  expect(disk.files()[journal]).toContain(`"kind":"LOCK","lock":"${digestBytes(lock)}"`)
})

test.each([
  ['that run', 'r-1', { is: 'done', run: { id: 'r-1' } }],
  ['another run', 'r-2', { is: 'under-way', run: { id: 'r-1' } }],
])('what a lock that came meanwhile says of a purchase whose run is known: of %s', async (_, id, is) => {
  const { disk, where } = place()
  const underWay: Purchase = { ...order, is: 'under-way', run: run('r-1'), saved: [], parts: [] }
  const recorded = recordedOf([underWay])
  const records = await openRecords(where, recorded, claim)
  await records.ledger.flush()
  const files = entry.files.map(file => ({ ...file, digest: digestBytes('a') }))
  const came = writeLock({ ...recorded.lock, jobs: [{ ...entry, files, run: run(id) }] })
  await writeAtomically(disk, '/t.lock.json', came)
  await records.ledger.stands({ ...underWay, credits: 1 })
  await records.ledger.flush()
  expect(records.ledger.purchases.get(entry.id)).toMatchObject(is)
  await records.close()
  expect(disk.files()['/t.lock.json']).toContain('"id":"r-1"')
  expect(disk.files()['/t.lock.json']).not.toContain('r-2')
})

test('a lock that another genrun keeps by now is left alone', async () => {
  const { disk, where } = place()
  let standing: ReturnType<Claim['standing']> = 'mine'
  const lost = { standing: () => standing, isMine: () => standing === 'mine', number: 1 } as unknown as Claim
  const records = await openRecords(where, recordedOf([entry]), lost)
  await records.ledger.flush()
  const before = disk.files()['/t.lock.json']
  standing = 'taken'
  await records.ledger.stands({ ...entry, picked: true })
  await records.close()
  expect(disk.files()['/t.lock.json']).toBe(before)
  expect(before).not.toContain('picked')
  // What is known beyond it is left beside the journal, for whoever has the claim next.
  const [left] = Object.entries(disk.files()).filter(([path]) => path.endsWith('.overtaken'))
  expect(left?.[1]).toContain('"picked":true')
})

test('where the claim is gone by now nothing is made anew in its place', async () => {
  const { disk, where } = place()
  const gone = { standing: () => 'vanished', number: 1 } as unknown as Claim // all that is looked at
  await expect(openRecords(where, recordedOf([entry]), gone)).rejects.toThrow('it was moved or removed')
  expect(disk.files()).toEqual({})
})

test('a decision that the journal did not take is none: the order is in doubt as before', async () => {
  const { clock, where } = place()
  const { files: _, ...ordered } = entry
  const doubt = { ...ordered, is: 'doubt', detail: 'no answer', raws: [] } as const
  const recorded = recordedOf([doubt])
  const saver = await openSaver(where, recorded, claim)
  const written: string[] = []
  const append = async ({ kind }: { readonly kind: string }) => {
    written.push(kind)
    if (kind === 'RESOLVE') throw new StorageError('j', 'write', 'no space left on the disk', 'ENOSPC')
  }
  const ledger = openLedger({ recorded, journal: { append }, saver, clock })
  const decision = { kind: 'RESOLVE', purchase: doubt.id, decision: { is: 'over' } } as const
  await expect(ledger.append(decision)).rejects.toThrow(StorageError)
  expect(ledger.purchases.get(doubt.id)).toEqual(doubt)
  expect(written).toEqual(['RESOLVE', 'STANDS'])
})

test('the index of results hears of orders before they leave and not before the journal has them, of those that come together at once', async () => {
  const { clock, where } = place()
  const recorded = recordedOf([])
  const saver = await openSaver(where, recorded, claim)
  const told: string[][] = []
  const index = { ...noIndex, note: (all: readonly Purchase[]) => void told.push(all.map(({ id }) => id)) }
  let sync: (() => void) | undefined
  const synced = new Promise<void>(done => {
    sync = done
  })
  const append = ({ kind }: { readonly kind: string }) => (kind === 'SENDING' ? synced : Promise.resolve())
  const ledger = openLedger({ recorded, journal: { append }, saver, clock, index })
  told.length = 0
  const ids = ['k1', 'k2', 'k3'].map(named)
  for (const purchase of ids) await ledger.append(intentOf(purchase))
  const sent = ids.map(async purchase => {
    await ledger.append({ kind: 'SENDING', purchase, attempt: 'a' })
    // Here its first byte would leave.
    expect(told.flat()).toContain(purchase)
  })
  await Promise.resolve()
  expect(told).toEqual([])
  sync?.()
  await Promise.all(sent)
  expect(told).toEqual([ids])
})

function intentOf(purchase: PurchaseId): JournalRecord {
  const { address, recipe } = entry
  const about = { workflow: 'w', mode: 'execute', origin: 'http://s', request: 'sha256:r' as Digest } as const
  return { kind: 'INTENT', purchase, attempt: 'a', address, recipe, ...about }
}
