import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolders, systemDisk } from '../../../src/store/files/disk.ts'
import { publish } from '../../../src/store/files/publish.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'genrun-system-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: as some file system says`), { code })
}

/** Puts a call of the system in the place of the real one until the test ends. */
function replaced<Name extends 'fsync' | 'linkSync'>(name: Name, call: (typeof fs)[Name]): void {
  const real = fs[name]
  fs[name] = call
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs[name] = real
    syncBuiltinESMExports()
  })
}

function syncsFailWith(code: string): void {
  const call = (_: number, done: (error: Error) => void) => done(failing(code))
  replaced('fsync', call as typeof fs.fsync) // it is called in this form only
}

test.each(['EINVAL', 'ENOTSUP', 'ENOSYS'])(
  'a folder that knows no sync (%s) is none that fails',
  async code => {
    const made = folder()
    syncsFailWith(code)
    await systemDisk.syncFolder(made)
    await makeFolders(systemDisk, join(made, 'a', 'b'))
    expect(readdirSync(made)).toEqual(['a'])
  },
)

test.each(['EIO', 'ENOSPC', 'EDQUOT'])('a sync of a folder that failed (%s) is told', async code => {
  const made = folder()
  syncsFailWith(code)
  await expect(systemDisk.syncFolder(made)).rejects.toMatchObject({ name: 'StorageTrouble', code })
})

// NTFS and others on Linux, SMB on macOS, Android, exFAT on Windows, a file with as many names as it can have.
test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EACCES', 'EISDIR', 'EMLINK', 'EXDEV'])(
  'a file gets its final name where a second one cannot be given (%s)',
  async code => {
    const made = folder()
    replaced('linkSync', () => {
      throw failing(code)
    })
    writeFileSync(join(made, 'part'), 'picture')
    expect(await publish(systemDisk, join(made, 'part'), join(made, 'hero.png'))).toBe('published')
    expect(readdirSync(made)).toEqual(['hero.png'])
    expect(readFileSync(join(made, 'hero.png'), 'utf8')).toBe('picture')
  },
)

test.each(['ENOSPC', 'EIO', 'EROFS'])(
  'a name that cannot be given for another reason (%s) is told',
  async code => {
    const made = folder()
    replaced('linkSync', () => {
      throw failing(code)
    })
    writeFileSync(join(made, 'part'), 'picture')
    const published = publish(systemDisk, join(made, 'part'), join(made, 'hero.png'))
    await expect(published).rejects.toMatchObject({ name: 'StorageTrouble', code })
    expect(readdirSync(made)).toEqual(['part'])
  },
)

test.runIf(process.platform === 'linux')(
  'a kind of disk that is not known to date its folders is not counted on',
  () => {
    expect(systemDisk.datesNames('/proc')).toBe(false)
    expect(systemDisk.datesNames('/sys')).toBe(false)
  },
)
