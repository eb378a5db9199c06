import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { LockEntry, Recipe } from '../../src/base/state.ts'
import { type CacheOptions, openCache, recipeKey } from '../../src/store/cache.ts'
import { digestBytes } from '../../src/store/digest.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'genrun-cache-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function recipe(prompt: string, more: Partial<Recipe> = {}): Recipe {
  return { version: 1, model: 'm', params: { prompt }, defaults: { count: 1 }, inputs: {}, take: 1, ...more }
}

/** A result of so many bytes, lying in the folder. */
function made(prompt: string, bytes = 10): LockEntry {
  const contents = Buffer.alloc(bytes, prompt)
  writeFileSync(join(folder, `${prompt}.png`), contents)
  const file = { path: `${prompt}.png`, digest: digestBytes(contents), bytes, type: 'image/png' }
  return { address: jobAddress(prompt), state: 'done', recipe: recipe(prompt), files: [file] }
}

const cacheIn = (more: Partial<CacheOptions> = {}) => openCache({ folder: join(folder, 'cache'), ...more })
const put = (entry: LockEntry, more: Partial<CacheOptions> = {}) =>
  cacheIn(more).put(entry, file => join(folder, file.path))

test('what was put in is found by its recipe, from everywhere', async () => {
  const entry = made('tea')
  expect(await put(entry)).toBeUndefined()
  const found = cacheIn().find(recipe('tea'))
  expect(found?.files).toEqual(entry.files)
  const [file] = found?.files ?? []
  if (!file) throw new Error('no file')
  expect(await cacheIn().take(file, join(folder, 'out.png'))).toBe(true)
  expect(readFileSync(join(folder, 'out.png'))).toEqual(readFileSync(join(folder, 'tea.png')))
})

test('a recipe is the same when it means the same', () => {
  const same = recipe('tea', { params: { count: 1, prompt: 'tea' }, defaults: {} })
  expect(recipeKey(same)).toBe(recipeKey(recipe('tea')))
  for (const other of [
    recipe('coffee'),
    recipe('tea', { take: 2 }),
    recipe('tea', { model: 'n' }),
    recipe('tea', { defaults: { count: 2 } }),
    recipe('tea', { inputs: { '/imageUrls': ['sha256:0'] } as never }), // a pointer is a branded text
  ])
    expect(recipeKey(other)).not.toBe(recipeKey(recipe('tea')))
})

test('a damaged entry is dropped and counts as not there', async () => {
  await put(made('tea'))
  const results = join(folder, 'cache', 'results')
  const [name = ''] = readdirSync(results)
  writeFileSync(join(results, name), '{"address":')
  expect(cacheIn().find(recipe('tea'))).toBeUndefined()
  expect(readdirSync(results)).toEqual([])
})

test('an entry under the name of another recipe is none', async () => {
  await put(made('tea'))
  const results = join(folder, 'cache', 'results')
  const [name = ''] = readdirSync(results)
  const text = readFileSync(join(results, name), 'utf8')
  writeFileSync(join(results, name), text.replace('"prompt":"tea"', '"prompt":"mud"'))
  expect(cacheIn().find(recipe('tea'))).toBeUndefined()
})

test('a file with other bytes is not given out, and is dropped', async () => {
  const entry = made('tea')
  await put(entry)
  const files = join(folder, 'cache', 'files')
  const [name = ''] = readdirSync(files)
  writeFileSync(join(files, name), Buffer.alloc(10, 'x'))
  const [file] = entry.files
  if (!file) throw new Error('no file')
  expect(await cacheIn().take(file, join(folder, 'out.png'))).toBe(false)
  expect(readdirSync(folder)).not.toContain('out.png')
  expect(cacheIn().find(recipe('tea'))).toBeUndefined()
})

test('a file that was altered since it was made is not put in', async () => {
  const entry = made('tea')
  writeFileSync(join(folder, 'tea.png'), Buffer.alloc(10, 'x'))
  expect((await put(entry))?.message).toContain('altered')
  expect(cacheIn().find(recipe('tea'))).toBeUndefined()
})

test('a read-only cache gives, and is never changed', async () => {
  await put(made('tea'))
  const before = readdirSync(join(folder, 'cache'), { recursive: true })
  await put(made('mud'), { readOnly: true })
  expect(readdirSync(join(folder, 'cache'), { recursive: true })).toEqual(before)
  expect(cacheIn({ readOnly: true }).find(recipe('tea'))).toBeDefined()
  expect(cacheIn({ readOnly: true }).find(recipe('mud'))).toBeUndefined()
})

test('above its size the least lately used goes, never the newest', async () => {
  const limit = { maxBytes: 250 }
  for (const [nth, prompt] of ['a', 'b', 'c'].entries()) {
    await put(made(prompt, 100), limit)
    // Dates of the disk are too coarse for a test: each is a minute after the one before.
    const path = join(folder, 'cache', 'results', `${recipeKey(recipe(prompt)).slice(7)}.json`)
    utimesSync(path, 1000 + nth * 60, 1000 + nth * 60)
  }
  const there = (prompt: string) => cacheIn().find(recipe(prompt)) !== undefined
  expect(['a', 'b', 'c'].map(there)).toEqual([false, true, true])
  await put(made('d', 400), limit)
  expect(['b', 'c', 'd'].map(there)).toEqual([false, false, true])
  expect(readdirSync(join(folder, 'cache', 'files'))).toHaveLength(1)
})

test('two results with the same file share it, and it stays while one needs it', async () => {
  const [one, two] = [made('a', 100), { ...made('a', 100), recipe: recipe('again') }]
  await put(one)
  const path = join(folder, 'cache', 'results', `${recipeKey(one.recipe).slice(7)}.json`)
  utimesSync(path, 1000, 1000)
  await put(two, { maxBytes: 100 })
  expect(readdirSync(join(folder, 'cache', 'files'))).toHaveLength(1)
  expect(cacheIn().find(two.recipe)).toBeDefined()
})
