import { defined } from '../../base/defined.ts'
import { hasErrors, problemRecord } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { type ExitCode, exit } from '../../base/exit.ts'
import type { PlanRecord } from '../../planning/plan-record.ts'
import { type PlanResult, planBesideFleet } from '../../verbs/plan-beside-fleet.ts'
import type { Given } from '../flags/given.ts'
import { noteRehearsal } from '../flags/only-rehearsed.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import { type TalkArgs, talkOf } from '../flags/talk.ts'
import { fleetPlace } from '../io/fleet-place.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { planLines, sumText } from '../words/plan-text.ts'
import { problemsText, troubleText } from '../words/problems.ts'

export type PlanCommandArgs = ManifestArgs &
  TalkArgs &
  Given<'outputFile' | 'outputFolder' | 'summary' | 'json' | 'shards'>

/** `genrun plan`: the plan is the result. Nothing is written but the saved plan that was asked for. */
export async function plan(args: PlanCommandArgs, around: Surroundings, out: Out): Promise<number> {
  const { outputFile: save, outputFolder: output } = args
  // Most plans are not saved, and do without what writes them.
  const file = save === undefined ? undefined : await import('../reports/plan-file.ts')
  const taken = save !== undefined && file?.planTrouble(save, around.cwd)
  if (taken) return refuse(taken, exit.refused, args, out)
  const { url: store } = fleetPlace(around, out)
  const request = { ...workspaceFrom({ ...args, output }, around), ...defined({ store }) }
  const result = await planBesideFleet({ ...request, ...defined({ savedTo: save }) })
  if (result.got !== 'plan') return tellAgainst(result, args, out)
  const code = exitOf(result)
  if (args.json) {
    const { obstacles, warnings } = result
    const problems = [...obstacles, ...warnings].map(problemRecord)
    out.json({ ok: code === exit.ok, exit: code, ...result.plan, problems })
  } else if (args.summary) {
    const { planSummary } = await import('../words/plan-summary.ts')
    out.result(planSummary(result.plan, args.local))
  } else out.result(shown(result.plan, args, around, out))
  tellProblems(result, args, out)
  if (talkOf(args) !== 'quiet') noteRehearsal(args, around, out)
  const { saved } = result
  if (save === undefined || !saved || !file) return code
  const trouble = file.writePlan(saved, save, around.cwd)
  if (trouble) {
    out.talk(troubleText(trouble, out.paint))
    return exit.damaged
  }
  const local = args.local ? ' --local' : ''
  out.talk(`saved; \`genrun apply ${save}${local}\` carries out exactly this`)
  return code
}

function shown(plan: PlanRecord, args: PlanCommandArgs, { stdout }: Surroundings, out: Out): string {
  const talk = talkOf(args)
  const room = { columns: stdout.columns, isEachJob: talk === 'verbose', isRehearsal: args.local }
  if (talk === 'quiet') return sumText(plan, out.resultPaint, room)
  return planLines(plan, out.resultPaint, room).join('\n')
}

/** A rehearsal keeps to the limits, too, though nothing is paid for what it makes. */
function overText({ address, why }: NonNullable<PlanRecord['over']>, isRehearsal = false): string {
  return isRehearsal
    ? `beyond the limits from ${address} on, in the order of this plan, and left out of the rehearsal as well: ${why}`
    : `over budget from ${address} on, in the order of this plan: ${why}`
}

function tellProblems(
  { plan: { remarks, over }, obstacles, warnings }: PlanResult & { got: 'plan' },
  args: PlanCommandArgs,
  out: Out,
): void {
  if (!args.json && !args.summary && talkOf(args) !== 'quiet')
    for (const remark of remarks) out.talk(`note: ${remark}`)
  if (over && !args.json && !args.summary && talkOf(args) !== 'quiet')
    out.talk(display(overText(over, args.local)))
  if (warnings.length > 0) out.talk(problemsText(warnings, out.paint))
  if (obstacles.length > 0)
    out.talk(`${problemsText(obstacles, out.paint)}\na run would stop at this, before it sends anything`)
}

/** 2 when a run would refuse to begin, 6 when it would have to stop for its budget. */
export function exitOf({
  plan,
  obstacles,
}: Pick<PlanResult & { got: 'plan' }, 'plan' | 'obstacles'>): ExitCode {
  if (isOverBudget(plan)) return exit.budget
  return hasErrors(obstacles) ? exit.refused : exit.ok
}

function isOverBudget({ caps, paid, cost: { total, byTag } }: PlanRecord): boolean {
  const { maxPaid, maxCost, tags = {} } = caps
  if (maxPaid !== undefined && paid > maxPaid) return true
  if (maxCost !== undefined && total.amount > maxCost) return true
  return byTag.some(({ tag, amount }) => amount > (tags[tag] ?? Number.POSITIVE_INFINITY))
}
