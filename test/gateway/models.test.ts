import { beforeAll, describe, expect, test } from 'vitest'
import { type MediaKind, type Model, models, outputKind } from '../../src/catalog/index.ts'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { probe } from '../../src/media/probe.ts'
import { order } from './start.ts'

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

function leastParams(model: Model): { [name: string]: unknown } {
  const required = Object.entries(model.params).filter(([, param]) => param.required)
  return Object.fromEntries(
    required.map(([name, param]) => {
      if (param.type !== 'file') return [name, 'A teapot on wet slate']
      return [name, param.maxItems === undefined ? inputs[param.media] : [inputs[param.media]]]
    }),
  )
}

describe('every model makes a real file of what its answer says', () => {
  test.each<[string, Model]>(Object.entries(models))('%s', async (id, model) => {
    const { status, body } = await order(gateway, 'execute', { model: id, ...leastParams(model) })
    expect([status, body.status, body.error]).toEqual([200, 'completed', undefined])
    const [output] = body.outputs
    const probed = await probe(new Uint8Array(await (await fetch(output.url)).arrayBuffer()))
    if (probed.got === 'broken') throw new Error(probed.why)
    const { kind, type, width, height, seconds } = probed.media
    expect({ kind, type, width, height }).toEqual({
      kind: outputKind(model),
      type: output.type,
      width: output.width,
      height: output.height,
    })
    if (kind !== 'image') expect(Math.abs((seconds ?? 0) - output.seconds)).toBeLessThan(0.05)
  })
})
