import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type MediaKind, type Model, models, outputKind, type Param } from '../../src/catalog/index.ts'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { probe } from '../../src/media/probe.ts'
import { order } from './start.ts'
import { has, lookAt, needs } from './tools.ts'

/**
 * What each model makes, as ImageMagick and ffprobe see it: from no more than it must be told, and from every parameter
 * at its last or largest value (four pictures at most). After a wanted change: `UPDATE_GOLDEN=1 npx vitest run test/gateway/models.test.ts`.
 */
const path = new URL('./models.json', import.meta.url)
const expected: { [id: string]: { least: string; fullest: string } } = JSON.parse(readFileSync(path, 'utf8'))

/** One gateway for all models, with the built-in renderer; made files serve as inputs. */
let gateway: Gateway
let inputs: { readonly [kind in MediaKind]: string }

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  const made = async (model: string, more = {}) =>
    (await order(gateway, 'execute', { model, prompt: 'A teapot', ...more })).body.outputs[0].url
  inputs = {
    image: await made('famb-v4'),
    video: await made('famc-v3', { duration: 3 }),
    audio: await made('famc-t2a'),
  }
  return () => gateway.close()
})

const ways = { least: leastParams, fullest: fullestParams } as const
const cases = Object.values(models).flatMap(model =>
  (['least', 'fullest'] as const).map((way): [string, 'least' | 'fullest', Model] => [model.id, way, model]),
)

describe('every model makes real files of what its answer says', () => {
  test.each(cases)(
    '%s from the %s parameters',
    async (id, way, model) => {
      const { outputs, files } = await made(model, ways[way](model))
      for (const [k, bytes] of files.entries()) {
        const probed = await probe(bytes)
        if (probed.got === 'broken') throw new Error(probed.why)
        const { kind, type, width, height, seconds } = probed.media
        const output = outputs[k]
        expect({ kind, type, width, height, bytes: bytes.length }).toEqual({
          kind: outputKind(model),
          type: output.type,
          width: output.width,
          height: output.height,
          bytes: output.bytes,
        })
        if (kind !== 'image') expect(Math.abs((seconds ?? 0) - output.seconds)).toBeLessThan(0.05)
      }
      // Takes of one order differ.
      expect(new Set(files.map(digest)).size).toBe(files.length)
      if (!has('identify') || !has('ffprobe')) return
      const first = lookAt(files[0]!)
      if (files.length > 1) expect(lookAt(files.at(-1)!)).toBe(first)
      // How long speech is depends on the synthesiser.
      const seen = model.inputType === 'tts' ? first.replace(/ .*/, '') : first
      const line = files.length === 1 ? seen : `${files.length} × ${seen}`
      if (process.env.UPDATE_GOLDEN) update(id, way, line)
      expect(line).toBe(expected[id]?.[way])
    },
    60_000,
  )
})

test('these files were seen by ImageMagick and ffprobe', context => {
  needs(context, 'identify')
  needs(context, 'ffprobe')
  expect(Object.keys(expected)).toEqual(Object.keys(models))
})

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at by tests, which know their shape
async function made(model: Model, params: Params): Promise<{ outputs: any[]; files: Uint8Array[] }> {
  const { status, body } = await order(gateway, 'execute', { ...params, model: model.id })
  expect([status, body.status, body.error]).toEqual([200, 'completed', undefined])
  const fetched = body.outputs.map(
    async (output: { url: string }) => new Uint8Array(await (await fetch(output.url)).arrayBuffer()),
  )
  return { outputs: body.outputs, files: await Promise.all(fetched) }
}

interface Params {
  readonly [name: string]: unknown
}

function leastParams(model: Model): Params {
  const required = Object.entries(model.params).filter(([, param]) => param.required)
  return Object.fromEntries(required.map(([name, param]) => [name, largest(name, param)]))
}

function fullestParams(model: Model): Params {
  return Object.fromEntries(Object.entries(model.params).map(([name, param]) => [name, largest(name, param)]))
}

function largest(name: string, param: Param): unknown {
  switch (param.type) {
    case 'text':
      return name === 'language' ? 'German' : 'A teapot on wet slate'
    case 'enum':
      // Four large pictures show as much as ten.
      return name === 'count' ? param.values.findLast(value => Number(value) <= 4) : param.values.at(-1)
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return param.maximum
    case 'file':
      return param.maxItems === undefined
        ? inputs[param.media as keyof typeof inputs] // no built-in model takes a file of any kind
        : Array(param.maxItems).fill(inputs[param.media as keyof typeof inputs])
    case 'object[]':
      return Array.from({ length: param.maxItems }, (_, k) =>
        Object.fromEntries(param.members.map(member => [member, memberValue(member, k + 1)])),
      )
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function memberValue(member: string, nth: number): unknown {
  const file = /^(image|video|audio)_url$/.exec(member)?.[1]
  if (file) return inputs[file as MediaKind] // by the pattern
  if (member === 'index') return nth
  return member === 'duration' ? 2 : `${member} ${nth}`
}

function update(id: string, way: 'least' | 'fullest', line: string): void {
  const others = expected[id] ?? { least: '', fullest: '' }
  expected[id] = { ...others, [way]: line }
  writeFileSync(path, `${JSON.stringify(expected, undefined, 2)}\n`)
}
