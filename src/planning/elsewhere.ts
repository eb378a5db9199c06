import { dirname } from 'node:path'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { PurchaseId } from '../base/names.ts'
import { type Purchase, purchaseLabel } from '../base/purchase.ts'
import type { Plan, Step } from '../plan/shapes/step.ts'
import type { Disk } from '../store/files/disk.ts'
import { findSaved } from '../store/files/outputs.ts'
import { stateFolder } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { foldJournal, type History, isOver, recordOf } from '../store/journal/fold.ts'
import { readJournal } from '../store/journal/journal.ts'
import type { Locked } from '../store/lock/lock.ts'
import { shellWord } from '../text/shell-word.ts'
import { outputsOf } from '../workspace/layout.ts'
import { owner } from '../workspace/read/place.ts'
import { foreignStates } from '../workspace/records/lineage.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'
import { readProofs } from './proofs.ts'
import { isTheSame, runOfPurchase } from './unknown.ts'

/**
 * What is paid for, or may be, by records of this manifest that do not go with its lock: states of other lineages, a lock of another
 * that was saved outside the project, and the index of the output folder. A lock that git brought knows nothing of what was
 * bought here before it came. Reads only. Throws StorageError.
 */
export function knownElsewhere(
  workspace: Workspace,
  { purchases, lock, rescued }: Pick<Recorded, 'purchases' | 'lock' | 'rescued'>,
): Locked[] {
  const { layout, machine, place } = workspace
  const { disk } = machine
  const isOfCalls = place.stem === owner || dirname(layout.lock) === layout.state
  if (layout.rehearsal || isOfCalls) return []
  const foreign = foreignStates(layout.state, lock.lineage, disk)
  const states = foreign.flatMap(({ folder }) => historiesIn(folder, disk))
  const told = new Map<PurchaseId, Locked>()
  const inRescued = rescued.flatMap(each => (each.isOurs ? [] : each.purchases))
  const inStates = states.flatMap(([, history]) => recordOf(history) ?? [])
  for (const each of [...indexed(workspace), ...inRescued, ...inStates])
    if (each.is !== 'open' && told.get(each.id)?.is !== 'done') told.set(each.id, each)
  const ids = new Set(purchases.map(({ id }) => id))
  const runs = new Set(purchases.flatMap(each => runOfPurchase(each)?.id ?? []))
  // By the run first: there may be many of them, and most are like nothing.
  const isKnown = (each: Locked) => {
    const run = runOfPurchase(each)
    const mayBe = run ? runs.has(run.id) : each.is === 'doubt'
    return ids.has(each.id) || (mayBe && purchases.some(known => isTheSame(each, known)))
  }
  const unknown = [...told.values()].filter(
    each => isWorthHaving(each, layout.output, disk) && !isKnown(each),
  )
  if (unknown.length === 0) return []
  const own = historiesIn(layout.state, disk)
  const over = new Set([...states, ...own].flatMap(([id, history]) => (isOver(history) ? [id] : [])))
  // The index is read after the journal: what a genrun at work has bought in between stands in both by now.
  const isOwn = !foreign.some(({ folder }) => folder === layout.state)
  const heard = new Set(isOwn ? own.map(([id]) => id) : [])
  return unknown.filter(({ id }) => !over.has(id) && !heard.has(id))
}

/**
 * What the index of the output folder has, and that of the manifest's usual folder where another is given: an order that was cut off
 * hard stands there alone once the journal is gone. Of another manifest's results it is said only where nothing else is known.
 */
function indexed(workspace: Workspace): Locked[] {
  return outputsOf(workspace.layout).flatMap(output => indexedIn(output, workspace))
}

/** Trouble with an index fails nothing. */
function indexedIn(output: string, workspace: Workspace): Locked[] {
  try {
    const { taken, others, isGuess } = readProofs({ ...workspace, layout: { ...workspace.layout, output } })
    const nameless = [...taken, ...others].filter(({ owner }) => owner.manifest === '')
    const readings = isGuess ? nameless : [...taken, ...nameless]
    return readings.flatMap(({ purchases }) => [...purchases.values()])
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return []
  }
}

function historiesIn(state: string, disk: Disk): readonly (readonly [PurchaseId, History])[] {
  const reading = readJournal(stateFolder(state).journal, disk)
  return reading.got === 'records' ? [...foldJournal(reading.entries)] : []
}

/** Owed, or to be had for nothing. */
function isWorthHaving(purchase: Locked, output: string, disk: Disk): boolean {
  if (purchase.is !== 'done') return purchase.is !== 'failed'
  return purchase.run !== undefined || purchase.files.every(file => findSaved(file, output, disk) === 'same')
}

/** What a plan would buy although other records have it, each at the line of its job. */
export function owedElsewhere(
  { steps }: Pick<Plan, 'steps'>,
  { manifest, layout }: Pick<Workspace, 'manifest' | 'layout'>,
): Diagnostic[] {
  const folder = layout.usualOutput === undefined ? '' : ` -o ${shellWord(layout.output)}`
  const recover = `genrun recover ${shellWord(manifest.file.name)}${folder}`
  return steps.flatMap(step => {
    if (!isOwedElsewhere(step)) return []
    const { job, elsewhere } = step
    const message = `${job.address} ${owedText(elsewhere)}, and neither the lock nor its journal knows it`
    const hint = `\`${recover}\` takes it up for nothing; --continue none buys anew`
    return error('owed-elsewhere', job.at, message, hint)
  })
}

type OwedStep = Step & { do: 'buy'; elsewhere: Purchase }

export function isOwedElsewhere(step: Step): step is OwedStep {
  return step.do === 'buy' && step.elsewhere !== undefined
}

function owedText(purchase: Purchase): string {
  const run = runOfPurchase(purchase)
  const by = run ? `run ${run.id}` : `the order ${purchaseLabel(purchase)}`
  switch (purchase.is) {
    case 'doubt':
      return `may be paid for already (${by} is in doubt)`
    case 'done':
      return `is paid for already (made by ${by})`
    default:
      return `is paid for already (${by} is not fetched yet)`
  }
}
