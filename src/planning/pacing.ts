import { defined } from '../base/defined.ts'
import { durationKindOf, type SeenDurations, seenEarlier } from '../engine/durations.ts'
import { usualLimits } from '../engine/gates/slot-limits.ts'
import { usualUseless } from '../engine/gates/slow-start.ts'
import type { EngineLimits } from '../engine/limits.ts'
import type { Limits } from '../manifest/shapes/job.ts'
import { type Delivered, dayMs } from '../store/journal/ages.ts'
import type { Took } from '../store/journal/took.ts'
import type { ServiceLimits } from '../workspace/service/service.ts'
import type { RunRequest } from '../workspace/workspace.ts'

/**
 * How much may go on at a time: of the manifest, the request and genrun itself the lowest holds, at every level; `at` is what the
 * person bears at the service. Only a person lets more useless orders go than is usual.
 */
export function limitsOf(
  manifest: Limits,
  asked: RunRequest['limits'] = {},
  at: ServiceLimits = {},
): EngineLimits {
  const total = least(manifest.total, asked.total, at.total)
  const perMinute = least(manifest.perMinute, asked.perMinute, at.perMinute)
  const failures = least(manifest.maxFailures, asked.failures)
  return {
    execute: least(usualLimits.execute, manifest.execute, asked.execute, at.execute) ?? usualLimits.execute,
    submit: least(usualLimits.submit, manifest.submit, asked.submit, at.submit) ?? usualLimits.submit,
    download: usualLimits.download,
    ...defined({ total, perMinute }),
    useless: Math.min(manifest.maxUseless ?? Infinity, asked.useless ?? usualUseless),
    ...defined({ failures }),
    families: leastOfEach(manifest.families, asked.families),
    models: leastOfEach(manifest.models, asked.models),
  }
}

/** A service at a moment, by the wall clock. */
interface ServiceNow {
  readonly origin: string
  readonly wall: number
}

/** How many results of these models the service has delivered within a day. */
export function deliveredLately(
  delivered: readonly Delivered[],
  { models, ...service }: ServiceNow & { readonly models: ReadonlySet<string> },
): number {
  return deliveredBy(service, delivered).filter(each => models.has(each.recipe.model)).length
}

/** How long orders took that the service has delivered within a day, by kind. */
export function durationsLately(
  delivered: readonly Delivered[],
  service: ServiceNow,
): Map<string, SeenDurations> {
  const kinds = new Map<string, Took[]>()
  for (const { recipe, took } of deliveredBy(service, delivered)) {
    if (!took) continue
    const kind = durationKindOf(recipe.model, recipe.params)
    const known = kinds.get(kind)
    if (known) known.push(took)
    else kinds.set(kind, [took])
  }
  return new Map([...kinds].map(([kind, each]) => [kind, seenEarlier(each)]))
}

/** A clock that was set makes dates in the future, which count for nothing. */
function deliveredBy({ origin, wall }: ServiceNow, delivered: readonly Delivered[]): Delivered[] {
  return delivered.filter(each => each.origin === origin && each.at <= wall && wall - each.at < dayMs)
}

type Counts = { readonly [name: string]: number }

function leastOfEach(a: Counts = {}, b: Counts = {}): Counts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries(
    [...names].map(name => [name, Math.min(a[name] ?? Infinity, b[name] ?? Infinity)]),
  )
}

function least(...counts: (number | undefined)[]): number | undefined {
  const given = counts.filter(count => count !== undefined)
  return given.length > 0 ? Math.min(...given) : undefined
}
