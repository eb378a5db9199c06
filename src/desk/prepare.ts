import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Failure } from '../base/failure.ts'
import {
  type Digest,
  type JobAddress,
  type Json,
  type JsonObject,
  type Pointer,
  pointerSteps,
} from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'
import { paramOf } from '../catalog/index.ts'
import type { HeldBack } from '../engine/advance.ts'
import type { Prepared, Work } from '../engine/world.ts'
import type { FileRef, Job } from '../manifest/job.ts'
import { headBytes, sniff } from '../media/sniff.ts'
import { draftRecipe, linkIdentity } from '../plan/recipe.ts'
import { digestBytes } from '../store/digest.ts'
import { troubleOf } from '../store/trouble.ts'
import { dataUri, inlineLimit } from '../wire/files.ts'
import type { Layout } from './layout.ts'
import type { ProjectPlace } from './place.ts'

/** Where inputs are found, and what earlier jobs have made. */
export interface Larder {
  readonly place: ProjectPlace
  readonly layout: Layout
  /** The files of a job that is done, in order. */
  readonly made: (address: JobAddress) => readonly SavedFile[] | undefined
}

/** Makes a job ready to send. The bytes that are digested for the recipe are the bytes that are sent. */
export async function prepareWork({ job }: Work, larder: Larder): Promise<Prepared | HeldBack> {
  const carried = new Map<FileRef, Carried>()
  for (const ref of Object.values(job.files).flat()) {
    const input = carry(ref, larder)
    if ('why' in input) return { got: 'held-back', failure: input }
    carried.set(ref, input)
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

interface Carried {
  readonly identity: string
  readonly link: string
}

function carry(ref: FileRef, larder: Larder): Carried | Failure {
  switch (ref.from) {
    case 'url':
      return { identity: linkIdentity(ref.url), link: ref.url }
    case 'path':
      return inline(resolve(larder.place.folder, ref.path), ref.path)
    case 'job': {
      const file = larder.made(ref.address)?.[ref.nth]
      if (!file) return { why: 'needs', address: ref.address }
      return inline(join(larder.layout.output, file.path), file.path)
    }
  }
}

function inline(path: string, name: string): Carried | Failure {
  const read = readInput(path, name)
  if ('why' in read) return read
  const { bytes, digest } = read
  if (bytes.length > inlineLimit) {
    return {
      why: 'bad-input',
      path: name,
      detail: `it has ${bytes.length} bytes, and without an upload address at most ${inlineLimit} can be sent`,
    }
  }
  const media = sniff(bytes.subarray(0, headBytes))
  if (!media) return { why: 'bad-input', path: name, detail: 'it is no image, video or audio file' }
  return { identity: digest, link: dataUri(bytes, media.type) }
}

/** A whole input with its digest. */
export function readInput(
  path: string,
  name: string,
): { readonly bytes: Buffer; readonly digest: Digest } | Failure {
  try {
    const bytes = readFileSync(path)
    return { bytes, digest: digestBytes(bytes) }
  } catch (cause) {
    return { why: 'bad-input', path: name, detail: troubleOf(path, 'read', cause).detail }
  }
}
