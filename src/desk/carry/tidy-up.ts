import type { JobAddress } from '../../base/names.ts'
import type { LockEntry } from '../../base/state.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import { settlePick } from '../pick.ts'
import { completeRecipes } from './complete.ts'
import { fillCache } from './restore.ts'
import type { Run } from './run.ts'
import { keepSuperseded, supersededFiles } from './superseded.ts'
import { sweepSpool } from './sweep.ts'

/** What a run came to. */
export interface Harvest {
  /** The lock's lines before the first request. */
  readonly before: ReadonlyMap<JobAddress, LockEntry>
  readonly made: ReadonlySet<JobAddress>
  /** Takes that were ordered to be picked, and are there. */
  readonly chosen: readonly JobAddress[]
}

/** All that is left to do after the last request, in this order. What the first trouble with the disk was. */
export function tidyUp(run: Run, harvest: Harvest): Promise<string | undefined> {
  const { setting, drawn, book, journal, spool, claim } = run
  const { folders, machine, request } = setting
  return damageOf(
    () => completeRecipes(drawn.jobs, book, journal),
    () => keepReplaced(run, harvest),
    () => pickChosen(run, harvest),
    () => book.flush(),
    () => journal.close(),
    async () => sweepSpool(spool, folders.journal, machine.disk, { stop: request.stop, claim, journal }),
    () => shareResults(run),
  )
}

/**
 * Does one thing after the other, and says what the first trouble with the disk was. It comes too late to undo anything:
 * what was bought is told all the same, and the spool is left alone.
 */
async function damageOf(...deeds: readonly (() => Promise<void>)[]): Promise<string | undefined> {
  let damage: string | undefined
  for (const deed of deeds) {
    try {
      await deed()
    } catch (trouble) {
      if (!(trouble instanceof StorageTrouble)) throw trouble
      damage ??= trouble.message
    }
  }
  return damage
}

async function keepReplaced(run: Run, { before, made }: Harvest): Promise<void> {
  const { layout, folders, machine } = run.setting
  const files = supersededFiles(before, run.book.entries, made)
  if (files.length > 0 && mayMove(run)) await keepSuperseded(files, { layout, folders, disk: machine.disk })
}

async function pickChosen(run: Run, { chosen, made }: Harvest): Promise<void> {
  const { setting, recorded, journal, book } = run
  if (chosen.length === 0 || !mayMove(run)) return
  await settlePick(chosen, { ground: setting, wanted: {}, recorded, journal, book, made })
}

/** Nothing gets another name that could not be written down, and nothing that belongs to another genrun by now. */
function mayMove({ journal, claim }: Run): boolean {
  return !journal.broken && claim.isMine()
}

/** A cache that cannot be written harms nothing. */
async function shareResults({ setting, drawn, works, book }: Run): Promise<void> {
  const { cache, layout, machine } = setting
  if (!cache) return
  const restored = drawn.plan.steps.flatMap(step => (step.do === 'restore' ? [step.job.address] : []))
  const made = [...works.map(({ job }) => job.address), ...restored]
  await fillCache(made, { cache, book, layout, disk: machine.disk })
}
