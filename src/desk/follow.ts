import type { JsonObject, RunId } from '../base/names.ts'
import { jobAddress, runId } from '../base/names.ts'
import { headOf } from '../base/source.ts'
import { findModel, type Model, usualMode } from '../catalog/index.ts'
import { expectOf } from '../forms/expect.ts'
import type { Job } from '../manifest/job.ts'
import { prepareOutputs } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { askOf } from './ask.ts'
import { type GenerateRequest, type GenerateResult, generationOf } from './generate.ts'
import { damaged } from './ground.ts'
import { thisMachine } from './machine.ts'
import { settingProblem } from './obstacles.ts'
import { carryOutOnce } from './once.ts'
import { placeFor } from './once-place.ts'
import { openProfile, rehearsed } from './profile.ts'
import { openPurse } from './purse.ts'
import { openScratch } from './scratch.ts'

/** A run at the service: what is needed to have its result. Plain data, to be kept anywhere. */
export interface RunHandle {
  readonly model: string
  readonly workflow: string
  readonly id: string
  /** What was asked, without files: then what comes is compared with it. */
  readonly params?: JsonObject
}

export interface FollowRequest
  extends Pick<GenerateRequest, 'cwd' | 'service' | 'output' | 'name' | 'profile' | 'tell' | 'stop'> {
  readonly run: RunHandle
}

export type LookResult =
  | { readonly got: 'pending'; readonly progress?: number; readonly waitMs?: number }
  | { readonly got: 'ready' }
  | { readonly got: 'failed' | 'trouble'; readonly message: string }

/** Waits for a run at the service and saves its files. Costs nothing, however often it is done. */
export async function followRun(request: FollowRequest): Promise<GenerateResult> {
  const read = readRun(request)
  if (read.got === 'refused') return read
  const { model, id, profile } = read
  const { service, cwd, run, stop = new AbortController().signal } = request
  const { disk, random, clock } = thisMachine
  const { ask } = askOf(run.model, { prompt: String(run.params?.prompt ?? '') })
  const place = placeFor({ ...request, ask: ask ?? noAsk }, thisMachine)
  if ('code' in place) return { got: 'refused', problems: [place] }
  const job = jobOfRun(model, place.name, run)
  try {
    await prepareOutputs(place.output, disk)
    const scratch = await openScratch(place.output, random.token(), disk)
    const began = clock.now()
    const start = {
      is: 'remote',
      run: { workflow: run.workflow, id },
      since: began,
      tries: 0,
      notBefore: began,
    } as const
    const { state, ...counts } = await carryOutOnce({
      job,
      cwd,
      output: place.output,
      scratch: scratch.folder,
      service,
      profile,
      purse: openPurse({}, undefined),
      machine: thisMachine,
      tell: request.tell ?? (() => undefined),
      stop,
      start,
    })
    if (state.is === 'done' || state.is === 'failed') scratch.clear()
    const seconds = (clock.now() - began) / 1000
    // Without the parameters nobody knows what was asked.
    const judged = state.is === 'done' && !run.params ? { ...state, flaw: undefined } : state
    return {
      got: 'generation',
      generation: generationOf(job, judged, place, { ...counts, seconds, service }),
      problems: [],
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
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
    const reply = await wire.read({ workflow: request.run.workflow, id: read.id }, stop)
    switch (reply.got) {
      case 'pending':
        return reply
      case 'files':
        return { got: 'ready' }
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

function readRun({ run, profile: path, cwd, service }: FollowRequest) {
  const refused = (name: string, value: string, code: string, message: string) =>
    ({ got: 'refused', problems: [settingProblem(name, value, code, message)] }) as const
  const model = findModel(run.model)
  if (!model) return refused('model', run.model, 'unknown-model', `there is no model ${run.model}`)
  const id: RunId | undefined = runId(run.id)
  if (!id) return refused('id', run.id, 'bad-run', 'this is no id of a run')
  const opened = openProfile(path, cwd, service.rehearsal ? undefined : service)
  if (!opened.value) return { got: 'refused', problems: opened.problems } as const
  const profile = service.rehearsal ? rehearsed(opened.value) : opened.value
  return { got: 'run', model, id, profile } as const
}

function jobOfRun(model: Model, output: string, { params = {} }: RunHandle): Job {
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
