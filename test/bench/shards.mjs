// One manifest in shards, by processes that are killed and started twice: `node test/bench/shards.mjs [jobs] [shards] [processes]
// [dist/bin.cjs]`, after `npm run build`. The service keeps a ledger by prompt. In the end the locks are merged and compared with what was
// sold: nothing may be bought twice, and every job is there or named as being in doubt.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executableAt } from './executable.mjs'
import { compare, openService, pause, row, seconds, startsIn, writeProject } from './sold.mjs'

const [jobs = '2000', shards = '16', processes = '4', path] = process.argv.slice(2)
const [of, atOnce] = [Number(shards), Number(processes)]
const rows = Number(jobs) / 2
const executable = executableAt(path)
const killEveryMs = Number(process.env.KILL_MS ?? 20_000)

const service = await openService()
const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
try {
  await measure()
} finally {
  service.close()
  rmSync(folder, { recursive: true, force: true })
}

async function measure() {
  const genrun = startsIn(folder, { executable, origin: service.origin })
  writeProject(folder, rows, { mode: 'execute' })

  const began = performance.now()
  const queue = Array.from({ length: of }, (_, nth) => `${nth + 1}/${of}`)
  const running = new Map()
  const counts = { started: 0, killed: 0, twice: 0 }
  const killer = setInterval(() => {
    const alive = [...running.values()]
    const victim = alive[Math.floor(Math.random() * alive.length)]
    if (victim?.kill('SIGKILL')) counts.killed++
  }, killEveryMs)
  async function work() {
    for (let shard = queue.shift(); shard !== undefined; shard = queue.shift()) {
      counts.started++
      const { child, ended } = genrun(['run', 'm.yaml', '--shard', shard, '-q'])
      running.set(shard, child)
      // Now and then somebody starts it once more.
      if (counts.started % 8 === 3) {
        await pause(15_000)
        const second = await genrun(['run', 'm.yaml', '--shard', shard, '-q']).ended
        if (second.code === 5) counts.twice++
      }
      const { code, signal, said } = await ended
      running.delete(shard)
      if (signal === null && ![0, 3].includes(code)) throw new Error(`shard ${shard}: exit ${code}\n${said}`)
      if (signal !== null) queue.push(shard)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  clearInterval(killer)
  const made = performance.now()
  row(
    'all shards',
    seconds(made - began),
    `${counts.started} processes, ${counts.killed} killed, ${counts.twice} told that one is at work`,
  )
  const merged = await genrun(['merge', 'm.yaml']).ended
  row('merge', seconds(performance.now() - made), merged.said.trim().split('\n')[0])
  const { isRight } = await compare(folder, { rows, genrun, service })
  if (!isRight) process.exitCode = 1
}
