import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../src/gateway/server.ts'
import { findUpToDate } from '../../../src/planning/up-to-date/find.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt } from '../../verbs/bench.ts'
import { remember, tool } from '../../verbs/made.ts'

const folder = mkdtempSync(join(tmpdir(), 'genrun-look-again-'))
const path = process.env.PATH
const [bare, bin] = ['bare', 'bin'].map(name => join(folder, name)) as [string, string] // as many
let gateway: Gateway
let bench: Bench

beforeAll(() => {
  for (const each of [bare, bin]) mkdirSync(each)
  writeFileSync(join(bin, 'ffmpeg'), blind)
  chmodSync(join(bin, 'ffmpeg'), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A clip and a picture are made, and nothing looks into clips yet. */
beforeEach(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  bench = openBench(gateway)
  bench.write(manifestName, jobs())
  process.env.PATH = bare
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 2 } })
  expect(bench.read('m.lock.json')).toContain('which is not here')
})
afterEach(async () => {
  process.env.PATH = path
  closeBench(bench)
  await gateway.close()
})

function jobs({ name = 'rain', gate = 'fail', more = '' } = {}): string {
  return `jobs:
  ${name}: { model: famc-v3-turbo, prompt: Rain, gate: ${gate} }
  cup: { model: fama-imagine-image, prompt: Cup }
${more}`
}

const behind = (name = 'rain') => `  poster: { model: fama-imagine-image, prompt: Of it, needs: [${name}] }\n`
const message = expect.stringContaining('all of it is near black')

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
  const run = () => bench.run({ tool })
  // Were it remembered that there is nothing to do, the run that could look would end at once.
  await remember(bench)
  expect(await findUpToDate(bench.request({ tool }))).toBeUndefined()
  process.env.PATH = bin
  expect(await run()).toMatchObject({
    report: { exit: 1, paid: 0, jobs: [{ address: 'rain', ending: 'kept', message }, { address: 'cup' }] },
  })
  const lock = bench.read('m.lock.json')
  expect(lock).not.toContain('which is not here')
  process.env.PATH = bare
  expect(await run()).toMatchObject({ report: { exit: 0, paid: 0, jobs: [{ message }, {}] } })
  expect(bench.read('m.lock.json')).toBe(lock)
  expect(paidAt(gateway)).toBe(2)
})

test.each([
  ['', 'rain', 'kept'],
  [', under the name that it gets in that run', 'shower', 'moved'],
])('nothing is made from what fails when it is looked at again%s', async (_, name, ending) => {
  process.env.PATH = bin
  bench.write(manifestName, jobs({ name, more: behind(name) }))
  for (const [exit, ended] of [
    [1, ending],
    [0, 'kept'],
  ] as const)
    expect(await bench.run({ select: { words: [name] } })).toMatchObject({
      report: { exit, paid: 0, jobs: [{ address: name, ending: ended, message }] },
    })
})

test('what would be made from it waits in the run that finds that it fails', async () => {
  process.env.PATH = bin
  bench.write(manifestName, jobs({ name: 'shower', more: behind('shower') }))
  expect(await bench.run()).toMatchObject({
    report: {
      exit: 1,
      paid: 0,
      jobs: [
        { address: 'shower', ending: 'moved', message },
        {},
        { address: 'poster', ending: 'held', message: expect.stringContaining('shower') },
      ],
    },
  })
})

test.each([
  ['the looks are off for one run', () => bench.run({ gate: 'off' })],
  [
    'its job has none for one run',
    () => {
      bench.write(manifestName, jobs({ gate: 'off' }))
      return bench.run()
    },
  ],
  ['a run is about another job', () => bench.run({ select: { words: ['cup'] } })],
])('it is looked at when somebody asks for it, be it that %s', async (_, runBefore) => {
  process.env.PATH = bin
  expect(await runBefore()).toMatchObject({ report: { exit: 0, paid: 0 } })
  bench.write(manifestName, jobs())
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 0, jobs: [{ message }, {}] } })
})
