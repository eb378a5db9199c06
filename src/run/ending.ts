import { defined } from '../base/defined.ts'
import { type ExitCode, exit, gravestExit } from '../base/exit.ts'
import { type Failure, failureMessage } from '../base/failure.ts'
import { type DonePurchase, type Flaw, isTaken } from '../base/purchase.ts'
import { lineAt } from '../base/source.ts'
import type { JobState, SavedFile } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { reasonText } from '../plan/shapes/reasons.ts'
import { type ShortBy, shortBy } from '../plan/shapes/share.ts'
import type { Hold, Step } from '../plan/shapes/step.ts'
import { wantedPath } from '../planning/facts.ts'
import { alteredFileText, noFileText, oddFileText, unapprovedText } from '../planning/plan-record.ts'
import { type AtWork, commandOn } from '../wording/command.ts'
import {
  alteredHint,
  alteredInputHint,
  type Fetched,
  goneHint,
  hintFor,
  lostHint,
  shortHint,
  unusualHint,
} from '../wording/hints.ts'
import { type Ending, isFlawed, type JobReport } from '../wording/report.ts'

/** What the engine made of a step, and how long that took. */
interface Outcome {
  readonly state?: JobState | undefined
  readonly seconds?: number | undefined
}

/** One step's line in the report; nothing for what is only dropped. */
export function reportStep(
  step: Step,
  atWork: AtWork,
  { state, seconds }: Outcome = {},
): JobReport | undefined {
  switch (step.do) {
    case 'aside':
    case 'drop':
      return undefined
    case 'keep':
      return keptReport(step, atWork)
    case 'adopt':
      return movedReport(step, atWork)
    case 'restore':
      if (state?.is === 'skipped') return withFailure(reportHead(step.job, 'skipped'), state.because, atWork)
      return { ...reportHead(step.job, 'fetched'), files: filesInPlace(step) }
    case 'doubt':
      // Sent again under its key, and answered.
      if (state && state.is !== 'skipped')
        return reportWith(stateReport(step, state, atWork), defined({ seconds }))
      return withFailure(
        reportHead(step.job, 'doubt'),
        { why: 'in-doubt', detail: step.purchase.detail },
        atWork,
      )
    case 'hold':
      return heldReport(step.job, step.because, atWork)
    case 'buy':
    case 'resume':
    case 'fetch':
      return reportWith(stateReport(step, state, atWork), defined({ seconds }))
  }
}

/** Under the names that they have now, whatever they were called where they come from: another take, or another manifest's. */
function filesInPlace({ job, entry }: Pick<Step & { do: 'adopt' }, 'job' | 'entry'>): SavedFile[] {
  return entry.files.map((file, nth) => ({ ...file, path: wantedPath(job, entry, nth) }))
}

function movedReport({ job, entry, placed }: Step & { do: 'adopt' }, atWork: AtWork): JobReport {
  const files = placed ?? filesInPlace({ job, entry })
  const short = entry.acceptedAs ? undefined : shortBy(job, files.length)
  return { ...reportHead(job, 'moved'), files, ...(short && flawOf(shortFailure(job, short), job, atWork)) }
}

function stateReport(
  step: Step & { do: 'buy' | 'resume' | 'fetch' | 'doubt' },
  state: JobState | undefined,
  atWork: AtWork,
): JobReport {
  const { job } = step
  switch (state?.is) {
    case 'done': {
      const stands = step.do === 'buy' && step.standing?.files === state.files
      const how = stands ? 'kept' : step.do === 'fetch' ? 'fetched' : 'made'
      const run = state.run && { run: state.run.id }
      return reportHead(job, how, { files: state.files, ...run, ...flawOf(state.flaw, job, atWork) })
    }
    case 'failed':
      return reportWith(withFailure(reportHead(job, 'failed'), state.failure, atWork, fetchedBy(step)), {
        ...(state.run && { run: state.run.id }),
        ...(state.files && unusualFiles(state.files)),
      })
    case 'doubt':
      return withFailure(reportHead(job, 'doubt'), { why: 'in-doubt', detail: state.detail }, atWork)
    case 'detached':
      return reportWith(
        withFailure(reportHead(job, 'detached'), state.because, atWork),
        state.run ? { run: state.run.id } : {},
      )
    case 'skipped':
      return withFailure(reportHead(job, 'skipped'), state.because, atWork)
    case 'ready':
    case 'remote':
    case 'made':
    case undefined:
      throw new Error(`${job.address} was not settled`)
  }
}

function keptReport(
  { job, entry, accepted, short, waits }: Step & { do: 'keep' },
  atWork: AtWork,
): JobReport {
  const { files } = entry
  const flaw = openFlaw(entry, job)
  return reportHead(job, 'kept', {
    files,
    ...(flaw && { message: flaw.message }),
    ...(accepted && { accepted: accepted.map(reasonText) }),
    ...(short && flawOf(shortFailure(job, short), job, atWork)),
    ...(waits && waitingFor(waits, atWork)),
  })
}

/** Nothing is sent for it, and nothing made from it, before a person has decided. */
function waitingFor(because: Hold & { why: 'unapproved' }, atWork: AtWork): Partial<JobReport> {
  const message = unapprovedText(because)
  return { failure: { why: 'on-hold', detail: message }, message, hint: approvalHint(because, atWork) }
}

function approvalHint({ remedy, isAltered }: Hold & { why: 'unapproved' }, atWork: AtWork): string {
  if (isAltered) return alteredHint
  return remedy ?? `look at it, and approve it: \`${commandOn(atWork, 'review')}\``
}

function heldReport(job: Job, because: Hold, atWork: AtWork): JobReport {
  const held = reportHead(job, 'held')
  switch (because.why) {
    case 'needs':
      return withFailure(held, { why: 'needs', address: because.address }, atWork)
    case 'at-work':
      return { ...held, message: 'another genrun has sent it, and waits for the answer' }
    case 'no-file':
      return {
        ...held,
        message: noFileText(because),
        hint: `--failed orders what ${because.address} lacks, \`${commandOn(atWork, 'redo', because.address)}\` all of it anew`,
      }
    case 'odd-file':
      return {
        ...held,
        message: oddFileText(because),
        hint: `\`${commandOn(atWork, 'redo', because.address)}\` orders it anew; or name a file of your own that is made from it`,
      }
    case 'altered-file':
      return { ...held, message: alteredFileText(because), hint: alteredInputHint }
    case 'unpicked':
      return {
        ...held,
        message: `it waits until a take of ${because.address} is picked`,
        hint: `look at them, then \`${commandOn(atWork, 'pick', because.address)}\`, or a later one by its number, as ${because.address}#2`,
      }
    case 'unapproved':
      return {
        ...held,
        message: unapprovedText(because),
        hint: approvalHint(because, atWork),
      }
    case 'chosen-since':
      return { ...held, message: chosenSinceText(because), ...defined({ hint: because.remedy }) }
    case 'not-selected':
      return { ...held, message: 'it is not selected' }
    case 'other-service': {
      const { run, origin } = because
      const adopt = commandOn(atWork, 'adopt', job.address, run.id)
      return {
        ...held,
        ...defined({ elsewhere: run.origin }),
        message: `its run ${run.id} was accepted at ${run.origin}, and ${origin} is asked now`,
        hint: `set GENRUN_BASE_URL to that service; if it has moved to this address, say so: \`${adopt}\``,
      }
    }
    case 'failed-before':
      return {
        ...held,
        message: `an earlier run failed and may have been billed: ${because.message}`,
        ...(because.files && whatCame(because.files, because.lost)),
        hint: failedHint(because, job, atWork),
      }
    case 'files-gone':
      return {
        ...held,
        message: `its files are gone (${because.paths.join(', ')}) and the service has no run to fetch them from`,
        hint: 'put them back, or pay for them again with --rebuy',
      }
  }
}

/** `another take of hero was picked meanwhile: the next run makes it from that`. */
export function chosenSinceText({ address, isRetake, but }: Hold & { why: 'chosen-since' }): string {
  if (but !== undefined) return `nobody can tell by now which take of ${address} is picked: ${but}`
  return isRetake
    ? `a take of ${address} was chosen meanwhile: it is not ordered anew`
    : `another take of ${address} was picked meanwhile: the next run makes it from that`
}

function failedHint(
  { isGone, files, lost }: Hold & { why: 'failed-before' },
  { address }: Job,
  atWork: AtWork,
): string {
  if (isGone) return goneHint(address, atWork)
  if (lost) return lostHint(lost)
  return files ? unusualHint : 'change the job, or order it again with --failed'
}

/** Before Node 22 an object that begins with a spread shares its shape with none: what there is `more` comes behind. */
export function reportHead(
  job: Job,
  ending: Ending,
  { files = [], ...more }: Partial<JobReport> = {},
): JobReport {
  const { address, model, at } = job
  const line = lineAt(at.file, at.start)
  const file = at.file.name
  return { address, model: model.id, kind: outputKind(model), file, line, ending, files, ...more }
}

/** The same with more, named first as above. */
export function reportWith({ address, ...report }: JobReport, more: Partial<JobReport>): JobReport {
  return { address, ...report, ...more }
}

function fetchedBy(step: Step): Fetched['fetched'] {
  if (step.do !== 'fetch') return undefined
  if (step.isNobodys) return 'unasked'
  return step.isAmongTakes ? 'among takes' : 'asked'
}

function withFailure(
  head: JobReport,
  failure: Failure,
  atWork: AtWork,
  fetched?: Fetched['fetched'],
): JobReport {
  const hint = hintFor(failure, { ...head, ...defined({ fetched }) }, atWork)
  return reportWith(head, { failure, message: failureMessage(failure), ...(hint && { hint }) })
}

function unusualFiles(files: readonly SavedFile[]): Pick<JobReport, 'files' | 'hint'> {
  return { files, hint: unusualHint }
}

/** Of what came and is no result: as far as it is still what it was. */
function whatCame(files: readonly SavedFile[], lost: readonly string[] = []): Pick<JobReport, 'files'> {
  return { files: files.filter(({ path }) => !lost.includes(path)) }
}

function flawOf(flaw: Failure | undefined, { address }: Job, atWork: AtWork): Partial<JobReport> {
  if (!flaw) return {}
  const isOpen = flaw.why === 'short-delivery' && !flaw.borne
  return {
    failure: flaw,
    message: failureMessage(flaw),
    ...(isOpen && { hint: shortHint(address, atWork) }),
  }
}

/** Of a result that came short: what there is to say of it by now. */
function shortFailure({ shortDelivery = 'fail' }: Job, short: ShortBy): Failure {
  return { why: 'short-delivery', ...short, ...(shortDelivery !== 'fail' && { borne: true }) }
}

/** Undefined as well where a person took it as it is, or another order brings what it lacks. */
function openFlaw({ flaw, files, acceptedAs }: DonePurchase, job: Job): Flaw | undefined {
  if (!flaw || isTaken(flaw)) return undefined
  const isSettled = flaw.why === 'short-delivery' && (acceptedAs || !shortBy(job, files.length))
  return isSettled ? undefined : flaw
}

/** The exit code that one job's end calls for. */
function exitOf(report: Pick<JobReport, 'ending' | 'failure'>): ExitCode {
  switch (report.ending) {
    case 'made':
    case 'fetched':
    case 'kept':
    case 'moved':
      if (report.failure?.why === 'on-hold') return exit.unfinished
      return isFlawed(report) ? exit.failed : exit.ok
    case 'failed':
      return failedExit(report.failure)
    case 'held':
      return exit.unfinished
    case 'doubt':
      return exit.doubt
    case 'detached':
      return report.failure?.why === 'unsaved' ? exit.damaged : exit.unfinished
    case 'skipped':
      return skippedExit(report.failure)
  }
}

/** A wrong key is the settings' fault; a service that never answered leaves everything as it was. */
function failedExit(failure: Failure | undefined): ExitCode {
  switch (failure?.why) {
    case 'unauthorized':
      return exit.refused
    case 'no-credit':
      return exit.budget
    case 'unreachable':
    case 'busy':
      return exit.unfinished
    default:
      return exit.failed
  }
}

function skippedExit(failure: Failure | undefined): ExitCode {
  switch (failure?.why) {
    case 'stopped':
    case 'on-hold':
      return exit.unfinished
    case 'unsaved':
      return exit.damaged
    case 'budget':
      return exit.budget
    case 'bad-input':
      return exit.failed
    case 'closed':
      return closedExit(failure.because)
    // Its run from before could not be asked, so that nothing was ordered.
    case 'unauthorized':
      return exit.refused
    case 'unreachable':
    case 'busy':
    case 'bad-reply':
    case 'refused':
      return exit.unfinished
    // What it waited for tells the code.
    default:
      return exit.ok
  }
}

/** The breaker ended the buying: that is told, where the job that made it open does not tell all. */
function closedExit(because: Failure): ExitCode {
  switch (because.why) {
    case 'in-doubt':
    case 'bad-media':
    case 'bad-reply':
    case 'undelivered':
    case 'gone':
    case 'remote':
      return exit.budget
    default:
      return exit.ok
  }
}

/** The code of the whole run. `stopped` is the code of the signal that ended it, if one did. */
export function exitOfRun(jobs: readonly JobReport[]): ExitCode {
  const codes = jobs.map(exitOf)
  // A wrong key stands behind everything that was not sent: nothing else is worth telling first, except doubt.
  if (codes.includes(exit.refused) && !codes.includes(exit.doubt)) return exit.refused
  return gravestExit(codes.filter(code => code !== exit.refused))
}
