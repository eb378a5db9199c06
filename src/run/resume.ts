import type { RunningPurchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { readRecorded } from '../workspace/records/recorded.ts'
import { withClaim } from '../workspace/records/with-claim.ts'
import type { Recorded, Setting } from '../workspace/workspace.ts'
import { executePlan } from './execute-plan.ts'
import { damageProblems, type RunResult } from './run-under-claim.ts'
import { tellTakenOver } from './watch-records.ts'

/** What is paid for, and the job by which it is fetched. */
export interface OwedRun {
  readonly purchase: RunningPurchase
  readonly job: Job
}

/**
 * Fetches what is paid for under the claim, by a plan of nothing else: no request of it costs anything. `resumption` finds it
 * among what is recorded, or says what a person knows of; undefined where it was settled meanwhile.
 */
export function executeResume(
  setting: Setting,
  resumption: (recorded: Recorded) => OwedRun | undefined,
): Promise<RunResult> {
  return withClaim<RunResult>(
    setting,
    async claim => {
      tellTakenOver(setting, claim)
      const found = readRecorded(setting)
      if ('got' in found) return found
      const owed = resumption(found)
      if (!owed) return { got: 'refused', problems: [settled] }
      const { job, purchase } = owed
      const from = purchase.address === job.address ? {} : { from: purchase.address }
      const plan = { steps: [{ do: 'resume', job, purchase, ...from } as const], buys: 0 }
      const planned = { plan, jobs: [job], redone: new Set<never>(), unpicked: [] }
      const report = await executePlan({ setting, planned, recorded: knowing(found, purchase), claim })
      return { got: 'report', problems: [...setting.warnings, ...damageProblems(report)], report }
    },
    setting.request.takeClaim,
  )
}

const settled = settingProblem(
  { name: 'the order', value: '' },
  'stale-plan',
  'another genrun settled it in the meantime',
  'try again',
)

/** What nobody here had written down gets a record of its own, before it is asked for. */
function knowing(recorded: Recorded, purchase: RunningPurchase): Recorded {
  const { purchases, unwritten } = recorded
  if (purchases.some(({ id }) => id === purchase.id)) return recorded
  return {
    ...recorded,
    purchases: [...purchases, purchase],
    unwritten: new Set([...unwritten, purchase.id]),
  }
}
