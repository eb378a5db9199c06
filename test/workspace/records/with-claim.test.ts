import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Disk, systemDisk } from '../../../src/store/files/disk.ts'
import { stateFolder } from '../../../src/store/files/state-folder.ts'
import { thisMachine } from '../../../src/workspace/machine.ts'
import { withClaim } from '../../../src/workspace/records/with-claim.ts'

/** A project in a folder of its own, and work that says whether it was come to. */
function project() {
  const around = mkdtempSync(join(tmpdir(), 'genrun-moved-'))
  onTestFinished(() => rmSync(around, { recursive: true, force: true }))
  const home = join(around, 'p')
  mkdirSync(home)
  const state = join(home, '.genrun', 'm')
  const layout = { output: join(home, 'out'), lock: join(home, 'm.lock.json'), state, rehearsal: false }
  const begin = (disk: Disk) =>
    withClaim(
      { layout, folders: stateFolder(state), machine: { ...thisMachine, disk } },
      async () => 'at work',
    )
  return { home, begin }
}

test('a project that was moved away before the claim is not made anew in its old place', async () => {
  const { home, begin } = project()
  renameSync(home, `${home}-moved`)
  expect(await begin(systemDisk)).toMatchObject({
    got: 'damaged',
    message: `could not open ${home}: it was moved or removed while genrun began`,
  })
  expect(existsSync(home)).toBe(false)
})

test('one that was moved while its state came into being is not worked in', async () => {
  const { home, begin } = project()
  let isMoved = false
  const disk: Disk = {
    ...systemDisk,
    makeFolder(path, mode) {
      if (!isMoved) renameSync(home, `${home}-moved`)
      if (!isMoved) mkdirSync(home)
      isMoved = true
      systemDisk.makeFolder(path, mode)
    },
  }
  expect(await begin(disk)).toMatchObject({
    got: 'damaged',
    message: expect.stringContaining('moved or removed'),
  })
})

test('one that stays is worked in', async () => {
  const { begin } = project()
  expect(await begin(systemDisk)).toBe('at work')
})
