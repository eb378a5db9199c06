import { type JobAddress, jobAddress } from '../../src/base/names.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { readLock, writeLock } from '../../src/store/lock/lock.ts'
import { familyOf, numbers, recounted, withNames, without, withPrompt } from './batch.ts'
import { goToOther, mergedText, mergeOther, noteLock } from './clones.ts'
import { forgeLock, lockBefore, takeBackForged } from './forged.ts'
import { acceptOne, pickOne, settleOne } from './owner.ts'
import { filesOn, forgetUnnamed, lookFirst } from './records.ts'
import { type Act, type Acts, origins, type Scene } from './scene.ts'

/** How everything stood at one moment: what a person can go back to. */
export interface Moment {
  readonly jobs: readonly Job[]
  readonly lock: Buffer | undefined
  /** Everything in the state folder. */
  readonly state: ReadonlyMap<string, Buffer>
}

export function momentOf(scene: Scene): Moment {
  const { batch, medium, layout } = scene
  return {
    jobs: batch.manifest().jobs,
    lock: lockBefore(scene),
    state: new Map([...medium.files()].filter(([path]) => path.startsWith(`${layout.state}/`))),
  }
}

/** What people do to a manifest and its files, by how often they do it. */
export const betweenRuns: Acts = {
  edit: 10,
  undo: 5,
  'swap prompts': 5,
  'swap names': 4,
  rename: 4,
  'rename all': 0,
  'pass names on': 0,
  reorder: 2,
  delete: 4,
  restore: 4,
  'check out both': 3,
  'check out the manifest': 2,
  'check out the lock': 2,
  'copy old state': 2,
  'delete the state': 2,
  'delete the lock': 2,
  'delete outputs': 3,
  'delete state and lock': 1,
  'delete state and outputs': 1,
  'delete lock and outputs': 1,
  'delete all': 0.5,
  'another service': 2,
  'set the clock': 4,
  recount: 0,
  'count back': 0,
  'settle an order': 5,
  accept: 3,
  pick: 4,
  'merge the lock': 3,
  'rewrite the lock': 1,
  'go to the other clone': 0,
  'merge the other clone': 0,
}

const never = Object.fromEntries(Object.keys(betweenRuns).map(act => [act, 0])) as Acts // of every act

/** Of those who only edit, and think better of it. */
export const editing: Acts = { ...never, edit: 2, undo: 2, restore: 1 }

/** Of those who take jobs out and put them back. */
export const leaving: Acts = { ...never, delete: 2, rename: 2, restore: 2, undo: 2 }

/** Of those who say what becomes of orders, and want other takes. */
export const deciding: Acts = {
  ...never,
  edit: 1,
  undo: 1,
  rename: 1,
  'settle an order': 5,
  accept: 1,
  pick: 2,
}

/** Of those who want other takes, and choose. */
export const choosing: Acts = { ...never, pick: 4 }

/** Of those who work on two branches. */
export const branching: Acts = { ...never, edit: 2, undo: 1, 'check out both': 2, 'merge the lock': 2 }

/** Of those who change the lock by hand. */
export const forging: Acts = { ...never, edit: 2, undo: 2, 'rewrite the lock': 4 }

/** Of those whose clocks are wrong. */
export const dating: Acts = { ...never, edit: 1, 'set the clock': 4 }

/** Of those who ask now one service and now another. */
export const asking: Acts = { ...never, edit: 1, undo: 1, 'another service': 3 }

/** Of those who begin anew in the same folder, and bring back what they had before. */
export const copying: Acts = {
  ...never,
  edit: 1,
  'delete state and lock': 2,
  'copy old state': 3,
  'merge the lock': 1,
}

/** Of those who want more files of a job, and fewer, and lose some. */
export const counting: Acts = {
  ...never,
  recount: 6,
  'count back': 6,
  'swap names': 4,
  rename: 2,
  undo: 2,
  restore: 1,
  reorder: 1,
  'delete outputs': 1,
  'delete the state': 1,
  'delete the lock': 1,
  'set the clock': 1,
}

/** Of those who work at two machines, each with a disk of its own, and merge what they have. */
export const cloning: Acts = {
  ...never,
  edit: 2,
  undo: 2,
  rename: 0.5,
  'delete outputs': 1,
  'settle an order': 1,
  pick: 1,
  accept: 1,
  'go to the other clone': 5,
  'merge the other clone': 5,
}

/** Of those who give jobs other names at one machine, and want and choose other takes at the other. */
export const naming: Acts = {
  ...never,
  undo: 0.5,
  rename: 3,
  'swap names': 3,
  pick: 3,
  'go to the other clone': 5,
  'merge the other clone': 5,
}

/** Of those who give jobs other names, several at a time, and think better of it. */
export const renaming: Acts = {
  ...never,
  rename: 3,
  'rename all': 3,
  'pass names on': 3,
  undo: 2,
  restore: 3,
  reorder: 1,
  'delete the state': 1,
  'delete the lock': 1,
}

/** The same while a process runs. Without a say in what it does: it has read the manifest by then. */
export const duringRuns = {
  'set the clock': 4,
  'delete outputs': 1,
}

/** Some come to nothing: there is nothing to go back to, or only one job. */
export async function act(scene: Scene, what: Act, moments: readonly Moment[]): Promise<void> {
  scene.log(`the user: ${what}`)
  scene.counts.acts++
  scene.present.hasAll = false
  takeBackForged(scene)
  if (what === 'go to the other clone') return goToOther(scene)
  if (what === 'merge the other clone') return mergeOther(scene)
  scene.present.isComplete = false
  if (what === 'settle an order' || what === 'accept' || what === 'pick') scene.present.hasDecided = true
  if (what === 'settle an order') await settleOne(scene)
  else if (what === 'accept') await acceptOne(scene)
  else if (what === 'pick') await pickOne(scene)
  else perform(scene, what, moments)
}

type Deed = Exclude<Act, 'settle an order' | 'accept' | 'pick' | `${string} the other clone`>

/** The same while a process runs, whose claim no verb gets. */
export function actDuring(scene: Scene, what: keyof typeof duringRuns, moments: readonly Moment[]): void {
  scene.log(`the user: ${what}`)
  scene.counts.acts++
  scene.present.hasAll = false
  perform(scene, what, moments)
}

function perform(scene: Scene, act: Deed, moments: readonly Moment[]): void {
  const { batch, chance } = scene
  const { jobs } = batch.manifest()
  const families = [...new Set(jobs.map(familyOf))]
  switch (act) {
    case 'edit':
      return batch.change(withPrompt(jobs, chance.pick(families), chance.pick(promptsOf(families))))
    case 'undo':
      return batch.change(batch.versions().at(-2) ?? jobs)
    case 'restore':
      return batch.change(chance.pick(batch.versions()))
    case 'swap prompts':
      return batch.change(swapped(jobs, chance.pick(families), chance.pick(families)))
    case 'swap names': {
      const [a, b] = [chance.pick(families), chance.pick(families)]
      return batch.change(
        withNames(
          jobs,
          new Map([
            [a, b],
            [b, a],
          ]),
        ),
      )
    }
    case 'rename': {
      const family = chance.pick(families)
      const other = otherName(family)
      return families.includes(other) ? undefined : batch.change(withNames(jobs, new Map([[family, other]])))
    }
    case 'rename all': {
      const others = new Map(families.map(family => [family, otherName(family)]))
      // Names that are exchanged are no new ones.
      if (families.some(family => others.has(otherName(family)))) return undefined
      return batch.change(withNames(jobs, others))
    }
    case 'pass names on': {
      const [a, b] = [chance.pick(families), chance.pick(families)]
      const other = otherName(a)
      const names = new Map([
        [a, other],
        [b, a],
      ])
      return a === b || families.includes(other) ? undefined : batch.change(withNames(jobs, names))
    }
    case 'reorder':
      // Takes are no lines of the manifest: they stand in their order whatever the jobs' is.
      return batch.change(
        families.toReversed().flatMap(family => jobs.filter(job => familyOf(job) === family)),
      )
    case 'delete':
      return families.length > 1 ? batch.change(without(jobs, chance.pick(families))) : undefined
    case 'recount':
      return batch.change(recounted(jobs, chance.pick(families), chance.pick(numbers)))
    case 'count back': {
      const family = chance.pick(families)
      const earlier = numbersOf(family, batch.versions())
      return earlier.length > 0 ? batch.change(recounted(jobs, family, chance.pick(earlier))) : undefined
    }
    case 'merge the lock':
      return mergeLock(scene, moments)
    case 'another service':
      scene.present.origin = origins.find(origin => origin !== scene.present.origin) ?? origins[0]
      return
    case 'set the clock': {
      const [minute, hour] = [60_000, 3_600_000]
      scene.present.isClockSet = true
      scene.witness.clockIsSet()
      scene.timeline.setWall(
        chance.pick([-24 * hour, -2 * hour, -10 * minute, 0, 10 * minute, 2 * hour, 24 * hour]),
      )
      return
    }
    default:
      return meddle(scene, act, moments)
  }
}

function otherName(family: JobAddress): JobAddress {
  return jobAddress(family.startsWith('job') ? `hero${family.slice(3)}` : `job${family.slice(4)}`)
}

/** The numbers of files that a job asked for before, but for the one that it asks for now. */
function numbersOf(family: JobAddress, versions: readonly (readonly Job[])[]): number[] {
  const all = versions.map(jobs => jobs.find(job => familyOf(job) === family)?.count)
  const now = all.at(-1)
  return [...new Set(all)].flatMap(count => (count === undefined || count === now ? [] : [count]))
}

/** Records and files come and go by a hand from outside. */
function meddle(
  scene: Scene,
  act: Exclude<
    Deed,
    | 'edit'
    | 'undo'
    | 'restore'
    | 'recount'
    | 'count back'
    | `swap ${string}`
    | 'rename'
    | 'rename all'
    | 'pass names on'
    | 'reorder'
    | 'delete'
  >,
  moments: readonly Moment[],
): void {
  const { batch, chance } = scene
  const moment = moments.length > 0 ? chance.pick(moments) : undefined
  scene.present.isMeddledWith = true
  scene.present.hasThrownAway = true
  for (const wish of scene.witness.wished) wish.isCertain = false
  const before = lookFirst(scene)
  switch (act) {
    case 'check out both':
      if (moment) {
        batch.change(moment.jobs)
        putLock(scene, moment.lock)
      }
      break
    case 'check out the manifest':
      if (moment) batch.change(moment.jobs)
      break
    case 'check out the lock':
      if (moment) putLock(scene, moment.lock)
      break
    case 'copy old state':
      if (moment) putState(scene, moment.state)
      break
    case 'rewrite the lock':
      forgeLock(scene)
      break
    default:
      if (/state|all/.test(act)) putState(scene, new Map())
      if (/lock|all/.test(act)) putLock(scene, undefined)
      if (/outputs|all/.test(act)) for (const [path] of filesOn(scene).outputs) scene.medium.drop(path)
  }
  forgetUnnamed(scene, before)
}

function putLock(scene: Scene, lock: Buffer | undefined): void {
  const { medium, layout } = scene
  if (lock) medium.put(layout.lock, lock)
  else if (medium.read(layout.lock)) medium.drop(layout.lock)
  noteLock(scene)
}

/** Another branch ended at one of these moments, and began at one before. What either side has is there afterwards. */
function mergeLock(scene: Scene, moments: readonly Moment[]): void {
  const { medium, layout, chance } = scene
  if (moments.length === 0) return
  const branch = moments.slice(0, chance.whole(1, moments.length))
  const textOf = (lock: Buffer | undefined) => lock?.toString() ?? ''
  const [ours, theirs] = [textOf(medium.read(layout.lock)), textOf(branch.at(-1)?.lock)]
  const base = textOf(chance.pick(branch).lock)
  const isByHand = scene.seed % 7 === 3
  const merged = isByHand ? keptLines(ours, theirs) : mergedText(scene, { base, ours, theirs })
  if (merged === undefined) return
  medium.put(layout.lock, Buffer.from(merged))
  noteLock(scene)
}

/** Who settles a conflict by hand keeps the lines of both sides, and of what both have those of ours. */
function keptLines(ours: string, theirs: string): string | undefined {
  const [mine, other] = [readLock(ours), readLock(theirs)]
  if (mine.got !== 'lock' || other.got !== 'lock') return undefined
  const known = new Set(mine.lock.jobs.map(({ id }) => id))
  return writeLock({
    ...mine.lock,
    jobs: [...mine.lock.jobs, ...other.lock.jobs.filter(({ id }) => !known.has(id))],
  })
}

/** The folder as it was then; nothing of what it is now. */
function putState({ medium, layout }: Scene, state: Moment['state']): void {
  for (const path of medium.files().keys()) if (path.startsWith(`${layout.state}/`)) medium.drop(path)
  for (const [path, bytes] of state) medium.put(path, bytes)
}

/** Few, so that people come back to what was bought before. */
function promptsOf(families: readonly JobAddress[]): string[] {
  return families.flatMap(family => {
    const name = `job${family.replace(/^\D+/, '')}`
    return [name, `${name} at night`]
  })
}

function swapped(jobs: readonly Job[], a: JobAddress, b: JobAddress): Job[] {
  const promptOf = (family: JobAddress) => jobs.find(job => familyOf(job) === family)?.params.prompt
  const [ofA, ofB] = [promptOf(a), promptOf(b)].map(String) as [string, string] // two of two
  return withPrompt(withPrompt(jobs, a, ofB), b, a === b ? ofB : ofA)
}
