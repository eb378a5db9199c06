import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { hasErrors } from '../base/diagnostic.ts'
import type { RunRef } from '../base/state.ts'
import { declaredOn } from '../catalog/shelf.ts'
import type { Job } from '../manifest/job.ts'
import { digestBytes } from '../store/digest.ts'
import { makeFolders } from '../store/disk.ts'
import { isInside } from '../store/inside.ts'
import { stateFolder } from '../store/state-folder.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { writeWhole } from '../store/whole.ts'
import { runUnderClaim } from './carry/under-claim.ts'
import type { Refused } from './draw/draw.ts'
import { settingProblem } from './draw/obstacles.ts'
import { damaged } from './ground/ground.ts'
import { thisMachine } from './ground/machine.ts'
import { openPrices } from './ground/prices.ts'
import { byProfile, openProfile, rehearsable, rehearsed } from './ground/profile.ts'
import { baseUrlProblems } from './ground/service.ts'
import type { Setting } from './ground/setting.ts'
import type { GenerateRequest, GenerateResult } from './once/generation.ts'
import { lockedGeneration, withAltered } from './once/locked-result.ts'
import { placeFor } from './once/once-place.ts'
import { withPaths } from './once/scratch.ts'
import { judgeAsk } from './once/single-job.ts'

/**
 * One job that is bought once under its name: as long as the lock has it with the same recipe, a further call keeps its
 * files, or gets them again without paying.
 */
export interface LockedRequest extends Omit<GenerateRequest, 'purse' | 'journal' | 'name'> {
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
  try {
    const job = await withBytes(readied.job, request, readied.setting)
    const { manifest, ...setting } = readied.setting
    let known: RunRef | undefined
    const result = await runUnderClaim({ ...setting, manifest: { ...manifest, jobs: [job] } }, memories => {
      const memory = memories.get(job.address)
      if (memory?.is === 'done') known = memory.entry.run
      return new Map(memory && [[job.address, memory]])
    })
    const seconds = (thisMachine.clock.now() - began) / 1000
    const told = lockedGeneration(result, job, { ...readied.setting, seconds, ...(known && { known }) })
    return told.got === 'generation' ? await withAltered(told, readied.setting) : told
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

type Ready = { readonly got: 'ready'; readonly setting: Setting; readonly job: Job }

/** The checks of `generate`, and where everything lies. Nothing has been sent or written. */
function readySetting(request: LockedRequest): Ready | Refused {
  const { cwd, service, shelf } = request
  const lock = resolve(cwd, request.lock)
  const address = addressIn(lock, request)
  if (typeof address !== 'string') return address
  const { value: job, problems } = judgeAsk(request.ask, address, request)
  if (!job) return { got: 'refused', problems }
  const inAddress = baseUrlProblems(service, 'base_url')
  if (hasErrors(inAddress)) return { got: 'refused', problems: inAddress }
  const reach = service.rehearsal ? undefined : service
  const own = shelf && declaredOn(shelf)
  const { value: profile, problems: inProfile } = openProfile(request.profile, cwd, reach, own)
  if (!profile) return { got: 'refused', problems: inProfile }
  const prices = openPrices(request.prices, cwd)
  if (hasErrors(prices.problems)) return { got: 'refused', problems: prices.problems }
  if (service.rehearsal) service.introduce?.([job.model])
  const warnings = [...problems, ...inProfile, ...inAddress]
  const setting = settingOf(request, job, {
    lock,
    profile,
    warnings,
    ...(prices.value && { prices: prices.value }),
  })
  const [planned = job] = setting.manifest.jobs
  return { got: 'ready', setting, job: planned }
}

/** What the job is called: where its files lie, seen from the lock. */
function addressIn(lock: string, { name, lock: written, ...others }: LockedRequest): string | Refused {
  const against = (code: string, message: string, hint: string): Refused => ({
    got: 'refused',
    problems: [settingProblem('lock', written, code, message, hint)],
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

interface Found extends Pick<Setting, 'profile' | 'warnings' | 'prices'> {
  readonly lock: string
}

/** A manifest of one job, which stands in no file. */
function settingOf(request: LockedRequest, job: Job, { lock, profile, ...found }: Found): Setting {
  const {
    ask,
    cwd,
    service,
    caps,
    verify,
    stop = new AbortController().signal,
    tell = () => undefined,
  } = request
  const { rehearsal } = service
  const layout = layoutBeside(lock, rehearsal)
  const manifest = { name: owner, file: ask.at.file, output: '.', limits: {}, jobs: [job] }
  const wanted = { ...(caps && { caps }), ...(verify && { verify }) }
  return {
    ...found,
    request: { manifest: request.lock, cwd, service, tell, stop, ...wanted },
    manifest: rehearsal ? rehearsable(manifest, profile) : byProfile(manifest, profile),
    place: { manifest: join(cwd, owner), folder: cwd, root: cwd, stem: owner },
    layout,
    folders: stateFolder(layout.state),
    machine: thisMachine,
    profile: rehearsal ? rehearsed(profile) : profile,
  }
}

/** Stands in the lock where others name their manifest: neither is ever taken for the other. */
const owner = 'genrun generate'

/** A rehearsal has everything of its own: its placeholders can never enter the real lock. */
function layoutBeside(lock: string, rehearsal: boolean): Setting['layout'] {
  const folder = dirname(lock)
  const mark = rehearsal ? '.preview' : ''
  const state = join(folder, '.genrun', `generate-${basename(lock)}${mark}`)
  return { output: folder, lock: `${lock}${mark}`, state, rehearsal }
}

/** Inputs given as bytes lie in files, by their digest: a run that goes on later reads the same ones. */
async function withBytes(job: Job, { ask }: LockedRequest, { layout, machine }: Setting): Promise<Job> {
  const paths = new Map<string, string>()
  const folder = join(layout.state, 'inputs')
  for (const [word, bytes] of ask.inline) {
    const path = join(folder, digestBytes(bytes).slice('sha256:'.length))
    await makeFolders(machine.disk, folder, 0o700)
    await writeWhole(machine.disk, path, bytes)
    paths.set(word, path)
  }
  return withPaths(job, paths)
}
