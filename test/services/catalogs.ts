import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect } from 'vitest'
import type { Model } from '../../src/catalog/index.ts'
import { readCatalog } from '../../src/workspace/read/own-models.ts'

/** The models of a catalog file, which must be without problems. */
export function readSource(path: string): readonly Model[] {
  const { value, problems } = readCatalog({ name: basename(path), text: readFileSync(path, 'utf8') })
  return value ?? expect.fail(JSON.stringify(problems))
}
