import type { Bytes } from './bytes.ts'

/** What is wrong with a file, for a person; undefined when it is whole. */
export type MediaVerdict = string | undefined

/** Walks one format from its beginning to its end. The magic bytes were seen already. */
export type Check = (bytes: Bytes) => Promise<MediaVerdict>

/** The file stops inside `what`, or before it. */
export function cut(what: string): string {
  return `it is cut short: ${what}`
}

export function excess(count: number): string {
  return `${count} ${count === 1 ? 'byte follows' : 'bytes follow'} its end`
}
