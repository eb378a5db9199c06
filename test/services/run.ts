import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { runManifest } from '../../src/verbs/run.ts'
import { samples } from '../media/samples.ts'
import type { Double } from './double.ts'
import type { ShapeName } from './shapes.ts'

export const examples = join(import.meta.dirname, '../../examples/services')

/** The examples in a folder of their own, with the picture that they send. */
export async function project(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'services-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(examples, folder, { recursive: true, filter: path => !/[/\\](out|\.genrun)$/.test(path) })
  writeFileSync(join(folder, 'lantern.png'), (await samples()).png)
  return folder
}

type More = Partial<Parameters<typeof runManifest>[0]>

/** Runs the jobs of one shape at its double. */
export async function runAt(cwd: string, name: ShapeName, double: Double, more: More = {}) {
  const base = name === 'operations' ? '/v1beta' : ''
  const result = await runManifest({
    manifest: 'everywhere.yaml',
    cwd,
    profile: `${name}.profile.yaml`,
    service: {
      baseUrl: `${double.origin}${base}`,
      key: double.key,
      rehearsal: false,
      uploadOrigins: [double.other],
    },
    select: { tags: [name] },
    emit: () => {},
    stop: new AbortController().signal,
    ...more,
  })
  if (result.got !== 'report') return expect.fail(JSON.stringify(result))
  return result.report
}
