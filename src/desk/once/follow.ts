import type { JsonObject, RunId } from '../../base/names.ts'
import { jobAddress, runId } from '../../base/names.ts'
import { headOf } from '../../base/source.ts'
import { type Model, usualMode } from '../../catalog/index.ts'
import { builtIn, declaredOn } from '../../catalog/shelf.ts'
import { expectOf } from '../../forms/expect.ts'
import type { Job } from '../../manifest/job.ts'
import { prepareOutputs } from '../../store/outputs.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import { type Profile, workflowOf } from '../../wire/profile.ts'
import { settingProblem } from '../draw/obstacles.ts'
import { openPurse } from '../draw/purse.ts'
import { damaged } from '../ground/ground.ts'
import { thisMachine } from '../ground/machine.ts'
import { openProfile, rehearsed } from '../ground/profile.ts'
import { askOf } from './ask.ts'
import { type GenerateRequest, type GenerateResult, type Generation, generationOf } from './generation.ts'
import { carryOutOnce, type Once } from './once.ts'
import { leftBehind } from './once-note.ts'
import { type Place, placeFor } from './once-place.ts'
import { clearScratch, openScratch } from './scratch.ts'

/** A run at the service: what is needed to have its result. Plain data, to be kept anywhere. */
export interface RunHandle {
  readonly model: string
  /** The path of the service's address that ordered it; the model's id, where a profile does not say otherwise. */
  readonly workflow: string
  /** The service's own. */
  readonly id: string
  /** What was asked, without files: then what comes is compared with it. */
  readonly params?: JsonObject
}

export interface FollowRequest
  extends Pick<
    GenerateRequest,
    'cwd' | 'service' | 'output' | 'name' | 'profile' | 'tell' | 'stop' | 'shelf'
  > {
  /** Without a workflow it is the usual one of the model. */
  readonly run: Omit<RunHandle, 'workflow'> & Partial<Pick<RunHandle, 'workflow'>>
}

export type LookResult =
  | { readonly got: 'pending'; readonly progress?: number; readonly waitMs?: number }
  /** Links to its files; an answer with bytes in it has none. */
  | { readonly got: 'ready'; readonly links: readonly string[] }
  | { readonly got: 'failed' | 'trouble'; readonly message: string }

/**
 * Waits for a run at the service and saves its files. Costs nothing, however often it is done. What a generation wrote
 * down about the run is taken away when nothing more will come of it. Never rejects for anything that a user, a disk or a service
 * can cause.
 */
export async function followRun(request: FollowRequest): Promise<GenerateResult> {
  const read = readRun(request)
  if (read.got === 'refused') return read
  const { run } = request
  const { ask } = askOf(run.model, { prompt: String(run.params?.prompt ?? '') })
  const place = placeFor({ ...request, ask: ask ?? noAsk }, thisMachine)
  if ('code' in place) return { got: 'refused', problems: [place] }
  const now = thisMachine.clock.now()
  const ref = { workflow: read.workflow, id: read.id }
  const start = { is: 'remote', run: ref, since: now, tries: 0, notBefore: now } as const
  const { profile, model } = read
  const result = await bringHome({ request, job: jobOfRun(model, place.name, run), place, profile, start })
  if (result.got === 'generation' && isOver(result.generation)) forget(place.output, read.id)
  return result
}

/** Nothing more will come of it: its files are there, or it failed at the service. */
export function isOver({ ending, failure }: Generation): boolean {
  return ending === 'made' || (ending === 'failed' && failure?.why === 'remote')
}

/** An order that is made or on its way, and where its files go. */
export interface Homeward {
  readonly request: Pick<FollowRequest, 'cwd' | 'service' | 'tell' | 'stop'> & {
    readonly run: Pick<RunHandle, 'params'>
  }
  readonly job: Job
  readonly place: Place
  readonly profile: Profile
  readonly start: NonNullable<Once['start']>
}

/** Carries an order on that is paid for: no request of it costs anything. */
export async function bringHome({ request, job, place, profile, start }: Homeward): Promise<GenerateResult> {
  const { service, cwd, run, stop = new AbortController().signal, tell = () => undefined } = request
  const { disk, random, clock } = thisMachine
  try {
    await prepareOutputs(place.output, disk)
    const scratch = await openScratch(place.output, random.token(), disk)
    const began = clock.now()
    const { state, ...counts } = await carryOutOnce({
      job,
      cwd,
      output: place.output,
      scratch: scratch.folder,
      service,
      profile,
      purse: openPurse({}, undefined),
      machine: thisMachine,
      tell,
      stop,
      start,
    })
    // What came is had again by the id, or lies in the folder of the order itself.
    scratch.clear()
    const seconds = (clock.now() - began) / 1000
    // Without the parameters nobody knows what was asked.
    const judged = state.is === 'done' && !run.params ? { ...state, flaw: undefined } : state
    const generation = generationOf(job, judged, place, { ...counts, seconds, service })
    return { got: 'generation', generation, problems: [] }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

function forget(output: string, id: RunId): void {
  for (const left of leftBehind(output, thisMachine))
    if ('run' in left && left.run?.id === id) clearScratch(left.folder)
}

const noAsk: GenerateRequest['ask'] = {
  model: undefined,
  params: [],
  at: headOf({ name: 'run', text: '' }),
  inline: new Map(),
}

/** Asks once how a run stands; saves nothing. */
export async function lookAtRun(request: FollowRequest): Promise<LookResult> {
  const read = readRun(request)
  if (read.got === 'refused') return { got: 'trouble', message: read.problems[0]?.message ?? '' }
  // An answer with bytes in it is read again by whoever saves it.
  const drop = async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const _ of bytes);
    return ''
  }
  const wire = thisMachine.connect(request.service, drop, read.profile)
  try {
    const stop = request.stop ?? new AbortController().signal
    const reply = await wire.read({ workflow: read.workflow, id: read.id }, stop)
    switch (reply.got) {
      case 'pending':
        return reply
      case 'files':
        return { got: 'ready', links: reply.files.flatMap(file => (file.from === 'link' ? file.url : [])) }
      case 'failure':
        return { got: 'failed', message: detailOf(reply.failure) }
      case 'trouble':
        return { got: 'trouble', message: detailOf(reply.failure) }
    }
  } finally {
    await wire.close()
  }
}

function detailOf(failure: { readonly why: string; readonly detail?: string }): string {
  return failure.detail || failure.why
}

function readRun({ run, profile: path, cwd, service, shelf = builtIn }: FollowRequest) {
  const refused = (name: string, value: string, code: string, message: string) =>
    ({ got: 'refused', problems: [settingProblem(name, value, code, message)] }) as const
  const model = shelf.find(run.model)
  if (!model) return refused('model', run.model, 'unknown-model', `there is no model ${run.model}`)
  const id: RunId | undefined = runId(run.id)
  if (!id) return refused('id', run.id, 'bad-run', 'this is no id of a run')
  const opened = openProfile(path, cwd, service.rehearsal ? undefined : service, declaredOn(shelf))
  if (!opened.value) return { got: 'refused', problems: opened.problems } as const
  const profile = service.rehearsal ? rehearsed(opened.value) : opened.value
  const workflow = run.workflow ?? workflowOf(profile, model.id, run.params ?? {})
  return { got: 'run', model, id, profile, workflow } as const
}

export function jobOfRun(model: Model, output: string, { params = {} }: Pick<RunHandle, 'params'>): Job {
  const at = headOf({ name: 'run', text: '' })
  return {
    address: jobAddress(output),
    model,
    mode: usualMode(model),
    params,
    files: {},
    needs: [],
    output,
    count: expectOf(model, params).count,
    take: 1,
    tags: [],
    retries: 0,
    at,
    locate: () => at,
  }
}
