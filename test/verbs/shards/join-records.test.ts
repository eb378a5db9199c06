import { expect, test } from 'vitest'
import { jobAddress, type PurchaseId, purchaseId } from '../../../src/base/names.ts'
import { orderOf, type Purchase } from '../../../src/base/purchase.ts'
import { joinRecords } from '../../../src/verbs/shards/join-records.ts'
import { done, failed, job } from '../../plan/world.ts'

const id = purchaseId('a'.repeat(32)) as PurchaseId // well formed
const take = job('hero#2', { prompt: 'tea' }, { take: 2 })
const wish: Purchase = { ...orderOf(done(take, { id })), resubmitted: true, is: 'open' }
const made = done(take, { id })
const refused = failed(take, { id, billed: 'no', resubmitted: true })

test.each<[string, Purchase[], Purchase[], readonly Purchase[]]>([
  ['a shard is told', [], [wish], [wish]],
  ['a shard is told, and was refused there,', [wish], [refused], [refused]],
  ['the whole is told, and no shard has ordered,', [wish], [], []],
  ['a shard has ordered, and made,', [wish], [made], [made]],
  ['the whole has made meanwhile', [made], [wish], []],
])('what a person waits for that %s is waited for until it is paid for', (_, whole, shard, news) => {
  const source = (purchases: Purchase[]) => ({ name: '', purchases, over: new Set<PurchaseId>() })
  const sight = { wanted: new Set([jobAddress('hero')]), areThere: () => true }
  expect(joinRecords(source(whole), [source(shard)], sight).news).toEqual(news)
})

const placed = done(take, { id, picked: true })
const aside = { ...placed, aside: true } as const
const nowhere = () => false
const everywhere = () => true

test.each<[string, Purchase, Purchase[], () => boolean, readonly Purchase[]]>([
  ['has put it aside, and its files are gone from where they were', placed, [aside], nowhere, [aside]],
  ['has put it aside, and the next one does not know', placed, [aside, placed], nowhere, [aside]],
  ['does not know that it was put aside', aside, [placed], nowhere, []],
  ['had it aside, and it lies where it says', placed, [aside], everywhere, []],
  ['gave it its name back', aside, [placed], everywhere, [placed]],
])('a shard that %s: where the files are says which of them knows', (_, whole, shards, areThere, news) => {
  const source = (purchases: Purchase[]) => ({ name: '', purchases, over: new Set<PurchaseId>() })
  const sight = { wanted: new Set([jobAddress('hero')]), areThere }
  const told = shards.map(each => source([each]))
  expect(joinRecords(source([whole]), told, sight).news).toEqual(news)
})
