import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Failure } from '../../base/failure.ts'
import {
  type Digest,
  type JobAddress,
  type Json,
  type JsonObject,
  type Pointer,
  pointerSteps,
  sha256Digest,
} from '../../base/names.ts'
import type { RunRef, SavedFile } from '../../base/state.ts'
import { paramOf } from '../../catalog/index.ts'
import type { HeldBack } from '../../engine/advance.ts'
import type { Prepared, Task } from '../../engine/world.ts'
import type { FileRef, Job } from '../../manifest/shapes/job.ts'
import { otherType, sniff, sniffedBytes } from '../../media/sniff.ts'
import { draftRecipe, linkIdentity } from '../../plan/shapes/recipe.ts'
import { readInput } from '../../planning/read-input.ts'
import type { Disk } from '../../store/files/disk.ts'
import { storageErrorOf } from '../../store/files/storage-error.ts'
import type { FileRules } from '../../wire/profile/profile.ts'
import { base64, dataUri } from '../../wire/transfer/files.ts'
import type { Layout } from '../../workspace/layout.ts'
import { inputRoot, type ProjectPlace } from '../../workspace/read/place.ts'
import type { FreshLinks } from './fresh-links.ts'
import type { Uploads } from './uploads.ts'

/** Where inputs are found, and what earlier jobs have made. */
interface InputSources {
  readonly place: ProjectPlace
  readonly layout: Layout
  readonly disk: Disk
  /** The files of a job that is done, in order. */
  readonly made: (address: JobAddress) => readonly SavedFile[] | undefined
  /**
   * Of a job that somebody has to approve before anything is made from it: the files that were seen and approved. Undefined of every other.
   */
  readonly approved?: (address: JobAddress) => ReadonlySet<string> | undefined
  readonly files: FileRules
  /** Links to what the service has made, and the run that made it. */
  readonly links?: FreshLinks
  readonly runOf?: (address: JobAddress, nth: number) => RunRef | undefined
  /** Of the service that is asked. */
  readonly origin?: string
  /** Where files go that do not fit into a body; absent where there is no such place. */
  readonly uploads?: Uploads
}

/** Makes a job ready to send. The bytes that are digested for the recipe are the bytes that are sent. */
export async function prepareTask({ job }: Task, inputSources: InputSources): Promise<Prepared | HeldBack> {
  const carried = new Map<FileRef, Carried>()
  for (const [at, refs] of Object.entries(job.files) as [Pointer, readonly FileRef[]][]) {
    const takes = takenAt(job, at)
    for (const ref of refs) {
      const input = await carry(ref, inputSources, { address: job.address, takes })
      if ('why' in input) return { got: 'held-back', failure: input }
      carried.set(ref, input)
    }
  }
  const { recipe } = draftRecipe(job, ref => carried.get(ref)?.identity)
  return { got: 'prepared', params: wireParams(job, ref => carried.get(ref)?.link ?? ''), recipe }
}

/** Parameters as the wire takes them: every file input at its place, as a link or a data URI. */
export function wireParams(job: Job, linkOf: (ref: FileRef) => string): JsonObject {
  const params: Record<string, Json> = structuredClone(job.params) as Record<string, Json> // a copy may be written to
  for (const [at, refs] of Object.entries(job.files) as [Pointer, readonly FileRef[]][]) {
    const steps = pointerSteps(at)
    const param = paramOf(job.model, steps[0] ?? '')
    const isList = param?.type === 'file' && param.maxItems !== undefined
    const links = refs.map(linkOf)
    put(params, steps, isList ? links : (links[0] ?? ''))
  }
  return params
}

/** Sets a value deep inside a record, whose parents exist. */
function put(within: Record<string, Json>, steps: readonly string[], value: Json): void {
  let here = within
  for (const step of steps.slice(0, -1)) here = (here[step] ??= {}) as Record<string, Json> // objects and lists only
  here[steps.at(-1) ?? ''] = value
}

/** Whether a place takes media alone, or a file of any kind. */
function takenAt({ model }: Job, at: Pointer): By['takes'] {
  const param = paramOf(model, pointerSteps(at)[0] ?? '')
  return param?.type === 'file' && param.media === 'file' ? 'any' : 'media'
}

/** Whose input it is. */
interface By {
  readonly address: JobAddress
  readonly takes: 'media' | 'any'
}

interface Carried {
  readonly identity: string
  readonly link: string
}

async function carry(ref: FileRef, inputSources: InputSources, by: By): Promise<Carried | Failure> {
  switch (ref.from) {
    case 'url':
      return { identity: linkIdentity(ref.url), link: ref.url }
    case 'path':
      return carryFile(
        inputSources,
        {
          path: resolve(inputSources.place.folder, ref.path),
          name: ref.path,
          within: inputRoot(inputSources.place),
        },
        by,
      )
    case 'job': {
      // The plan has put the picked take in the place of every pick.
      const file = ref.nth === 'pick' ? undefined : inputSources.made(ref.address)?.[ref.nth]
      if (!file) return { why: 'needs', address: ref.address }
      const link = await linkToMade(file, ref, inputSources)
      const carried =
        link === undefined
          ? await carryFile(inputSources, madeFile(inputSources, file), by)
          : { identity: file.digest, link }
      return asMade(approvedOf(carried, inputSources.approved?.(ref.address), file), file)
    }
  }
}

/** The plan has read it as well, and it may be another one since: what is sent is what was approved, or nothing. */
function approvedOf(
  carried: Carried | Failure,
  approved: ReadonlySet<string> | undefined,
  { path }: SavedFile,
): Carried | Failure {
  if ('why' in carried || !approved || approved.has(carried.identity)) return carried
  return { why: 'bad-input', path, detail: 'it is not the file that was approved' }
}

/** The plan knows it as it was made: what is made from another would be no result of this plan, and be bought anew by the next. */
function asMade(carried: Carried | Failure, { path, digest }: SavedFile): Carried | Failure {
  if ('why' in carried || carried.identity === digest) return carried
  return { why: 'bad-input', path, detail: 'it was altered since it was made' }
}

/**
 * The service's own link to what it has made: a young one, or one that is asked for because the file fits nowhere else.
 * Never for a file that was altered here: then it is no longer what lies behind the link.
 */
async function linkToMade(
  file: SavedFile,
  ref: FileRef & { from: 'job' },
  { files, links, uploads, runOf, disk, layout, origin }: InputSources,
): Promise<string | undefined> {
  if (!links || files.made === 'bytes' || ref.nth === 'pick') return undefined
  const young = links.young(file.digest)
  const ran = runOf?.(ref.address, ref.nth)
  // A run of another service says nothing here, whatever its id.
  const run = ran && (ran.origin ?? origin) === origin ? ran : undefined
  const isStuck = !uploads && file.bytes > files.upTo && run !== undefined
  if (young === undefined && !isStuck) return undefined
  if (!(await isWhole(disk, join(layout.output, file.path), file.digest))) return undefined
  return young ?? (run && (await links.again(run, ref.nth)))
}

async function isWhole(disk: Disk, path: string, digest: Digest): Promise<boolean> {
  try {
    const hash = createHash('sha256')
    for await (const piece of disk.readPieces(path)) hash.update(piece)
    return sha256Digest(hash.digest('hex')) === digest
  } catch {
    return false
  }
}

/** Links in an output folder lead nowhere else; the folder itself lies where its user wants it. */
function madeFile({ disk, layout: { output } }: InputSources, { path }: SavedFile): LocalFile {
  return { path: join(output, path), name: path, within: disk.look(output) && disk.realPath(output) }
}

/** A file to be sent: where it lies, what messages call it, and the folder that it has to lie in when it is opened. */
interface LocalFile {
  readonly path: string
  readonly name: string
  readonly within: string | undefined
}

/** Inside the request up to the profile's limit, else by an upload. */
async function carryFile(inputSources: InputSources, file: LocalFile, by: By): Promise<Carried | Failure> {
  const { files, uploads } = inputSources
  const { path, name } = file
  try {
    const bytes = inputSources.disk.look(inputSources.disk.realPath(path))?.bytes ?? 0
    if (bytes <= files.upTo) return inline(inputSources, file, by)
    if (!uploads) return { why: 'bad-input', path: name, detail: tooLargeText(bytes, files.upTo) }
    return await upload(inputSources.disk, { ...file, bytes, by }, uploads)
  } catch (cause) {
    return { why: 'bad-input', path: name, detail: storageErrorOf(path, 'read', cause).detail }
  }
}

function tooLargeText(bytes: number, upTo: number): string {
  return `it has ${bytes} bytes, and without an upload address at most ${upTo} can be sent`
}

function inline(
  { disk, files }: InputSources,
  { path, name, within }: LocalFile,
  { takes }: By,
): Carried | Failure {
  const read = readInput(disk, path, name, within)
  if ('why' in read) return read
  const { bytes, digest } = read
  const type = typeIn(bytes.subarray(0, sniffedBytes), takes)
  if (type === undefined) return { why: 'bad-input', path: name, detail: noMedia }
  const link = files.as === 'base64' ? base64(bytes) : dataUri(bytes, type)
  return { identity: digest, link }
}

function typeIn(head: Uint8Array, takes: By['takes']): string | undefined {
  return sniff(head)?.type ?? (takes === 'any' ? otherType(head) : undefined)
}

const noMedia = 'it is no image, video or audio file'

/** Read in pieces, once for the digest and once for the way: it may be larger than memory. */
async function upload(
  disk: Disk,
  { by, ...file }: LocalFile & { readonly bytes: number; readonly by: By },
  uploads: Uploads,
): Promise<Carried | Failure> {
  const hash = createHash('sha256')
  let head: Uint8Array | undefined
  for await (const piece of disk.readPieces(file.path, file.within)) {
    head ??= Uint8Array.from(piece.subarray(0, sniffedBytes))
    hash.update(piece)
  }
  const type = typeIn(head ?? new Uint8Array(), by.takes)
  if (type === undefined) return { why: 'bad-input', path: file.name, detail: noMedia }
  const digest = sha256Digest(hash.digest('hex'))
  const sent = await uploads.link({ ...file, type, digest }, by.address)
  return 'why' in sent ? sent : { identity: digest, link: sent.link }
}
