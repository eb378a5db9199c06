/** One thing that the doctor looked at. */
export interface Finding {
  /** Kebab case, for scripts: `node`, `service`, `disk-sync`. */
  readonly check: string
  /** `bad`: a run cannot begin, or is not safe. `odd`: it can, and something is less than it could be. */
  readonly is: 'good' | 'odd' | 'bad'
  /** What is the case, lower case, no full stop. */
  readonly says: string
  /** What to do about it. */
  readonly hint?: string
}

export function good(check: string, says: string): Finding {
  return { check, is: 'good', says }
}

export function odd(check: string, says: string, hint: string): Finding {
  return { check, is: 'odd', says, hint }
}

export function bad(check: string, says: string, hint: string): Finding {
  return { check, is: 'bad', says, hint }
}
