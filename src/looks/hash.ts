/** A picture in 64×64 gray values, 0 to 255, row by row. */
type Gray64 = Float32Array | Uint8Array

/** The side of a `Gray64`. */
export const hashSide = 64
const kept = 16

/**
 * 256 bits, as hexadecimal digits, of how a picture looks: the 16×16 lowest frequencies of its cosine transform, mean left aside, each
 * above their median or not. Scaling and encoding hardly change it; shifted or mirrored it is another picture.
 */
export function dctHash(gray: Gray64): string {
  const rows = new Float64Array(hashSide * kept)
  for (let y = 0; y < hashSide; y++)
    for (let u = 0; u < kept; u++) {
      let sum = 0
      for (let x = 0; x < hashSide; x++)
        sum += (gray[y * hashSide + x] ?? 0) * (cosines[u * hashSide + x] ?? 0)
      rows[y * kept + u] = sum
    }
  const found = new Float64Array(kept * kept)
  for (let v = 0; v < kept; v++)
    for (let u = 0; u < kept; u++) {
      let sum = 0
      for (let y = 0; y < hashSide; y++) sum += (rows[y * kept + u] ?? 0) * (cosines[v * hashSide + y] ?? 0)
      found[v * kept + u] = sum
    }
  const median = found.toSorted()[(kept * kept) / 2] ?? 0
  let text = ''
  for (let at = 0; at < found.length; at += 4) {
    let digit = 0
    for (let bit = 0; bit < 4; bit++) digit = digit * 2 + ((found[at + bit] ?? 0) > median ? 1 : 0)
    text += digit.toString(16)
  }
  return text
}

/** Of the frequencies 1 to 16: the mean says only how bright it is. */
const cosines = Float64Array.from({ length: kept * hashSide }, (_, at) => {
  const [u, x] = [Math.floor(at / hashSide) + 1, at % hashSide]
  return Math.cos(((2 * x + 1) * u * Math.PI) / (2 * hashSide))
})

/** In how many of 256 bits two hashes differ. */
export function hashDistance(one: string, other: string): number {
  let bits = 0
  for (let at = 0; at < one.length; at++) {
    let differing = Number.parseInt(one[at] ?? '0', 16) ^ Number.parseInt(other[at] ?? '0', 16)
    for (; differing > 0; differing >>= 1) bits += differing & 1
  }
  return bits
}
