import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { Digest, Json } from '../base/names.ts'
import type { Caps } from '../plan/budget.ts'
import type { Plan } from '../plan/plan.ts'
import type { Selection } from '../plan/select.ts'
import { digestBytes, digestOf } from '../store/digest.ts'
import type { GroundRequest, Seen } from './ground.ts'

/** A plan as `plan -o` writes it: what to do, and everything that must still be so when it is done. */
export interface SavedPlan {
  readonly genrunPlan: 1
  /** The manifest, from the folder of the plan's own file. */
  readonly manifest: string
  readonly asked: {
    readonly failed: boolean
    readonly rebuy: boolean
    readonly redo: boolean
    readonly select: Selection
    readonly caps: Caps
    readonly rehearsal: boolean
    /** Values of variables that came from outside the manifest. */
    readonly vars: NonNullable<GroundRequest['vars']>
  }
  readonly digests: {
    readonly manifest: Digest
    /** Absent: there was none. */
    readonly lock?: Digest
    readonly prices?: Digest
    readonly profile: Digest
    /** By path as written. */
    readonly inputs: { readonly [path: string]: Digest }
  }
  /** `buy clip`, `keep hero`, in order. */
  readonly steps: readonly string[]
  readonly paid: number
}

function fromFolder(savedTo: string | undefined, cwd: string, manifest: string): string {
  if (savedTo === undefined) return basename(manifest)
  return relative(dirname(resolve(cwd, savedTo)), manifest).replaceAll(sep, '/')
}

export function savedPlan(request: GroundRequest, seen: Seen): SavedPlan {
  const { ground, recorded, drawn } = seen
  const { wish, redo, select = {}, caps = {}, rehearsal, vars } = request
  return {
    genrunPlan: 1,
    manifest: fromFolder(request.savedTo, request.cwd, ground.place.manifest),
    asked: {
      failed: wish?.failed === true,
      rebuy: wish?.rebuy === true,
      redo: redo === true,
      select,
      caps,
      rehearsal: rehearsal === true,
      vars: vars ?? [],
    },
    digests: {
      manifest: digestBytes(ground.manifest.file.text),
      ...(recorded.lockText !== undefined && {
        lock: digestBytes(recorded.lockText.replaceAll('\r\n', '\n')),
      }),
      ...(ground.prices && { prices: digestOf(ground.prices as unknown as Json) }), // prices are JSON throughout
      profile: digestBytes(JSON.stringify(ground.profile)),
      inputs: Object.fromEntries(drawn.inputs.digests),
    },
    steps: stepWords(drawn.plan),
    paid: drawn.plan.buys,
  }
}

/** `buy clip`, `keep hero`, in order: what a plan comes to. */
export function stepWords({ steps }: Plan): string[] {
  return steps.map(step => `${step.do} ${step.do === 'drop' ? step.address : step.job.address}`)
}

/** What is no longer as it was when the plan was made, in words. Empty when it may be carried out. */
export function changesSince(saved: SavedPlan, now: SavedPlan): string[] {
  const changes: string[] = []
  const [was, is] = [saved.digests, now.digests]
  if (basename(saved.manifest) !== basename(now.manifest))
    changes.push(`it is the plan of ${saved.manifest}, not of ${now.manifest}`)
  if (was.manifest !== is.manifest) changes.push('the manifest changed')
  if (was.lock !== is.lock) changes.push('the lock changed')
  if (was.prices !== is.prices) changes.push('the prices changed')
  if (was.profile !== is.profile) changes.push('the profile changed')
  for (const path of new Set([...Object.keys(was.inputs), ...Object.keys(is.inputs)])) {
    if (was.inputs[path] !== is.inputs[path]) changes.push(`the input ${path} changed`)
  }
  if (changes.length > 0) return changes
  // Files that are gone, runs that ended: nothing written down changed, and still something else would be done.
  const lost = saved.steps.filter(step => !now.steps.includes(step))
  const found = now.steps.filter(step => !saved.steps.includes(step))
  if (lost.length + found.length === 0) return []
  const planned =
    lost.length > 0 ? `planned was ${lost.slice(0, 3).join(', ')}` : 'nothing was planned for it'
  return [`what lies on disk changed: ${planned}, and now it is ${found.slice(0, 3).join(', ') || 'nothing'}`]
}

/** Reads what `plan -o` wrote; a text when it is no such thing. */
export function readSavedPlan(text: string): SavedPlan | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is no saved plan: it is not JSON'
  }
  if (!isRecord(value) || value.genrunPlan === undefined) return 'it is no saved plan'
  if (value.genrunPlan !== 1) return 'it was written by another version of genrun'
  const { manifest, asked, digests, steps, paid } = value
  const isWhole =
    typeof manifest === 'string' &&
    isRecord(asked) &&
    isRecord(asked.select) &&
    isRecord(asked.caps) &&
    Array.isArray(asked.vars) &&
    isRecord(digests) &&
    isRecord(digests.inputs) &&
    Array.isArray(steps) &&
    steps.every(step => typeof step === 'string') &&
    typeof paid === 'number'
  return isWhole ? (value as unknown as SavedPlan) : 'it is no whole plan' // its parts were looked at above
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
