/** Bytes as characters, one for one. */
export function latin(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end))
}

export function spells(bytes: Uint8Array, at: number, word: string): boolean {
  return latin(bytes, at, at + word.length) === word
}
