import { listed } from '../base/nearest.ts'
import type { Plan, Step } from '../plan/plan.ts'

/** What an earlier run left and what was found on disk, in plain words, said once before anything is sent. */
export function remarksOn(plan: Plan): string[] {
  const of = <Do extends Step['do']>(what: Do) =>
    plan.steps.filter((step): step is Step & { do: Do } => step.do === what)
  const remarks: string[] = []
  const resumed = of('resume').length
  if (resumed > 0)
    remarks.push(
      `${jobs(resumed)} paid for by an earlier run: going on with ${resumed === 1 ? 'it' : 'them'}, nothing is paid again`,
    )
  const fetched = of('fetch').length
  if (fetched > 0)
    remarks.push(
      `the files of ${fetched === 1 ? '1 job are' : `${fetched} jobs are`} gone: fetching them again, nothing is paid again`,
    )
  for (const step of of('keep')) {
    if (step.altered)
      remarks.push(
        `${listed(step.altered)} ${step.altered.length === 1 ? 'was' : 'were'} altered since genrun made it, and is left as it is`,
      )
  }
  const moved = of('adopt').length
  if (moved > 0)
    remarks.push(`${moved === 1 ? '1 result has' : `${moved} results have`} a new name: moved, not bought`)
  const dropped = of('drop').length
  if (dropped > 0)
    remarks.push(
      `${dropped === 1 ? '1 entry of the lock is' : `${dropped} entries of the lock are`} no longer in the manifest; the files stay`,
    )
  return remarks
}

function jobs(count: number): string {
  return count === 1 ? '1 job was' : `${count} jobs were`
}
