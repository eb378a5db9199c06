import { setMaxListeners } from 'node:events'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import { prepareOutputs } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { runUnderClaim } from './carry/under-claim.ts'
import type { Refused } from './draw/draw.ts'
import { openPurse } from './draw/purse.ts'
import { damaged } from './ground/ground.ts'
import { thisMachine } from './ground/machine.ts'
import type { Setting } from './ground/setting.ts'
import type { GenerateRequest, GenerateResult } from './single/generation.ts'
import { singleHint } from './single/hints.ts'
import { clearSettled, type LeftBehind, sweepLeftBehind } from './single/left-behind.ts'
import { writeNote } from './single/note.ts'
import { generationOf } from './single/outcome.ts'
import { owedProblem, owedWarning } from './single/owed.ts'
import { groundsAnew, withBytes } from './single/own-folder.ts'
import { type Place, placeFor } from './single/place.ts'
import { jobIn, readySingle, singleSetting, withJob } from './single/ready.ts'
import { judgeAsk } from './single/single-job.ts'

/**
 * Checks one job, makes it, saves its files: a run of a manifest with this one job, in a state folder of its own. Never
 * rejects for anything that a user, a disk or a service can cause.
 */
export async function generate(request: GenerateRequest): Promise<GenerateResult> {
  const readied = readyGeneration(request)
  if ('got' in readied) return readied
  const { place } = readied
  try {
    await prepareOutputs(place.output, thisMachine.disk)
    const left = sweepLeftBehind(place, thisMachine)
    const same = left.find(each => isSame(each, request, place))
    if (same) return { got: 'refused', problems: [owedProblem(same, place)] }
    const result = await makeOne(request, readied)
    if (result.got !== 'generation') return result
    return { ...result, problems: [...result.problems, ...left.map(each => owedWarning(each, place))] }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

interface Readied {
  readonly place: Place
  readonly setting: Setting
}

/** The checks of `generate`, and where everything will lie. Nothing has been sent or written. */
function readyGeneration(request: GenerateRequest): Readied | Refused {
  const { ask, cwd, service, caps, name: _, ...more } = request
  const place = placeFor(request, thisMachine)
  if ('code' in place) return { got: 'refused', problems: [place] }
  const readied = readySingle(request, place.name)
  if (readied.got === 'refused') return readied
  const inTheWay = place.inTheWay(readied.job)
  if (inTheWay)
    return {
      got: 'refused',
      problems: [error('file-in-the-way', ask.at, inTheWay, 'give another name with `-o`')],
    }
  const { output } = place
  const purse = request.purse ?? openPurse(caps ?? {}, readied.prices)
  const grounds = groundsAnew({ output, cwd, rehearsal: service.rehearsal, machine: thisMachine })
  return { place, setting: singleSetting({ ...more, cwd, service, purse }, readied, grounds) }
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
      ...(request.asked !== undefined && { asked: request.asked }),
    },
    machine,
  )
  const job = await withBytes(jobIn(setting), request.ask.inline, setting)
  const result = await runUnderClaim(withJob(setting, job))
  clearSettled(setting)
  return generationOf(result, job, { ...setting, began, hintFor: line => singleHint(line, place) })
}

/** By its name, where one was given, or as the same call. */
function isSame(left: LeftBehind, { name, asked }: GenerateRequest, place: Place): boolean {
  if (asked !== undefined && asked === left.asked) return true
  return name !== undefined && left.name === place.name
}

/** Checks one job as `generate` does, and makes nothing: no key, no network, no write. */
export function checkAsk(
  request: Pick<GenerateRequest, 'ask' | 'cwd' | 'within' | 'strict' | 'shelf'>,
): readonly Diagnostic[] {
  return judgeAsk(request.ask, 'job', request).problems
}
