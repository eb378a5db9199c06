import type { Digest, JobAddress } from '../../base/names.ts'
import type { Recipe, RemoteFile } from '../../base/state.ts'
import type { Tell } from '../../engine/event.ts'
import type { World } from '../../engine/world.ts'
import type { Claim } from '../../store/claim.ts'
import type { Journal } from '../../store/journal.ts'
import type { Remains } from '../../store/memory.ts'
import type { Parts } from '../../store/parts.ts'
import type { Spool } from '../../store/spool.ts'
import type { StateFolder } from '../../store/state-folder.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import type { Profile } from '../../wire/profile.ts'
import type { Watch, Wire } from '../../wire/wire.ts'
import { prepareWork } from '../draw/prepare.ts'
import type { Purse } from '../draw/purse.ts'
import type { Layout } from '../ground/layout.ts'
import type { Machine } from '../ground/machine.ts'
import type { ProjectPlace } from '../ground/place.ts'
import type { Book } from './book.ts'
import { openFreshLinks } from './fresh-links.ts'
import { gate, lostClaim } from './gate.ts'
import { saveFiles } from './save.ts'
import { seldom } from './seldom.ts'
import { openUploads } from './uploads.ts'
import type { Verify } from './verifies.ts'

/** Everything that one run works with. */
export interface Tools {
  readonly machine: Machine
  readonly place: ProjectPlace
  readonly layout: Layout
  readonly folders: StateFolder
  readonly claim: Claim
  readonly journal: Journal
  readonly spool: Spool
  readonly book: Book
  readonly wire: Wire
  readonly profile: Profile
  readonly purse: Purse
  readonly tell: Tell
  readonly stop: AbortSignal
  readonly pollFloorMs: number
  /** What earlier runs left of a file of the order that they let go last. */
  readonly left: (address: JobAddress, nth: number) => Remains | undefined
  readonly parts: Parts
  readonly verify?: Verify | undefined
}

/** The engine's world, made of the real wire and the real store. */
export function worldOf(tools: Tools): World {
  const { machine, journal, spool, book, wire, tell, stop, layout, folders } = tools
  const { clock, random, disk, measure } = machine
  const spooled = new Map<JobAddress, readonly string[]>()
  const ordered = new Set<JobAddress>()
  const porter = {
    wire,
    journal,
    layout,
    kept: folders.kept,
    isOurs: oursIn(book),
    keepsBack: () => lostClaim(tools.claim),
    disk,
    measure,
    // What is ordered now is another result than that of which something is left.
    left: (address: JobAddress, nth: number) => (ordered.has(address) ? undefined : tools.left(address, nth)),
    parts: tools.parts,
    verify: tools.verify,
  }
  const { request, upload } = tools.profile
  const links = openFreshLinks(wire, clock, stop)
  const larder = {
    place: tools.place,
    layout,
    disk,
    made: book.made,
    files: request.files,
    links,
    runOf: (address: JobAddress) => book.entries.get(address)?.run,
    ...(upload && wire.upload && { uploads: openUploads({ wire, clock, random, disk, stop, tell }) }),
  }
  return {
    clock,
    random,
    wire,
    journal,
    stop,
    tell,
    pollFloorMs: tools.pollFloorMs,
    gate({ job }) {
      ordered.add(job.address)
      return gate(tools) ?? tools.purse.take(job)
    },
    revoked: () => gate(tools),
    async prepare(work) {
      // Asked here as well, so that a spent budget opens no connections in vain.
      const unpaid = tools.purse.check(work.job)
      return unpaid ? { got: 'held-back', failure: unpaid } : prepareWork(work, larder)
    },
    async save({ job }, files, _, signal) {
      spooled.set(job.address, spoolPaths(files))
      const watched = { signal, progress: progressOf(job.address, tools) }
      const outcome = await saveFiles(job, files, porter, watched)
      if (outcome.got === 'saved') links.remember(files, outcome.files)
      return outcome
    },
    keep(job, state, recipe) {
      book.keep(job, state, recipe)
      // Once DONE is in the journal, the files under their final names are the result. For whoever took the claim over,
      // the journal was another one.
      if (state.is === 'done' && !journal.broken && tools.claim.isMine())
        clear(spool, spooled.get(job.address) ?? [])
    },
  }
}

/** What cannot be removed now is swept after a later run. */
function clear(spool: Spool, paths: readonly string[]): void {
  try {
    spool.remove(paths)
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
  }
}

function oursIn(book: Book): (digest: Digest) => boolean {
  return digest => [...book.entries.values()].some(entry => entry.files.some(file => file.digest === digest))
}

function spoolPaths(files: readonly RemoteFile[]): string[] {
  return files.flatMap(file => (file.from === 'spool' ? [file.path] : []))
}

function progressOf(
  address: JobAddress,
  { tell, machine: { clock } }: Tools,
): NonNullable<Watch['progress']> {
  return seldom(clock, (bytes, total) =>
    tell({ at: clock.now(), address, event: 'bytes', bytes, ...(total !== undefined && { total }) }),
  )
}

/** Recipes of the jobs that were sent, for those whose end the run does not see. */
export function remembering(world: World): {
  readonly world: World
  readonly recipes: ReadonlyMap<JobAddress, Recipe>
} {
  const recipes = new Map<JobAddress, Recipe>()
  return {
    recipes,
    world: {
      ...world,
      async prepare(work) {
        const prepared = await world.prepare(work)
        if (prepared.got === 'prepared') recipes.set(work.job.address, prepared.recipe)
        return prepared
      },
    },
  }
}
