import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openDrawer } from '../../src/disk/drawer.ts'

const root = mkdtempSync(join(tmpdir(), 'genrun-drawer-'))
afterAll(() => rmSync(root, { recursive: true }))
const folder = join(root, 'small')
const name = `${'a'.repeat(64)}.webp`
const other = `${'b'.repeat(64)}.webp`
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

beforeEach(() => rmSync(folder, { recursive: true, force: true }))

/** Somebody swaps the folder after so many looks at it. */
const oursFor = (looks: number) => () => looks-- > 0
const ours = () => true

test('what was put there is taken, and replaced as a whole', async () => {
  const drawer = openDrawer(folder, ours)
  expect(drawer.take(name)).toBeUndefined()
  for (const each of ['one', 'two']) {
    await drawer.put(name, Buffer.from(each))
    expect(text(drawer.take(name))).toBe(each)
  }
  expect(readdirSync(folder)).toEqual([name])
  if (process.platform !== 'win32')
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600])
})

test('nothing is read, made, renamed or removed in a folder that is not ours, or not any more', async () => {
  mkdirSync(folder)
  writeFileSync(join(folder, name), 'theirs')
  const left = () => readdirSync(folder).map(each => [each, readFileSync(join(folder, each), 'utf8')])
  expect(openDrawer(folder, () => false).take(name)).toBeUndefined()
  for (const looks of [0, 1, 2]) await openDrawer(folder, oursFor(looks)).put(name, Buffer.from('mine'))
  for (const looks of [0, 1]) openDrawer(folder, oursFor(looks)).tidy(() => false)
  expect(left()).toEqual([[name, 'theirs']])
  rmSync(folder, { recursive: true })
  await openDrawer(folder, () => false).put(name, Buffer.from('mine'))
  expect(readdirSync(root)).toEqual([])
})

test('what leads elsewhere, or is larger than what is drawn, is not taken', async () => {
  const drawer = openDrawer(folder, ours)
  await drawer.put(name, Buffer.from('one'))
  writeFileSync(join(root, 'secret'), 'canary')
  symlinkSync(join(root, 'secret'), join(folder, other))
  expect(drawer.take(other)).toBeUndefined()
  truncateSync(join(folder, name), 4 * 1024 * 1024)
  expect(drawer.take(name)).toHaveLength(4 * 1024 * 1024)
  truncateSync(join(folder, name), 4 * 1024 * 1024 + 1)
  expect(drawer.take(name)).toBeUndefined()
  rmSync(join(root, 'secret'))
})

test('what nobody needs goes, and what was half written; what has another name stays', async () => {
  const drawer = openDrawer(folder, ours)
  drawer.tidy(ours)
  for (const each of [name, other]) await drawer.put(each, Buffer.from('x'))
  const strange = ['notes.txt', `x${name}`, 'a'.repeat(64)]
  for (const each of [`${name}.0123`, ...strange]) writeFileSync(join(folder, each), 'x')
  drawer.tidy(each => each === name)
  expect(readdirSync(folder).toSorted()).toEqual([name, ...strange].toSorted())
})

test('what the disk does not take is no trouble, and leaves nothing', async () => {
  mkdirSync(join(folder, name), { recursive: true })
  await openDrawer(folder, ours).put(name, Buffer.from('x'))
  expect(readdirSync(folder)).toEqual([name])
})

test.each([
  '../secret',
  `../${name}`,
  'a.webp',
  `${name}/x`,
  `${'A'.repeat(64)}.webp`,
  `${'a'.repeat(64)}.w`,
  `${'a'.repeat(64)}.WEBP`,
])('a name that is none of ours is a bug: %s', async bad => {
  await expect(openDrawer(folder, ours).put(bad, Buffer.from('x'))).rejects.toThrow(
    `not a name for a drawer: ${bad}`,
  )
  expect(openDrawer(folder, ours).take(bad)).toBeUndefined()
})
