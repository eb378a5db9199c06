import { listed } from '../base/nearest.ts'
import type { Plan, Step } from '../plan/plan.ts'
import { changeText } from '../plan/reasons.ts'

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
  const restored = of('restore').length
  if (restored > 0)
    remarks.push(
      `${restored === 1 ? '1 result is' : `${restored} results are`} in the cache: copied, not bought`,
    )
  const outdated = of('keep').flatMap(step => step.outdated ?? [])
  if (outdated.length > 0) {
    const told = [...new Set(outdated.map(changeText))]
    remarks.push(`the catalog has other defaults by now (${listed(told)}); what was made before is kept`)
  }
  const moved = of('adopt').filter(step => !step.accepted).length
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
