import type { Decision, Purchase } from '../../src/base/purchase.ts'
import { purchaseLabel } from '../../src/base/purchase.ts'
import { workspaceUnderClaim } from '../../src/run/ledger/act-under-claim.ts'
import { decide } from '../../src/verbs/resolve.ts'
import type { Report } from '../../src/wording/report.ts'
import { strangersOn } from './judge.ts'
import { livesUntil } from './life.ts'
import { machineFor } from './machine.ts'
import { playOut } from './process.ts'
import { forgetUnnamed, lookFirst, recordsIn } from './records.ts'
import { origins, type Scene, workspaceOf } from './scene.ts'
import { hasFiles, isOwed } from './service.ts'
import { fair } from './weather.ts'

type Doubt = Purchase & { is: 'doubt' }

/**
 * The user looks at the service and says about every doubt what is true there, or does without whatever it is. True when
 * there were any.
 */
export async function settleDoubts(scene: Scene): Promise<boolean> {
  // Whatever is still on its way arrives.
  scene.timeline.pass(60_000)
  const before = scene.counts.doubts.size
  const life = livesUntil()
  const workspace = workspaceOf(scene, machineFor(scene, { life, weather: fair }))
  if (![...recordsIn(scene).values()].flat().some(({ is }) => is === 'doubt')) return false
  const action = workspaceUnderClaim(workspace, {}, async context => {
    const doubts = context.recorded.purchases.filter((each): each is Doubt => each.is === 'doubt')
    for (const doubt of doubts) await decide(doubt, decisionOn(scene, doubt), context)
    return doubts.length > 0
  })
  const done = await playOut(scene, life, action)
  if (typeof done === 'boolean') return done
  if (done?.got === 'refused' && clearTheWay(scene)) return true
  scene.witness.accuse(`P2: ${before} doubts and more cannot be resolved: ${JSON.stringify(done)}`)
  return false
}

function decisionOn(scene: Scene, doubt: Doubt): Decision {
  const { service, witness, counts, chance, log } = scene
  const label = purchaseLabel(doubt)
  counts.doubts.add(doubt.id)
  const charges = service.charges.filter(({ key }) => key === doubt.id)
  if (chance.hits(0.1)) {
    log(`the user gives ${label} up`)
    witness.settles(doubt.id)
    for (const charge of charges) if (!charge.isDelivered) charge.isGivenUp = true
    return { is: 'abandon' }
  }
  const good = charges.find(charge => isOwed(charge)) ?? charges.find(({ ends }) => hasFiles(ends))
  const isTaken =
    good &&
    recordsIn(scene)
      .get(doubt.id)
      ?.every(each => each.is === 'doubt') !== true
  log(`the user decides about ${label}: ${good && !isTaken ? good.serial : 'order again'}`)
  if (!good || isTaken) {
    witness.settles(doubt.id)
    return { is: 'over' }
  }
  const { origin, id } = good
  witness.tellsId(good)
  return { is: 'adopt', run: { workflow: doubt.recipe.model, id, origin } }
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
