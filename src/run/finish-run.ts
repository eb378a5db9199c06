import type { JobAddress } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import { firstTake } from '../plan/picks.ts'
import { sameRecipe } from '../plan/shapes/recipe.ts'
import { findSaved } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { lostClaim } from './gate.ts'
import { putAside, replacedFiles } from './results/aside.ts'
import { completeRecipes } from './results/complete.ts'
import { publishResults } from './results/publish.ts'
import { fillCache, owedTo } from './results/restore.ts'
import { keepStrays } from './results/strays.ts'
import type { Run } from './run.ts'
import { settlePick } from './settle-pick.ts'
import { sweepSpool } from './sweep.ts'

/** What a run came to. */
interface RunOutcome {
  readonly made: ReadonlySet<JobAddress>
  /** Takes that were ordered to be picked, and are there. */
  readonly chosen: readonly JobAddress[]
  /** Takes that were ordered to be picked, and are not: a person has chosen another one meanwhile. */
  readonly passedOver: readonly JobAddress[]
  /** Not ordered because the buying had ended: `--failed` takes it along. */
  readonly skipped: readonly JobAddress[]
}

interface Finished {
  /** The first trouble with the disk. */
  readonly damage: string | undefined
  /** Why not everything is published. */
  readonly unpublished: string | undefined
}

/** All that is left to do after the last request, in this order. */
export async function finishRun(run: Run, outcome: RunOutcome): Promise<Finished> {
  const { setting, planned, ledger, journal, spool, claim } = run
  const { request } = setting
  let unpublished: string | undefined
  const damage = await damageOf(
    () => (journal.broken ? Promise.resolve() : completeRecipes(planned.jobs, ledger)),
    () => keepReplaced(run, outcome),
    () => keepStrays({ ...run, mayMove: () => mayMove(run) }),
    () => keepUnpicked(run, outcome),
    () => pickChosen(run, outcome),
    async () => {
      if (mayMove(run)) unpublished = await publishResults(setting, planned.plan, ledger)
    },
    () => run.closeRecords(outcome.skipped),
    async () =>
      sweepSpool(spool, ledger.purchases.values(), { stop: request.stop, claim, journal, ledger, spool }),
  )
  return { damage, unpublished }
}

/**
 * Does one thing after the other, and says what the first trouble with the disk was. It comes too late to undo anything:
 * what was bought is told all the same, and the spool is left alone.
 */
async function damageOf(...deeds: readonly (() => Promise<void>)[]): Promise<string | undefined> {
  let damage: string | undefined
  for (const action of deeds) {
    try {
      await action()
    } catch (trouble) {
      if (!(trouble instanceof StorageError)) throw trouble
      damage ??= trouble.message
    }
  }
  return damage
}

/** Files of jobs that were made anew, under names that nothing has any more: nobody would know later whose they are. */
async function keepReplaced(run: Run, { made }: RunOutcome): Promise<void> {
  const { setting, ledger } = run
  const { layout, folders, machine } = setting
  for (const purchase of replacedFiles(ledger, made)) {
    if (!mayMove(run)) return
    // Bought again because nothing of it was left: there is nothing to put aside, and nobody will ask for it. What the service still
    // has is another's of the same, and may be asked for.
    const cannotCome = purchase.isGone === true || purchase.run === undefined
    const isLost =
      cannotCome && purchase.files.every(file => findSaved(file, layout.output, machine.disk) === 'missing')
    const present = ledger.made(purchase.address)
    if (isLost && present && sameRecipe(present.recipe, purchase.recipe))
      await ledger.append({ kind: 'RESOLVE', purchase: purchase.id, decision: { is: 'over' } })
    else await putAside(purchase, { layout, folders, ledger, disk: machine.disk })
  }
}

/** A take whose pick ended with what its job asked for: under the job's name it would look like what is asked for now. */
async function keepUnpicked(run: Run, { made }: RunOutcome): Promise<void> {
  const { setting, planned, ledger } = run
  const { layout, folders, machine } = setting
  for (const address of planned.unpicked) {
    if (!made.has(firstTake(address)) || !mayMove(run)) continue
    const picked = [...ledger.purchases.values()].filter(each => each.address === address)
    for (const each of picked)
      if (each.is === 'done' && each.picked)
        await putAside(each, { layout, folders, ledger, disk: machine.disk })
  }
}

async function pickChosen(run: Run, { chosen, passedOver }: RunOutcome): Promise<void> {
  const { setting, recorded, ledger } = run
  for (const address of passedOver) {
    const made = ledger.made(address)
    if (!made?.redo) continue
    const { redo: _, ...bare } = made
    await ledger.stands(bare)
  }
  if (chosen.length === 0 || !mayMove(run)) return
  const settled = await settlePick(chosen, { workspace: setting, options: {}, recorded, ledger })
  if (settled.got !== 'refused') return
  const { request, machine } = setting
  const why = settled.problems.map(({ message }) => message).join('; ')
  const message = `not picked yet: ${listed(chosen)}, as ${why}; mend that, and the next run picks it`
  request.emit({ at: machine.clock.now(), event: 'warned', message })
}

/** Nothing gets another name that could not be written down, and nothing that belongs to another genrun by now. */
function mayMove({ journal, claim }: Run): boolean {
  return !journal.broken && !lostClaim(claim)
}

/** Puts what the run made, took out, or found not shared yet into the cache. Why it did not, in words: it harms nothing. */
export async function shareResults(
  { setting, planned, tasks, ledger, shared }: Run,
  made: ReadonlySet<JobAddress>,
): Promise<string | undefined> {
  const { cache, layout, machine } = setting
  if (!cache) return undefined
  const restored = planned.plan.steps.flatMap(step => (step.do === 'restore' ? [step.job.address] : []))
  const owed = owedTo(cache, planned.plan).map(({ address }) => address)
  // What a job had before and could not get back is missed already: it has no file, or another result has its name.
  const tasked = tasks.flatMap(({ job: { address } }) => (made.has(address) ? [address] : []))
  const entries = [...tasked, ...restored, ...owed].flatMap(address => ledger.made(address) ?? [])
  const unshared = entries.filter(({ id }) => !shared.has(id))
  return (await fillCache(unshared, { cache, layout, disk: machine.disk }))?.message
}
