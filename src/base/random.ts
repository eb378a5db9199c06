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
  token: () => randomBytes(16).toString('hex'),
}
