import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openPart, type Part, tryPart } from '../../../src/wire/transfer/part.ts'

// The file handles of Yarn's Plug'n'Play answer so.
vi.mock(import('node:fs/promises'), async original => {
  const real = await original()
  const open: typeof real.open = async (...given) => {
    const file = await real.open(...given)
    const missing = async () => {
      throw new Error('Method not implemented.')
    }
    return Object.assign(file, { sync: missing, datasync: missing, truncate: missing })
  }
  return { ...real, open }
})

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'genrun-part-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

test('a download is saved where file handles have no sync of their own', async () => {
  const path = join(folder, 'a.part')
  const part = (await openPart(path)) as Part
  expect(await part.write(new TextEncoder().encode('paid for'))).toBeUndefined()
  expect(await part.finish()).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(readFileSync(path, 'utf8')).toBe('paid for')
})

test('a folder that takes downloads passes the trial; what was tried is left to whoever asked', async () => {
  expect(await tryPart(join(folder, 'a.part'))).toBeUndefined()
  expect(readdirSync(folder)).toEqual(['a.part'])
})

test('a folder that is not there fails the trial with its reason', async () => {
  const path = join(folder, 'none', 'a.part')
  expect(await tryPart(path)).toMatchObject({
    why: 'unsaved',
    path,
    detail: expect.stringMatching(/ENOENT|not there/),
  })
})
