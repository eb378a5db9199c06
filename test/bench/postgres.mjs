// A PostgreSQL of a benchmark's own, on a socket, with fsync as it should be.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** `stop('SIGQUIT')` is a power cut. Its folder is left to whoever started it. */
export async function startPostgres() {
  const debians = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const programs = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...debians.map(version => join('/usr/lib/postgresql', version, 'bin')),
  ].find(place => ['postgres', 'initdb'].every(name => existsSync(join(place, name))))
  if (!programs) throw new Error('postgres and initdb are not here')
  const at = mkdtempSync(join(tmpdir(), 'genrun-pg-'))
  const data = join(at, 'data')
  const idOf = flag => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  // The server refuses to be run by root.
  const as = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined
  if (as) chownSync(at, as.uid, as.gid)
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'admin', '-A', 'trust'], {
    ...as,
    cwd: at,
    stdio: 'ignore',
  })
  let child
  let before = 0
  async function start() {
    const settings = ['listen_addresses=', 'max_connections=200'].flatMap(each => ['-c', each])
    child = spawn(join(programs, 'postgres'), ['-D', data, '-k', at, ...settings], {
      ...as,
      cwd: at,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8')
    for await (const [text] of on(child.stderr)) if (text.includes('ready to accept connections')) break
    child.stderr.on('data', () => undefined)
  }
  await start()
  // Who is no superuser finds no connection when all are taken; so are the workers.
  const url = `postgres://admin@/postgres?host=${encodeURIComponent(at)}`
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const text of ['role crowd login', 'role worker login', 'database fleet owner worker'])
    await client.query(`create ${text}`)
  await client.end()
  return {
    folder: at,
    url: url.replace('admin@/postgres', 'worker@/fleet'),
    start,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      before = this.cpuSeconds()
      child.kill(signal)
      await gone
    },
    /** Of all its processes, those that have ended included, by what the kernel says of their parent. */
    cpuSeconds() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
      const own = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
      const children = readdirSync('/proc').flatMap(pid => {
        try {
          const its = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
          return Number(its[1]) === child.pid ? Number(its[11]) + Number(its[12]) : []
        } catch {
          return []
        }
      })
      return before + children.reduce((sum, each) => sum + each, own) / 100
    },
  }
}

async function* on(stream) {
  for (;;) yield await once(stream, 'data')
}
