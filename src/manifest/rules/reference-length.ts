import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import { type Model, paramOf } from '../../catalog/index.ts'
import { withDefaults } from '../../forms/defaults.ts'
import { expectOf } from '../../forms/expect.ts'
import { entryIn } from '../../text/tree.ts'
import { isNothing } from '../read/values.ts'
import type { SettledJob } from '../resolve/jobs.ts'
import type { FileRef, Project } from '../shapes/job.ts'
import type { RuleJobs } from './rule.ts'

/**
 * Reference videos that last longer than a value of the model allows (the specification gives 10 or 30 seconds by
 * orientation). A local file is measured, the file of a job is as long as planned, and of a link nothing is known.
 */
export function longReferences({ settled, project }: RuleJobs): Diagnostic[] {
  const limited = settled.flatMap(one => {
    const limit = limitOf(one)
    return limit ? [{ one, limit }] : []
  })
  if (limited.length === 0) return []
  const byAddress = new Map(settled.map(one => [one.cell.address as string, one]))
  return limited.flatMap(({ one, limit }) => {
    const { cell, model, cast } = one
    return Object.entries(cast.files).flatMap(([pointer, refs]) => {
      const name = pointer.slice(1)
      const param = paramOf(model, name)
      if (param?.type !== 'file' || param.media !== 'video') return []
      const given = entryIn(cell.given, name)
      const at = given && !isNothing(given.value) ? given.value : (given?.key ?? cell.draft.at)
      return refs.flatMap(
        ref => problemWith(ref, { name, limit, at }, secondsOf(ref, byAddress, project)) ?? [],
      )
    })
  })
}

interface Place {
  readonly name: string
  readonly limit: Limit
  readonly at: Span
}

function problemWith(
  ref: FileRef,
  { name, limit, at }: Place,
  seconds: number | undefined,
): Diagnostic | undefined {
  const most = `with ${limit.name} ${limit.value} it is at most ${limit.seconds} s`
  if (seconds === undefined) {
    if (ref.from !== 'path') return undefined
    const hint = 'look how long it is; save it as MP4, or silence this with `lint: unmeasured`'
    return warning('unmeasured', at, `how long ${ref.path} lasts cannot be told; ${most}`, hint)
  }
  // Encoders round up to a whole frame or two.
  if (seconds <= limit.seconds + 0.1) return undefined
  const message = `${name} lasts ${Number(seconds.toFixed(1))} s; ${most}`
  return error('reference-too-long', at, message, limit.hint)
}

interface Limit {
  readonly name: string
  readonly value: string
  readonly seconds: number
  readonly hint: string
}

function limitOf({ model, cast }: SettledJob): Limit | undefined {
  if (!limitsReferences(model)) return undefined
  const given = withDefaults(model, cast.params)
  for (const [name, param] of Object.entries<Model['params'][string]>(model.params)) {
    if (param.type !== 'enum' || !param.referenceSeconds) continue
    const lengths: { readonly [value: string]: number | undefined } = param.referenceSeconds
    const value = String(given[name])
    const seconds = lengths[value]
    if (seconds === undefined) continue
    const longer = Object.entries(lengths).find(([, most]) => (most ?? 0) > seconds)
    const hint = longer ? `cut it, or write ${name}: ${longer[0]} for up to ${longer[1]} s` : 'cut it'
    return { name, value, seconds, hint }
  }
  return undefined
}

const known = new WeakMap<Model, boolean>()

function limitsReferences(model: Model): boolean {
  const answer =
    known.get(model) ??
    Object.values(model.params).some(param => param.type === 'enum' && param.referenceSeconds)
  known.set(model, answer)
  return answer
}

function secondsOf(
  ref: FileRef,
  byAddress: ReadonlyMap<string, SettledJob>,
  project: Project,
): number | undefined {
  if (ref.from === 'path') return project.seconds?.(ref.path)
  if (ref.from === 'url') return undefined
  const maker = byAddress.get(ref.address.replace(/#\d+$/, ''))
  return maker && expectOf(maker.model, maker.cast.params).seconds
}
