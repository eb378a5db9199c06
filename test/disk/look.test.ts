import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { exactStatAt, nameAt, statAt } from '../../src/disk/look.ts'

const root = mkdtempSync(join(tmpdir(), 'genrun-look-'))
afterAll(() => rmSync(root, { recursive: true }))

test.each([
  ['statAt', statAt],
  ['nameAt', nameAt],
  ['exactStatAt', exactStatAt],
])('%s finds nothing below a file, and nothing where nothing is', (_, look) => {
  const file = join(root, 'out')
  writeFileSync(file, '')
  expect(look(file)?.isFile()).toBe(true)
  expect(look(join(file, 'campaign'))).toBeUndefined()
  expect(look(join(root, 'none', 'at', 'all'))).toBeUndefined()
})
