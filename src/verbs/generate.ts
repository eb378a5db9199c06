import { setMaxListeners } from 'node:events'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import { openBudget } from '../engine/gates/budget.ts'
import { lowestCaps } from '../plan/budget.ts'
import type { Refused } from '../planning/make-plan.ts'
import { callDigest } from '../run/one-shot/ask.ts'
import type { GenerateRequest, GenerateResult } from '../run/one-shot/generation.ts'
import { singleHint } from '../run/one-shot/hints.ts'
import {
  clearSettled,
  isSameCall,
  type LeftBehind,
  leftBehind,
  sweepLeftBehind,
  untold,
} from '../run/one-shot/left-behind.ts'
import { writeNote } from '../run/one-shot/note.ts'
import { generationOf } from '../run/one-shot/outcome.ts'
import { goneOnWarning, madeBeforeWarning, owedProblem, owedWarning } from '../run/one-shot/owed.ts'
import { withBytes, workspacesAnew } from '../run/one-shot/own-folder.ts'
import { type FilesPlace, placeFor } from '../run/one-shot/place.ts'
import { jobIn, readySingle, singleSetting, withJob } from '../run/one-shot/ready.ts'
import { judgeAsk } from '../run/one-shot/single-job.ts'
import { toldAgain } from '../run/one-shot/untold.ts'
import { runUnderClaim } from '../run/run-under-claim.ts'
import { prepareOutputs } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { JobReport } from '../wording/report.ts'
import { thisMachine } from '../workspace/machine.ts'
import { damaged } from '../workspace/records/recorded.ts'
import { limitsAt } from '../workspace/service/service.ts'
import type { Setting } from '../workspace/workspace.ts'
import { collectOne } from './collect.ts'

/**
 * Checks one job, makes it, saves its files: a run of a manifest with this one job, in a state folder of its own. What the
 * same call ordered before and is owed is gone on with, and nothing is ordered. Never rejects for anything that a user, a
 * disk or a service can cause.
 */
export async function generate(request: GenerateRequest): Promise<GenerateResult> {
  const readied = readyGeneration(request)
  if ('got' in readied) return readied
  const { place, setting } = readied
  try {
    const earlier = await fromEarlier(request, readied)
    if (earlier) return earlier
    const inTheWay = place.inTheWay(jobIn(setting))
    if (inTheWay) {
      const hint = 'give another name with `-o`'
      return { got: 'refused', problems: [error('file-in-the-way', request.ask.at, inTheWay, hint)] }
    }
    await prepareOutputs(place.output, thisMachine.disk)
    const left = sweepLeftBehind(place, thisMachine)
    const result = await makeOne(request, readied)
    return withWarnings(result, left, place)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** What an order of the same call comes to, or why nothing is ordered under its name. Undefined when nothing is owed. */
async function fromEarlier(
  request: GenerateRequest,
  { place, setting }: Readied,
): Promise<GenerateResult | undefined> {
  if (request.service.rehearsal) return undefined
  const left = leftBehind(place, thisMachine)
  const call = { asked: callDigest(request.ask), ...(request.name !== undefined && { name: place.name }) }
  const same = left.filter(each => isSameCall(each, call))
  const owed = same.find(({ owes }) => owes === 'run' || owes === 'files') ?? same[0]
  const result = owed && (await collectOne(owed, request, setting.profile))
  if (owed && result?.got === 'generation') {
    const told = { ...result, problems: [...result.problems, goneOnWarning(owed)] }
    return withWarnings(
      told,
      leftBehind(place, thisMachine).filter(each => !isOrderOf(each, owed)),
      place,
    )
  }
  if (result) return result
  const made = untold(place, thisMachine).find(each => isSameCall(each, call))
  if (made) {
    const again = toldAgain(made, jobIn(setting).model)
    const others = leftBehind(place, thisMachine)
    return withWarnings({ ...again, problems: [madeBeforeWarning(made)] }, others, place)
  }
  const against = owed ?? left.find(each => isInTheWay(each, request, place))
  return against && { got: 'refused', problems: [owedProblem(against, place)] }
}

/** By its name, where one was given. What is not known of an order may be the same. */
function isInTheWay(left: LeftBehind, { name, ask }: GenerateRequest, place: FilesPlace): boolean {
  if (left.noteLost === 'nothing') return true
  if (name !== undefined) return left.name === place.name
  return left.noteLost === 'records' && left.model === ask.model?.id
}

function isOrderOf(one: LeftBehind, other: LeftBehind): boolean {
  return one.workspaces.layout.state === other.workspaces.layout.state
}

/** What other orders are owed is told with every generation. */
function withWarnings(
  result: GenerateResult,
  left: readonly LeftBehind[],
  place: FilesPlace,
): GenerateResult {
  if (result.got !== 'generation') return result
  return { ...result, problems: [...result.problems, ...left.map(each => owedWarning(each, place))] }
}

interface Readied {
  readonly place: FilesPlace
  readonly setting: Setting
}

/** The checks of `generate`, and where everything will lie. Nothing has been sent or written. */
function readyGeneration(request: GenerateRequest): Readied | Refused {
  const { ask: _, cwd, service, caps, name: __, ...more } = request
  const place = placeFor(request, thisMachine)
  if ('code' in place) return { got: 'refused', problems: [place] }
  const readied = readySingle(request, place.name)
  if (readied.got === 'refused') return readied
  const { output } = place
  const budget = request.budget ?? openBudget(lowestCaps(caps, limitsAt(service)), readied.prices)
  const workspaces = workspacesAnew({ output, cwd, rehearsal: service.rehearsal, machine: thisMachine })
  return { place, setting: singleSetting({ ...more, cwd, service, budget }, readied, workspaces) }
}

async function makeOne(request: GenerateRequest, { place, setting }: Readied): Promise<GenerateResult> {
  const { layout, machine } = setting
  const began = machine.clock.now()
  // Every wait listens to the stop.
  setMaxListeners(0, setting.request.stop)
  await writeNote(
    layout.state,
    {
      name: place.name,
      model: jobIn(setting).model.id,
      named: request.name !== undefined,
      rehearsal: layout.rehearsal,
      asked: callDigest(request.ask),
    },
    machine,
  )
  const job = await withBytes(jobIn(setting), request.ask.inline, setting)
  const result = await runUnderClaim(withJob(setting, job))
  const hintFor = (line: JobReport) => singleHint(line, place)
  const told = generationOf(result, job, { ...setting, began, hintFor })
  if (told.got === 'generation' && told.generation.ending === 'made')
    return { ...told, told: () => clearSettled(setting) }
  clearSettled(setting)
  return told
}

/** Checks one job as `generate` does, and makes nothing: no key, no network, no write. */
export function checkAsk(
  request: Pick<GenerateRequest, 'ask' | 'cwd' | 'within' | 'strict' | 'modelSet'>,
): readonly Diagnostic[] {
  return judgeAsk(request.ask, 'job', request).problems
}
