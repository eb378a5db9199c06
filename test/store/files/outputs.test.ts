import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Digest } from '../../../src/base/names.ts'
import type { SavedFile } from '../../../src/base/state.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import {
  copyToPart,
  finalPath,
  findSaved,
  prepareOutputs,
  publishOutput,
  savedFinder,
  spooledToPart,
  verifySaved,
} from '../../../src/store/files/outputs.ts'
import { findPlace, isInside, makePlace } from '../../../src/store/files/safe-path.ts'
import { openSpool } from '../../../src/store/files/spool.ts'
import { prepareState } from '../../../src/store/files/state-folder.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import fc from '../../cases.ts'
import { fates, memoryDisk, place } from '../memory-disk.ts'

const base = mkdtempSync(join(tmpdir(), 'genrun-outputs-'))
afterAll(() => rmSync(base, { recursive: true }))

let root = ''
let kept = ''
let part = ''
beforeEach(async () => {
  const fresh = mkdtempSync(join(base, 'run-'))
  root = join(fresh, 'out', 'teapots')
  kept = join(fresh, '.genrun', 'teapots', 'kept')
  part = join(root, '.genrun', 'key-0.part')
  await prepareOutputs(root)
})

function tree(folder = root): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(path => !path.endsWith('.gitignore'))
    .toSorted()
}

function publishPart(path: string, contents: string, ours: readonly string[] = []) {
  writeFileSync(part, contents)
  const isOurs = (digest: Digest) => ours.map(digestBytes).includes(digest)
  return publishOutput({ root, part, digest: digestBytes(contents), path, isOurs, kept })
}

test.each([
  ['hero', 0, 1, 'png', 'hero.png'],
  ['hero', 0, 2, 'png', 'hero-1.png'],
  ['hero', 1, 2, 'jpg', 'hero-2.jpg'],
  ['stills/AS-101', 9, 12, 'webp', 'stills/AS-101-10.webp'],
])('%s, file %i of %i, is called by its bytes and its number', (output, nth, of, extension, wanted) => {
  expect(finalPath(output, nth, of, { extension })).toBe(wanted)
})

test('the folders of genrun keep themselves out of git', async () => {
  expect(readFileSync(join(root, '.genrun', '.gitignore'), 'utf8')).toBe('*\n')
  const state = join(root, '..', '..', '.genrun', 'teapots')
  const folders = await prepareState(state)
  expect(readFileSync(join(state, '..', '.gitignore'), 'utf8')).toBe('*\n')
  expect(readdirSync(state).toSorted()).toEqual(['claim', 'journal', 'kept', 'spool'])
  expect(folders.kept).toBe(join(state, 'kept'))
})

test('a file is published, with the folders that it needs', async () => {
  expect(await publishPart('stills/a/hero.png', 'new')).toEqual({ got: 'published' })
  expect(tree()).toEqual(['stills/a/hero.png'])
})

test('publishing again after a crash changes nothing', async () => {
  await publishPart('hero.png', 'new')
  expect(await publishPart('hero.png', 'new')).toEqual({ got: 'published' })
  expect(tree()).toEqual(['hero.png'])
})

test.each([
  ['a file made by hand', () => writeFileSync(join(root, 'hero.png'), 'by hand')],
  ['a folder', () => mkdirSync(join(root, 'hero.png'))],
  ['a link', () => symlinkSync(join(root, 'elsewhere'), join(root, 'hero.png'))],
])('%s under the name is left alone', async (_, make) => {
  make()
  const before = tree()
  expect(await publishPart('hero.png', 'new', ['old'])).toEqual({
    got: 'in-the-way',
    path: join(root, 'hero.png'),
  })
  expect(tree()).toEqual([...before, part.slice(root.length + 1)].toSorted())
})

test('a paid file that is replaced is kept', async () => {
  await publishPart('stills/hero.png', 'old')
  const digits = digestBytes('old').slice(7, 23)
  expect(await publishPart('stills/hero.png', 'new', ['old'])).toEqual({
    got: 'published',
    kept: join(kept, `stills/hero.${digits}.png`),
  })
  expect(readFileSync(join(root, 'stills/hero.png'), 'utf8')).toBe('new')
  expect(readFileSync(join(kept, `stills/hero.${digits}.png`), 'utf8')).toBe('old')
})

test('the same file can be replaced and kept twice', async () => {
  await publishPart('hero.png', 'old')
  await publishPart('hero.png', 'new', ['old'])
  await publishPart('hero.png', 'old', ['new'])
  expect(await publishPart('hero.png', 'new', ['old', 'new'])).toMatchObject({ got: 'published' })
  expect(tree(kept)).toHaveLength(2)
})

test.each([
  '../hero.png',
  '/tmp/hero.png',
  'a/../../hero.png',
  'a//b.png',
  './a.png',
  '',
  'a\\b.png',
  'C:/a.png',
  '.genrun/x.part',
  '.git/HEAD',
  'sub/.GIT/a.png',
  'a\n.png',
])('the name %j is refused', async path => {
  expect(isInside(path)).toBe(false)
  await expect(publishPart(path, 'new')).rejects.toThrow('it lies outside the output folder')
})

test.each(['a.png', 'stills/AS-101_1x1.png', '…/é.png', 'a..b/c...png', 'x/.genrun/y.png'])(
  'the name %j is accepted',
  path => {
    expect(isInside(path)).toBe(true)
  },
)

test('a link that leads out of the folder is not followed, one that stays inside is', async () => {
  mkdirSync(join(root, '..', 'secrets'))
  symlinkSync(join(root, '..', 'secrets'), join(root, 'stills'))
  await expect(publishPart('stills/hero.png', 'new')).rejects.toThrow(
    'it is a link that leads out of the output folder',
  )
  expect(readdirSync(join(root, '..', 'secrets'))).toEqual([])
  mkdirSync(join(root, 'real'))
  symlinkSync(join(root, 'real'), join(root, 'alias'))
  expect(await publishPart('alias/hero.png', 'new')).toEqual({ got: 'published' })
  expect(tree()).toContain('real/hero.png')
})

test('a file where a folder is needed is told', async () => {
  writeFileSync(join(root, 'stills'), 'by hand')
  await expect(publishPart('stills/hero.png', 'new')).rejects.toMatchObject({
    name: 'StorageTrouble',
    detail: 'it is in the way: a folder is needed there',
  })
})

test('whatever lies in the folder, no file that genrun did not make changes or goes away', async () => {
  const name = fc.constantFrom('a.png', 'b.png', 's/a.png')
  const contents = fc.constantFrom('one', 'two', 'three')
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, contents),
      fc.array(fc.tuple(name, contents), { maxLength: 6 }),
      async (byHand, paid) => {
        const disk = memoryDisk()
        await place(disk, '/out/.genrun/.gitignore', '*')
        for (const [path, text] of Object.entries(byHand)) await place(disk, `/out/${path}`, `hand ${text}`)
        const made = new Set<string>()
        for (const [path, text] of paid) {
          await place(disk, '/out/.genrun/p', text)
          const isOurs = (digest: Digest) => made.has(digest)
          await publishOutput({
            root: '/out',
            part: '/out/.genrun/p',
            digest: digestBytes(text),
            path,
            isOurs,
            kept: '/k',
            disk,
          })
          made.add(digestBytes(text))
        }
        for (const [path, text] of Object.entries(byHand))
          expect(disk.files()[`/out/${path}`]).toBe(`hand ${text}`)
      },
    ),
  )
})

test('whenever the power is cut while a paid file is replaced, both are whole, and again leads to the end', async () => {
  const publication = {
    root: '/out',
    part: '/out/.genrun/p',
    digest: digestBytes('new'),
    path: 'hero.png',
    kept: '/k',
  }
  const isOurs = (digest: Digest) => digest === digestBytes('old') || digest === digestBytes('new')
  for (let step = 1; step < 40; step++) {
    const disk = memoryDisk()
    await place(disk, '/out/.genrun/p', 'new')
    await place(disk, '/out/hero.png', 'old')
    disk.stopAt(disk.calls.length + step)
    const ended = await publishOutput({ ...publication, isOurs, disk }).catch(error => error)
    for (const after of fates(disk)) {
      expect(Object.values(after.files())).toEqual(expect.arrayContaining(['old', 'new']))
      expect([undefined, 'old', 'new']).toContain(after.files()['/out/hero.png'])
      if (after.look('/out/.genrun/p')) await publishOutput({ ...publication, isOurs, disk: after })
      expect(after.files()['/out/hero.png']).toBe('new')
      expect(Object.values(after.files())).toContain('old')
    }
    if (!(ended instanceof StorageError)) return
  }
  expect.unreachable('it must end')
})

test.each([
  ['copied', copyToPart, false],
  ['given a second name', (from: string, to: string) => spooledToPart(from, to), true],
])('a spooled file is %s, counted and digested; what was there before makes way', async (_, act, isOne) => {
  const spooled = join(base, 'spooled')
  const older = join(base, 'older')
  writeFileSync(spooled, 'picture')
  writeFileSync(older, 'a cut older part')
  rmSync(part, { force: true })
  linkSync(older, part)
  // Twice: an attempt may have ended in between.
  for (const nth of [1, 2]) {
    const said = await act(spooled, part)
    expect(said, `time ${nth}`).toEqual({ bytes: 7, digest: digestBytes('picture') })
    expect(readFileSync(part, 'utf8')).toBe('picture')
    expect(statSync(part).ino === statSync(spooled).ino).toBe(isOne)
  }
  expect(readFileSync(older, 'utf8')).toBe('a cut older part')
})

test('where a file can have one name only, a spooled one is copied', async () => {
  const disk = memoryDisk()
  disk.without('links')
  await place(disk, '/spool/a', 'picture')
  await place(disk, '/out/.genrun/p', 'older')
  expect(await spooledToPart('/spool/a', '/out/.genrun/p', { disk })).toMatchObject({ bytes: 7 })
  expect(disk.files()).toEqual({ '/spool/a': 'picture', '/out/.genrun/p': 'picture' })
  expect(disk.look('/spool/a')?.identity).not.toBe(disk.look('/out/.genrun/p')?.identity)
})

test('what this process wrote to the spool is not read for its digest', async () => {
  const disk = { ...systemDisk, readPieces: () => expect.unreachable('it is read') }
  const spool = openSpool(join(base, 'spool'), disk)
  const path = await spool.sink(Readable.from([Buffer.from('pic'), Buffer.from('ture')]), 'a1')
  const written = spool.written(path)
  expect(written).toEqual({ bytes: 7, digest: digestBytes('picture') })
  expect(await spooledToPart(path, part, { disk, written })).toEqual(written)
  expect(readFileSync(part, 'utf8')).toBe('picture')
  spool.remove([path])
  expect(spool.written(path)).toBeUndefined()
})

test('the way to an output folder is found once, and again when another lies there', async () => {
  let found = 0
  const disk = {
    ...systemDisk,
    realPath(path: string) {
      found++
      return systemDisk.realPath(path)
    },
  }
  const places = async () => [findPlace(disk, root, 'hero.png'), await makePlace(disk, root, 'stills/a.png')]
  const expected = [join(root, 'hero.png'), join(root, 'stills', 'a.png')]
  for (let nth = 0; nth < 5; nth++) expect(await places()).toEqual(expected)
  expect(found).toBe(1)
  renameSync(root, `${root}-moved`)
  expect(findPlace(disk, root, 'hero.png')).toBeUndefined()
  await expect(makePlace(disk, root, 'stills/a.png')).rejects.toThrow(StorageError)
  expect(existsSync(root)).toBe(false)
  symlinkSync(`${root}-moved`, root)
  expect(await places()).toEqual(expected.map(path => path.replace(root, `${root}-moved`)))
})

function savedAs(path: string, contents: string): SavedFile {
  return { path, digest: digestBytes(contents), bytes: contents.length, type: 'image/png' }
}

test.each([
  ['as it was', 'teapot', 'same', 'same'],
  ['of another length', 'teapots', 'altered', 'altered'],
  ['of the same length with other bytes', 'teapoT', 'same', 'altered'],
])('a file %s', async (_, contents, glance, reading) => {
  writeFileSync(join(root, 'hero.png'), contents)
  expect(findSaved(savedAs('hero.png', 'teapot'), root)).toBe(glance)
  expect(await verifySaved(savedAs('hero.png', 'teapot'), root)).toBe(reading)
})

test.each(['hero.png', 'stills/hero.png', '../outside.png'])('a file that is not there: %s', async path => {
  writeFileSync(join(root, '..', 'outside.png'), 'teapot')
  expect(findSaved(savedAs(path, 'teapot'), root)).toBe('missing')
  expect(await verifySaved(savedAs(path, 'teapot'), root)).toBe('missing')
})

test('a file behind a link that leads out is not ours', () => {
  mkdirSync(join(root, '..', 'other'))
  writeFileSync(join(root, '..', 'other', 'hero.png'), 'teapot')
  symlinkSync(join(root, '..', 'other'), join(root, 'stills'))
  expect(findSaved(savedAs('stills/hero.png', 'teapot'), root)).toBe('missing')
})

test('for many files a folder is looked at once, and again by whoever has waited', async () => {
  mkdirSync(join(root, 'stills'))
  for (const name of ['a.png', 'b.png', 'c.png']) writeFileSync(join(root, 'stills', name), 'teapot')
  const looks: string[] = []
  const disk = { ...systemDisk, look: (path: string) => (looks.push(path), systemDisk.look(path)) }
  const find = savedFinder(root, disk)
  const found = (name: string) => find(savedAs(`stills/${name}`, 'teapot'))
  expect(['a.png', 'b.png', 'd.png'].map(found)).toEqual(['same', 'same', 'missing'])
  expect(looks.filter(path => path === join(root, 'stills'))).toHaveLength(1)
  expect(['../outside.png', '.', '..'].map(found)).toEqual(['missing', 'missing', 'missing'])
  await Promise.resolve()
  rmSync(join(root, 'stills'), { recursive: true })
  mkdirSync(join(root, '..', 'other'))
  writeFileSync(join(root, '..', 'other', 'c.png'), 'teapot')
  symlinkSync(join(root, '..', 'other'), join(root, 'stills'))
  expect(found('c.png')).toBe('missing')
})

test('an output folder that cannot be made is told', async () => {
  writeFileSync(join(base, 'file'), '')
  await expect(prepareOutputs(join(base, 'file', 'out'))).rejects.toThrow(StorageError)
})
