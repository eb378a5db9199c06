import { isDeepStrictEqual } from 'node:util'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { firstTake } from '../../src/plan/picks.ts'
import { type Locked, readLock } from '../../src/store/lock/lock-text.ts'
import { sortOfJob } from './asked.ts'
import { readTaken, type Taken } from './medium.ts'
import { lookFirst, missFiles, toldOf } from './records.ts'
import { place, refuge, type Scene } from './scene.ts'
import type { Attempt } from './witness.ts'

/** The checkout of somebody who works on the same manifest on another machine: a branch, and a disk of its own. */
interface Clone {
  readonly jobs: readonly Job[]
  readonly files: Taken
  /** What something there may tell of, by its name (`nameOf`). */
  readonly known: ReadonlySet<string>
  /** Its last run ended with 0, and nothing was done since. */
  readonly isComplete: boolean
  /** Somebody picked, accepted or settled something there that the others have not heard of. */
  readonly hasDecided: boolean
}

/** What the machine at which people are now knows, and the other one, where there is one. */
export interface Clones {
  other: Clone | undefined
  /** The lock as both had it last. */
  base: string
  known: Set<string>
  /** Of so many attempts is it known whose they are. */
  seen: number
}

const roots = [place.folder, refuge]

/** Somebody goes on at the other machine, with all that lies there. The first time it is a fresh clone: manifest and lock, and nothing more. */
export function goToOther(scene: Scene): void {
  const { present, medium, layout, batch } = scene
  const before = lookFirst(scene)
  const known = knownHere(scene)
  const lock = medium.read(layout.lock)
  const jobs = batch.manifest().jobs
  const { other, base } = present.clones
  const here = { jobs, known, isComplete: present.isComplete, hasDecided: present.hasDecided }
  const files = medium.exchange(roots, other?.files)
  if (!other) {
    medium.makeFolder(place.folder)
    if (lock) medium.put(layout.lock, lock)
  }
  const named = other?.known ?? toldIn(lock?.toString() ?? '')
  present.clones = {
    other: { ...here, files },
    base: other ? base : (lock?.toString() ?? ''),
    known: new Set(named),
    seen: present.clones.seen,
  }
  // What was ordered there goes before what others have, and of what two jobs ask for in the same words a cache has one.
  const isFresh = !other || other.known.size === 0
  const isUnlike = new Set(jobs.map(job => sortOfJob(job))).size === jobs.length
  const isShared = scene.hasCache && here.isComplete && scene.counts.diskTroubles === 0
  hasAllFrom(scene, isShared && isFresh && isUnlike, other ?? here)
  if (other && other.jobs !== jobs) batch.change(other.jobs)
  present.isComplete = other?.isComplete ?? false
  present.hasDecided = other?.hasDecided ?? false
  learn(scene, before)
}

/** What the other machine has committed is merged here: manifest and lock travel, and nothing else. */
export function mergeOther(scene: Scene): void {
  const { present, medium, layout, batch, chance } = scene
  const { other, base } = present.clones
  const ours = medium.read(layout.lock)?.toString()
  const theirs = other && readTaken(other.files, layout.lock)?.toString()
  if (!other || ours === undefined || theirs === undefined) return
  const before = lookFirst(scene)
  // Most have a merge driver; some settle what is in conflict by taking one side whole.
  const isTheirs = scene.seed % 7 === 5 && lineageIn(ours) === lineageIn(theirs)
  const merged = isTheirs ? theirs : mergedText(scene, { base, ours, theirs })
  if (merged === undefined) return
  medium.put(layout.lock, Buffer.from(merged))
  noteLock(scene)
  hasAllFrom(scene, present.isComplete || (other.isComplete && !hasMadeMore(scene, other)), other)
  if (other.jobs !== batch.manifest().jobs && chance.hits(0.5)) batch.change(other.jobs)
  const named = [...knownHere(scene), ...toldIn(theirs)]
  present.clones = { other, base: theirs, known: new Set(named), seen: present.clones.seen }
  present.isComplete = false
  present.hasDecided = false
  learn(scene, before)
}

/** Where one of two had all that both ask for, and nobody decided anything, nothing is bought by who has heard of it. */
function hasAllFrom({ present, batch }: Scene, isThere: boolean, other: Omit<Clone, 'files'>): void {
  const isDecided = present.hasDecided || other.hasDecided
  present.hasAll = isThere && !isDecided && other.jobs === batch.manifest().jobs
}

/** What is here stays, and what is made there from other results counts for nothing. */
function hasMadeMore(scene: Scene, { known }: Clone): boolean {
  const here = knownHere(scene)
  const isMade = ({ what, sort, charge }: Attempt) => charge?.isDelivered === true || what !== `${sort} `
  return scene.witness.attempts.some(each => here.has(each.key) && !known.has(each.key) && isMade(each))
}

/** A lock was put in the place of the one that was there: of what that knew it may know nothing. */
export function noteLock({ witness, medium, layout }: Scene): void {
  const lock = medium.read(layout.lock)
  const named = lock && namedIn(lock.toString())
  for (const attempt of witness.attempts)
    attempt.isOfOtherLock = named !== undefined && !named.has(attempt.key)
}

/** What git makes of two locks, judged; undefined where there is nothing to merge. */
export function mergedText({ merge, witness }: Scene, sides: Sides): string | undefined {
  const merged = merge(sides)
  if (merged.got !== 'merged') return undefined
  const now = namedIn(merged.text)
  const [before, mine, other] = [sides.base, sides.ours, sides.theirs].map(namedIn) as Three<Set<string>>
  for (const id of [...mine, ...other])
    if (!now.has(id) && !(before.has(id) && !(mine.has(id) && other.has(id))))
      witness.accuse(`P4: a merge of two locks forgot ${id}`)
  for (const said of [...lostPicks(sides, merged.text), ...leftTakes(sides, merged.text)])
    witness.accuse(`P4: a merge of two locks ${said}`)
  return merged.text
}

/**
 * Picked on one side only, it is picked, or another take of its job is; where both sides have bought that very take apart, ours has its
 * name, and what is put aside for it is nobody's choice.
 */
function lostPicks({ base, ours, theirs }: Sides, text: string): string[] {
  const now = byId(text)
  const picked = [...now.values()].filter(isPicked)
  const jobs = new Set(picked.map(({ address }) => firstTake(address)))
  return [ours, theirs].flatMap(side =>
    [...byId(side).values()].flatMap(each => {
      const [before, after] = [byId(base).get(each.id), now.get(each.id)]
      if (!isPicked(each) || isPicked(before) || isPicked(after)) return []
      const isTwin = (other: Locked) =>
        other.id !== each.id && other.address === after?.address && other.is === 'done' && !other.aside
      if (!byId(ours).has(each.id) && [...byId(ours).values()].some(isTwin)) return []
      return after && jobs.has(firstTake(after.address)) ? [] : [`lost the pick of ${each.address}`]
    }),
  )
}

function isPicked(entry: Locked | undefined): boolean {
  return entry?.is === 'done' && entry.picked === true
}

/** What only one side has is a take of the job that the other takes are of which were ordered there in the same words. */
function leftTakes({ ours, theirs }: Sides, text: string): string[] {
  const now = byId(text)
  const both = [byId(ours), byId(theirs)] as const
  const isOfBoth = ({ id }: Locked) => both.every(side => side.has(id))
  const jobOf = (entry: Locked) => firstTake(now.get(entry.id)?.address ?? entry.address)
  return both.flatMap(side => {
    const entries = [...side.values()]
    return entries.flatMap(entry => {
      if (isOfBoth(entry)) return []
      const others = entries.filter(each => isOfBoth(each) && isTakeOfSame(each, entry))
      const isLeft = others.length > 0 && others.every(each => jobOf(each) !== jobOf(entry))
      return isLeft ? [`left ${entry.address} behind`] : []
    })
  })
}

function isTakeOfSame(one: Locked, other: Locked): boolean {
  const words = ({ recipe: { model, service, params, inputs } }: Locked) => ({
    model,
    service,
    params,
    inputs,
  })
  return firstTake(one.address) === firstTake(other.address) && isDeepStrictEqual(words(one), words(other))
}

function byId(lock: string): ReadonlyMap<string, Locked> {
  return new Map(entriesOf(lock).map(entry => [entry.id, entry]))
}

type Sides = Parameters<Scene['merge']>[0]
type Three<T> = [T, T, T]

function namedIn(lock: string): Set<string> {
  return new Set(entriesOf(lock).map(({ id }) => id))
}

/** The orders of a lock, and which of them somebody took for something else, by their names. */
function toldIn(lock: string): Set<string> {
  const entries = entriesOf(lock)
  const taken = entries.filter(({ acceptedAs }) => acceptedAs)
  return new Set([
    ...entries.map(({ id }) => nameOf({ key: id })),
    ...taken.map(({ id }) => nameOf({ key: id, isTaken: true })),
  ])
}

function lineageIn(lock: string): string | undefined {
  const reading = readLock(lock)
  return reading.got === 'lock' ? reading.lock.lineage : undefined
}

function entriesOf(lock: string): readonly Locked[] {
  const reading = readLock(lock)
  return reading.got === 'lock' ? reading.lock.jobs : []
}

/** An order may be heard of where nobody has heard for what it was taken. */
function nameOf({ key, isTaken }: Pick<Attempt, 'key' | 'isTaken'>): string {
  return isTaken ? `${key}, taken` : key
}

/** Whoever orders or takes something here knows of it. */
function knownHere({ present: { clones }, witness }: Scene): ReadonlySet<string> {
  for (const attempt of witness.attempts.slice(clones.seen)) clones.known.add(nameOf(attempt))
  clones.seen = witness.attempts.length
  return clones.known
}

/** What was ordered at the other machine only, or cannot be had here, counts for nothing until it is heard of. */
function learn(scene: Scene, before: ReturnType<typeof lookFirst>): void {
  const { witness, present } = scene
  lookFirst(scene)
  missFiles(scene, before)
  present.isMeddledWith = true
  present.hasThrownAway = true
  for (const wish of witness.wished) wish.isCertain = false
  for (const { attempt, charge, told, isGone } of toldOf(scene)) {
    if (isGone) present.hasAll = false
    const isUnheard = !present.clones.known.has(attempt.key) || isGone
    attempt.isElsewhere = isUnheard || !present.clones.known.has(nameOf(attempt))
    if (!charge) continue
    charge.isElsewhere = isUnheard
    // Its files lie at the other machine, be they a result or not.
    const hasEnded = told.some(({ is }) => is === 'done' || is === 'failed')
    if (hasEnded && !charge.isDelivered) charge.isThrownAway = charge.wasThrownAway = true
  }
}
