import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { SpoolSink } from '../../src/wire/http/wire.ts'

/** A folder that is gone after the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wire-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A spool in a folder of its own. */
export async function testSpool(): Promise<SpoolSink & { readonly names: string[] }> {
  const folder = await testFolder()
  const names: string[] = []
  const sink: SpoolSink = async (bytes, name) => {
    names.push(name)
    const path = join(folder, name)
    await writeFile(path, bytes, { flag: 'wx' })
    return path
  }
  return Object.assign(sink, { names })
}
