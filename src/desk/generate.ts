import { setMaxListeners } from 'node:events'
import { type Diagnostic, error, hasErrors } from '../base/diagnostic.ts'
import { outputKind } from '../catalog/index.ts'
import { declaredOn } from '../catalog/shelf.ts'
import type { Job } from '../manifest/job.ts'
import { prepareOutputs } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import type { Profile } from '../wire/profile.ts'
import type { Refused } from './draw/draw.ts'
import { openPurse, type Purse } from './draw/purse.ts'
import { damaged } from './ground/ground.ts'
import { thisMachine } from './ground/machine.ts'
import { openPrices } from './ground/prices.ts'
import { openProfile, rehearsed } from './ground/profile.ts'
import { baseUrlProblems } from './ground/service.ts'
import {
  type GenerateRequest,
  type GenerateResult,
  type Generation,
  generationOf,
} from './once/generation.ts'
import { carryOutOnce } from './once/once.ts'
import { type LeftBehind, type OrderNote, openNote, sweepLeftBehind } from './once/once-note.ts'
import { type Place, placeFor } from './once/once-place.ts'
import { owedProblem, owedWarning } from './once/owed.ts'
import { openScratch } from './once/scratch.ts'
import { judgeAsk } from './once/single-job.ts'
import type { Planned } from './telling/report.ts'

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
  const { place } = readied
  try {
    await prepareOutputs(place.output, thisMachine.disk)
    const left = sweepLeftBehind(place.output, thisMachine)
    const same = left.find(each => isSame(each, request, place))
    const where = { output: place.output, cwd: request.cwd }
    if (same) return { got: 'refused', problems: [owedProblem(same, where)] }
    const problems = [...readied.problems, ...left.map(each => owedWarning(each, where))]
    return { got: 'generation', generation: await makeOne(request, readied), problems }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

/** Makes a job that nothing speaks against, in a folder of its own until its files are in their places. */
async function makeOne(
  request: GenerateRequest,
  { job, place, profile, purse }: Readied,
): Promise<Generation> {
  const { cwd, service, verify, tell = () => undefined, stop = new AbortController().signal } = request
  const { disk, random, clock } = thisMachine
  setMaxListeners(0, stop)
  const scratch = await openScratch(place.output, random.token(), disk)
  const journal =
    request.journal === false
      ? undefined
      : await openNote(scratch.folder, noteOf(request, job, place), thisMachine)
  const unpacked = await scratch.unpack(job, request.ask.inline)
  const began = clock.now()
  tell(plannedOne(job, place, { at: began, rehearsal: service.rehearsal }))
  const { state, ...counts } = await carryOutOnce({
    job: unpacked,
    cwd,
    output: place.output,
    scratch: scratch.folder,
    service,
    profile,
    purse,
    machine: thisMachine,
    tell,
    stop,
    ...(journal && { journal }),
    ...(verify && { verify }),
  })
  // What was paid for and is not under its final name lies there.
  if (state.is !== 'doubt' && state.is !== 'detached') scratch.clear()
  const seconds = (clock.now() - began) / 1000
  return generationOf(job, state, place, { ...counts, seconds, service })
}

/** What the next genrun is told of this one, should it be killed. */
function noteOf({ name, asked, service }: GenerateRequest, job: Job, place: Place): OrderNote {
  return {
    name: place.name,
    model: job.model.id,
    named: name !== undefined,
    rehearsal: service.rehearsal,
    ...(asked !== undefined && { asked }),
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
