import { defined } from '../../base/defined.ts'
import type { Failure } from '../../base/failure.ts'
import {
  type JobAddress,
  type Json,
  type JsonObject,
  type Pointer,
  type PurchaseId,
  purchaseId,
  runId,
} from '../../base/names.ts'
import type { Flaw, Purchase } from '../../base/purchase.ts'
import type { Looked, LookFinding, Recipe, RunRef, SavedFile } from '../../base/state.ts'
import { digestOf } from '../files/digest.ts'
import { isInside } from '../files/safe-path.ts'

/**
 * One purchase of a lock, or what is wrong with it. The lock lies in the checkout: anyone who can change that can write
 * anything here, so nothing is taken over unseen. Members that we do not know are dropped.
 */
export function readEntry(value: unknown): Locked | string {
  if (!isRecord(value)) return 'a job is not an object'
  const { address, state, flaw, picked, byHand, redo, past, credits } = value
  if (typeof address !== 'string' || address === '') return 'a job has no address'
  if (!isState(state)) return `the job ${address} has no known state`
  const recipe = readRecipe(value.recipe)
  if (typeof recipe === 'string') return `${recipe} of the job ${address}`
  const acceptedAs = value.acceptedAs === undefined ? undefined : readRecipe(value.acceptedAs)
  if (typeof acceptedAs === 'string') return `${acceptedAs} of the job ${address}`
  const run = value.run === undefined ? undefined : readRun(value.run)
  if (run === null) return `the run of the job ${address} cannot be right`
  const files = Array.isArray(value.files) ? value.files.map(readFile) : [undefined]
  if (!files.every(isFile)) return `a file of the job ${address} cannot be right`
  const told = flaw === undefined ? undefined : readFlaw(flaw)
  if (told === null) return `the flaw of the job ${address} cannot be right`
  const id = idOf(value, recipe, run)
  if (id === undefined) return `the purchase of the job ${address} has no id that can be right`
  const order = {
    id,
    address: address as JobAddress, // any text that is not empty
    recipe,
    ...defined({ acceptedAs }),
    ...(redo === true && { redo }),
    ...(typeof credits === 'number' && { credits }),
  }
  const ran = run && { run }
  switch (state) {
    case 'done':
    case 'aside': {
      const aside = state === 'aside' && { aside: true as const }
      const choice = picked === true && { picked, ...(byHand === true && { byHand }) }
      const more = { ...defined({ flaw: told }), ...aside, ...choice }
      return { is: 'done', ...order, files, ...ran, ...more }
    }
    case 'running':
      return { is: 'under-way', ...order, ...ran, saved: [], parts: [] }
    case 'doubt':
      return { is: 'doubt', ...order, detail: told?.message ?? '', raws: [] }
    case 'failed':
      return {
        is: 'failed',
        ...order,
        flaw: told ?? noWord,
        billed: 'unknown',
        ...ran,
        ...(files.length > 0 && { files }),
        ...(past === true && { isPast: past }),
      }
  }
}

/** What stands in a lock: whatever was bought, or may have been. */
export type Locked = Exclude<Purchase, { is: 'open' }>

const noWord: Flaw = { why: 'remote', message: '' }

export const lockStates = ['done', 'aside', 'running', 'doubt', 'failed'] as const

function isState(value: unknown): value is (typeof lockStates)[number] {
  return lockStates.some(state => state === value)
}

/** A lock of an older genrun knew a purchase by its job: one name for it is made of what stands there. */
function idOf(
  { id, address, files }: { readonly [key: string]: Json | undefined },
  recipe: Recipe,
  run: RunRef | undefined,
): PurchaseId | undefined {
  if (typeof id === 'string') return purchaseId(id)
  if (id !== undefined) return undefined
  const known = { address: address ?? null, recipe, run: run?.id ?? null, files: files ?? null }
  return purchaseId(digestOf(known as unknown as Json).slice('sha256:'.length, 'sha256:'.length + 32)) // JSON throughout
}

export function readRecipe(value: unknown): Recipe | string {
  if (!isRecord(value)) return 'there is no recipe'
  const { version, model, service, params, defaults, inputs, take } = value
  if (version !== 1) return 'a newer genrun wrote the recipe'
  const isWhole = typeof model === 'string' && isObject(params) && isObject(defaults) && isRecord(inputs)
  if (!isWhole || typeof take !== 'number' || !Number.isInteger(take) || take < 1)
    return 'something is wrong in the recipe'
  if (isTooDeep(params) || isTooDeep(defaults)) return 'parameters nest too deep in the recipe'
  if (!isInputs(inputs)) return 'something is wrong in the inputs'
  if (service !== undefined && typeof service !== 'string') return 'something is wrong in the recipe'
  return { version, model, ...defined({ service }), params, defaults, inputs, take }
}

/** Deeper than any manifest may be: whoever walks through it would run out of stack. */
function isTooDeep(value: Json, left = 200): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some(each => isTooDeep(each, left - 1))
}

function isInputs(value: {
  readonly [at: string]: unknown
}): value is { readonly [at: Pointer]: readonly string[] } {
  return Object.entries(value).every(([at, of]) => {
    return at.startsWith('/') && Array.isArray(of) && of.every(each => typeof each === 'string')
  })
}

export function readRun(value: unknown): RunRef | null {
  if (!isRecord(value) || typeof value.workflow !== 'string' || typeof value.id !== 'string') return null
  const id = runId(value.id)
  const { workflow, origin } = value
  if (id === undefined || (origin !== undefined && typeof origin !== 'string')) return null
  return { workflow, id, ...defined({ origin }) }
}

export function readFile(value: unknown): SavedFile | undefined {
  if (!isRecord(value)) return undefined
  const { path, digest, bytes, type, width, height, seconds, link } = value
  const isWhole =
    typeof path === 'string' &&
    isInside(path) &&
    isDigest(digest) &&
    isCount(bytes) &&
    typeof type === 'string'
  if (!isWhole || ![width, height, seconds].every(each => each === undefined || isCount(each)))
    return undefined
  const measures = { width, height, seconds } as Pick<SavedFile, 'width' | 'height' | 'seconds'> // each is a number or absent
  return {
    path,
    digest,
    bytes,
    type,
    ...defined(measures),
    ...defined({ looked: readLooked(value.looked) }),
    ...(isPublicLink(link) && { link }),
  }
}

/** Whoever changes the lock can write anything here: it is shown, and compared with what it should be. */
function isPublicLink(value: unknown): value is string {
  return typeof value === 'string' && /^(s3|file):\/\/[\x21-\x7e]{1,2000}$/.test(value)
}

/** A note, on which no money hangs: one that cannot be right is left out. */
function readLooked(value: unknown): Looked | undefined {
  if (!isRecord(value) || !isLookVerdict(value.verdict)) return undefined
  const { verdict, found, why, shows } = value
  return {
    verdict,
    ...(Array.isArray(found) && { found: found.flatMap(each => readFinding(each) ?? []) }),
    ...(typeof why === 'string' && { why }),
    ...(Array.isArray(shows) && {
      shows: shows.filter(each => typeof each === 'string' && /^[0-9a-f]{64}$/.test(each)),
    }),
  }
}

function readFinding(value: unknown): LookFinding | undefined {
  if (!isRecord(value) || typeof value.look !== 'string' || !isLookVerdict(value.verdict)) return undefined
  const { look, verdict, why } = value
  return {
    look,
    verdict,
    ...(typeof why === 'string' && { why }),
  }
}

function isLookVerdict(value: unknown): value is Looked['verdict'] {
  return lookVerdicts.some(verdict => verdict === value)
}

const lookVerdicts = ['ok', 'warn', 'fail', 'not looked at'] as const satisfies readonly Looked['verdict'][]

function isFile(file: SavedFile | undefined): file is SavedFile {
  return file !== undefined
}

export function readFlaw(value: unknown): Flaw | null {
  if (!isRecord(value) || typeof value.why !== 'string' || typeof value.message !== 'string') return null
  // A word that a later genrun uses is shown like any other.
  return { why: value.why as Failure['why'], message: value.message }
}

function isDigest(value: unknown): value is SavedFile['digest'] {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** From JSON text, every object's members are JSON. */
function isObject(value: unknown): value is JsonObject {
  return isRecord(value)
}

export function isRecord(value: unknown): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
