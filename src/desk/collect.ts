import { resolve } from 'node:path'
import type { Diagnostic } from '../base/diagnostic.ts'
import { headOf } from '../base/source.ts'
import { builtIn, declaredOn } from '../catalog/shelf.ts'
import { openSpool } from '../store/spool.ts'
import { StorageTrouble } from '../store/trouble.ts'
import type { Profile } from '../wire/profile.ts'
import type { Refused } from './draw/draw.ts'
import { settingProblem } from './draw/obstacles.ts'
import type { GenerateRequest, GenerateResult, Generation } from './generate.ts'
import { damaged } from './ground/ground.ts'
import { thisMachine } from './ground/machine.ts'
import { openProfile } from './ground/profile.ts'
import type { Damaged } from './ground/recorded.ts'
import type { Ask } from './once/ask.ts'
import { bringHome, followRun, jobOfRun } from './once/follow.ts'
import { type LeftBehind, leftBehind } from './once/once-note.ts'
import { placeFor } from './once/once-place.ts'
import { owedText } from './once/owed.ts'
import { idsInAnswer } from './once/raw-answer.ts'
import { clearScratch } from './once/scratch.ts'

/** For what generations that were killed or stopped had paid for. */
export interface CollectRequest
  extends Pick<GenerateRequest, 'cwd' | 'service' | 'output' | 'profile' | 'tell' | 'stop' | 'shelf'> {
  /** Only the order with this run id. */
  readonly run?: string
}

/** An order of which nobody knows what became, or whose notes cannot be read. */
export interface OpenOrder {
  readonly model: string
  /** The files' name, without ending. */
  readonly name: string
  /** In milliseconds since 1970. */
  readonly since: number
  readonly owes: 'doubt' | 'unreadable'
  readonly message: string
  /** Run ids that stand in what was received. */
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
    }

/**
 * Fetches what generations in an output folder had paid for when they were killed or stopped. Costs nothing, however
 * often it is done. Never rejects for anything that a user, a disk or a service can cause.
 */
export async function collect(request: CollectRequest): Promise<CollectResult> {
  const { cwd, service } = request
  const opened = openProfile(request.profile, cwd, service, declaredOn(request.shelf ?? builtIn))
  if (!opened.value) return { got: 'refused', problems: opened.problems }
  const output = resolve(cwd, request.output ?? '.')
  const generations: Generation[] = []
  const open: OpenOrder[] = []
  const problems = [...opened.problems]
  try {
    const all = leftBehind(output, thisMachine)
    for (const left of request.run === undefined ? all : all.filter(each => runIdOf(each) === request.run)) {
      const result = await collectOne(left, output, request, opened.value)
      if (!result) open.push(openOrder(left, opened.value))
      else if (result.got === 'generation') {
        generations.push(result.generation)
        if (isOver(result.generation)) clearScratch(left.folder)
      } else if (result.got === 'refused') problems.push(...result.problems)
      else return result
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
  return { got: 'collected', generations, open, problems }
}

/** Gives up what is in doubt or cannot be read, and tells what that was. Throws StorageTrouble. */
export function forgetDoubts(output: string): OpenOrder[] {
  const given = leftBehind(output, thisMachine).filter(
    left => left.owes === 'doubt' || left.owes === 'unreadable',
  )
  for (const left of given) clearScratch(left.folder)
  return given.map(left => openOrder(left, undefined))
}

/** A run that failed at the service will not come any more. */
function isOver({ ending, failure }: Generation): boolean {
  return ending === 'made' || (ending === 'failed' && failure?.why === 'remote')
}

function runIdOf(left: LeftBehind): string | undefined {
  return 'run' in left ? left.run?.id : undefined
}

/** Undefined for what a person has to decide. */
async function collectOne(
  left: LeftBehind,
  output: string,
  request: CollectRequest,
  profile: Profile,
): Promise<GenerateResult | undefined> {
  if (left.owes === 'doubt' || left.owes === 'unreadable') return undefined
  const { name, params, model: id } = left
  const here = new URL(request.service.baseUrl).origin
  if (left.origin !== here) return elsewhere(left, here)
  if (left.owes === 'run') {
    const run = { model: id, workflow: left.run.workflow, id: left.run.id, params }
    return followRun({ ...request, output, name, run })
  }
  const model = (request.shelf ?? builtIn).find(id)
  if (!model)
    return refused(
      settingProblem('model', id, 'unknown-model', `there is no model ${id}`, 'was it one of your own?'),
    )
  const place = placeFor({ ...request, output, name, ask: noAsk }, thisMachine)
  if ('code' in place) return refused(place)
  const now = thisMachine.clock.now()
  const { files, run } = left
  const start = { is: 'made', files, ...(run && { run }), tries: 0, notBefore: now } as const
  const job = jobOfRun(model, place.name, { params })
  return bringHome({ request: { ...request, run: { params } }, job, place, profile, start })
}

const noAsk: Ask = {
  model: undefined,
  params: [],
  at: headOf({ name: 'the order', text: '' }),
  inline: new Map(),
}

function refused(problem: Diagnostic): Refused {
  return { got: 'refused', problems: [problem] }
}

function elsewhere(left: LeftBehind, here: string): Refused {
  const message = `${owedText(left)}; it was ordered at ${left.origin}, and this service is ${here}`
  const hint = `set GENRUN_BASE_URL and the key to that service to fetch it`
  return refused(settingProblem('the service', here, 'other-service', message, hint))
}

function openOrder(left: LeftBehind, profile: Profile | undefined): OpenOrder {
  const { model, name, since, owes, folder } = left
  const raws = left.owes === 'doubt' ? left.raws : []
  const spool = openSpool(`${folder}/spool`, thisMachine.disk)
  return {
    model,
    name,
    since,
    owes: owes === 'doubt' ? 'doubt' : 'unreadable',
    message: owedText(left),
    ids: profile ? idsInAnswer(raws, spool, profile, thisMachine.disk) : [],
  }
}
