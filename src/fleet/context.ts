import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Connections } from './connections.ts'
import { repeat } from './repeat.ts'
import type { FleetSql } from './schema.ts'

/** What all parts of one open store work with. */
export interface Context {
  readonly connections: Connections
  readonly clock: Clock
  readonly random: Pick<Random, 'next'>
  readonly tell: ((trouble: unknown) => void) | undefined
  readonly sql: FleetSql
  readonly signal: AbortSignal
}

/** Until there is an answer; undefined when the store was closed first. */
export function asked<Row>(
  context: Context,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[] | undefined> {
  return repeat(() => context.connections.ask<Row>(text, values), context)
}

/** pg makes PostgreSQL's own arrays of lists: JSON is handed over as text. */
export function jsonValue(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value)
}
