import type { Code } from '../../base/codes.ts'
import { defined } from '../../base/defined.ts'
import { type JsonObject, jobAddress, type RunId, runId } from '../../base/names.ts'
import type { RunningPurchase } from '../../base/purchase.ts'
import { headOf } from '../../base/source.ts'
import { type Model, usualMode } from '../../catalog/index.ts'
import { builtIn, declaredOn, modelsAt } from '../../catalog/model-set.ts'
import { newPurchase } from '../../engine/run-job.ts'
import { expectOf } from '../../forms/expect.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { settingProblem } from '../../planning/obstacles.ts'
import { prepareOutputs } from '../../store/files/outputs.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { type Profile, workflowOf } from '../../wire/profile/profile.ts'
import type { JobReport } from '../../wording/report.ts'
import { thisMachine } from '../../workspace/machine.ts'
import { damaged } from '../../workspace/records/recorded.ts'
import { openProfile, rehearsed } from '../../workspace/service/profile.ts'
import { inTurn } from '../../workspace/service/service-polls.ts'
import type { Recorded } from '../../workspace/workspace.ts'
import { executeResume, type OwedRun } from '../resume.ts'
import { askOf } from './ask.ts'
import { leftInLocks } from './beside-lock.ts'
import type { GenerateRequest, GenerateResult, Generation } from './generation.ts'
import { singleHint } from './hints.ts'
import { leftBehind } from './left-behind.ts'
import { generationOf } from './outcome.ts'
import { clearQuietly, type Workspaces, workspacesAnew } from './own-folder.ts'
import { type FilesPlace, placeFor } from './place.ts'
import { singleSetting } from './ready.ts'

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
    'cwd' | 'service' | 'output' | 'name' | 'profile' | 'emit' | 'stop' | 'modelSet'
  > {
  /** Without a workflow it is the usual one of the model. */
  readonly run: Omit<RunHandle, 'workflow'> & Partial<Pick<RunHandle, 'workflow'>>
  /** A person typed the id: where no record here names it, a few looks tell a slip from a run that is still to appear. */
  readonly isTyped?: boolean
}

type LookResult =
  | { readonly got: 'pending'; readonly progress?: number | undefined; readonly waitMs?: number | undefined }
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
  const { run, cwd, service } = request
  const { ask } = askOf(run.model, { prompt: String(run.params?.prompt ?? '') })
  const { profile, model, workflow, id } = read
  const place = placeFor({ ...request, ask: ask ?? noAsk, model }, thisMachine)
  if ('code' in place) return { got: 'refused', problems: [place] }
  const job = jobOfRun(model, place.name, { workflow, ...defined({ params: run.params }) })
  const { output } = place
  const isStrange = request.isTyped === true && !isNamedHere(place, id)
  const workspaces = workspacesAnew({ output, cwd, rehearsal: service.rehearsal, machine: thisMachine })
  const purchase: RunningPurchase = {
    id: newPurchase(thisMachine.random),
    address: job.address,
    // Only the name of what was made: nothing is compared with it.
    recipe: { version: 1, model: model.id, params: job.params, defaults: {}, inputs: {}, take: 1 },
    is: 'under-way',
    run: { workflow, id, origin: originOf(service) },
    // Long ago, so that it is not waited for as for a young one.
    ...(isStrange && { acceptedAt: 0 }),
    saved: [],
    parts: [],
  }
  // Without the parameters nobody knows what was asked.
  const means = { ...request, ...(!run.params && { verify: 'off' as const }) }
  const hintFor = (line: JobReport) =>
    isStrange && (line.failure?.why === 'gone' || line.failure?.why === 'refused')
      ? strangeHint
      : singleHint(line, place)
  const homeward = { request: means, job, place, profile, workspaces, hintFor }
  const result = await bringHome(homeward, () => ({ purchase, job }))
  // What did not come is had again by the id.
  clearQuietly(workspaces)
  if (result.got === 'generation' && isOver(result.generation)) forget(place, id, originOf(service))
  return result
}

const strangeHint =
  'no record here names it: check the id, and that GENRUN_BASE_URL and the key are those that it was ordered with'

/** What cannot be read may name it. */
function isNamedHere(place: FilesPlace, id: RunId): boolean {
  try {
    const left = [...leftBehind(place, thisMachine), ...leftInLocks(place, thisMachine)]
    return left.some(each => 'purchase' in each && 'run' in each.purchase && each.purchase.run?.id === id)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return true
  }
}

/** Nothing more will come of it: its files are there, or it failed at the service. */
function isOver({ ending, failure }: Generation): boolean {
  return ending === 'made' || (ending === 'failed' && failure?.why === 'remote')
}

/** An order that is made or on its way, and where its files go. */
interface Homeward {
  readonly request: Pick<GenerateRequest, 'cwd' | 'service' | 'emit' | 'stop' | 'verify'> & {
    readonly takeClaim?: boolean
  }
  readonly job: Job
  readonly place: Pick<FilesPlace, 'output' | 'cwd'>
  readonly profile: Profile
  readonly workspaces: Workspaces
  readonly hintFor?: (line: JobReport) => string | undefined
}

/** Carries an order on that is paid for: no request of it costs anything. */
export async function bringHome(
  { request, job, place, profile, workspaces, hintFor = line => singleHint(line, place) }: Homeward,
  resumption: (recorded: Recorded) => OwedRun | undefined,
): Promise<GenerateResult> {
  try {
    const { machine } = workspaces
    await prepareOutputs(place.output, machine.disk)
    const setting = singleSetting(request, { job, profile, warnings: [] }, workspaces)
    const began = machine.clock.now()
    const result = await executeResume(setting, resumption)
    return generationOf(result, job, { ...setting, began, hintFor })
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

function forget(place: FilesPlace, id: RunId, origin: string): void {
  for (const left of leftBehind(place, thisMachine)) {
    const isIt = left.owes === 'run' && left.run.id === id && (left.run.origin ?? origin) === origin
    if (isIt) clearQuietly(left.workspaces)
  }
}

/** Of the service that is asked. */
function originOf({ baseUrl }: Pick<GenerateRequest['service'], 'baseUrl'>): string {
  return new URL(baseUrl).origin
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
  const { connect, polls, clock } = thisMachine
  const wire = await connect(request.service, drop, read.profile)
  try {
    const stop = request.stop ?? new AbortController().signal
    const asking = inTurn(wire, polls(request.service), clock)
    const reply = await asking.read({ workflow: read.workflow, id: read.id }, stop)
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

function readRun({ run, profile: path, cwd, service, modelSet = builtIn }: FollowRequest) {
  const refused = (name: string, value: string, code: Code, message: string) =>
    ({ got: 'refused', problems: [settingProblem({ name, value }, code, message)] }) as const
  const model = modelSet.find(run.model, service.name)
  if (!model) return refused('model', run.model, 'unknown-model', `there is no model ${run.model}`)
  const id: RunId | undefined = runId(run.id)
  if (!id) return refused('id', run.id, 'bad-run', 'this is no id of a run')
  const opened = openProfile(
    path,
    cwd,
    service.rehearsal ? undefined : service,
    modelsAt(declaredOn(modelSet), service.name),
  )
  if (!opened.value) return { got: 'refused', problems: opened.problems } as const
  const profile = service.rehearsal ? rehearsed(opened.value) : opened.value
  const workflow = run.workflow ?? workflowOf(profile, model.id, run.params ?? {})
  return { got: 'run', model, id, profile, workflow } as const
}

/** The job of which a run is the order, by what is known of it. */
export function jobOfRun(
  model: Model,
  output: string,
  { params = {}, workflow }: Partial<Pick<RunHandle, 'params' | 'workflow'>>,
): Job {
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
    ...defined({ workflow }),
    retries: 0,
    at,
    written: { locate: () => at },
  }
}
