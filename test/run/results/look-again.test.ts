import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from '../../../src/gateway/server.ts'
import { findUpToDate } from '../../../src/planning/up-to-date/find.ts'
import { closeBench, manifestName, openBench, paidAt } from '../../verbs/bench.ts'
import { remember, tool } from '../../verbs/made.ts'

const folder = mkdtempSync(join(tmpdir(), 'genrun-look-again-'))
const path = process.env.PATH
afterEach(() => {
  process.env.PATH = path
  rmSync(folder, { recursive: true })
})

/** A program that takes whatever it is given for a clip of six seconds in which all is black and silent. */
const blind = `#!${process.execPath}
const fs = require('node:fs')
fs.writeSync(1, Buffer.alloc(64 * 64 * 24))
if (process.argv.includes('pipe:3')) {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0); head.writeUInt32LE(0xffffffff, 4); head.write('WAVEfmt ', 8); head.writeUInt32LE(16, 16)
  head.writeUInt16LE(3, 20); head.writeUInt16LE(1, 22); head.writeUInt32LE(8000, 24); head.writeUInt32LE(32000, 28)
  head.writeUInt16LE(4, 32); head.writeUInt16LE(32, 34); head.write('data', 36); head.writeUInt32LE(0xffffffff, 40)
  fs.writeSync(3, Buffer.concat([head, Buffer.alloc(32000)]))
}
`

test('a clip that was made without the program that looks into it is looked at once that is there, once', async () => {
  const bare = join(folder, 'bare')
  const bin = join(folder, 'bin')
  for (const each of [bare, bin]) mkdirSync(each)
  writeFileSync(join(bin, 'ffmpeg'), blind)
  chmodSync(join(bin, 'ffmpeg'), 0o755)
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  bench.write(
    manifestName,
    'jobs: { rain: { model: famc-v3-turbo, prompt: Rain, gate: fail }, cup: { model: fama-imagine-image, prompt: Cup } }\n',
  )
  process.env.PATH = bare
  const run = () => bench.run({ tool })
  expect(await run()).toMatchObject({ report: { exit: 0, paid: 2 } })
  // Were it remembered that there is nothing to do, the run that could look would end at once.
  await remember(bench)
  expect(await findUpToDate(bench.request({ tool }))).toBeUndefined()
  expect(bench.read('m.lock.json')).toContain('which is not here')
  process.env.PATH = bin
  const message = expect.stringContaining('rain.mp4: all of it is near black')
  expect(await run()).toMatchObject({
    report: { exit: 1, paid: 0, jobs: [{ address: 'rain', ending: 'kept', message }, { address: 'cup' }] },
  })
  const lock = bench.read('m.lock.json')
  expect(lock).not.toContain('which is not here')
  process.env.PATH = bare
  expect(await run()).toMatchObject({ report: { exit: 0, paid: 0, jobs: [{ message }, {}] } })
  expect(bench.read('m.lock.json')).toBe(lock)
  expect(paidAt(gateway)).toBe(2)
  closeBench(bench)
  await gateway.close()
})
