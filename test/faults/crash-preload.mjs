// Loaded before the executable by the tests of this folder only: `node --import ./crash-preload.mjs dist/bin.cjs`.
// GENRUN_CRASH_AT=17 kills the process right before its seventeenth call that changes or syncs something on disk, with
// GENRUN_CRASH_HALF=1 in the middle of it when it is a write. GENRUN_CRASH_COUNT=file writes the names of the calls there.
// GENRUN_CRASH_FORGETFUL=1 is a genrun that is broken on purpose: what it writes to a journal, or to the index beside the outputs, never
// gets there.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const {
  GENRUN_CRASH_AT: at,
  GENRUN_CRASH_HALF: half,
  GENRUN_CRASH_COUNT: file,
  GENRUN_CRASH_FORGETFUL: forgetful,
} = process.env
const { openSync, writeFileSync, writeSync } = fs
const watched = [
  'writeSync',
  'fsyncSync',
  'fdatasyncSync',
  'fsync',
  'fdatasync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'mkdirSync',
  'ftruncateSync',
  'rmdirSync',
]
const calls = []
const journals = new Set()

for (const name of watched) {
  const original = fs[name]
  fs[name] = (...given) => {
    enter(name, given)
    if (forgetful && name === 'writeSync' && journals.has(given[0])) return given[1].length
    return original(...given)
  }
}
fs.openSync = (path, ...given) => {
  const fd = openSync(path, ...given)
  if (/\.jnl$|\.genrun\/results-[^/]*\.jsonl$/.test(String(path))) journals.add(fd)
  else journals.delete(fd)
  return fd
}
syncBuiltinESMExports()

// Files that are downloaded are written and synced through promises.
const { FileHandle } = await fileHandle()
for (const name of ['sync', 'datasync', 'writeFile', 'write']) {
  const original = FileHandle.prototype[name]
  FileHandle.prototype[name] = function (...given) {
    enter(name, [])
    return original.apply(this, given)
  }
}

if (file) process.on('exit', () => writeFileSync(file, `${calls.join('\n')}\n`))

function enter(name, given) {
  calls.push(journals.has(given[0]) ? `${name} of the journal` : name)
  if (calls.length === Number(at)) die(name, given)
}

function die(name, [fd, bytes]) {
  const isLost = forgetful && journals.has(fd)
  if (half && !isLost && name === 'writeSync' && bytes.length > 1) writeSync(fd, bytes, 0, bytes.length >> 1)
  // Nothing of this process runs after this line.
  process.kill(process.pid, 'SIGKILL')
}

async function fileHandle() {
  const handle = await fs.promises.open(process.execPath, 'r')
  await handle.close()
  return { FileHandle: handle.constructor }
}
