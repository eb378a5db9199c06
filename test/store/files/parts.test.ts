import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
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

test('what an earlier run left is found by its name alone, in the folder of parts', () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()]
  const [older, other, own] = [
    openParts({ folder, owner: 'teapots', token: 'older' }),
    openParts({ folder, owner: 'cups', token: 'older' }),
    openParts({ folder, owner: 'teapots', token: 'own' }),
  ]
  const [left, others, linked] = [older.path('hero', 0), other.path('hero', 0), older.path('hero', 1)]
  for (const path of [left, others, join(elsewhere, 'mine.part'), join(folder, 'notes.part')])
    writeFileSync(path, 'x')
  symlinkSync(join(elsewhere, 'mine.part'), linked)
  expect(own.find(left)).toBe(left)
  expect(own.find(join('/where/it/was', basename(left)))).toBe(left)
  for (const path of [
    others,
    linked,
    join(elsewhere, 'mine.part'),
    join(folder, 'notes.part'),
    folder,
    '..',
    '',
  ])
    expect(own.find(path)).toBeUndefined()
  own.sweep(new Set([join('/where/it/was', basename(left))]))
  expect(own.find(left)).toBe(left)
})
