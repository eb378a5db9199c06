import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { madeMark } from '../../../src/disk/made.ts'
import { sweep } from '../../../src/gateway/runs/backend-place.ts'

const hour = 3_600_000

/** A process that was there and is no more. */
const gone = spawnSync(process.execPath, ['-e', '']).pid

test('folders of processes that are gone are removed, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-sweep-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const now = Date.now()
  const make = (name: string, ageMs: number) => {
    mkdirSync(join(folder, name, 'outputs'), { recursive: true })
    writeFileSync(join(folder, name, 'input-1'), 'x')
    if (!name.endsWith('-nomark')) writeFileSync(join(folder, name, madeMark), '')
    const at = (now - ageMs) / 1000
    utimesSync(join(folder, name), at, at)
  }
  make(`genrun-backend-${gone}-abcdef`, 2 * hour)
  make(`genrun-backend-${gone}-nomark`, 2 * hour)
  make(`genrun-backend-${gone}-recent`, 0.5 * hour)
  make(`genrun-backend-${process.pid}-abcdef`, 2 * hour)
  make('genrun-backend-test-abcdef', 2 * hour)
  make(`other-${gone}-abcdef`, 2 * hour)
  make('elsewhere', 2 * hour)
  symlinkSync(join(folder, 'elsewhere'), join(folder, `genrun-backend-${gone}-linked`))
  writeFileSync(join(folder, `genrun-backend-${gone}-afiles`), 'x')
  await sweep(folder, now)
  expect(readdirSync(folder).toSorted()).toEqual(
    [
      'elsewhere',
      `genrun-backend-${gone}-afiles`,
      `genrun-backend-${gone}-linked`,
      `genrun-backend-${gone}-nomark`,
      `genrun-backend-${gone}-recent`,
      `genrun-backend-${process.pid}-abcdef`,
      'genrun-backend-test-abcdef',
      `other-${gone}-abcdef`,
    ].toSorted(),
  )
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([madeMark, 'input-1', 'outputs'])
})
