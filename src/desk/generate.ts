import { setMaxListeners } from 'node:events'
import { isAbsolute, join } from 'node:path'
import { type Diagnostic, error, hasErrors } from '../base/diagnostic.ts'
import type { ExitCode } from '../base/exit.ts'
import { type Failure, failureMessage } from '../base/failure.ts'
import type { JobState, SavedFile, WireMode } from '../base/state.ts'
import { type MediaKind, outputKind } from '../catalog/index.ts'
import { declaredOn, type Shelf } from '../catalog/shelf.ts'
import type { Job } from '../manifest/job.ts'
import type { Caps } from '../plan/budget.ts'
import { prepareOutputs } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import type { Profile } from '../wire/profile.ts'
import type { Verify } from './carry/verifies.ts'
import type { Refused } from './draw/draw.ts'
import { openPurse, type Purse } from './draw/purse.ts'
import { damaged } from './ground/ground.ts'
import { thisMachine } from './ground/machine.ts'
import { openPrices } from './ground/prices.ts'
import { openProfile, rehearsed } from './ground/profile.ts'
import type { Damaged } from './ground/recorded.ts'
import { baseUrlProblems, type Service } from './ground/service.ts'
import type { Ask } from './once/ask.ts'
import { carryOutOnce } from './once/once.ts'
import { type LeftBehind, openNote, sweepLeftBehind } from './once/once-note.ts'
import { type Place, placeFor } from './once/once-place.ts'
import { owedProblem, owedWarning } from './once/owed.ts'
import { openScratch } from './once/scratch.ts'
import { judgeAsk } from './once/single-job.ts'
import { resultCommand } from './telling/command.ts'
import { exitOf } from './telling/ending.ts'
import { plainHint } from './telling/hints.ts'
import type { Planned, Told } from './telling/report.ts'

/**
 * One job without a manifest. Paths are relative to `cwd`. It is bought every time; by
 * `generateLocked` it is not. What it sends is written down in the output folder until the files are in their places, so
 * that a killed process loses nothing.
 */
export interface GenerateRequest {
  readonly ask: Ask
  readonly cwd: string
  readonly service: Service
  /** The folder for the files; made when it is not there. */
  readonly output?: string
  /** The files' name inside the folder, without ending; a new one of the prompt when there is none. */
  readonly name?: string
  /** Only input files below this folder are read. Absolute. */
  readonly within?: string
  readonly strict?: boolean
  /** The models there are; the built-in ones when it is absent. */
  readonly shelf?: Shelf
  /** What a difference between what came and what was asked means; `warn` when absent. */
  readonly verify?: Verify
  readonly mode?: WireMode
  readonly workflow?: string
  readonly timeoutMs?: number
  readonly profile?: string
  readonly prices?: string
  readonly caps?: Caps
  /** What several generations may spend together; `caps` count for this one. */
  readonly purse?: Purse
  /** What the call is known by. While an order of the same call is owed its files, this one is refused. */
  readonly asked?: string
  /** False: nothing is written down on the way. It is quicker by some syncs, and a killed process loses what it paid for. */
  readonly journal?: boolean
  /** Hears the plan of one, then what happens. */
  readonly tell?: (told: Told) => void
  /** Aborted: nothing more is bought, and a run at the service goes on without us. */
  readonly stop?: AbortSignal
}

/** One file of a generation. */
export interface MadeFile extends SavedFile {
  /** Absolute. */
  readonly path: string
}

/** What became of one generation. */
export interface Generation {
  readonly model: string
  readonly kind: MediaKind
  readonly ending: 'made' | 'failed' | 'doubt' | 'detached' | 'skipped'
  readonly files: readonly MadeFile[]
  /** Why it did not end well, or a flaw of what was delivered. */
  readonly failure?: Failure
  readonly message?: string
  readonly hint?: string
  /** The run at the service; with it `resultOf` reads the result again. */
  readonly run?: { readonly workflow: string; readonly id: string }
  readonly seconds: number
  /** Requests that could cost money. */
  readonly paid: number
  readonly requests: number
  /** What the service said that it cost. */
  readonly credits?: number
  readonly rehearsal: boolean
  /** A lock had it already: its files were there, or were fetched without paying. */
  readonly again?: 'kept' | 'fetched'
  readonly exit: ExitCode
}

export type GenerateResult =
  | Refused
  | Damaged
  | { readonly got: 'generation'; readonly generation: Generation; readonly problems: readonly Diagnostic[] }

/** Everything that one job needs, checked; nothing has been sent or written. */
export interface Readied {
  readonly got: 'ready'
  readonly job: Job
  readonly place: Place
  readonly profile: Profile
  readonly purse: Purse
  readonly problems: readonly Diagnostic[]
}

/** Checks one job, makes it, saves its files. Never rejects for anything that a user, a disk or a service can cause. */
export async function generate(request: GenerateRequest): Promise<GenerateResult> {
  const readied = readyGeneration(request)
  if (readied.got === 'refused') return readied
  const { stop = new AbortController().signal } = request
  const { disk, random, clock } = thisMachine
  setMaxListeners(0, stop)
  const { job, place, profile, purse } = readied
  try {
    await prepareOutputs(place.output, disk)
    const left = sweepLeftBehind(place.output, thisMachine)
    const same = left.find(each => isSame(each, request, place))
    const where = { output: place.output, cwd: request.cwd }
    if (same) return { got: 'refused', problems: [owedProblem(same, where)] }
    const problems = [...readied.problems, ...left.map(each => owedWarning(each, where))]
    const scratch = await openScratch(place.output, random.token(), disk)
    const { rehearsal } = request.service
    const note = {
      name: place.name,
      model: job.model.id,
      named: request.name !== undefined,
      rehearsal,
      ...(request.asked !== undefined && { asked: request.asked }),
    }
    const journal = request.journal === false ? undefined : await openNote(scratch.folder, note, thisMachine)
    const unpacked = await scratch.unpack(job, request.ask.inline)
    const began = clock.now()
    const tell = request.tell ?? (() => undefined)
    tell(plannedOne(job, place, { at: began, rehearsal }))
    const { state, ...counts } = await carryOutOnce({
      job: unpacked,
      cwd: request.cwd,
      output: place.output,
      scratch: scratch.folder,
      service: request.service,
      profile,
      purse,
      machine: thisMachine,
      tell,
      stop,
      ...(journal && { journal }),
      ...(request.verify && { verify: request.verify }),
    })
    // What was paid for and is not under its final name lies there.
    if (state.is !== 'doubt' && state.is !== 'detached') scratch.clear()
    const seconds = (clock.now() - began) / 1000
    const generation = generationOf(job, state, place, { ...counts, seconds, service: request.service })
    return { got: 'generation', generation, problems }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

/** Checks one job as `generate` does, and makes nothing: no key, no network, no write. */
export function checkAsk(
  request: Pick<GenerateRequest, 'ask' | 'cwd' | 'within' | 'strict' | 'shelf'>,
): readonly Diagnostic[] {
  return judgeAsk(request.ask, 'job', request).problems
}

/** The checks of `generate`. */
export function readyGeneration(request: GenerateRequest): Readied | Refused {
  const { ask, cwd, service } = request
  const refused = (problems: readonly Diagnostic[]): Refused => ({ got: 'refused', problems })
  const place = placeFor(request, thisMachine)
  if ('code' in place) return refused([place])
  const { value: job, problems } = judgeAsk(ask, place.name, request)
  if (!job) return refused(problems)
  const inTheWay = place.inTheWay(job)
  if (inTheWay) return refused([error('file-in-the-way', ask.at, inTheWay, 'give another name with `-o`')])
  const inAddress = baseUrlProblems(service, 'base_url')
  if (hasErrors(inAddress)) return refused(inAddress)
  const profile = openProfile(
    request.profile,
    cwd,
    service.rehearsal ? undefined : service,
    request.shelf && declaredOn(request.shelf),
  )
  if (!profile.value) return refused(profile.problems)
  const prices = openPrices(request.prices, cwd)
  if (hasErrors(prices.problems)) return refused(prices.problems)
  if (service.rehearsal) service.introduce?.([job.model])
  return {
    got: 'ready',
    job,
    place,
    profile: service.rehearsal ? rehearsed(profile.value) : profile.value,
    purse: request.purse ?? openPurse(request.caps ?? {}, prices.value),
    problems: [...problems, ...profile.problems, ...inAddress],
  }
}

/** By its name, where one was given, or as the same call. */
function isSame(left: LeftBehind, { name, asked }: GenerateRequest, place: Place): boolean {
  if (asked !== undefined && asked === left.asked) return true
  return name !== undefined && left.name === place.name
}

function plannedOne(job: Job, { output }: Place, when: Pick<Planned, 'at' | 'rehearsal'>): Planned {
  const { address, model } = job
  return {
    ...when,
    event: 'planned',
    jobs: 1,
    steps: { buy: 1, keep: 0, resume: 0, fetch: 0, adopt: 0, hold: 0, doubt: 0, drop: 0 },
    work: [{ address, model: model.id, kind: outputKind(model), needs: [] }],
    output,
    remarks: [],
  }
}

interface Counts {
  readonly paid: number
  readonly requests: number
  readonly credits?: number
  readonly seconds: number
  readonly service: Service
}

export function generationOf(
  job: Job,
  state: JobState,
  place: Place,
  { service, ...counts }: Counts,
): Generation {
  const { ending, files = [], failure, run } = endOf(state)
  const { output } = place
  const hint = failure && onceHint(failure, ending, place)
  const kind = outputKind(job.model)
  const exit = exitOf({ ending, ...(failure && { failure }) })
  return {
    model: job.model.id,
    kind,
    ending,
    files: files.map(file => ({
      ...file,
      path: isAbsolute(file.path) ? file.path : join(output, file.path),
    })),
    ...(failure && { failure, message: failureMessage(failure) }),
    ...(hint !== undefined && { hint }),
    ...(run && { run }),
    ...counts,
    rehearsal: service.rehearsal,
    exit,
  }
}

interface End {
  readonly ending: Generation['ending']
  readonly files?: readonly SavedFile[]
  readonly failure?: Failure
  readonly run?: Generation['run']
}

function endOf(state: JobState): End {
  switch (state.is) {
    case 'done':
      return { ending: 'made', files: state.files, failure: state.flaw, run: state.run }
    case 'failed':
      return { ending: 'failed', failure: state.failure, run: state.run }
    case 'doubt':
      return { ending: 'doubt', failure: { why: 'in-doubt', detail: state.detail } }
    case 'detached':
      return { ending: 'detached', failure: state.because, run: state.run }
    case 'skipped':
      return { ending: 'skipped', failure: state.because }
    case 'ready':
    case 'remote':
    case 'made':
      throw new Error('the job was not settled')
  }
}

/** The advice of runs of a manifest speaks of running again, which would buy again here. */
function onceHint(failure: Failure, ending: Generation['ending'], place: Place): string | undefined {
  const result = `\`${resultCommand(place)}\``
  if (ending === 'detached') return `it is paid for: ${result} fetches it`
  switch (failure.why) {
    case 'in-doubt':
      return `it is not sent again by itself; ${result} tells what is known of it`
    case 'remote':
    case 'bad-media':
    case 'bad-reply':
      return 'it may have been billed'
    case 'overdue':
    case 'undelivered':
    case 'unsaved':
    case 'stopped':
    case 'budget':
      return undefined
    default:
      return plainHint(failure)
  }
}
