import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openParts } from '../../../src/store/files/parts.ts'

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-parts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('parts lie in one folder, one for each run, key and number, whatever the key is', () => {
  const own = { folder: '/o', owner: 'teapots', token: 'run 1' }
  const parts = openParts(own)
  const paths = [
    parts.path('k1', 0),
    parts.path('k1', 1),
    parts.path('k2', 0),
    parts.path('../../evil', 0),
    openParts({ ...own, token: 'run 2' }).path('k1', 0),
    openParts({ ...own, owner: 'cups' }).path('k1', 0),
  ]
  for (const path of paths) expect(path).toMatch(/^\/o\/([0-9a-f]{16}-){3}[01]\.part$/)
  expect(new Set(paths).size).toBe(paths.length)
  expect(openParts(own).path('k1', 0)).toBe(paths[0])
})

test('what earlier runs of the same owner left is swept, less what is needed', () => {
  const folder = freshFolder()
  const [older, other, own] = [
    openParts({ folder, owner: 'teapots', token: 'older' }),
    openParts({ folder, owner: 'cups', token: 'older' }),
    openParts({ folder, owner: 'teapots', token: 'own' }),
  ]
  const needed = older.path('needed', 0)
  const stays = [needed, other.path('hero', 0), own.path('hero', 0), join(folder, 'notes.part')]
  for (const path of [...stays, older.path('hero', 0)]) writeFileSync(path, 'x')
  own.sweep(new Set([needed]))
  expect(readdirSync(folder).map(name => join(folder, name))).toEqual(stays.toSorted())
})

test('there may be nothing to sweep, and what cannot be removed stays', () => {
  const folder = freshFolder()
  openParts({ folder: join(folder, 'none'), owner: 'teapots', token: 'own' }).sweep(new Set())
  const stuck = openParts({ folder, owner: 'teapots', token: 'older' }).path('hero', 0)
  mkdirSync(join(stuck, 'full'), { recursive: true })
  openParts({ folder, owner: 'teapots', token: 'own' }).sweep(new Set())
  expect(readdirSync(stuck)).toEqual(['full'])
})
