import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildOnce } from './build-once.ts'
import { freshFolder } from './executable.ts'

function built(lock: string, freshAfter = Number.POSITIVE_INFINITY): number {
  let [builds, looks] = [0, 0]
  buildOnce({ lock, isFresh: () => builds > 0 || looks++ >= freshAfter, build: () => void builds++ })
  return builds
}

test('what is fresh is not built, and the lock is given back', () => {
  const lock = join(freshFolder(), 'lock')
  expect([built(lock, 0), built(lock), existsSync(lock)]).toEqual([0, 1, false])
})

test('what another has built since it was seen to be stale is not built again', () => {
  expect(built(join(freshFolder(), 'lock'), 1)).toBe(0)
})

test('the lock of a process that was killed while it built keeps nobody waiting', () => {
  const lock = join(freshFolder(), 'lock')
  writeFileSync(lock, String(spawnSync(process.execPath, ['--version']).pid))
  expect(built(lock)).toBe(1)
})

test('so does the folder that earlier versions left', () => {
  const lock = join(freshFolder(), 'lock')
  mkdirSync(lock)
  expect(built(lock)).toBe(1)
})

test('while somebody who lives builds, nobody else does', () => {
  const lock = join(freshFolder(), 'lock')
  writeFileSync(lock, String(process.pid))
  expect([built(lock, 2), existsSync(lock)]).toEqual([0, true])
})
