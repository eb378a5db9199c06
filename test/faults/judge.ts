import type { Ending, Report } from '../../src/desk/report.ts'
import type { RunResult } from '../../src/desk/under-claim.ts'
import type { Manifest } from '../../src/manifest/job.ts'
import type { Surroundings } from './machine.ts'
import { readFileBytes } from './service.ts'

/** P14: nothing under a final name is partial, and each file is a result of its own job. */
export function judgeFiles(
  batch: Manifest,
  output: string,
  { medium, service, witness }: Surroundings,
): void {
  for (const [path, bytes] of medium.files()) {
    if (!path.startsWith(`${output}/`) || path.startsWith(`${output}/.genrun/`)) continue
    const made = readFileBytes(bytes)
    const charge = made && service.chargeOf(made.id)
    const job = charge && batch.jobs.find(each => each.address === charge.job)
    if (!job) witness.accuse(`P14: ${path} is not a whole file of this batch`)
    else if (!path.startsWith(`${output}/${job.output}`))
      witness.accuse(`P14: ${path} was made for ${job.address}`)
  }
}

const isOpenOrGood: { readonly [ending in Ending]: boolean } = {
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

/** P2: a job that was paid for, and whose run did not fail, is never shown as failed, held, skipped, or not at all. */
export function judgeReport(report: Report, { service, witness }: Surroundings): void {
  const endings = new Map(report.jobs.map(job => [job.address, job]))
  for (const address of witness.jobs()) {
    const shown = endings.get(address)
    const charges = service.chargesOf(address)
    const isOwed = charges.some(charge => charge.ends === 'well')
    if (isOwed && (!shown || !isOpenOrGood[shown.ending]))
      witness.accuse(
        `P2: ${address} is paid for and shown as ${shown?.ending ?? 'nothing'} (${shown?.message ?? ''})`,
      )
    const isUnknown = witness.attemptsOf(address).some(attempt => !attempt.isOver && !attempt.charge)
    if (isUnknown && !isOwed && shown && shown.ending !== 'doubt' && !isOpenOrGood[shown.ending])
      witness.accuse(`P2: what became of ${address} is not known, and it is shown as ${shown.ending}`)
  }
}

/** P3: at the end, when nothing goes wrong any more and the user has decided, every job is done and paid for once. */
export function judgeEnd(
  batch: Manifest,
  last: RunResult | undefined,
  { service, witness }: Surroundings,
): void {
  if (last?.got !== 'report') {
    witness.accuse(`P3: the last run came to nothing: ${JSON.stringify(last)}`)
    return
  }
  for (const job of batch.jobs) {
    const { address } = job
    const shown = last.report.jobs.find(each => each.address === address)
    const good = service.chargesOf(address).filter(charge => charge.ends === 'well')
    if (good.length > 1) witness.accuse(`P1: ${address} was paid for ${good.length} times`)
    if (shown?.ending !== 'kept')
      witness.accuse(`P3: ${address} ends as ${shown?.ending ?? 'nothing'} (${shown?.message ?? ''})`)
    else if (shown.files.length !== job.count)
      witness.accuse(`P3: ${address} has ${shown.files.length} of ${job.count} files`)
  }
}
