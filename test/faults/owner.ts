import type { JobAddress } from '../../src/base/names.ts'
import type { Decision, DonePurchase, Purchase } from '../../src/base/purchase.ts'
import { isResubmitted, purchaseLabel } from '../../src/base/purchase.ts'
import type { Recipe } from '../../src/base/state.ts'
import { firstTake, takeWord } from '../../src/plan/picks.ts'
import { sameRecipe } from '../../src/plan/shapes/recipe.ts'
import { restBase } from '../../src/plan/shapes/share.ts'
import { type ClaimContext, workspaceUnderClaim } from '../../src/run/ledger/act-under-claim.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { acceptPlanned } from '../../src/verbs/accept.ts'
import { asSeen, type Unfinished } from '../../src/verbs/orders/matched-orders.ts'
import { pickPlanned } from '../../src/verbs/pick.ts'
import { decide } from '../../src/verbs/resolve.ts'
import type { Report } from '../../src/wording/report.ts'
import type { PlanOptions } from '../../src/workspace/workspace.ts'
import { sortOfJob, takeIn } from './asked.ts'
import { familyOf, withPrompt } from './batch.ts'
import { strangersOn } from './judge.ts'
import { livesUntil } from './life.ts'
import { machineFor } from './machine.ts'
import { playOut } from './process.ts'
import { forgetUnnamed, isWhole, lookFirst, recordsIn } from './records.ts'
import { origins, type Scene, workspaceOf } from './scene.ts'
import { type Charge, fileBytes, hasFiles, isOwed } from './service.ts'
import { fair } from './weather.ts'
import type { Wish } from './witness.ts'

type Doubt = Purchase & { is: 'doubt' }

/** A verb that a person says in fair weather. Undefined when its process died. */
function say<T>(
  scene: Scene,
  options: PlanOptions,
  action: (context: ClaimContext) => Promise<T>,
  fate: Parameters<typeof livesUntil>[0] = {},
) {
  const life = livesUntil(fate)
  const workspace = workspaceOf(scene, machineFor(scene, { life, weather: fair }))
  return playOut(scene, life, workspaceUnderClaim(workspace, options, action))
}

/** Some verbs die before they are done. */
function drawFate({ chance }: Scene): Parameters<typeof livesUntil>[0] {
  return chance.hits(0.2) ? { diesAt: chance.whole(1, 60) } : {}
}

/**
 * The user looks at the service and says about every doubt what is true there, or does without whatever it is. True when
 * there were any.
 */
export async function settleDoubts(scene: Scene): Promise<boolean> {
  // Whatever is still on its way arrives.
  scene.timeline.pass(60_000)
  const before = scene.counts.doubts.size
  if (![...recordsIn(scene).values()].flat().some(({ is }) => is === 'doubt')) return false
  const settled: Settled[] = []
  const done = await say(scene, {}, async context => {
    const doubts = asSeen(context).filter((each): each is Doubt => each.is === 'doubt')
    for (const doubt of doubts) settled.push(await settle(scene, doubt, decisionOn(scene, doubt), context))
    return doubts.length > 0
  })
  hasSaid(scene, settled)
  if (typeof done === 'boolean') return done
  if (done?.got === 'refused' && clearTheWay(scene)) return true
  scene.witness.accuse(`P2: ${before} doubts and more cannot be resolved: ${JSON.stringify(done)}`)
  return false
}

/** The user says something about one order that is open, or came to nothing: what is true there, or what it should be. */
export async function settleOne(scene: Scene): Promise<void> {
  const { chance } = scene
  scene.timeline.pass(60_000)
  const isNamed = (each: Purchase): each is Unfinished =>
    each.is === 'doubt' ||
    each.is === 'failed' ||
    isResubmitted(each) ||
    (each.is === 'under-way' && chance.hits(0.1))
  const settled: Settled[] = []
  const action = async (context: ClaimContext) => {
    const open = asSeen(context).filter(isNamed)
    // Of these there are few.
    const takes = open.filter(({ address }) => takeIn(address) > 1)
    if (open.length === 0) return true
    const order = chance.pick(takes.length > 0 ? takes : open)
    const word = chance.weighed({ truth: 3, anew: 5, up: 1 })
    const isTold = word === 'truth' && order.is === 'doubt'
    const decision = isTold ? decisionOn(scene, order) : ({ is: word === 'up' ? 'abandon' : 'over' } as const)
    settled.push(await settle(scene, order, decision, context))
    return true
  }
  if ((await say(scene, {}, action, drawFate(scene))) === true) hasSaid(scene, settled)
}

/** What a word made of wishes, once it is written down. */
interface Settled {
  readonly begun?: Wish
  readonly ended?: Wish
  readonly adopted?: Charge
}

function hasSaid({ witness }: Scene, settled: readonly Settled[]): void {
  for (const { begun, ended, adopted } of settled) {
    if (adopted) witness.tellsId(adopted)
    if (begun) begun.isCertain = true
    if (ended) witness.unwishes(ended)
  }
}

/** Writes a decision down, and what it means for whoever watches. */
async function settle(
  scene: Scene,
  order: Unfinished,
  decision: Decision,
  context: ClaimContext,
): Promise<Settled> {
  const { witness, service, log, batch } = scene
  log(`the user says of ${purchaseLabel(order)}: ${decision.is}`)
  if (decision.is === 'adopt') {
    await decide(order, decision, context)
    const adopted = service.runAt(decision.run.origin ?? '', decision.run.id)
    return { ...(adopted && { adopted }) }
  }
  const { id, address, recipe } = order
  // Its id is told, as nothing else names it from now on.
  if ('run' in order && order.run) witness.tellsId({ origin: scene.present.origin, ...order.run }, false)
  const names = new Set(batch.manifest().jobs.map(job => job.address))
  const alike = [...context.ledger.purchases.values()].filter(
    each => each.id !== id && sameRecipe(each.recipe, recipe),
  )
  // Who orders anew is done with what failed of the same before.
  const others = alike.filter(each => each.address === address)
  const failed = others.filter(({ is }) => is === 'failed')
  const settled = new Set([id, ...(decision.is === 'over' ? failed.map(each => each.id) : [])])
  for (const key of settled) {
    witness.settles(key)
    for (const charge of service.charges)
      if (charge.key === key && !isWhole(charge, scene)) charge.isGivenUp = true
  }
  const isFurther = takeIn(address) > 1 && !names.has(restBase(address)) && names.has(firstTake(address))
  const ended = witness.wished.find(each => each.id === id)
  const asked = ended ?? witness.tried(id)
  // What was about to leave in its place, and did not, waits for its turn by itself.
  const waits = others.find(isResubmitted)
  const isKnown = waits && witness.wished.some(each => each.id === waits.id)
  // Also under a name that the job had.
  const isIts = (other: JobAddress) => other === address || !names.has(firstTake(other))
  const isLive = ({ is }: Purchase) => is !== 'open' && is !== 'failed'
  const hasOther = isKnown || alike.some(each => isIts(each.address) && isLive(each))
  const isWish = decision.is === 'over' && isFurther && asked && !hasOther
  const begun: Wish | undefined = isWish
    ? { what: asked.what, sort: asked.sort, family: firstTake(address), isCertain: false }
    : undefined
  if (begun && waits) begun.id = waits.id
  if (begun) witness.wishes(begun)
  // It may die when that is written, and not be heard of.
  if (ended) ended.isCertain = false
  const before = new Set(context.ledger.purchases.keys())
  await decide(order, decision, context)
  const written = [...context.ledger.purchases.values()].find(each => !before.has(each.id))
  if (begun && written) begun.id = written.id
  return { ...(begun && { begun }), ...(ended && { ended }) }
}

function decisionOn(scene: Scene, doubt: Doubt): Decision {
  const { service, witness, counts, chance } = scene
  counts.doubts.add(doubt.id)
  if (chance.hits(0.1)) return { is: 'abandon' }
  const charges = service.charges.filter(({ key }) => key === doubt.id)
  const good = charges.find(charge => isOwed(charge)) ?? charges.find(({ ends }) => hasFiles(ends))
  const isTaken =
    good &&
    recordsIn(scene)
      .get(doubt.id)
      ?.every(each => each.is === 'doubt') !== true
  if (!good || isTaken) return { is: 'over' }
  const { origin, id } = good
  // Whether it is written down is another question.
  witness.tellsId(good, false)
  return { is: 'adopt', run: { workflow: doubt.recipe.model, id, origin } }
}

/** The user takes what a job has for what it asks for now. */
export async function acceptOne(scene: Scene): Promise<void> {
  const { batch, chance, witness, log } = scene
  const { jobs } = batch.manifest()
  const family = familyOf(chance.pick(jobs))
  if (chance.hits(0.5)) batch.change(withPrompt(jobs, family, `${family} by day`))
  const options = { accept: true, select: { words: [family] } }
  const taken: { isOver: boolean }[] = []
  const action = async (context: ClaimContext) => {
    for (const step of context.planned.plan.steps) {
      if (step.do !== 'adopt' || !step.accepted || !step.entry.acceptedAs) continue
      const sort = sortOfJob(step.job)
      log(`the user takes ${purchaseLabel(step.entry)} for what ${step.job.address} asks for`)
      const what = `${sort} ${inputsIn(scene, step.entry.acceptedAs)}`
      taken.push(...witness.takesFor(orderOf(scene, step.entry), { sort, what }))
    }
    return (await acceptPlanned(context)).got
  }
  const done = await say(scene, options, action, drawFate(scene))
  // Nobody knows what of it was written down.
  if (done !== 'accepted') for (const attempt of taken) attempt.isOver = true
}

/** The key of the order that brought a result: what came from a cache has an id of its own. */
function orderOf(scene: Scene, { id, files }: DonePurchase): string {
  if (scene.witness.attempts.some(({ key }) => key === id)) return id
  return filesMade(scene).find(({ digest }) => files[0]?.digest === digest)?.key ?? id
}

function filesMade({ service }: Scene) {
  return service.charges.flatMap(({ serial, count, key }) =>
    Array.from({ length: count }, (_, nth) => ({
      digest: digestBytes(fileBytes(serial, nth)),
      name: `${serial} ${nth}`,
      key,
    })),
  )
}

/** Which files of which orders a recipe names, as `askedBy` has them. */
function inputsIn(scene: Scene, { inputs }: Recipe): string {
  const digests = Object.values(inputs).flat()
  const made = filesMade(scene)
  return digests.map(digest => made.find(each => each.digest === digest)?.name ?? 'unknown').join()
}

/** The user picks a take that is there, or takes a pick back. */
export async function pickOne(scene: Scene): Promise<void> {
  const { chance, log } = scene
  const action = async (context: ClaimContext) => {
    const there = [...context.ledger.purchases.values()].filter(each => each.is === 'done' && !each.aside)
    const families = new Set(
      there.flatMap(({ address }) => (takeIn(address) > 1 ? [firstTake(address)] : [])),
    )
    const takes = there.map(each => each.address).filter(address => families.has(firstTake(address)))
    if (takes.length === 0) return 'nothing'
    const address = chance.pick(takes)
    const words = chance.hits(0.15) ? { none: [firstTake(address)] } : { address: takeWord(address) }
    log('the user picks', words)
    return (await pickPlanned(context, words)).got
  }
  await say(scene, {}, action, drawFate(scene))
}

/** What genrun cannot know makes room: the user moves it away. True when there was anything. */
export function clearTheWay(scene: Scene): boolean {
  const strangers = strangersOn(scene)
  if (strangers.length === 0) return false
  const before = lookFirst(scene)
  for (const path of strangers) {
    scene.log(`the user moves ${path} away`)
    scene.medium.drop(path)
  }
  forgetUnnamed(scene, before)
  return true
}

/** A service that a run waits for, or a file that is gone, when that is not the one that is asked now. */
export function originOwing(scene: Scene, { jobs }: Report): string | undefined {
  const other = origins.find(origin => origin !== scene.present.origin)
  if (jobs.some(({ ending, message }) => ending === 'held' && message?.endsWith('is asked now'))) return other
  const runs = [...recordsIn(scene).values()].flatMap(each => {
    const last = each.at(-1)
    return last?.is === 'under-way' && last.run ? [last.run.origin ?? origins[0]] : []
  })
  return runs.find(origin => origin !== scene.present.origin)
}
