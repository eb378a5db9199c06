import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A PostgreSQL of a test's own: on a socket in a folder of its own, without a port, with fsync as it should be. */
export interface Postgres {
  /** Makes a database, and tells where it is. */
  database(name: string): Promise<string>
  /** The server's own user, who finds a connection when there is none for others. */
  readonly adminUrl: string
  start(): Promise<void>
  /** As by a power cut: what is not on the disk is gone (`pg_ctl stop -m immediate`). */
  crash(): Promise<void>
  end(): Promise<void>
}

/** Where the programs of PostgreSQL are; undefined where they are not. */
export const postgresFolder: string | undefined = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...debians('/usr/lib/postgresql'),
].find(folder => ['postgres', 'initdb'].every(name => existsSync(join(folder, name))))

function debians(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map(version => join(folder, version, 'bin')) : []
}

export async function startPostgres(programs: string): Promise<Postgres> {
  // In memory where that can be: it is the server that crashes here, and not the machine.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'genrun-pg-'))
  const data = join(folder, 'data')
  const as = ordinaryUser()
  if (as) chownSync(folder, as.uid, as.gid)
  const initdb = ['-D', data, '-U', 'admin', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(join(programs, 'initdb'), initdb, { ...as, cwd: folder, stdio: 'ignore' })
  const settings = [
    'listen_addresses=',
    'max_connections=24',
    'shared_buffers=16MB',
    'deadlock_timeout=200ms',
  ]
  let server: ChildProcess | undefined
  const kill = () => void server?.kill('SIGKILL')

  const isUp = () => server?.exitCode === null && server.signalCode === null

  async function start(): Promise<void> {
    if (isUp()) return
    const words = ['-D', data, '-k', folder, ...settings.flatMap(each => ['-c', each])]
    const started = spawn(join(programs, 'postgres'), words, {
      ...as,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = started
    let log = ''
    await new Promise<void>((resolve, reject) => {
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text
        if (log.includes('ready to accept connections')) resolve()
      })
      started.once('exit', () => reject(new Error(`the server did not start: ${log}`)))
    })
  }

  async function stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (!server || !isUp()) return
    const gone = once(server, 'exit')
    server.kill(signal)
    await gone
  }

  process.once('exit', kill)
  await start()
  const urlOf = (user: string, name: string) =>
    `postgres://${user}@/${name}?host=${encodeURIComponent(folder)}`
  const adminUrl = urlOf('admin', 'postgres')
  return {
    adminUrl,
    async database(name) {
      const { default: pg } = await import('pg')
      const client = new pg.Client({ connectionString: adminUrl })
      await client.connect()
      await client.query(
        `do $$ begin create role worker login; exception when duplicate_object then null; end $$`,
      )
      await client.query(`create database ${name} owner worker`)
      await client.end()
      return urlOf('worker', name)
    },
    start,
    crash: () => stop('SIGQUIT'),
    async end() {
      await stop('SIGINT')
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The server refuses to be run by root. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
