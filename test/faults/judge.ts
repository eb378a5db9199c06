import type { RunResult } from '../../src/desk/carry/under-claim.ts'
import type { Ending, Report } from '../../src/desk/telling/report.ts'
import type { Scene } from './scene.ts'
import { isOwed, readFileBytes } from './service.ts'

/** P14: nothing under a final name is partial, and each file is a result of its own job. */
export function judgeFiles(scene: Scene): void {
  const { batch, layout, service, witness } = scene
  const { output } = layout
  for (const [path, bytes] of outputsOf(scene)) {
    const made = readFileBytes(bytes)
    const charge = made && service.chargeOf(made.id)
    if (!charge) witness.accuse(`P14: ${path} is not a whole file of this batch`)
    else if (!path.startsWith(`${output}/${batch.jobOf(charge.job).output}`))
      witness.accuse(`P14: ${path} was made for ${charge.job}`)
    // A process may die when the files are there and nobody was told yet.
    else charge.isDelivered = true
  }
}

/** The runs of which a file lies under a final name. */
export function chargesOnDisk(scene: Scene): ReadonlySet<string> {
  return new Set(outputsOf(scene).flatMap(([, bytes]) => readFileBytes(bytes)?.id ?? []))
}

function outputsOf({ layout: { output }, medium }: Scene): (readonly [path: string, bytes: Buffer])[] {
  return [...medium.files()].filter(
    ([path]) => path.startsWith(`${output}/`) && !path.startsWith(`${output}/.genrun/`),
  )
}

/** What may be said of a job that is paid for and not delivered. */
const isTruth: { readonly [ending in Ending]: boolean } = {
  made: true,
  kept: true,
  fetched: true,
  moved: true,
  doubt: true,
  detached: true,
  held: false,
  failed: false,
  skipped: false,
}

/** P2, P18, P38: what one process says and when it ends. */
export function judgeResult(scene: Scene, result: RunResult): void {
  const { witness, timeline } = scene
  const stoppedAt = witness.stoppedAt()
  if (stoppedAt !== undefined && timeline.now() - stoppedAt > 5000)
    witness.accuse(`P38: it ended ${timeline.now() - stoppedAt} ms after the stop`)
  if (result.got === 'busy') witness.accuse('P18: the claim of a dead process was not taken over')
  if (result.got === 'refused')
    witness.accuse(`refused: ${result.problems.map(({ message }) => message).join('; ')}`)
  if (result.got === 'report') judgeReport(scene, result.report)
  else if (witness.paidNow() > 0) witness.accuse('P2: orders were sent, and the end tells nothing of them')
}

/** A job that was paid for, and whose run did not fail, is never shown as failed, held, skipped, or not at all. */
function judgeReport({ service, witness }: Scene, report: Report): void {
  const endings = new Map(report.jobs.map(job => [job.address, job]))
  for (const address of witness.jobs()) {
    const shown = endings.get(address)
    const owed = service.chargesOf(address).filter(isOwed)
    const said = `${shown?.ending ?? 'nothing'} (${shown?.message ?? ''})`
    if (owed.length > 0 && (!shown || !isTruth[shown.ending]))
      witness.accuse(`P2: ${address} is paid for and shown as ${said}`)
    if (shown?.ending === 'doubt' && owed.some(charge => witness.isSafe(charge.id)))
      witness.accuse(`P3: the run of ${address} was told, and now the job is in doubt`)
    const isUnknown = witness.attemptsOf(address).some(attempt => !attempt.isOver && !attempt.charge)
    if (isUnknown && (!shown || !isTruth[shown.ending]))
      witness.accuse(`P2: what became of ${address} is not known, and it is shown as ${said}`)
  }
}

/** P1, P3: when nothing goes wrong any more and the user has decided, every job is done as the manifest asks for it. */
export function judgeEnd(
  { batch, layout, medium, service, witness }: Scene,
  result: RunResult | undefined,
): void {
  if (result?.got !== 'report')
    return witness.accuse(`P3: the last run came to nothing: ${JSON.stringify(result)}`)
  for (const { address, count, params } of batch.manifest().jobs) {
    const shown = result.report.jobs.find(each => each.address === address)
    const isDone = shown?.ending === 'kept' || shown?.ending === 'fetched' || shown?.ending === 'made'
    if (!isDone) {
      witness.accuse(`P3: ${address} ends as ${shown?.ending ?? 'nothing'} (${shown?.message ?? ''})`)
      continue
    }
    if (shown.files.length !== count)
      witness.accuse(`P3: ${address} has ${shown.files.length} of ${count} files`)
    for (const { path } of shown.files) {
      const bytes = medium.read(`${layout.output}/${path}`)
      const charge = service.chargeOf((bytes && readFileBytes(bytes))?.id ?? '')
      if (charge?.job !== address || charge.prompt !== params.prompt)
        witness.accuse(`P3: ${path} is not what ${address} asks for`)
    }
    const charges = service.chargesOf(address)
    const good = charges.filter(charge => charge.ends === 'well' && !charge.isGivenUp)
    const isEdited = new Set(charges.map(charge => charge.what)).size > 1
    if (good.length > 1 && !isEdited) witness.accuse(`P1: ${address} was paid for ${good.length} times`)
  }
}

/** P5: a rerun of what is done makes no request and leaves the lock as it is. */
export function judgeUnchanged(
  { medium, layout, witness }: Scene,
  result: RunResult | undefined,
  before: Buffer | undefined,
): void {
  const after = medium.read(layout.lock)
  if (result?.got === 'report' && result.report.requests > 0)
    witness.accuse('P5: an unchanged rerun made a request')
  if (!before || !after?.equals(before)) witness.accuse('P5: an unchanged rerun changed the lock')
}
