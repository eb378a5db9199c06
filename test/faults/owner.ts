import type { JobAddress } from '../../src/base/names.ts'
import type { Decision } from '../../src/base/state.ts'
import { groundUnderClaim } from '../../src/desk/carry/settle.ts'
import { decide } from '../../src/desk/resolve.ts'
import type { Report } from '../../src/desk/telling/report.ts'
import { livesUntil } from './life.ts'
import { machineFor } from './machine.ts'
import { playOut } from './process.ts'
import { place, type Scene } from './scene.ts'
import { isOwed } from './service.ts'
import { fair } from './weather.ts'

/**
 * The user looks at the service and says about every doubt what is true there, or does without whatever it is. True when
 * there were any.
 */
export async function settleDoubts(scene: Scene, report: Report): Promise<boolean> {
  // Whatever is still on its way arrives.
  scene.timeline.pass(60_000)
  const open = report.jobs.filter(job => job.ending === 'doubt')
  for (const { address } of open) {
    scene.counts.doubts.add(address)
    // Who threw the journal away looks more closely: genrun cannot know any more which files are its own.
    if (scene.counts.forgotten === 0 && scene.chance.hits(0.15)) await giveUp(scene, address)
    else await resolve(scene, address)
  }
  return open.length > 0
}

async function giveUp(scene: Scene, address: JobAddress): Promise<void> {
  const { service, witness, log } = scene
  log(`the user gives ${address} up`)
  witness.settles(address)
  for (const charge of service.chargesOf(address)) if (!charge.isDelivered) charge.isGivenUp = true
  await resolveAs(scene, address, { is: 'abandon' })
}

async function resolve(scene: Scene, address: JobAddress): Promise<void> {
  const { service, batch, witness, counts, log } = scene
  const good = service.chargesOf(address).filter(each => each.ends === 'well')
  // Who threw the journal away knows that the file may be there without genrun knowing it.
  const forgotten = counts.forgotten > 0 && good.length === 1 ? good[0] : undefined
  const charge = good.find(isOwed) ?? forgotten
  const run = charge && { workflow: batch.jobOf(address).model.id, id: charge.id }
  log(`the user decides about ${address}: ${run ? run.id : 'order again'}`)
  if (run) witness.tellsId(run.id)
  else witness.settles(address)
  await resolveAs(scene, address, run ? { is: 'adopt', run } : { is: 'rebuy' })
}

/** As `genrun resolve` does it. */
async function resolveAs(scene: Scene, address: JobAddress, decision: Decision): Promise<void> {
  const { layout, folders, batch } = scene
  const life = livesUntil()
  const ground = {
    manifest: batch.manifest(),
    place,
    layout,
    folders,
    warnings: [],
    profile: scene.profile,
    machine: machineFor(scene, { life, weather: fair }),
  }
  const deed = groundUnderClaim(ground, {}, async desk => {
    await decide(address, decision, desk)
    return 'decided' as const
  })
  const done = await playOut(scene, life, deed)
  if (done !== 'decided') scene.witness.accuse(`P2: ${address} cannot be resolved: ${JSON.stringify(done)}`)
}

/** Edits one prompt, or takes the edit back. */
export function editBatch({ batch, chance, log }: Scene): void {
  const { address, params } = chance.pick(batch.manifest().jobs)
  const prompt = params.prompt === address ? `${address} at night` : address
  batch.edit(address, prompt)
  log(`the user edits ${address}: ${prompt}`)
}
