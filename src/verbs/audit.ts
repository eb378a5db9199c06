import { defined } from '../base/defined.ts'
import type { JobAddress } from '../base/names.ts'
import type { DonePurchase, Ordered, Purchase } from '../base/purchase.ts'
import type { RunRef, SavedFile } from '../base/state.ts'
import { modelSetOf } from '../catalog/model-set.ts'
import { realPathAt } from '../disk/look.ts'
import { readRegular } from '../disk/open.ts'
import { type Cost, costOf } from '../forms/cost.ts'
import { originIn } from '../media/origin/seen.ts'
import { jobCost } from '../plan/bill.ts'
import { followVerdicts, type KnownVerdicts } from '../plan/follow-verdicts.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { Seen, WorkspaceRequest } from '../planning/open-workspace.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { digestBytes } from '../store/files/digest.ts'
import { findKept } from '../store/files/outputs.ts'
import { findPlace } from '../store/files/safe-path.ts'
import { StorageError, storageErrorOf } from '../store/files/storage-error.ts'
import { readJournal } from '../store/journal/journal.ts'
import { saysSomething } from '../store/verdicts/verdicts-lines.ts'
import { type PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import { loadDecided } from '../workspace/records/left-verdicts.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'

/** Where one file came from. */
export interface AuditRow extends Pick<Ordered, 'address' | 'recipe' | 'acceptedAs' | 'credits'> {
  readonly file: SavedFile
  /** Whether its bytes are those that were bought, and whether a job has it. */
  readonly is: 'there' | 'aside' | 'altered' | 'missing'
  /** Where it lies; absent when it does not. */
  readonly path?: string
  readonly picked?: true
  readonly run?: RunRef
  /** When it was ordered, and by which genrun, where the journal of this machine knows that. */
  readonly orderedAt?: string
  readonly tool?: string
  /** What such an order costs, by the prices. */
  readonly cost?: Cost
  /** What a person thinks of these very files. */
  readonly verdict?: Omit<PersonsVerdict, 'address' | 'seen'>
  /** `signed`: a C2PA manifest was found in it, and not verified. `marked`: it says that a trained algorithm made it. */
  readonly says: readonly ('signed' | 'marked')[]
}

/** A result once more, for whoever copies it: by now another file may lie there, which nobody has bought. Throws why it is not read. */
export function boughtBytes(path: string, { bytes: mostBytes, digest }: SavedFile): Uint8Array {
  const bytes = readRegular(path, { mostBytes })
  if (digestBytes(bytes) !== digest) throw new Error('the result was altered meanwhile')
  return bytes
}

/** What a record beside a copy says of that, and of the result that it was made from. */
export function copyOf({ digest: original }: SavedFile, copy: Uint8Array) {
  return { digest: digestBytes(copy), bytes: copy.length, original }
}

interface Audit {
  readonly manifest: string
  readonly rehearsal: boolean
  readonly output: string
  readonly rows: readonly AuditRow[]
}

type AuditResult = Refused | Damaged | ({ readonly got: 'audit' } & Audit)

/** Where every file came from that was made and not pruned, by lock, journal, verdicts and the files themselves. No key, no write. */
export function auditOf(request: WorkspaceRequest): AuditResult {
  const seen = seeManifest(request, { isAsRecorded: true })
  if (seen.got !== 'seen') return seen
  const { workspace, recorded } = seen
  try {
    const known = knownOf(seen)
    const made = recorded.purchases.filter(isDone).toSorted((a, b) => (a.address < b.address ? -1 : 1))
    const rows: AuditRow[] = []
    for (const purchase of made)
      for (const file of purchase.files) rows.push(rowOf(purchase, file, seen, known))
    const { manifest, layout } = workspace
    return { got: 'audit', manifest: manifest.name, rehearsal: layout.rehearsal, output: layout.output, rows }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

interface Known {
  readonly verdicts: KnownVerdicts
  /** The jobs that have results now, which a run has still to give their names. */
  readonly jobs: ReadonlyMap<string, JobAddress>
  readonly tools: ReadonlyMap<string, string>
  readonly cost: (purchase: DonePurchase) => Cost | undefined
}

function knownOf(seen: Seen): Known {
  const { workspace, planned, recorded } = seen
  const { layout, machine, folders, manifest } = workspace
  const reading = readJournal(folders.journal, machine.disk)
  const tools = new Map<string, string>()
  let tool: string | undefined
  for (const entry of reading.got === 'records' ? reading.entries : []) {
    if (entry.kind === 'OPEN') tool = entry.tool
    if (entry.kind === 'INTENT' && tool !== undefined) tools.set(entry.purchase, tool)
  }
  const verdicts = followVerdicts(
    loadDecided(layout, machine.disk).verdicts,
    manifest.jobs.map(({ address }) => address),
    recorded.purchases,
  )
  const jobs = planned.plan.steps.flatMap(step =>
    'entry' in step && 'job' in step ? [[step.entry.id, step.job.address] as const] : [],
  )
  return { verdicts, jobs: new Map(jobs), tools, cost: costsOf(seen) }
}

/** By the job that has it, or, of what none has by now, by what was ordered. */
function costsOf({ workspace, planned }: Seen): Known['cost'] {
  const { prices, manifest } = workspace
  if (!prices) return () => undefined
  const costs = new Map(
    planned.plan.steps.flatMap(step =>
      'entry' in step && 'job' in step ? [[step.entry.id, jobCost(step.job, prices)] as const] : [],
    ),
  )
  const models = modelSetOf(manifest.own)
  const named = new Set([
    ...manifest.jobs.map(({ workflow }) => workflow),
    ...(prices.workflows ?? []).map(({ name }) => name),
  ])
  return ({ id, recipe, run }) => {
    const model = models.find(recipe.model, recipe.service)
    // A run of any other workflow went where its model usually goes.
    const workflow = run && named.has(run.workflow) ? run.workflow : undefined
    return costs.get(id) ?? (model && costOf(model, recipe.params, prices, workflow))
  }
}

function isDone(purchase: Purchase): purchase is DonePurchase {
  return purchase.is === 'done'
}

function rowOf(
  purchase: DonePurchase,
  file: SavedFile,
  { workspace, recorded }: Seen,
  { verdicts, jobs, tools, cost }: Known,
): AuditRow {
  const { id, address, recipe, acceptedAs, credits, run, picked, aside, files } = purchase
  const { layout, folders, machine } = workspace
  const path = aside
    ? findKept(file, folders.kept, machine.disk)
    : findPlace(machine.disk, layout.output, file.path)
  const found = path === undefined ? undefined : machine.disk.look(path)
  const isThere = found?.is === 'file'
  // What is longer or shorter was altered: it is not read, as it may be of any length.
  const bytes =
    isThere && path !== undefined && found.bytes === file.bytes
      ? bytesAt(path, file, aside ? folders.kept : layout.output)
      : undefined
  const isSame = bytes !== undefined && digestBytes(bytes) === file.digest
  const { isSigned, isMarked } = bytes ? originIn(bytes, file.type) : { isSigned: false, isMarked: false }
  const seen = files.map(({ digest }) => digest).join()
  const verdict = verdicts.on(jobs.get(id) ?? address, purchase)
  const orderedAt = recorded.orderedAt.get(id)
  // A verdict ends with the file that was seen.
  const isAltered = isThere && !isSame
  const holds = verdict && saysSomething(verdict) && verdict.seen.join() === seen && !isAltered
  const said = holds ? verdict : undefined
  return {
    address,
    file,
    is: !isThere ? 'missing' : isAltered ? 'altered' : aside ? 'aside' : 'there',
    ...(isThere && path !== undefined && { path }),
    recipe,
    ...defined({ acceptedAs, picked, run, credits, tool: tools.get(id), cost: cost(purchase) }),
    ...(orderedAt !== undefined && { orderedAt: new Date(orderedAt).toISOString() }),
    ...(said && { verdict: verdictOf(said) }),
    says: [...(isSigned ? ['signed' as const] : []), ...(isMarked ? ['marked' as const] : [])],
  }
}

function bytesAt(path: string, { bytes: mostBytes }: SavedFile, folder: string): Uint8Array {
  try {
    return readRegular(path, { mostBytes, within: realPathAt(folder) })
  } catch (cause) {
    throw storageErrorOf(path, 'read', cause)
  }
}

function verdictOf(said: PersonsVerdict): NonNullable<AuditRow['verdict']> {
  const { is, stars, note, who, when, of } = said
  return { ...defined({ is, stars, note, of }), who, when }
}
