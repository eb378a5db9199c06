import { randomBytes } from 'node:crypto'

/** The only source of chance and of temporary names. Tests seed one of their own. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** 32 hexadecimal digits that nobody can guess. */
  token(): string
}

export const systemRandom: Random = {
  next: () => Math.random(),
  token,
}

const tokenBytes = 16

/** Drawn for many at once: the system takes as long for one as for a hundred. */
let drawn: Buffer = Buffer.alloc(0)

function token(): string {
  if (drawn.length === 0) drawn = randomBytes(64 * tokenBytes)
  const text = drawn.toString('hex', 0, tokenBytes)
  drawn = drawn.subarray(tokenBytes)
  return text
}
