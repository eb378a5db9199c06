import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isThere, namesIn, statAt } from '../../../src/disk/look.ts'
import { readRegular } from '../../../src/disk/open.ts'
import { hearWords, recallWords, type SaidWords } from '../../../src/planning/up-to-date/words.ts'

/** Long after all that the tests write. */
const later = Date.now() + 60_000

interface Place {
  readonly folder: string
  readonly words: SaidWords
  /** What the words mean by now. */
  recall(changed?: Partial<SaidWords>): ReturnType<typeof recallWords>
}

/** Settings, a folder that is listed, and places where nothing is, all of which decided what the words mean. */
async function said(beganAt = later): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-words-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['listed', 'entered']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'settings.yaml'), 'maxPaid: 3\n')
  const words = {
    words: ['m.yaml', '--quiet'],
    cwd: folder,
    env: { GENRUN_API_KEY: 'a', SHLVL: '1' },
    tool: 'genrun 1',
  }
  const hearing = hearWords(beganAt)
  readRegular(join(folder, 'settings.yaml'), { mostBytes: 100 })
  statAt(join(folder, 'entered'))
  // Its names count, though it was looked at before without them.
  statAt(join(folder, 'listed'))
  namesIn(join(folder, 'listed'))
  isThere(join(folder, 'package.json'))
  hearing.end()
  isThere(join(folder, 'looked-at-too-late'))
  await hearing.keep(folder, words, { request: 'abc', isQuiet: true })
  return { folder, words, recall: changed => quietly(() => recallWords(folder, { ...words, ...changed })) }
}

/** Nothing is remembered, or what is cannot be read: both are answered by the long way. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

test('the same words in the same surroundings mean the same', async () => {
  const { recall, folder } = await said()
  expect(recall()).toMatchObject({ request: 'abc', isQuiet: true })
  expect(statSync(join(folder, 'words')).mode & 0o777).toBe(0o600)
})

test.each<[string, Partial<SaidWords>]>([
  ['other words', { words: ['m.yaml'] }],
  ['another folder', { cwd: '/' }],
  ['another build or user', { tool: 'genrun 2' }],
  ['another key', { env: { GENRUN_API_KEY: 'b', SHLVL: '1' } }],
  ['one variable more', { env: { GENRUN_API_KEY: 'a', SHLVL: '1', CI: 'true' } }],
])('%s may mean something else', async (_, changed) => {
  expect((await said()).recall(changed)).toBeUndefined()
})

test('what shells count for themselves means nothing', async () => {
  const { recall, words } = await said()
  expect(recall({ env: { ...words.env, SHLVL: '2', _: 'genrun', OLDPWD: '/' } })).toBeDefined()
})

test.each<[string, (folder: string) => void]>([
  ['settings that say more', folder => appendFileSync(join(folder, 'settings.yaml'), 'strict: true\n')],
  ['settings of the same length and date', folder => rewritten(join(folder, 'settings.yaml'))],
  ['settings that nobody else may read any more', folder => chmodSync(join(folder, 'settings.yaml'), 0o600)],
  ['settings that are gone', folder => rmSync(join(folder, 'settings.yaml'))],
  ['settings where there were none', folder => writeFileSync(join(folder, 'package.json'), '{}')],
  ['a link to nothing where there was nothing', folder => symlinkSync('gone', join(folder, 'package.json'))],
  ['a name more in a folder that was listed', folder => writeFileSync(join(folder, 'listed/a'), '')],
  [
    'another folder',
    folder => {
      mkdirSync(join(folder, 'new'))
      renameSync(join(folder, 'entered'), join(folder, 'old'))
      renameSync(join(folder, 'new'), join(folder, 'entered'))
    },
  ],
  ['a memory cut short', folder => cut(join(folder, 'words'))],
  ['a memory that somebody altered', folder => altered(join(folder, 'words'))],
  ['no memory', folder => rmSync(join(folder, 'words'))],
])('with %s the words are read again', async (_, change) => {
  const { folder, recall } = await said()
  expect(recall()).toBeDefined()
  change(folder)
  expect(recall()).toBeUndefined()
})

test.each<[string, (folder: string) => void]>([
  ['a file more in a folder whose names nobody asked for', folder => writeFileSync(join(folder, 'a'), '')],
  ['one in a folder that was looked at', folder => writeFileSync(join(folder, 'entered/a'), '')],
  [
    'what was looked at when they had been read',
    folder => writeFileSync(join(folder, 'looked-at-too-late'), ''),
  ],
])('%s decides nothing', async (_, change) => {
  const { folder, recall } = await said()
  change(folder)
  expect(recall()).toBeDefined()
})

test('what changed a moment ago could change again and look the same: nothing is kept', async () => {
  expect((await said(Date.now())).recall()).toBeUndefined()
})

function rewritten(path: string): void {
  const { mtime } = statSync(path)
  writeFileSync(path, 'maxPaid: 9\n')
  utimesSync(path, mtime, mtime)
}

function cut(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -10))
}

function altered(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace('"abc"', '"abd"'))
}
