import type { Diagnostic } from '../base/diagnostic.ts'
import { type Claim, takeClaim } from '../store/claim.ts'
import { prepareState } from '../store/state-folder.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { type Busy, busy } from './busy.ts'
import { carryOutPlan } from './carry-out.ts'
import { drawPlan } from './draw.ts'
import { guardsAgainst } from './guards.ts'
import { settingProblem } from './obstacles.ts'
import { type Damaged, readRecorded } from './recorded.ts'
import type { Report } from './report.ts'
import { stepWords } from './saved-plan.ts'
import type { Recorded, Setting } from './setting.ts'

export type RunResult =
  /** Nothing was sent: the text, the settings or the safety rules are against it. Exit 2. */
  | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }
  | Busy
  /** State on disk is damaged or cannot be written. Exit 7. */
  | Damaged
  | { readonly got: 'report'; readonly problems: readonly Diagnostic[]; readonly report: Report }

/**
 * Plans and carries out a checked manifest while no other genrun can: what is known is read, decided and bought under
 * one claim. Never rejects for anything that a disk or a service can cause.
 */
export async function runUnderClaim(setting: Setting): Promise<RunResult> {
  const { layout, folders, machine } = setting
  const { disk, clock, random, self } = machine
  try {
    await prepareState(layout.state, disk)
    const force = setting.request.takeClaim === true
    const claimed = await takeClaim(folders.claim, { disk, clock, random, self: self(), force })
    if (claimed.got === 'busy') return busy(claimed.holder)
    try {
      const recorded = readRecorded(setting)
      if ('got' in recorded) return recorded
      return await runPlan(setting, recorded, claimed.claim)
    } finally {
      await release(claimed.claim)
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return {
      got: 'damaged',
      message: trouble.message,
      hint: 'mend the disk or its permissions, then run again; nothing is paid twice',
    }
  }
}

async function runPlan(setting: Setting, recorded: Recorded, claim: Claim): Promise<RunResult> {
  const { request } = setting
  const drawn = drawPlan(setting, request, recorded)
  if (drawn.got === 'refused') return drawn
  const { plan, caps, obstacles } = drawn
  if (request.expect && request.expect.join('\n') !== stepWords(plan).join('\n')) {
    const message = 'what there is to do changed while the plan was looked at'
    return { got: 'refused', problems: [settingProblem('plan', '', 'stale-plan', message, 'try again')] }
  }
  // Nothing that a rehearsal makes anew costs anything: it needs nobody's word.
  const yes = request.yes || request.service.rehearsal
  const against = obstacles.length > 0 ? obstacles : guardsAgainst(drawn, { ...request, yes })
  if (against.length > 0) return { got: 'refused', problems: against }
  const report = await carryOutPlan({ ...setting, caps }, { plan, ...recorded }, claim)
  return { got: 'report', problems: [...setting.warnings, ...damageProblems(report)], report }
}

function damageProblems({ damage }: Report): Diagnostic[] {
  const hint = 'mend the disk or its permissions, then run again; nothing is paid twice'
  return damage === undefined ? [] : [settingProblem('state', '', 'unsaved', damage, hint)]
}

/** One that cannot be given back is nobody's as soon as this process is gone: no reason to withhold the report. */
async function release(claim: Claim): Promise<void> {
  try {
    await claim.release()
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
  }
}
