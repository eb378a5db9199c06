const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The numbers of a text in the 5-bit digits of source maps (ECMA-426). `build.mjs` reads its source maps by it as well. */
export function vlqNumbers(text: string): number[] {
  const numbers: number[] = []
  let [number, shift] = [0, 0]
  for (const digit of text) {
    const bits = digits.indexOf(digit)
    number |= (bits & 31) << shift
    shift += 5
    if ((bits & 32) !== 0) continue
    numbers.push(number & 1 ? -(number >> 1) : number >> 1)
    ;[number, shift] = [0, 0]
  }
  return numbers
}
