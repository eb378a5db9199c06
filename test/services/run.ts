import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/names.ts'
import { runManifest } from '../../src/verbs/run.ts'
import { type NamedService, nowhere, type Service } from '../../src/workspace/service/service.ts'
import { samples } from '../media/samples.ts'
import type { Double } from './double.ts'
import { type ShapeName, shapes } from './shapes.ts'

export const examples = join(import.meta.dirname, '../../examples/services')

/** The examples in a folder of their own, with the picture that they send. */
export async function project(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'services-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(examples, folder, { recursive: true, filter: path => !/[/\\](out|\.genrun)$/.test(path) })
  writeFileSync(join(folder, 'lantern.png'), (await samples()).png)
  return folder
}

/** Services whose answer to an order is the result: there is no run to ask for. */
export const atOnce: readonly string[] = ['base64-images', 'binary-speech', 'multipart']

export type Doubles = { readonly [Name in ShapeName]?: Double }

/** As a person's own settings would name it. */
function declared(cwd: string, name: string, double: Double): NamedService {
  const base = name === 'operations' ? '/v1beta' : ''
  return {
    baseUrl: `${double.origin}${base}`,
    key: double.key,
    uploadOrigins: [double.other],
    profile: join(cwd, `${name}.profile.yaml`),
  }
}

/** No usual service, and these that jobs may name. */
export function servicesAt(cwd: string, doubles: Doubles): Service {
  const others = Object.entries(doubles).map(([name, double]) => [name, declared(cwd, name, double)])
  return { baseUrl: nowhere, key: '', rehearsal: false, isNone: true, others: Object.fromEntries(others) }
}

/** The settings of a person whose home `cwd` is, in a file of their own. */
export function writeSettings(cwd: string, doubles: Doubles, more: JsonObject = {}): void {
  const services = Object.entries(doubles).map(([name, double]) => {
    const { baseUrl, uploadOrigins, profile } = declared(cwd, name, double)
    const keyFile = join(cwd, `.${name}-key`)
    writeFileSync(keyFile, double.key, { mode: 0o600 })
    return [name, { baseUrl, apiKeyFile: keyFile, uploadOrigins, profile, ...more }]
  })
  const path = join(cwd, '.config/genrun/config.yaml')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ services: Object.fromEntries(services) }))
}

type More = Partial<Parameters<typeof runManifest>[0]>

/** Runs the manifest at these doubles, all of it if nothing is selected. */
export async function runAll(cwd: string, doubles: Doubles, more: More = {}) {
  const result = await runManifest({
    manifest: 'everywhere.yaml',
    cwd,
    service: servicesAt(cwd, doubles),
    emit: () => {},
    stop: new AbortController().signal,
    ...more,
  })
  if (result.got !== 'report') return expect.fail(JSON.stringify(result))
  return result.report
}

/** Runs the jobs of one shape at its double. The others are declared, and lead nowhere. */
export function runAt(cwd: string, name: ShapeName, double: Double, more: More = {}) {
  const doubles = {
    ...everywhere({ ...double, origin: new URL(nowhere).origin, key: 'key-of-nobody-0000' }),
    [name]: double,
  }
  return runAll(cwd, doubles, { select: { tags: [name] }, ...more })
}

/** One double under all names. */
export function everywhere(double: Double): Doubles {
  return Object.fromEntries(Object.keys(shapes).map(name => [name, double]))
}
