import { resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import type { Diagnostic } from '../base/diagnostic.ts'
import { headOf } from '../base/source.ts'
import type { RunRef } from '../base/state.ts'
import { builtIn, declaredOn } from '../catalog/model-set.ts'
import type { Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import type { JobAsk } from '../run/one-shot/ask.ts'
import { leftInLocks } from '../run/one-shot/beside-lock.ts'
import { bringHome, jobOfRun, type RunHandle } from '../run/one-shot/follow.ts'
import type { GenerateRequest, GenerateResult, Generation } from '../run/one-shot/generation.ts'
import {
  clearSettled,
  isSameCall,
  type LeftBehind,
  leftBehind,
  type SurveyedPlace,
  untold,
} from '../run/one-shot/left-behind.ts'
import { owedText } from '../run/one-shot/owed.ts'
import { clearWorkspaces } from '../run/one-shot/own-folder.ts'
import { type FilesPlace, placeFor } from '../run/one-shot/place.ts'
import { idsInAnswer } from '../run/one-shot/raw-answer.ts'
import { toldAgain } from '../run/one-shot/untold.ts'
import { openSpool } from '../store/files/spool.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Profile } from '../wire/profile/profile.ts'
import { thisMachine } from '../workspace/machine.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'
import { openProfile } from '../workspace/service/profile.ts'
import { originOf } from '../workspace/service/service.ts'

/** For what generations that were killed or stopped had paid for. */
export interface CollectRequest
  extends Pick<GenerateRequest, 'cwd' | 'service' | 'output' | 'profile' | 'emit' | 'stop' | 'modelSet'> {
  /** Only the order with this run id. */
  readonly run?: string
  /** Only orders of this call, by its digest, that were given no name. */
  readonly asked?: string
}

/** An order whose files nobody has fetched yet. */
export interface OpenOrder {
  readonly model: string
  /** The files' name, without ending. */
  readonly name: string
  /** In milliseconds since 1970. */
  readonly since: number
  /**
   * `run`: it is at the service, see `run`. `files`: its answer has come, and `collect` saves it. `doubt`: it was sent, and
   * nobody knows what became of it. `unreadable`: what was written down about it cannot be read.
   */
  readonly owes: 'run' | 'files' | 'doubt' | 'unreadable'
  /** The same in words. */
  readonly message: string
  /** What to do where another service is asked than the one that has it. */
  readonly hint?: string
  /** For `result` and `wait`. */
  readonly run?: RunHandle
  /** The lock of the call that ordered it, absolute; absent where it had none. */
  readonly lock?: string
  /** Run ids that stand in what was received of one in doubt. */
  readonly ids: readonly string[]
}

export type CollectResult =
  | Refused
  | Damaged
  | {
      readonly got: 'collected'
      readonly generations: readonly Generation[]
      /** What nobody can fetch without a decision. */
      readonly open: readonly OpenOrder[]
      readonly problems: readonly Diagnostic[]
      /** Called when whoever asked has heard of it all. */
      readonly told: () => void
    }

/**
 * Fetches what generations in an output folder had paid for when they were killed or stopped. Costs nothing, however
 * often it is done. Never rejects for anything that a user, a disk or a service can cause.
 */
export async function collect(request: CollectRequest): Promise<CollectResult> {
  const { cwd, service } = request
  const opened = openProfile(request.profile, cwd, service, declaredOn(request.modelSet ?? builtIn))
  if (!opened.value) return { got: 'refused', problems: opened.problems }
  const output = resolve(cwd, request.output ?? '.')
  const generations: Generation[] = []
  const open: OpenOrder[] = []
  const heard: (() => void)[] = []
  const problems = [...opened.problems]
  try {
    const all = everythingLeft({ output, cwd })
    for (const result of unheard(request, { output, cwd })) {
      generations.push(result.generation)
      if (result.told) heard.push(result.told)
    }
    for (const left of all.filter(each => isMatched(each, request))) {
      const result = await collectOne(left, request, opened.value)
      if (!result) open.push(openOrder(left, opened.value, service))
      else if (result.got === 'generation') {
        generations.push(result.generation)
        if (result.told) heard.push(result.told)
      } else if (result.got === 'refused') problems.push(...result.problems)
      else return result
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
  const told = () => {
    for (const each of heard) each()
  }
  return { got: 'collected', generations, open, problems, told }
}

/** What is made and was told to nobody. The call itself, given again, says so on its own. */
function unheard({ run, asked, modelSet = builtIn }: CollectRequest, where: SurveyedPlace) {
  if (asked !== undefined) return []
  return untold(where, thisMachine).flatMap(each => {
    const model = modelSet.find(each.model)
    const isMatched = run === undefined || run === each.purchase.run?.id
    return model && isMatched ? toldAgain(each, model) : []
  })
}

function everythingLeft(where: SurveyedPlace): LeftBehind[] {
  return [...leftBehind(where, thisMachine), ...leftInLocks(where, thisMachine)]
}

/** What is open in an output folder, or why nobody can tell. */
export type ListedOpen = Refused | Damaged | { readonly got: 'open'; readonly orders: readonly OpenOrder[] }

/** What `collect` would fetch, and what it could not. Sends nothing, and touches nothing. */
export function listOpen(
  request: Pick<CollectRequest, 'cwd' | 'output' | 'profile' | 'modelSet'> &
    Partial<Pick<CollectRequest, 'service'>>,
): ListedOpen {
  const { cwd, modelSet = builtIn, service } = request
  const opened = openProfile(request.profile, cwd, undefined, declaredOn(modelSet))
  if (!opened.value) return { got: 'refused', problems: opened.problems }
  const profile = opened.value
  try {
    const all = everythingLeft({ output: resolve(cwd, request.output ?? '.'), cwd })
    return { got: 'open', orders: all.map(left => openOrder(left, profile, service)) }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/**
 * Gives up what is in doubt or cannot be read, and tells what that was. What a lock has is settled by the lock's name. Throws
 * StorageError.
 */
export function forgetDoubts(output: string): OpenOrder[] {
  const given = leftBehind({ output, cwd: output }, thisMachine).filter(
    left => left.owes === 'doubt' || left.owes === 'unreadable',
  )
  for (const left of given) clearWorkspaces(left.workspaces)
  return given.map(left => openOrder(left, undefined))
}

function isMatched(left: LeftBehind, { run, asked }: CollectRequest): boolean {
  if (run !== undefined && run !== runOf(left)?.id) return false
  return asked === undefined || isSameCall(left, { asked })
}

function runOf(left: LeftBehind): RunRef | undefined {
  return 'purchase' in left && 'run' in left.purchase ? left.purchase.run : undefined
}

/** Fetches what an order is owed, which costs nothing. Undefined for what a person has to decide. */
export async function collectOne(
  left: LeftBehind,
  request: Pick<GenerateRequest, 'cwd' | 'service' | 'emit' | 'stop' | 'modelSet' | 'verify'>,
  profile: Profile,
): Promise<GenerateResult | undefined> {
  if (left.owes === 'doubt' || left.owes === 'unreadable') return undefined
  const { purchase, workspaces, model: id } = left
  const far = elsewhere(left, request.service)
  if (far)
    return refused(
      settingProblem({ name: 'the service', value: far.here }, 'other-service', far.message, far.hint),
    )
  const model = (request.modelSet ?? builtIn).find(id, request.service.name)
  if (!model)
    return refused(
      settingProblem(
        { name: 'model', value: id },
        'unknown-model',
        `there is no model ${id}`,
        'was it one of your own?',
      ),
    )
  const place = placeOf(left, request)
  if ('code' in place) return refused(place)
  const { params } = purchase.recipe
  const workflow = purchase.run?.workflow ?? purchase.sent?.workflow
  const job = jobOfRun(model, place.name, { params, ...defined({ workflow }) })
  const homeward = { request: { ...request, takeClaim: left.isHeld }, job, place, profile, workspaces }
  const result = await bringHome(homeward, ({ purchases }) => {
    const now = purchases.find(each => each.id === purchase.id)
    if (now?.is === 'under-way') return { purchase: now, job }
    // A run that was gone is asked for once more.
    return now?.is === 'failed' ? { purchase, job } : undefined
  })
  if (left.lock !== undefined) return result
  if (result.got === 'generation' && result.generation.ending === 'made')
    return { ...result, told: () => clearSettled(workspaces) }
  clearSettled(workspaces)
  return result
}

/** In a lock a job is called by the place of its files. */
function placeOf(
  { workspaces, name, lock }: LeftBehind,
  request: CollectRequest,
): Pick<FilesPlace, 'output' | 'cwd' | 'name'> | Diagnostic {
  const { output } = workspaces.layout
  if (lock !== undefined) return { output, cwd: request.cwd, name }
  return placeFor({ ...request, output, name, ask: noAsk }, thisMachine)
}

const noAsk: JobAsk = {
  model: undefined,
  params: [],
  at: headOf({ name: 'the order', text: '' }),
  inline: new Map(),
}

function refused(problem: Diagnostic): Refused {
  return { got: 'refused', problems: [problem] }
}

/** In words where an order is, when another service is asked. */
function elsewhere(left: LeftBehind, service: CollectRequest['service']) {
  if (left.owes === 'unreadable') return undefined
  const here = originOf(service)
  const { purchase } = left
  const origin = ('run' in purchase ? purchase.run?.origin : undefined) ?? purchase.sent?.origin
  if (origin === here || (origin === undefined && left.owes === 'doubt')) return undefined
  const message = `${owedText(left)}; it was ordered at ${origin ?? 'another service'}, and this service is ${here}`
  return { here, message, hint: 'set GENRUN_BASE_URL and the key to that service to fetch it' }
}

function openOrder(
  left: LeftBehind,
  profile: Profile | undefined,
  service?: CollectRequest['service'],
): OpenOrder {
  const { model, name, since, owes, workspaces, lock } = left
  const raws = left.owes === 'doubt' ? left.purchase.raws : []
  const { disk, refuge } = workspaces.machine
  const spool = openSpool(workspaces.folders.spool, disk, refuge)
  const run = runOf(left)
  const far = service && elsewhere(left, service)
  return {
    model,
    name,
    since,
    owes,
    message: far?.message ?? owedText(left),
    ...(far && { hint: far.hint }),
    ...(run && { run: handleOf(left, run) }),
    ...defined({ lock }),
    ids: profile ? idsInAnswer(raws, spool, profile, disk) : [],
  }
}

function handleOf(left: LeftBehind, { workflow, id }: RunRef): RunHandle {
  const params = 'purchase' in left ? left.purchase.recipe.params : {}
  return { model: left.model, workflow, id, params }
}
