// All benchmarks, or those whose name holds a word: `npm run bench`, `npm run bench count`. Each prints its rows; figures of several
// days stand in RESULTS.md.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const names = [
  'reading',
  'gateway',
  'view',
  'download',
  'rerun',
  'load',
  'count',
  'connection',
  'memory',
  'makespan',
  'looks',
  'bucket',
  'page',
  'shards',
  'fleet',
  'beyond',
  'store',
]
const [word = ''] = process.argv.slice(2)
const wanted = names.filter(name => name.includes(word))
if (wanted.length === 0) {
  console.error(`there are ${names.join(', ')}`)
  process.exit(2)
}
const failed = wanted.filter(
  name =>
    spawnSync(process.execPath, [join(import.meta.dirname, `${name}.mjs`)], { stdio: 'inherit' }).status !==
    0,
)
if (failed.length > 0) console.error(`not measured to the end: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0
