import { dirname, join, relative, resolve, sep } from 'node:path'
import { defined } from '../base/defined.ts'
import type { Code } from '../base/diagnostic.ts'
import type { RunRef } from '../base/state.ts'
import type { Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { withAltered } from '../run/one-shot/altered.ts'
import { workspacesBeside } from '../run/one-shot/beside-lock.ts'
import type { GenerateRequest, GenerateResult } from '../run/one-shot/generation.ts'
import { lockedHint } from '../run/one-shot/hints.ts'
import { generationOf } from '../run/one-shot/outcome.ts'
import { withBytes } from '../run/one-shot/own-folder.ts'
import { placeFor } from '../run/one-shot/place.ts'
import { jobIn, readySingle, singleSetting, withJob } from '../run/one-shot/ready.ts'
import { runUnderClaim } from '../run/run-under-claim.ts'
import { isInside } from '../store/files/safe-path.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { thisMachine } from '../workspace/machine.ts'
import { placedResults } from '../workspace/records/known.ts'
import { damaged } from '../workspace/records/recorded.ts'
import type { Setting } from '../workspace/workspace.ts'

/**
 * One job that is bought once under its name: as long as the lock has it with the same recipe, a further call keeps its
 * files, or gets them again without paying.
 */
export interface LockedRequest extends Omit<GenerateRequest, 'name'> {
  /** The lock, relative to `cwd`. The files lie in its folder or below; journal and claim in `.genrun` beside it. */
  readonly lock: string
  /** What the job is called in the lock, by the file's place. A name is needed; without one it is refused. */
  readonly name?: string | undefined
}

// What is under way with a lock, so that calls of one program wait for each other. Other processes meet its claim.
const underWay = new Map<string, Promise<unknown>>()

/**
 * Makes one job as the only one of a manifest: by the same claim, journal, lock and rules. Other jobs of the lock stay as
 * they are. Never rejects for anything that a user, a disk or a service can cause.
 */
export async function generateLocked(request: LockedRequest): Promise<GenerateResult> {
  const lock = resolve(request.cwd, request.lock)
  const before = underWay.get(lock)
  const work = (async () => {
    await before?.catch(() => undefined)
    return makeLocked(request)
  })()
  underWay.set(lock, work)
  try {
    return await work
  } finally {
    if (underWay.get(lock) === work) underWay.delete(lock)
  }
}

async function makeLocked(request: LockedRequest): Promise<GenerateResult> {
  const began = thisMachine.clock.now()
  const readied = readySetting(request)
  if (readied.got === 'refused') return readied
  const { setting } = readied
  try {
    const job = await withBytes(jobIn(setting), request.ask.inline, setting)
    let known: RunRef | undefined
    const result = await runUnderClaim(withJob(setting, job), purchases => {
      const own = purchases.filter(each => each.address === job.address)
      known = placedResults(own).get(job.address)?.run
      return own
    })
    const told = generationOf(result, job, {
      ...setting,
      began,
      hintFor: line => lockedHint(line, { manifest: request.lock, cwd: request.cwd }),
      ...defined({ known }),
    })
    return told.got === 'generation' ? await withAltered(told, setting) : told
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

type Ready = { readonly got: 'ready'; readonly setting: Setting }

/** The checks of `generate`, and where everything lies. Nothing has been sent or written. */
function readySetting(request: LockedRequest): Ready | Refused {
  const { cwd, service } = request
  const lock = resolve(cwd, request.lock)
  const address = addressIn(lock, request)
  if (typeof address !== 'string') return address
  const readied = readySingle(request, address)
  if (readied.got === 'refused') return readied
  const workspaces = workspacesBeside(lock, { cwd, rehearsal: service.rehearsal, machine: thisMachine })
  return { got: 'ready', setting: singleSetting(request, readied, { ...workspaces, name: request.lock }) }
}

/** What the job is called: where its files lie, seen from the lock. */
function addressIn(lock: string, { name, lock: written, ...others }: LockedRequest): string | Refused {
  const against = (code: Code, message: string, hint: string): Refused => ({
    got: 'refused',
    problems: [settingProblem({ name: 'lock', value: written }, code, message, hint)],
  })
  if (name === undefined)
    return against(
      'no-name',
      'with a lock the files need a name',
      'name them, for instance with `-o hero.png`',
    )
  const place = placeFor({ ...others, name }, thisMachine)
  if ('code' in place) return { got: 'refused', problems: [place] }
  const address = relative(dirname(lock), join(place.output, place.name)).split(sep).join('/')
  if (isInside(address)) return address
  return against(
    'outside-lock',
    'the files lie outside the folder of the lock',
    'name a lock beside or above them',
  )
}
