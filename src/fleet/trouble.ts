/** What the fleet's store did not do, and will not do by being asked again. Its words hold no password. */
export class FleetStoreError extends Error {
  override readonly name = 'FleetStoreError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Trouble that may be over when the same is asked again: a lost connection, none that is free, a server that starts. */
export class PassingTrouble extends Error {
  override readonly name = 'PassingTrouble'
}

/**
 * Classes and codes of errors that pass (PostgreSQL, appendix A): connection, transaction rolled back, resources (connections, disk,
 * memory), somebody's intervention, the system; a lock not had, a standby, a transaction that stood still.
 */
const passing = /^(08|40|53|57|58)...$|^55P03$|^25006$|^25P03$|^25P04$/

/** What the client threw; without a code of the server's it is the way there that failed. */
export function troubleOf(error: unknown): FleetStoreError | PassingTrouble {
  const { code } = error as { readonly code?: unknown }
  const message = messageOf(error)
  const isServers = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)
  if (!isServers || passing.test(code)) return new PassingTrouble(message)
  return new FleetStoreError(
    `the fleet's store answers ${code}: ${message}`,
    'look at its address, and at the server',
  )
}

/** Where a host has several addresses each of them has an error of its own, and all together no words. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
