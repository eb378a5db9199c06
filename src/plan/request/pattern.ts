import type { JobAddress } from '../../base/names.ts'
import { fitsStars } from '../../base/wildcard.ts'
import { keyText } from '../../manifest/fill/keys.ts'

/** `still[fox,front]#2+4`: an id, the keys of its cell, the take from 2 on, and from which file on it is the rest. */
interface Parts {
  readonly id: string
  readonly keys: readonly string[] | undefined
  readonly take: number | undefined
  readonly rest: number | undefined
}

export function patternParts(address: string): Parts {
  const match = /^([^[#]*?)(?:\[(.*)\])?(?:#(\d+))?(?:\+(\d+))?$/s.exec(address)
  if (!match) return { id: address, keys: undefined, take: undefined, rest: undefined }
  return {
    id: match[1] ?? '',
    keys: match[2]?.split(',').map(key => key.trim()),
    take: match[3] === undefined ? undefined : Number(match[3]),
    rest: match[4] === undefined ? undefined : Number(match[4]),
  }
}

export function idOf(address: string): string {
  return patternParts(address).id
}

/** `view=front`, taken apart; undefined where no axis is named. */
export function namedKey(word: string): { readonly axis: string; readonly key: string } | undefined {
  const sign = word.indexOf('=')
  if (sign < 0) return undefined
  return { axis: word.slice(0, sign).trim(), key: word.slice(sign + 1).trim() }
}

/** Whether a job is meant by a word, by its address and the names of its axes. */
export type Pattern = (address: JobAddress, axes?: readonly string[]) => boolean

/**
 * A word without keys means all cells, one without take all takes, each with the rest of its files; where axes are named (`still[view=front]`) the others
 * are free. A key may be written as in the manifest: `16:9` is `16x9`.
 */
export function patternOf(word: string): Pattern {
  const wanted = patternParts(word)
  const keys = wanted.keys && keysPattern(wanted.keys)
  return (address, axes = []) => {
    const parts = patternParts(address)
    if (!fitsStars(wanted.id, parts.id)) return false
    if (wanted.take !== undefined && wanted.take !== (parts.take ?? 1)) return false
    if (wanted.rest !== undefined && wanted.rest !== parts.rest) return false
    return !keys || keys(parts.keys ?? [], axes)
  }
}

function keysPattern(
  words: readonly string[],
): (keys: readonly string[], axes: readonly string[]) => boolean {
  const named = words.map(namedKey)
  if (named.every(each => each === undefined)) {
    const globs = words.map(keyGlob)
    return keys =>
      keys.length === globs.length && globs.every((glob, nth) => fitsStars(glob, keys[nth] ?? ''))
  }
  const asked = named.map(each => each && { axis: each.axis, glob: keyGlob(each.key) })
  return (keys, axes) =>
    asked.every(each => {
      const nth = each ? axes.indexOf(each.axis) : -1
      return nth >= 0 && each !== undefined && fitsStars(each.glob, keys[nth] ?? '')
    })
}

/** A key as the user writes it; with stars it stands for many. */
export function keyGlob(text: string): string {
  return text.includes('*') ? text : keyText(text)
}
