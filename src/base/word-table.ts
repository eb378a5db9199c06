/**
 * A table that is asked for words which strangers write. It has what stands in it and nothing else: `constructor` and what else
 * every object has is no word of it.
 */
export function wordTable<T>(words: { readonly [word: string]: T }): { readonly [word: string]: T } {
  return Object.assign(Object.create(null), words)
}
