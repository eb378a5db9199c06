import { basename } from 'node:path'
import { type Code, type Diagnostic, error, warning } from '../base/diagnostic.ts'
import { exit, gravestExit } from '../base/exit.ts'
import { failureMessage } from '../base/failure.ts'
import { holderOf } from '../base/redact.ts'
import { headOf } from '../base/source.ts'
import type { Caps } from '../plan/budget.ts'
import { firstTake } from '../plan/picks.ts'
import { unreachable, withCacheAsked } from '../planning/ask-cache.ts'
import { guardsAgainst, manyAgain } from '../planning/guards.ts'
import { makePlan, type PlannedRun } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { jobsDigest, stepWords } from '../planning/saved-plan.ts'
import { unmergedProblem } from '../planning/unmerged.ts'
import { rememberNothing } from '../planning/up-to-date/remember.ts'
import type { Claim } from '../store/claim/claim.ts'
import { planRemarks } from '../wording/remarks.ts'
import type { JobReport, Report } from '../wording/report.ts'
import type { PlanExpectation } from '../workspace/expectation.ts'
import { readRecords } from '../workspace/records/beside.ts'
import type { Busy } from '../workspace/records/busy.ts'
import type { SetAside } from '../workspace/records/lineage.ts'
import type { Damaged } from '../workspace/records/recorded.ts'
import { setAsideText } from '../workspace/records/settle-lineage.ts'
import { takeUpVerdicts } from '../workspace/records/take-up-verdicts.ts'
import { withWaitingPicks } from '../workspace/records/waiting-picks.ts'
import { withClaim } from '../workspace/records/with-claim.ts'
import { keysOf } from '../workspace/service/service.ts'
import type { Recorded, Setting } from '../workspace/workspace.ts'
import { executePlan } from './execute-plan.ts'
import { unlessBesideFleet } from './planner/beside-fleet.ts'
import { fleetProblem } from './planner/fleet-records.ts'
import { type AskedAgain, askGatesAgain } from './results/ask-again.ts'
import { bringRestored } from './results/restore.ts'
import { tellTakenOver } from './watch-records.ts'

/** What became of a run: its report, or why there was none. */
export type RunResult =
  /** Nothing was sent: the manifest, the settings or a safety rule forbids it. Exit 2. */
  | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }
  | Busy
  /** State on disk is damaged or cannot be written. Exit 7. */
  | Damaged
  | { readonly got: 'report'; readonly problems: readonly Diagnostic[]; readonly report: Report }

/**
 * Plans and carries out a checked manifest while no other genrun can: what is known is read, decided and bought under
 * one claim. Never rejects for anything that a disk or a service can cause. `heeding`: what of the records counts for
 * the plan; all of them stay in the lock.
 */
export async function runUnderClaim(
  asked: Setting,
  heeding: (purchases: Recorded['purchases']) => Recorded['purchases'] = purchases => purchases,
): Promise<RunResult> {
  const run = async (claim: Claim, foreign: SetAside | undefined): Promise<RunResult> => {
    tellTakenOver(asked, claim)
    const unmerged = unmergedProblem(asked)
    if (unmerged) return { got: 'refused', problems: [unmerged] }
    const read = readRecords(asked)
    if ('got' in read) return read
    const unclear = await takeUpVerdicts(asked, read.purchases)
    const setting = { ...asked, warnings: [...asked.warnings, ...unclear] }
    const here = withWaitingPicks(read, setting)
    const { fleet } = setting.request
    const plain = { claim, foreign, heeding }
    if (!fleet) return unlessBesideFleet(setting, here, alone => runHeard(alone, here, plain))
    const against = fleetProblem(setting)
    if (against) return { got: 'refused', problems: [against] }
    const { withFleetHeard } = await import('./planner/hear-fleet.ts')
    return withFleetHeard(setting, here, fleet, async ({ recorded, batch, told }) => {
      const result = await runHeard({ ...setting, batch }, recorded, plain)
      if (result.got === 'report' && !result.report.damage) await told()
      return result
    })
  }
  return withClaim(asked, run, asked.request.takeClaim)
}

interface Beginning extends Omit<Begun, 'heeded'> {
  readonly heeding: (purchases: Recorded['purchases']) => Recorded['purchases']
}

async function runHeard(
  setting: Setting,
  recorded: Recorded,
  { heeding, ...begun }: Beginning,
): Promise<RunResult> {
  try {
    return await runPlan(setting, recorded, { ...begun, heeded: heeding(recorded.purchases) })
  } finally {
    setting.cache?.elsewhere?.sweep()
    const { cache } = setting.request
    if (cache && 'rest' in cache) await cache.rest()
  }
}

interface Begun {
  readonly claim: Claim
  /** What of the records the plan is about. */
  readonly heeded: Recorded['purchases']
  /** State of another lineage that lay in the way. */
  readonly foreign: SetAside | undefined
}

async function runPlan(setting: Setting, recorded: Recorded, begun: Begun): Promise<RunResult> {
  const { request } = setting
  const { claim, heeded, foreign } = begun
  const leak = keyInLock(setting, recorded)
  if (leak) return { got: 'refused', problems: [leak] }
  const { clock } = setting.machine
  const tell = (message: string) => request.emit({ at: clock.now(), event: 'warned', message })
  const planned = await withCacheAsked(
    request,
    () => makePlan(setting, request, { ...recorded, purchases: heeded }),
    { clock, tell },
  )
  if (planned.got === 'refused') return planned
  const { caps, obstacles } = planned
  if (request.expect && !isExpected(planned, request.expect)) {
    const message = 'what there is to do changed while the plan was looked at'
    return {
      got: 'refused',
      problems: [settingProblem({ name: 'plan', value: '' }, 'stale-plan', message, 'try again')],
    }
  }
  // Nothing that a rehearsal makes anew costs anything: it needs nobody's word.
  const yes = request.yes || request.service.rehearsal
  const against = obstacles.length > 0 ? obstacles : guardsAgainst(planned, { ...request, yes: true })
  // Why there are no prices where some are named.
  const dropped = setting.warnings.filter(({ code }) => code === 'untrusted-prices')
  if (against.length > 0) return { got: 'refused', problems: [...dropped, ...against] }
  if (setting.unbuyable && planned.plan.buys > 0) return { got: 'refused', problems: [setting.unbuyable] }
  const many = manyAgain(planned, { ...request, yes })
  const isMeant = !many || ((await request.confirm?.(many)) === true && !request.stop.aborted)
  if (!isMeant) return { got: 'refused', problems: [many.problem] }
  const brought = await bringRestored(planned.plan, setting.cache)
  // What turned out to be damaged is bought: the plan is another one, and may be refused.
  if (brought === 'more') return runPlan(setting, recorded, begun)
  if (brought !== 'brought') return unreachable(cacheName(request), brought)
  const asked = await askGatesAgain(setting, { planned, recorded })
  const remarks = [
    ...(foreign ? [setAsideText(foreign)] : []),
    ...planRemarks(asked.planned),
    ...(asked.unseen === undefined ? [] : [asked.unseen]),
  ]
  const done = await executePlan({
    setting: { ...setting, ...mayBuy(setting, caps), remarks },
    planned: asked.planned,
    recorded: asked.recorded,
    claim,
  })
  const report = withFound(done, asked)
  await rememberNothing(setting, { plan: asked.planned.plan, report, remarks })
  return { got: 'report', problems: [...setting.warnings, ...damageProblems(report)], report }
}

/** What is under way may fail, or miss its looks, and be ordered once more: not while nothing may be ordered. */
function mayBuy({ unbuyable, request }: Setting, caps: Caps): Pick<Setting, 'caps' | 'request'> {
  if (!unbuyable) return { caps, request }
  const { budget: _others, ...rest } = request
  return { caps: { ...caps, maxPaid: 0 }, request: rest }
}

/** What gates found that were asked again counts as if the file had come now. */
function withFound(
  report: Report,
  { failing, isCut }: Pick<AskedAgain<PlannedRun>, 'failing' | 'isCut'>,
): Report {
  // Where another take came instead, that is what counts.
  const renewed = new Set(report.jobs.flatMap(job => (job.ending === 'made' ? firstTake(job.address) : [])))
  const isFound = ({ address, ending }: JobReport) =>
    (ending === 'kept' || ending === 'moved') && failing.has(address) && !renewed.has(firstTake(address))
  if (!report.jobs.some(isFound))
    return isCut ? { ...report, exit: gravestExit([report.exit, exit.unfinished]) } : report
  const jobs = report.jobs.map(job => {
    const failure = isFound(job) ? failing.get(job.address) : undefined
    return failure ? { ...job, failure, message: job.message ?? failureMessage(failure) } : job
  })
  return { ...report, jobs, exit: gravestExit([report.exit, exit.failed]) }
}

function cacheName({ cache }: Setting['request']): string {
  return cache && 'place' in cache ? cache.place : ''
}

/** What an earlier manifest let through is in the hands of whoever reads the lock. */
function keyInLock(
  { request: { service }, layout }: Setting,
  { lockText }: Recorded,
): Diagnostic | undefined {
  const isThere = holderOf(keysOf(service))(lockText)
  if (service.rehearsal || !isThere) return undefined
  const at = headOf({ name: basename(layout.lock), text: '' })
  return error(
    'key-in-lock',
    at,
    'it holds the key of the service',
    'get a new key: a lock is read by others',
  )
}

function isExpected(planned: PlannedRun, { steps, jobs }: PlanExpectation): boolean {
  return steps.join('\n') === stepWords(planned.plan).join('\n') && jobs === jobsDigest(planned)
}

export function damageProblems({ damage, unindexed, unshared }: Report): Diagnostic[] {
  const hint = 'mend the disk or its permissions, then run again; nothing is paid twice'
  const unsaved =
    damage === undefined ? [] : [settingProblem({ name: 'state', value: '' }, 'unsaved', damage, hint)]
  const less = 'lock and journal know everything; without them this could not be recovered'
  return [
    ...unsaved,
    ...(unindexed === undefined ? [] : [warned('index', 'unindexed', unindexed, less)]),
    ...(unshared === undefined
      ? []
      : [
          warned('results', 'unshared', unshared, 'the results are here; others do not find all of them yet'),
        ]),
  ]
}

function warned(name: string, code: Code, message: string, hint: string): Diagnostic {
  return warning(code, headOf({ name, text: '' }), message, hint)
}
