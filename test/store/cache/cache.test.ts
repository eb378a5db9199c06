import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import type { DonePurchase } from '../../../src/base/purchase.ts'
import type { Recipe } from '../../../src/base/state.ts'
import { type CacheOptions, openCache } from '../../../src/store/cache/cache.ts'
import { recipeKey } from '../../../src/store/cache/cache-text.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import { type Disk, systemDisk } from '../../../src/store/files/disk.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { named } from '../records.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'genrun-cache-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function recipe(prompt: string, more: Partial<Recipe> = {}): Recipe {
  return { version: 1, model: 'm', params: { prompt }, defaults: { count: 1 }, inputs: {}, take: 1, ...more }
}

/** A result of so many bytes, lying in the folder. */
function made(prompt: string, bytes = 10): DonePurchase {
  const contents = Buffer.alloc(bytes, prompt)
  writeFileSync(join(folder, `${prompt}.png`), contents)
  const file = { path: `${prompt}.png`, digest: digestBytes(contents), bytes, type: 'image/png' }
  return { id: named(prompt), address: jobAddress(prompt), is: 'done', recipe: recipe(prompt), files: [file] }
}

const cacheIn = (more: Partial<CacheOptions> = {}) => openCache({ folder: join(folder, 'cache'), ...more })
const put = (entry: DonePurchase, more: Partial<CacheOptions> = {}) =>
  cacheIn(more).put(entry, file => join(folder, file.path))

test('what was put in is found by its recipe, from everywhere', async () => {
  const entry = made('tea')
  expect(await put(entry)).toBeUndefined()
  expect(cacheIn().find(recipe('tea'))).toEqual({ files: entry.files })
  const [file] = entry.files
  if (!file) throw new Error('no file')
  expect(await cacheIn().take(file, join(folder, 'out.png'))).toBe(true)
  expect(readFileSync(join(folder, 'out.png'))).toEqual(readFileSync(join(folder, 'tea.png')))
})

test('as many files of a job again are others than those that it has, asked for in the same words', async () => {
  const first = made('tea')
  await put(first)
  expect(cacheIn().find(recipe('tea'), 2)).toBeUndefined()
  const rest: DonePurchase = { ...made('more-tea'), address: jobAddress('tea+3'), recipe: recipe('tea') }
  expect(cacheIn().owes(rest)).toBe(true)
  await put(rest)
  expect(cacheIn().find(recipe('tea'), 2)).toEqual({ files: rest.files })
  expect(cacheIn().find(recipe('tea'))).toEqual({ files: first.files })
  expect(cacheIn().owes(rest)).toBe(false)
})

test('what was there before it is owed to it, unless it gives only or has no room for all', async () => {
  const entry = made('tea')
  const owes = (more: Partial<CacheOptions> = {}) => cacheIn(more).owes(entry)
  expect([owes(), owes({ readOnly: true }), owes({ maxBytes: 1000 })]).toEqual([true, false, false])
  await put(entry)
  expect(owes()).toBe(false)
  const [copy = ''] = readdirSync(join(folder, 'cache', 'files'))
  rmSync(join(folder, 'cache', 'files', copy))
  expect(owes()).toBe(true)
})

const studio = {
  originOf: (name: string) => ({ studio: 'https://a.example', atelier: 'https://a.example' })[name],
}

test.each<[string, string, Partial<CacheOptions>, boolean]>([
  ['under its new name, where a service is called otherwise by now', 'atelier', studio, true],
  ['not where another service is called as it was', 'studio', { originOf: () => 'https://b.example' }, false],
  ['not where nothing is known of the name', 'studio', {}, false],
])('what a named service made is found %s', async (_, name, reader, isFound) => {
  const entry = { ...made('tea'), recipe: recipe('tea', { service: 'studio' }) }
  expect(await put(entry, studio)).toBeUndefined()
  expect(cacheIn(reader).find(recipe('tea', { service: name })) !== undefined).toBe(isFound)
})

test('what an older genrun put in by the name of a service is found by that name', async () => {
  await put({ ...made('tea'), recipe: recipe('tea', { service: 'studio' }) })
  expect(cacheIn(studio).find(recipe('tea', { service: 'studio' }))).toBeDefined()
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

const damages: [string, (shelf: (name: 'results' | 'files') => string) => void][] = [
  ['an entry that was cut', shelf => writeFileSync(shelf('results'), '{"address":')],
  ['a file that is short', shelf => truncateSync(shelf('files'), 9)],
  ['a file that is empty', shelf => truncateSync(shelf('files'), 0)],
  ['a file of the same size with another byte', shelf => writeFileSync(shelf('files'), 'teateateax')],
]

test.each(damages)(
  '%s is damage: looked at it stays, and the next who makes it replaces it',
  async (_, damage) => {
    const entry = made('tea')
    await put(entry)
    damage(name => join(folder, 'cache', name, readdirSync(join(folder, 'cache', name))[0] ?? ''))
    const before = everything()
    const cache = cacheIn()
    expect([cache.find(recipe('tea')), cache.find(recipe('tea'))]).toEqual(['damaged', 'damaged'])
    expect(cacheIn({ readOnly: true }).find(recipe('tea'))).toBe('damaged')
    expect(everything()).toEqual(before)
    expect(await cache.put(entry, file => join(folder, file.path))).toBeUndefined()
    expect(cacheIn().find(recipe('tea'))).toEqual({ files: entry.files })
  },
)

test('what another made in the place of a damaged copy takes it away', async () => {
  await put(made('tea'))
  const [name = ''] = readdirSync(join(folder, 'cache', 'files'))
  truncateSync(join(folder, 'cache', 'files', name), 3)
  const cache = cacheIn()
  expect(cache.find(recipe('tea'))).toBe('damaged')
  const other = { ...made('coffee'), recipe: recipe('tea') }
  await cache.put(other, file => join(folder, file.path))
  expect(readdirSync(join(folder, 'cache', 'files'))).toEqual([other.files[0]?.digest.slice(7)])
  expect(cacheIn().find(recipe('tea'))).toEqual({ files: other.files })
})

test('a result whose file another threw away is not there, and no damage', async () => {
  await put(made('tea'))
  for (const name of readdirSync(join(folder, 'cache', 'files'))) rmSync(join(folder, 'cache', 'files', name))
  expect(cacheIn().find(recipe('tea'))).toBeUndefined()
})

const refused = (path: string): never => {
  throw new StorageError(path, 'open', 'permission denied', 'EACCES')
}

test.each<[string, Partial<Disk>, RegExp]>([
  ['a result that may not be read', { readAll: refused }, /cache\/results\/\w+\.json: permission denied/],
  ['files that may not be looked at', { look: refused }, /cache\/files\/\w+: permission denied/],
  ['a file that may not be read', { readPiecesNow: refused }, /cache\/files\/\w+: permission denied/],
])('%s is not like one that is not there', async (_, refusing, says) => {
  await put(made('tea'))
  expect(() => cacheIn({ disk: { ...systemDisk, ...refusing } }).find(recipe('tea'))).toThrow(says)
})

test.each([
  ['cache', /a part of its path is not a folder/],
  ['cache/results', /a part of its path is not a folder/],
  ['cache/files', /could not list .*cache\/files: it is no folder/],
])('neither is what a file in the place of %s hides', async (name, says) => {
  await put(made('tea'))
  rmSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name), '')
  expect(() => cacheIn().find(recipe('tea'))).toThrow(says)
})

test('who may only read in it misses nothing there that came from there, and is told of what did not', async () => {
  const entry = made('tea')
  await put(entry)
  const disk: Disk = {
    ...systemDisk,
    open: (path, how) => (how === 'read' ? systemDisk.open(path, how) : refused(path)),
  }
  expect(await put(entry, { disk })).toBeUndefined()
  const other = { ...made('coffee'), recipe: recipe('tea') }
  for (const missing of [made('mud'), other])
    expect(await put(missing, { disk })).toMatchObject({ detail: 'permission denied' })
  truncateSync(join(folder, 'cache', 'files', entry.files[0]?.digest.slice(7) ?? ''), 3)
  expect(await put(entry, { disk })).toMatchObject({ detail: 'permission denied' })
})

/** Names, sizes and dates. */
function everything(): string[] {
  return readdirSync(join(folder, 'cache'), { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map(name => {
      const { size, mtimeMs } = statSync(join(folder, 'cache', name))
      return `${name} ${size} ${mtimeMs}`
    })
}

test('an entry under the name of another recipe is none', async () => {
  await put(made('tea'))
  const results = join(folder, 'cache', 'results')
  const [name = ''] = readdirSync(results)
  const text = readFileSync(join(results, name), 'utf8')
  writeFileSync(join(results, name), text.replace('"prompt":"tea"', '"prompt":"mud"'))
  expect(cacheIn().find(recipe('tea'))).toBe('damaged')
})

test('a file that was altered since it was looked at is not given out', async () => {
  const entry = made('tea')
  await put(entry)
  const files = join(folder, 'cache', 'files')
  const [name = ''] = readdirSync(files)
  const cache = cacheIn()
  expect(cache.find(recipe('tea'))).toBeDefined()
  writeFileSync(join(files, name), Buffer.alloc(10, 'x'))
  const [file] = entry.files
  if (!file) throw new Error('no file')
  expect(await cache.take(file, join(folder, 'out.png'))).toBe(false)
  expect(readdirSync(folder)).not.toContain('out.png')
  expect(cache.find(recipe('tea'))).toBe('damaged')
  rmSync(join(files, name))
  expect(await cache.take(file, join(folder, 'out.png'))).toBe(false)
})

test('a file that is genrun’s alone gets a second name there, if it is what was made and nothing lies in the way', async () => {
  const [tea, jam, pot] = [made('tea'), made('jam'), made('pot')]
  const putOwn = (entry: DonePurchase) =>
    cacheIn().put(entry, file => join(folder, file.path), { isOwn: true })
  const copyOf = ({ files: [file] }: DonePurchase) =>
    join(folder, 'cache', 'files', file?.digest.slice('sha256:'.length) ?? '')
  const isShared = (entry: DonePurchase) =>
    statSync(copyOf(entry)).ino === statSync(join(folder, `${entry.address}.png`)).ino
  expect([await putOwn(tea), isShared(tea)]).toEqual([undefined, true])
  writeFileSync(copyOf(jam), 'damaged')
  expect([await putOwn(jam), isShared(jam)]).toEqual([undefined, false])
  expect(cacheIn().find(recipe('jam'))).toEqual({ files: jam.files })
  writeFileSync(join(folder, 'pot.png'), 'altered')
  expect(await putOwn(pot)).toMatchObject({ detail: 'it was altered since it was made' })
  expect(cacheIn().find(recipe('pot'))).toBeUndefined()
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

test('a file that another result shares stays when the one that goes had it too', async () => {
  const [shared, own] = [made('a', 100), made('b', 100)]
  const [old, newest] = [
    { ...shared, files: [...shared.files, ...own.files] },
    { ...shared, recipe: recipe('again') },
  ]
  await put(old)
  await put(newest, { maxBytes: 150 })
  expect(cacheIn().find(old.recipe)).toBeUndefined()
  expect(cacheIn().find(newest.recipe)).toMatchObject({ files: shared.files })
  expect(readdirSync(join(folder, 'cache', 'files'))).toHaveLength(1)
})

test('in a folder that no genrun has made nothing is thrown away, until somebody says that it is a cache', async () => {
  const old = join(folder, 'cache/files', 'a'.repeat(64))
  mkdirSync(join(folder, 'cache/files'), { recursive: true })
  writeFileSync(old, 'x'.repeat(5000))
  const [first, second] = [made('a', 100), made('b', 100)]
  expect((await put(first, { maxBytes: 150 }))?.detail).toContain('make an empty file .genrun-cache in it')
  expect((await put(second, { maxBytes: 150 }))?.detail).toContain('as no genrun has made it')
  expect(statSync(old).size).toBe(5000)
  expect(cacheIn().find(first.recipe)).toBeDefined()
  expect(cacheIn().find(second.recipe)).toBeDefined()
  writeFileSync(join(folder, 'cache/.genrun-cache'), '')
  expect(await put(second, { maxBytes: 150 })).toBe(undefined)
  expect(existsSync(old)).toBe(false)
  expect(cacheIn().find(first.recipe)).toBeUndefined()
})

test.skipIf(process.getuid?.() !== 0)(
  'folders of another user are no cache, and nothing in them goes (as root only)',
  async () => {
    const old = join(folder, 'cache/files', 'a'.repeat(64))
    mkdirSync(join(folder, 'cache/files'), { recursive: true })
    writeFileSync(old, 'x'.repeat(5000))
    chownSync(join(folder, 'cache/files'), 4242, 4242)
    expect((await put(made('tea'), { maxBytes: 20 }))?.detail).toContain('it belongs to another user (4242)')
    chownSync(join(folder, 'cache/files'), 0, 0)
    chmodSync(join(folder, 'cache/files'), 0o777)
    expect((await put(made('tea'), { maxBytes: 20 }))?.detail).toContain('everybody can write to it')
    expect(statSync(old).size).toBe(5000)
    // What was taken from there is there, whoever owns it.
    chmodSync(join(folder, 'cache/files'), 0o755)
    expect(await put(made('tea'))).toBeUndefined()
    chownSync(join(folder, 'cache/files'), 4242, 4242)
    expect(await put(made('tea'))).toBeUndefined()
    expect((await put(made('mud')))?.detail).toContain('it belongs to another user (4242)')
  },
)
