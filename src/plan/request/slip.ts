import { listed, nearest } from '../../base/nearest.ts'
import { fitsStars } from '../../base/wildcard.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { idOf, keyGlob, namedKey, patternParts } from './pattern.ts'

/** What is wrong with a word that fits no job. */
export interface Slip {
  readonly message: string
  readonly hint?: string
}

const mostShown = 8

/** What is wrong behind the id, when there is a job of that name; undefined when not even that is right. Pure. */
export function slipOf(word: string, jobs: readonly Job[]): Slip | undefined {
  const { id, keys, take } = patternParts(word)
  const meant = jobs.filter(job => fitsStars(id, idOf(job.address)))
  const [first] = meant
  if (!first) return undefined
  const axes = first.axes ?? []
  if (keys && axes.length === 0)
    return { message: `${id} has no cells to choose from`, hint: `write ${id} alone` }
  const inKeys = keys && keysSlip(id, keys, meant, axes)
  if (inKeys) return inKeys
  if (take !== undefined)
    return { message: `no take ${take} of ${word.replace(/#\d+$/, '')}`, hint: takesHint(meant) }
  return undefined
}

function keysSlip(
  id: string,
  keys: readonly string[],
  meant: readonly Job[],
  axes: readonly string[],
): Slip | undefined {
  const named = keys.map(namedKey)
  const isByName = named.some(Boolean)
  if (!isByName && keys.length !== axes.length) {
    const count = axes.length === 1 ? '1 axis' : `${axes.length} axes`
    const hint = `write a key for each, or only some with their names: ${id}[${axes[0]}=…]`
    return { message: `${id} has ${count}: ${listed(axes)}`, hint }
  }
  for (const [nth, word] of keys.entries()) {
    const { axis, key } = isByName
      ? (named[nth] ?? { axis: word, key: '*' })
      : { axis: axes[nth] ?? '', key: word }
    const place = axes.indexOf(axis)
    if (place < 0) {
      const near = nearest(axis, axes)
      return {
        message: `${id} has no axis ${axis}`,
        hint: near ? `did you mean ${near}` : `it has ${listed(axes)}`,
      }
    }
    const known = [...new Set(meant.map(job => patternParts(job.address).keys?.[place] ?? ''))]
    const glob = keyGlob(key)
    if (known.some(each => fitsStars(glob, each))) continue
    const near = nearest(key, known)
    const hint = near ? `did you mean ${near}` : `it has ${listed(known.slice(0, mostShown))}`
    return { message: `the axis ${axis} of ${id} has no ${key}`, hint }
  }
  return undefined
}

function takesHint(meant: readonly Job[]): string {
  const most = Math.max(...meant.map(job => job.take))
  return most === 1 ? 'it has one take; `takes: 2` in the job asks for two' : `it has ${most} takes`
}
