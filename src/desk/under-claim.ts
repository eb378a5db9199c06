import type { Diagnostic } from '../base/diagnostic.ts'
import { type Claim, type HolderSeen, takeClaim } from '../store/claim.ts'
import { prepareState } from '../store/state-folder.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { carryOutPlan } from './carry-out.ts'
import { drawPlan } from './draw.ts'
import { guardsAgainst } from './guards.ts'
import { type Damaged, readRecorded } from './recorded.ts'
import type { Report } from './report.ts'
import type { Recorded, Setting } from './setting.ts'

export type RunResult =
  /** Nothing was sent: the text, the settings or the safety rules are against it. Exit 2. */
  | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }
  /** Another genrun is at work on this manifest. Exit 5. */
  | { readonly got: 'busy'; readonly message: string; readonly hint: string }
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
    const claimed = await takeClaim(folders.claim, { disk, clock, random, self: self() })
    if (claimed.got === 'busy') return busy(claimed.holder)
    try {
      const recorded = readRecorded(setting)
      if ('got' in recorded) return recorded
      return await runPlan(setting, recorded, claimed.claim)
    } finally {
      await claimed.claim.release()
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
  const drawn = drawPlan(setting, setting.request, recorded)
  if (drawn.got === 'refused') return drawn
  const { plan, caps, obstacles } = drawn
  const against = obstacles.length > 0 ? obstacles : guardsAgainst(drawn, setting.request)
  if (against.length > 0) return { got: 'refused', problems: against }
  const report = await carryOutPlan({ ...setting, caps }, { plan, ...recorded }, claim)
  return { got: 'report', problems: setting.warnings, report }
}

function busy(holder: HolderSeen): RunResult {
  if (holder.is === 'unknown') {
    return {
      got: 'busy',
      message: `the claim ${holder.path} cannot be read`,
      hint: 'if no genrun is at work on this manifest, remove that file',
    }
  }
  const since = new Date(holder.since).toISOString()
  const who = `process ${holder.pid} on ${holder.host}, since ${since}`
  const hint =
    holder.is === 'alive'
      ? 'wait for it, or stop it'
      : 'that machine cannot be seen from here: make sure that it is not at work, then remove the claim'
  return { got: 'busy', message: `another genrun is at work on this manifest: ${who}`, hint }
}
