import type { ClientConfig, PoolClient, PoolConfig } from 'pg'
import { FleetStoreError, PassingTrouble, troubleOf } from './trouble.ts'

/** Asks the server one statement. Rejects with FleetStoreError, or PassingTrouble. */
export type AskStore = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** A few connections to the server, over pg, which is loaded here and nowhere else. What fails takes its connection along. */
export interface Connections {
  /** A statement that is a transaction by itself: durable when it resolves. */
  readonly ask: AskStore
  /** Several as one. What `work` throws takes back all of it. */
  together<T>(work: (ask: AskStore) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * A server has a hundred or so in all. A statement that takes longer than any should is ended by the server, and a transaction whose
 * worker sleeps as well, or it would hold everybody up. Whatever the server's defaults are, a commit is on the disk when it is told.
 */
const settings: PoolConfig = {
  max: 6,
  application_name: 'genrun',
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  statement_timeout: 5_000,
  idle_in_transaction_session_timeout: 5_000,
  // Where the server is gone without a word.
  query_timeout: 7_000,
  options: '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed',
}

/** Rejects where the package is not there; nothing is asked yet. */
export async function openConnections(url: string): Promise<Connections> {
  const { Pool } = await loadPackage()
  const pool = new Pool({ connectionString: url, ...settings })
  // A connection that is lost between two statements: whoever needs it next hears of that, and the process lives.
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  return {
    ask: askOf(pool),
    async together(work) {
      const client = await pool.connect().catch(rethrow)
      try {
        const ask = askOf(client)
        await ask('begin')
        const result = await work(ask)
        const { command } = await client.query('commit').catch(rethrow)
        // So it is told that a statement failed, and whoever asked it kept that to himself.
        if (command !== 'COMMIT') throw new PassingTrouble('the transaction was taken back')
        client.release()
        return result
      } catch (error) {
        // Without its connection there is no transaction.
        client.release(true)
        throw error
      }
    },
    close: () => pool.end(),
  }
}

function askOf(client: Pick<PoolClient, 'query'>): AskStore {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    const query = values.length > 0 ? { name: nameOf(text), text, values: [...values] } : text
    const { rows } = await client.query(query).catch(rethrow)
    return rows as Row[] // as the statement says
  }
}

const names = new Map<string, string>()

/** What has a name is read and planned once for each connection, which is most of the work of a small statement. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `genrun${names.size}`
  names.set(text, name)
  return name
}

function rethrow(error: unknown): never {
  throw troubleOf(error)
}

/**
 * What a pool of somebody else's makes its connections of: one that is lost in the middle of something ends no process. A class of pg, whose
 * types are not told here: who compiles against genrun need not have them.
 */
export async function steadyClient(): Promise<unknown> {
  const { Client } = await loadPackage()
  return class extends Client {
    constructor(config?: ClientConfig) {
      super(config)
      this.on('error', () => undefined)
    }
  }
}

async function loadPackage() {
  try {
    return (await import('pg')).default
  } catch {
    const message = 'the package pg, which speaks with PostgreSQL, is not installed'
    throw new FleetStoreError(
      message,
      'npm install pg, beside genrun (npm install -g where genrun is global)',
    )
  }
}
