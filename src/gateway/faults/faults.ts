import { createHash } from 'node:crypto'
import { fitsStars } from '../../base/wildcard.ts'
import type { OddKind } from './odd-files.ts'

/** The kinds of requests that faults, limits and counts tell apart. */
export type Endpoint = 'execute' | 'submit' | 'result' | 'file'

/** Something that goes wrong, as real services, proxies and networks do it. */
export type Fault =
  /** The answer takes longer. `mean` is a long tail (exponential), as queues have it. */
  | {
      readonly does: 'delay'
      readonly ms: { readonly from: number; readonly to: number } | { readonly mean: number }
    }
  /** A status instead of the work; nothing is accepted or billed. */
  | { readonly does: 'refuse'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The request is accepted and billed, and a status says otherwise. */
  | { readonly does: 'spoil'; readonly status: number }
  /** The request is accepted and billed; the connection closes without a byte. */
  | { readonly does: 'lose' }
  /** The connection is reset before anything is done. */
  | { readonly does: 'reset' }
  /** The answer breaks off at this share of its declared length. */
  | { readonly does: 'cut'; readonly at: number }
  /** The answer is this share of itself, and its declared length hides that. */
  | { readonly does: 'clip'; readonly at: number }
  | { readonly does: 'drip'; readonly bytesPerSecond: number }
  /** A page where a file should be, declared as `type`: 200, HTML. */
  | { readonly does: 'html'; readonly type: string }
  /** The link has expired (410). */
  | { readonly does: 'expire' }
  /** The run yields so many files fewer than asked, at least one. */
  | { readonly does: 'short'; readonly missing: number }
  /** The run yields files of another kind. */
  | { readonly does: 'deliver'; readonly kind: OddKind }
  /** The result is not there any more, or never was, by this status. */
  | { readonly does: 'gone'; readonly status: number }
  /** The run ends with its content refused. */
  | { readonly does: 'reject' }
  /** The run fails. */
  | { readonly does: 'fail' }
  /** The run never ends. */
  | { readonly does: 'stall' }

/** When a fault happens. All that is given must hold. */
export interface FaultRule {
  readonly fault: Fault
  /** Kinds of requests; by default those where the fault is at home. */
  readonly on?: readonly Endpoint[]
  /** Of a hundred requests, how many it hits: 0.1 is ten. */
  readonly chance?: number
  /** Only so many requests, counted over all. */
  readonly first?: number
  /** Only so many tries of the same request, for instance the first of every job. */
  readonly tries?: number
  /** A model's id, or a glob: `famc-*`. */
  readonly model?: string
}

/** How many requests the gateway takes at once; above that it answers 429. */
export interface GatewayLimits {
  /** Execute requests in flight. */
  readonly executes?: number
  /** Submitted runs that are not finished. */
  readonly runs?: number
  /** Requests to the three endpoints, over a sliding window. */
  readonly rate?: { readonly requests: number; readonly seconds: number }
  /** What a refusal for too many at once asks to wait; default 1. */
  readonly retryAfterSeconds?: number
}

export interface Faults {
  /** The same seed gives the same requests the same faults, in whatever order they come. Default 1. */
  readonly seed?: number
  readonly rules?: readonly FaultRule[]
  readonly limits?: GatewayLimits
}

/** One request as the chooser sees it. `label` is the same for the same request on another day. */
interface Hit {
  readonly endpoint: Endpoint
  readonly model: string
  readonly label: string
}

/** The faults that a request meets, by the options' rules and further ones that came with the request or its run. */
export type FaultChooser = (hit: Hit, further?: readonly FaultRule[]) => Fault[]

/** Where each fault is at home. */
export const homes: { readonly [does in Fault['does']]: readonly Endpoint[] } = {
  delay: ['execute', 'submit', 'result', 'file'],
  refuse: ['execute', 'submit'],
  spoil: ['execute', 'submit'],
  lose: ['execute', 'submit'],
  reset: ['execute', 'submit'],
  cut: ['file'],
  clip: ['file'],
  drip: ['file'],
  html: ['file'],
  expire: ['file'],
  short: ['execute', 'submit'],
  deliver: ['execute', 'submit'],
  gone: ['result'],
  reject: ['execute', 'submit'],
  fail: ['execute', 'submit'],
  stall: ['execute', 'submit'],
}

export function faultChooser(faults: Faults): FaultChooser {
  // Rules that came with a run go when the run goes, and their counts with them.
  const counts = new WeakMap<FaultRule, Count>()
  const meet = (rule: FaultRule, hit: Hit): Fault[] => {
    if (!concerns(rule, hit)) return []
    const count = counts.get(rule) ?? { hits: 0, byLabel: new Map<string, number>() }
    counts.set(rule, count)
    const label = `${hit.endpoint} ${hit.label}`
    const tries = count.byLabel.get(label) ?? 0
    count.byLabel.set(label, tries + 1)
    if (count.hits >= (rule.first ?? Number.POSITIVE_INFINITY)) return []
    if (tries >= (rule.tries ?? Number.POSITIVE_INFINITY)) return []
    const seed = JSON.stringify([faults.seed ?? 1, rule, label, tries])
    if (draw(seed) >= (rule.chance ?? 1)) return []
    count.hits++
    return [settled(rule.fault, draw(`${seed} ms`))]
  }
  return (hit, further = []) => [...(faults.rules ?? []), ...further].flatMap(rule => meet(rule, hit))
}

interface Count {
  hits: number
  readonly byLabel: Map<string, number>
}

/** A delay with its distribution drawn from: `from` and `to` are the same. */
function settled(fault: Fault, chance: number): Fault {
  if (fault.does !== 'delay') return fault
  const ms =
    'mean' in fault.ms
      ? -Math.log(1 - chance) * fault.ms.mean
      : fault.ms.from + chance * (fault.ms.to - fault.ms.from)
  return { does: 'delay', ms: { from: ms, to: ms } }
}

/** The first of the faults that does this. */
export function find<Does extends Fault['does']>(
  faults: readonly Fault[],
  does: Does,
): Extract<Fault, { does: Does }> | undefined {
  // The filter is on the discriminant, which the compiler does not follow through a type parameter.
  return faults.find(fault => fault.does === does) as Extract<Fault, { does: Does }> | undefined
}

function concerns({ fault, on, model }: FaultRule, hit: Hit): boolean {
  const isHere = (on ?? homes[fault.does]).includes(hit.endpoint)
  return isHere && (model === undefined || fitsStars(model, hit.model))
}

// From what is asked and not from the order of arrival: a parallel batch meets the same faults every time.
function draw(seed: string): number {
  return createHash('sha256').update(seed).digest().readUIntBE(0, 6) / 2 ** 48
}
