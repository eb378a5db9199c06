import type { Failure } from '../base/failure.ts'
import type { Digest, JobAddress } from '../base/names.ts'
import type { Recipe, RemoteFile } from '../base/state.ts'
import type { Tell } from '../engine/event.ts'
import type { World } from '../engine/world.ts'
import type { Claim } from '../store/claim.ts'
import type { Journal } from '../store/journal.ts'
import type { Spool } from '../store/spool.ts'
import type { StateFolder } from '../store/state-folder.ts'
import type { Profile } from '../wire/profile.ts'
import type { Wire } from '../wire/wire.ts'
import type { Book } from './book.ts'
import type { Layout } from './layout.ts'
import type { Machine } from './machine.ts'
import type { ProjectPlace } from './place.ts'
import { prepareWork } from './prepare.ts'
import type { Purse } from './purse.ts'
import { saveFiles } from './save.ts'
import { openUploads } from './uploads.ts'

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
}

/** The engine's world, made of the real wire and the real store. */
export function worldOf(tools: Tools): World {
  const { machine, journal, spool, book, wire, tell, stop, layout, folders } = tools
  const { clock, random, disk, measure } = machine
  const spooled = new Map<JobAddress, readonly string[]>()
  const porter = { wire, journal, layout, kept: folders.kept, isOurs: oursIn(book), disk, measure }
  const { request, upload } = tools.profile
  const larder = {
    place: tools.place,
    layout,
    disk,
    made: book.made,
    files: request.files,
    ...(upload && wire.upload && { uploads: openUploads({ wire, clock, random, disk, stop }) }),
  }
  return {
    clock,
    random,
    wire,
    journal,
    stop,
    tell,
    pollFloorMs: tools.pollFloorMs,
    gate: ({ job }) => gate(tools) ?? tools.purse.take(job),
    async prepare(work) {
      // Asked here as well, so that a spent budget opens no connections in vain.
      const unpaid = tools.purse.check(work.job)
      return unpaid ? { got: 'held-back', failure: unpaid } : prepareWork(work, larder)
    },
    save({ job }, files, _, signal) {
      spooled.set(job.address, spoolPaths(files))
      return saveFiles(job, files, porter, { signal, progress: progressOf(job.address, tools) })
    },
    keep(job, state, recipe) {
      book.keep(job, state, recipe)
      // Once DONE is in the journal, the files under their final names are the result.
      if (state.is === 'done' && !journal.broken) spool.remove(spooled.get(job.address) ?? [])
    },
  }
}

/** RELIABILITY.md section 2, steps 1 and 4: asked in the connector, right before the first byte. */
function gate({ stop, claim, journal }: Tools): Failure | undefined {
  if (stop.aborted) return { why: 'stopped' }
  if (journal.broken) return { why: 'unsaved', path: journal.broken.path, detail: journal.broken.detail }
  if (!claim.isMine()) return { why: 'stopped' }
  return undefined
}

function oursIn(book: Book): (digest: Digest) => boolean {
  return digest => [...book.entries.values()].some(entry => entry.files.some(file => file.digest === digest))
}

function spoolPaths(files: readonly RemoteFile[]): string[] {
  return files.flatMap(file => (file.from === 'spool' ? [file.path] : []))
}

const progressEveryMs = 200

function progressOf(
  address: JobAddress,
  { tell, machine: { clock } }: Tools,
): (bytes: number, total: number | undefined) => void {
  let next = 0
  return (bytes, total) => {
    const at = clock.now()
    if (at < next) return
    next = at + progressEveryMs
    tell({ at, address, event: 'bytes', bytes, ...(total !== undefined && { total }) })
  }
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
