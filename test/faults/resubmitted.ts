import type { JobAddress, PurchaseId } from '../../src/base/names.ts'
import { sortOfJob, takeIn } from './asked.ts'
import type { Life } from './life.ts'
import { type Doubt, doubtsIn, givenUpIn, overIn } from './records.ts'
import type { Scene } from './scene.ts'
import { type Attempt, hasFailed, type Ordering, type Wish } from './witness.ts'

/** What a process that died had given up: a power cut may take that back. */
interface GivenUp {
  readonly id: PurchaseId
  readonly attempts: readonly Attempt[]
  readonly begun: Wish | undefined
  readonly ended: Wish | undefined
}

const byDead = new WeakMap<Scene, GivenUp[]>()

/** Orders that are about to leave: they share a write. */
const leaving = new WeakMap<Scene, Set<Ordering>>()

/**
 * Has an order written down. What was in doubt and is given up in the same write asks for the same as an order that leaves
 * with it, or was for its job.
 */
export async function writeDown<T>(
  scene: Scene,
  { order, life }: { readonly order: Ordering; readonly life: Life },
  write: () => Promise<T>,
): Promise<T> {
  const orders = leaving.get(scene) ?? new Set()
  leaving.set(scene, orders.add(order))
  try {
    return await write()
  } finally {
    // What a dead one left is looked at when all of it is there.
    if (life.isAlive()) {
      for (const [id, doubt] of givenUpNow(scene)) {
        const what = scene.witness.tried(id)?.what
        const isFor = ({ job }: Ordering) => doubt.some(({ address }) => address === job)
        if (![...orders].some(each => isFor(each) || each.what === what))
          scene.witness.accuse(`P2: the order of ${doubt[0].address} was given up for one of ${order.job}`)
        if (overIn(scene).has(id) && ![...orders].some(each => each.what === what))
          scene.witness.accuse(
            `P1: the order of ${doubt[0].address} is over, and what it asked for was not ordered`,
          )
        giveUp(scene, id, doubt)
      }
      orders.delete(order)
    }
  }
}

/** Nothing is given up for nothing, but by a process that died in the middle. */
export function judgeGivenUp(scene: Scene, hasEnded: boolean): void {
  for (const [id, doubt] of givenUpNow(scene)) {
    if (hasEnded) scene.witness.accuse(`P2: the order of ${doubt[0].address} was given up for nothing`)
    byDead.set(scene, [...(byDead.get(scene) ?? []), giveUp(scene, id, doubt)])
  }
  scene.present.resubmitted = new Map()
  leaving.delete(scene)
}

/** What was not synced yet is in doubt again. */
export function takeBackGivenUp(scene: Scene): void {
  const doubts = doubtsIn(scene)
  for (const { id, attempts, begun, ended } of byDead.get(scene) ?? []) {
    if (!doubts.has(id)) continue
    for (const attempt of attempts) {
      attempt.isOver = false
      attempt.isGivenUp = false
    }
    for (const charge of scene.service.charges) if (charge.key === id) charge.isGivenUp = false
    if (begun) scene.witness.unwishes(begun)
    if (ended) scene.witness.wishes(ended)
  }
  byDead.delete(scene)
}

function givenUpNow(scene: Scene): (readonly [PurchaseId, Doubt])[] {
  const { resubmitted } = scene.present
  if (resubmitted.size === 0) return []
  const [over, others] = [overIn(scene), givenUpIn(scene)]
  return [...resubmitted].filter(([id]) => over.has(id) || others.has(id))
}

function giveUp(scene: Scene, id: PurchaseId, [{ address }]: Doubt): GivenUp {
  const { witness, service, present, log } = scene
  log(`  ${id.slice(0, 6)} of ${address} is given up`)
  present.resubmitted = new Map([...present.resubmitted].filter(([other]) => other !== id))
  const attempts = witness.attempts.filter(each => each.key === id && !each.isOver)
  // For something else: what it asked for is held from then on.
  const isOther = givenUpIn(scene).has(id)
  if (isOther) for (const attempt of attempts) attempt.isGivenUp = true
  else witness.settles(id)
  for (const charge of service.charges) if (charge.key === id && !charge.isDelivered) charge.isGivenUp = true
  // What it was sent in the place of has failed before, and is settled with it.
  const what = witness.tried(id)?.what
  for (const each of isOther ? [] : witness.attempts)
    if (each.what === what && each.charge && hasFailed(each.charge)) each.isOver = true
  const ended = witness.wished.find(each => each.id === id)
  if (ended) witness.unwishes(ended)
  // What leaves in its place is that: whoever settles it has settled the wish. In the place of two it is one wish.
  const order = [...(leaving.get(scene) ?? [])].find(each => each.what === what)
  const isKnown = order && witness.wished.some(each => each.id === order.key)
  const begun = isKnown ? undefined : wishFor(scene, id, address)
  if (begun && order) begun.id = order.key as PurchaseId // the key is the purchase's name
  if (begun) witness.wishes(begun)
  return { id, attempts, begun, ended }
}

/** Of a take that the manifest does not ask for nothing else would tell that it is wanted. */
function wishFor({ batch, witness }: Scene, id: PurchaseId, address: JobAddress): Wish | undefined {
  const { jobs } = batch.manifest()
  const take = takeIn(address)
  const asked = witness.tried(id)
  if (take === 1 || !asked) return undefined
  // By whatever name they have now.
  if (jobs.some(job => job.address === address || sortOfJob(job) === asked.sort)) return undefined
  const base = jobs.find(job => job.take === 1 && sortOfJob(job, take) === asked.sort)
  return base && { what: asked.what, sort: asked.sort, family: base.address, isCertain: true }
}
