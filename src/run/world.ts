import { defined } from '../base/defined.ts'
import type { Failure } from '../base/failure.ts'
import type { Digest, JobAddress, PurchaseId } from '../base/names.ts'
import type { Remains } from '../base/purchase.ts'
import type { RemoteFile, SavedFile } from '../base/state.ts'
import { programAt } from '../disk/program.ts'
import type { Emit } from '../engine/event.ts'
import type { Budget } from '../engine/gates/budget.ts'
import type { Polls } from '../engine/gates/polls.ts'
import { permitsOf } from '../engine/permit.ts'
import type { Task, World } from '../engine/world.ts'
import { lookAtFile } from '../looks/look-at.ts'
import type { OwnGate } from '../looks/own-gate.ts'
import { restAddress } from '../plan/shapes/share.ts'
import { holdText } from '../planning/plan-record.ts'
import type { Claim } from '../store/claim/claim.ts'
import type { Parts } from '../store/files/parts.ts'
import type { Spool } from '../store/files/spool.ts'
import type { StateFolder } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Journal } from '../store/journal/journal.ts'
import type { Way } from '../wire/http/dial.ts'
import type { Watch, Wire } from '../wire/http/wire.ts'
import type { Profile } from '../wire/profile/profile.ts'
import type { Layout } from '../workspace/layout.ts'
import type { Machine } from '../workspace/machine.ts'
import type { ProjectPlace } from '../workspace/read/place.ts'
import { inTurn } from '../workspace/service/service-polls.ts'
import type { Verify } from '../workspace/verifies.ts'
import { chosenSinceText } from './ending.ts'
import { gate, lostClaim, lostRecords } from './gate.ts'
import type { DecidedSince } from './inputs/decided-since.ts'
import { openFreshLinks } from './inputs/fresh-links.ts'
import { prepareTask } from './inputs/prepare-inputs.ts'
import { throttle } from './inputs/throttle.ts'
import { openUploads } from './inputs/uploads.ts'
import type { Ledger } from './ledger/ledger.ts'
import { makeRoom } from './results/aside.ts'
import { type Looking, openSiblings } from './results/looking.ts'
import { gateAsker } from './results/own-gates.ts'
import { alteredInPlace } from './results/replaced.ts'
import { saveFiles } from './results/save.ts'

/** Everything that one run works with. */
export interface Tools {
  readonly machine: Machine
  readonly place: ProjectPlace
  readonly layout: Layout
  readonly folders: StateFolder
  readonly claim: Claim
  readonly journal: Journal
  readonly spool: Spool
  readonly ledger: Ledger
  readonly wire: Wire
  /** By which jobs name it; the usual one when absent. */
  readonly service?: string
  readonly profile: Profile
  readonly budget: Budget
  readonly emit: Emit
  readonly stop: AbortSignal
  readonly polls: Polls
  readonly pollFloorMs: number
  /** Of a job that somebody has to approve: the digests of the files that were approved. Undefined of every other. */
  readonly approved?: ((address: JobAddress) => ReadonlySet<string> | undefined) | undefined
  /** What persons decide meanwhile. */
  readonly decided?: DecidedSince | undefined
  /** What earlier runs left of a file of the order that they let go last. */
  readonly left: (purchase: PurchaseId, nth: number) => Remains | undefined
  readonly parts: Parts
  readonly verify?: Verify | undefined
  readonly gate?: Verify | undefined
  readonly gates?: readonly OwnGate[] | undefined
  /** How the network is left for what is no service's. */
  readonly way: Way
}

/** The engine's world, made of the real wire and the real store. */
export function worldOf(tools: Tools): World {
  const { machine, journal, spool, ledger, wire, emit, stop, layout, folders } = tools
  const { clock, random, disk, measure } = machine
  const spooled = new Map<PurchaseId, readonly string[]>()
  const saveContext = {
    wire,
    journal: ledger,
    layout,
    kept: folders.kept,
    isOurs: ledger.isOurs,
    makeRoom: (path: string, purchase: PurchaseId) =>
      makeRoom([path], { layout, folders, ledger, disk, moving: new Set([purchase]) }),
    keepsBack: () => lostClaim(tools.claim),
    disk,
    measure,
    left: tools.left,
    parts: tools.parts,
    written: spool.written,
    verify: tools.verify,
    looking: lookingOf(tools),
    doubted: new Map<string, Digest>(),
  }
  const { request, upload, response } = tools.profile
  const links = openFreshLinks(inTurn(wire, tools.polls, clock), clock, stop, response.linksLastMs)
  const inputSources = {
    place: tools.place,
    layout,
    disk,
    made: (address: JobAddress) => filesOf(address, ledger),
    ...defined({ approved: tools.approved }),
    files: request.files,
    links,
    runOf(address: JobAddress, nth: number) {
      const made = ledger.made(address)
      const isHere = made?.recipe.service === tools.service
      return made && isHere && nth < made.files.length ? made.run : undefined
    },
    origin: wire.origin,
    ...(upload && wire.upload && { uploads: openUploads({ wire, clock, random, disk, stop, emit }) }),
  }
  return {
    clock,
    random,
    wire,
    journal: ledger,
    stop,
    emit,
    polls: tools.polls,
    pollFloorMs: tools.pollFloorMs,
    permit: permitsOf({
      gate: task => gate(tools) ?? heldSince(task, tools) ?? tools.budget.take(task.job),
      revoked: () => gate(tools),
      journal: ledger,
    }),
    async prepare(task) {
      // The last line of a promise that is kept elsewhere: what is for one service is not sent to another.
      if (task.job.service !== tools.service) return { got: 'held-back', failure: notHere(task) }
      // Asked here as well, so that a spent budget opens no connections in vain.
      const unpaid = tools.budget.check(task.job)
      const failure =
        unpaid ?? heldSince(task, tools) ?? (await alteredInPlace(task.job, { layout, ledger, disk }))
      return failure ? { got: 'held-back', failure } : prepareTask(task, inputSources)
    },
    async save(task, files, _, signal) {
      spooled.set(task.purchase, spoolPaths(files))
      const watched = { signal, progress: progressOf(task.job.address, tools) }
      const outcome = await saveFiles(task, files, saveContext, watched)
      if (outcome.got === 'saved') links.remember(files, outcome.files)
      return outcome
    },
    cleanUp({ purchase }, state) {
      const paths = spooled.get(purchase) ?? []
      spooled.delete(purchase)
      if (paths.length === 0) return
      // Once DONE is in the journal, the files under their final names are the result. For whoever took the claim over,
      // the journal was another one.
      if (state.is === 'done' && !journal.broken && !lostRecords(tools)) clear(spool, paths)
    },
    secured: ledger.secured,
    ownerOf: ledger.ownerOf,
  }
}

/** No program is looked for before there is something to look at. */
function lookingOf({ gate: usual, gates, ledger, machine, layout, way }: Tools): Looking {
  let ffmpeg: { readonly path: string | undefined } | undefined
  return {
    usual,
    ...defined({ gates }),
    ask: gateAsker({ ...machine, state: layout.state, way }),
    look(path, stop) {
      ffmpeg ??= { path: programAt('ffmpeg', process.env.PATH) }
      return lookAtFile(path, { ffmpeg: ffmpeg.path, stop })
    },
    words: async shown => (await import('../looks/words.ts')).lookForWords(shown),
    siblings: openSiblings(() => ledger.purchases.values()),
  }
}

/** What a person decided since it was planned, asked before its inputs are read, and once more when nothing but writing it down is left. */
function heldSince(task: Task, { decided }: Tools): Failure | undefined {
  const hold = decided?.against(task)
  return (
    hold && { why: 'on-hold', detail: hold.why === 'chosen-since' ? chosenSinceText(hold) : holdText(hold) }
  )
}

function notHere({ job }: Task): Failure {
  return { why: 'not-served', workflow: job.workflow ?? job.model.id, detail: 'it is for another service' }
}

/** Whatever orders brought them. */
function filesOf(address: JobAddress, { made }: Pick<Ledger, 'made'>): readonly SavedFile[] | undefined {
  const first = made(address)
  if (!first) return undefined
  const files = [...first.files]
  for (;;) {
    const rest = made(restAddress(address, files.length))
    if (!rest) return files
    files.push(...rest.files)
  }
}

/** What cannot be removed now is swept after a later run. */
function clear(spool: Spool, paths: readonly string[]): void {
  try {
    spool.remove(paths)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
  }
}

function spoolPaths(files: readonly RemoteFile[]): string[] {
  return files.flatMap(file => (file.from === 'spool' ? [file.path] : []))
}

function progressOf(
  address: JobAddress,
  { emit, machine: { clock } }: Tools,
): NonNullable<Watch['progress']> {
  return throttle(clock, (bytes, total) =>
    emit({ at: clock.now(), address, event: 'bytes', bytes, ...defined({ total }) }),
  )
}
