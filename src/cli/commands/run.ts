import { resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { exit } from '../../base/exit.ts'
import { findUpToDate, type UpToDate } from '../../planning/up-to-date/find.ts'
import type { RunEnd } from '../../reports/run-end.ts'
import { forRehearsals } from '../../verbs/rehearse.ts'
import type { RunResult } from '../../verbs/run.ts'
import type { RunEvent } from '../../wording/report.ts'
import { isBought } from '../../workspace/only-rehearsed.ts'
import type { Service } from '../../workspace/service/service.ts'
import type { RunRequest } from '../../workspace/workspace.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, type PlanArgs, planOptionsFrom } from '../flags/plan-options.ts'
import { type TalkArgs, talkOf } from '../flags/talk.ts'
import { bugExit } from '../io/bug.ts'
import { fleetPlace } from '../io/fleet-place.ts'
import type { Out } from '../io/out.ts'
import { keepHeapLow } from '../io/process.ts'
import { stopText, watchSignals } from '../io/signals.ts'
import { isActions, type Surroundings } from '../io/surroundings.ts'
import { toolOf } from '../io/tool.ts'
import { openView } from '../progress/open.ts'
import type { View } from '../progress/view.ts'
import { isAnyAsked, openChosen } from '../reports/open.ts'
import { type ServiceChoice, secretsOf, type Trouble } from '../service/service.ts'
import { serviceFor } from '../service/service-for.ts'
import { unchangedText } from '../summary/closing.ts'
import { refuse, tellResult } from '../summary/result.ts'
import { confirmFormer, confirmRebuy } from '../words/confirm.ts'
import { warningText } from '../words/problems.ts'

type ReportFileArgs = Partial<Given<'events' | 'junitFile' | 'sarifFile' | 'summaryFile'>>

type ViewArgs = Given<'json'> &
  TalkArgs &
  ReportFileArgs &
  Partial<Given<'output' | 'ca'>> & { readonly manifest: string; readonly local: boolean }

type RunArgs = ManifestArgs &
  ViewArgs &
  Partial<Given<'takeClaim' | 'yes' | 'frozen' | 'fleet'>> & {
    /** What is named is ordered again. */
    readonly redo?: boolean
  }

type ApplyArgs = Omit<ViewArgs, 'manifest'> & PlanArgs & { readonly plan: string }

/** `genrun <manifest>`: carries the manifest out and says what became of it. */
export async function run(args: RunArgs, around: Surroundings, out: Out): Promise<number> {
  const { manifest, takeClaim, redo = false, yes = false } = args
  if (args.frozen) {
    // Every file is looked at from here on.
    around.heard?.end()
    if (args.events !== undefined) return refuse(frozenReports, exit.refused, args, out)
    const { verify } = await import('./verify.ts')
    return verify({ ...args, allow: [] }, around, out)
  }
  const tool = toolOf(around)
  const isBrief = !args.fleet && !args.json && !isAnyAsked(args) && !isActions(around.env)
  return carryOut(args, around, out, async means => {
    const request: RunRequest = {
      ...means,
      ...planOptionsFrom(args, around),
      manifest,
      ...(takeClaim && { takeClaim }),
      redo,
      yes,
      tool,
    }
    around.heard?.end()
    if (args.fleet) {
      const { runWithFleet } = await import('../../verbs/fleet.ts')
      return runWithFleet(request, fleetPlace(around, out))
    }
    // Where a line for every job is wanted, everything is looked at. Before that, nothing is loaded that looks.
    const unchanged = isBrief ? await findUpToDate(request) : undefined
    const talk = talkOf(args)
    if (unchanged && (talk === 'usual' || talk === 'quiet'))
      await around.heard?.unchanged(request, talk === 'quiet')
    return unchanged ?? (await import('../../verbs/run.ts')).runManifest(request)
  })
}

/** `genrun apply`: carries a saved plan out, or says what changed since. */
export async function apply(args: ApplyArgs, around: Surroundings, out: Out): Promise<number> {
  const options = planOptionsFrom(args, around)
  const { profile, prices, cache, caps, limits, outputs, verify, gate, gates, publish, store } = options
  return carryOut({ ...args, manifest: args.plan }, around, out, async means =>
    (await import('../../verbs/apply.ts')).applyPlan({
      ...means,
      plan: args.plan,
      ...(profile && { profile }),
      ...(prices && { prices }),
      ...defined({ cache, caps, limits, outputs, verify, gate, gates, publish, store }),
    }),
  )
}

/** What a run has in common, whatever is run. */
type Means = Pick<RunRequest, 'cwd' | 'service' | 'output' | 'emit' | 'stop' | 'confirm' | 'confirmFormer'>

const frozenReports: Trouble = {
  code: 'usage',
  message: '--frozen makes nothing, so that --events has nothing to tell',
  hint: 'what it finds goes into --junit, --sarif, --summary and --json',
}

async function carryOut(
  args: ViewArgs,
  around: Surroundings,
  out: Out,
  work: (means: Means) => Promise<RunResult | UpToDate>,
): Promise<number> {
  const choice = realOrRehearsal(args, around)
  if (choice.use === 'service') for (const secret of secretsOf(choice)) out.hide(secret)
  const reports = await openChosen(args, around, out)
  if ('code' in reports) return refuse(reports, exit.refused, args, out)
  if (choice.use === 'nothing') {
    const refused = refuse(choice.trouble, exit.refused, args, out)
    return reports.end({ exit: refused, problems: [], error: choice.trouble })
  }
  const view = await openView(talkOf(args), around, out)
  if (choice.use === 'service') for (const text of choice.warnings) view.note(warningText(text, out.paint))
  const stop = watchSignals(around, signal => view.note(stopText(signal)))
  const confirm = confirmRebuy(around, out, stop.signal)
  const former = confirmFormer(around, out, stop.signal)
  let result: RunResult | UpToDate
  try {
    const remark = (text: string) => view.note(warningText(text, out.paint))
    const show = (told: RunEvent) => {
      // The threads of a rehearsal have small heaps, which they would collect all the time.
      if (told.event === 'planned' && choice.use === 'service') keepHeapLow(told.jobs)
      reports.record(told)
      showEvent(told, args, choice, view)
    }
    result = await withService(choice, remark, service =>
      work({
        cwd: around.cwd,
        service,
        ...(args.output !== undefined && { output: resolve(around.cwd, args.output) }),
        emit: show,
        stop: stop.signal,
        ...defined({ confirm, confirmFormer: former }),
      }),
    )
    if (result.got === 'unchanged') show(result.planned)
  } catch (bug) {
    const message = bug instanceof Error ? bug.message : String(bug)
    reports.end({ exit: bugExit, problems: [], error: { code: 'bug', message } })
    throw bug
  } finally {
    stop.close()
    await view.close()
  }
  if (result.got === 'unchanged') {
    if (talkOf(args) !== 'quiet') out.talk(unchangedText(result.planned.jobs))
    return reports.end({ exit: exit.ok, problems: [] })
  }
  const reporting = {
    args,
    cwd: around.cwd,
    isScreen: around.stdout.isTerminal,
    isTaken: reports.ownsStdout,
    stopped: stop.code(),
  }
  return reports.end({ exit: tellResult(result, reporting, out), ...endOf(result) })
}

/** A forgotten environment is no wish to rehearse what was bought before: the night would end well, and make nothing. */
function realOrRehearsal(args: ViewArgs, around: Surroundings): ServiceChoice {
  const choice = serviceFor(args, around)
  if (choice.use !== 'rehearsal' || args.local || !isBought(args.manifest, around.cwd)) return choice
  return {
    use: 'nothing',
    trouble: {
      code: 'no-service',
      message: `${args.manifest} was made at a service before, and none is configured now`,
      hint: 'set GENRUN_BASE_URL and GENRUN_API_KEY (or keep them in your own settings), or give --local to rehearse',
    },
  }
}

/** What became of a run, for its reports. */
function endOf(result: RunResult): Pick<RunEnd, 'problems' | 'report' | 'error'> {
  switch (result.got) {
    case 'refused':
      return { problems: result.problems }
    case 'report':
      return { problems: result.problems, report: result.report }
    case 'busy':
    case 'damaged': {
      const { got: code, message, hint } = result
      return { problems: [], error: { code, message, hint } }
    }
  }
}

type Served = Exclude<ServiceChoice, { use: 'nothing' }>

export function showEvent(told: RunEvent, args: TalkArgs, choice: Served, view: View): void {
  // Said when it is certain that something will be made: a wrong manifest is the only thing to hear about then.
  if (told.event === 'planned' && choice.use === 'rehearsal' && talkOf(args) !== 'quiet')
    view.note(`rehearsal: ${choice.because}, so the embedded gateway makes placeholders; nothing is paid`)
  view.show(told)
}

/** Gives the work the configured service, or a gateway of its own for as long as it lasts. */
export async function withService<T>(
  choice: Served,
  remark: (text: string) => void,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  if (choice.use === 'service') {
    const { baseUrl, key, reach, others, isNone, name } = choice
    return work({
      ...reach,
      baseUrl,
      key,
      rehearsal: false,
      ...defined({ others, isNone, name }),
    })
  }
  const { startGateway } = await import('../../gateway/server.ts')
  const gateway = await startGateway({ ...forRehearsals, remark })
  try {
    const { baseUrl, key, add } = gateway
    return await work({ baseUrl, key, rehearsal: true, introduce: add })
  } finally {
    await gateway.close()
  }
}
