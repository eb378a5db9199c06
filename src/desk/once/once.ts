import { join } from 'node:path'
import type { Failure } from '../../base/failure.ts'
import type { JobState } from '../../base/state.ts'
import { runEngine } from '../../engine/engine.ts'
import type { Event } from '../../engine/event.ts'
import { usualLimits } from '../../engine/slots.ts'
import type { Work, World } from '../../engine/world.ts'
import type { Job } from '../../manifest/job.ts'
import type { Journal } from '../../store/journal.ts'
import { openParts } from '../../store/parts.ts'
import { openSpool } from '../../store/spool.ts'
import type { Profile } from '../../wire/profile.ts'
import { countRequests } from '../carry/count.ts'
import { withinGrace } from '../carry/grace.ts'
import { saveFiles } from '../carry/save.ts'
import { openUploads } from '../carry/uploads.ts'
import type { Verify } from '../carry/verifies.ts'
import { prepareWork } from '../draw/prepare.ts'
import type { Purse } from '../draw/purse.ts'
import type { Machine } from '../ground/machine.ts'
import { pollFloorMs, type Service } from '../ground/service.ts'

/** One job and all that it is carried out with. Folders are absolute. */
export interface Once {
  readonly job: Job
  readonly cwd: string
  readonly output: string
  readonly scratch: string
  readonly service: Service
  readonly profile: Profile
  readonly purse: Purse
  readonly machine: Machine
  readonly tell: (event: Event) => void
  readonly stop: AbortSignal
  readonly verify?: Verify | undefined
  /** Where to begin; an order when it is absent. */
  readonly start?: Work['start']
  /** What is written down on the way; nothing is when it is absent, and then a killed process loses what it paid for. */
  readonly journal?: Journal
}

export interface Outcome {
  readonly state: JobState
  readonly paid: number
  readonly requests: number
  readonly credits?: number
}

/** Carries one job out by the same engine as a manifest, without lock. Closes the journal when nothing more can come. */
export async function carryOutOnce(once: Once): Promise<Outcome> {
  const { job, service, profile, purse, machine, stop, start } = once
  const { clock, random } = machine
  const spool = openSpool(join(once.scratch, 'spool'), machine.disk)
  const wire = machine.connect(service, spool.sink, profile)
  const counted = countRequests(purse.watch(wire))
  const told = new Map<Event['event'], Event>()
  const tell = (event: Event) => {
    told.set(event.event, event)
    once.tell(event)
  }
  const world = worldOnce({ ...once, tell }, counted.wire)
  const ready = { is: 'ready', tries: 0, notBefore: clock.now() } as const
  const work: Work = {
    job,
    start: start ?? ready,
    key: random.token(),
    ...(start && { recipe: recipeOf(job) }),
  }
  try {
    const engine = runEngine([work], world, usualLimits)
    // After a stop an answer may still come, and is written down then.
    const closed = closeAfter(engine, once.journal)
    const outcomes = await withinGrace(engine, { stop, clock })
    if (outcomes) await closed
    const state = outcomes?.get(job.address) ?? unseenEnd(told)
    const credits = purse.credits()
    return { state, ...counted.counts(), ...(credits !== undefined && { credits }) }
  } finally {
    await wire.close()
  }
}

function worldOnce(once: Once, wire: World['wire']): World {
  const { job, cwd, output, service, profile, purse, machine, tell, stop, scratch, verify } = once
  const { clock, random, disk, measure } = machine
  const journal = once.journal ?? { append: async () => undefined }
  const layout = { output, lock: '', state: scratch, rehearsal: service.rehearsal }
  const larder = {
    place: { manifest: '', folder: cwd, root: cwd, stem: '' },
    layout,
    disk,
    made: () => undefined,
    files: profile.request.files,
    ...(profile.upload && wire.upload && { uploads: openUploads({ wire, clock, random, disk, stop, tell }) }),
  }
  const porter = {
    wire,
    journal,
    layout,
    kept: join(scratch, 'kept'),
    isOurs: () => false,
    disk,
    measure,
    parts: openParts({ folder: scratch, owner: scratch, token: random.token(), disk }),
    verify,
  }
  // Its journal is its own: there is no claim that could be lost.
  const revoked = (): Failure | undefined => (stop.aborted ? { why: 'stopped' } : unwritten(once.journal))
  return {
    clock,
    random,
    wire,
    journal,
    stop,
    tell,
    pollFloorMs: pollFloorMs(service),
    gate: () => revoked() ?? purse.take(job),
    revoked,
    async prepare(work) {
      const unpaid = purse.check(job)
      return unpaid ? { got: 'held-back', failure: unpaid } : prepareWork(work, larder)
    },
    save: (_work, files, _recipe, signal) => saveFiles(job, files, porter, { signal }),
    keep: () => undefined,
  }
}

/** A journal that breaks at its end was told of when it broke, or holds nothing that is owed. */
async function closeAfter(work: Promise<unknown>, journal: Journal | undefined): Promise<void> {
  await work.catch(() => undefined)
  await journal?.close().catch(() => undefined)
}

/** What cannot be written down is not bought. */
function unwritten(journal: Journal | undefined): Failure | undefined {
  const broken = journal?.broken
  return broken && { why: 'unsaved', path: broken.path, detail: broken.detail }
}

function unseenEnd(told: ReadonlyMap<Event['event'], Event>): JobState {
  const accepted = told.get('accepted')
  if (accepted?.event === 'accepted')
    return { is: 'detached', run: accepted.run, because: { why: 'stopped' } }
  if (told.has('sending')) return { is: 'doubt', detail: 'it was stopped before an answer came' }
  return { is: 'skipped', because: { why: 'stopped' } }
}

/** Only the name of what was made: nothing is compared with it. */
function recipeOf({ model, params }: Job): NonNullable<Work['recipe']> {
  return { version: 1, model: model.id, params, defaults: {}, inputs: {}, take: 1 }
}
