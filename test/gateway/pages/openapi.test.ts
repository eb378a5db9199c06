import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { models } from '../../../src/catalog/index.ts'
import { openApiDocument } from '../../../src/gateway/pages/openapi.ts'
import { finished, order, pixel, result, send, start } from '../start.ts'

/** The document, looked at by tests, which know its shape. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests know the shape
const document: any = openApiDocument(Object.values(models), 'http://127.0.0.1:4000/gw-v2')

test('it is served without a key, for the address it was asked under', async () => {
  const gateway = await start()
  const response = await fetch(`${gateway.baseUrl}/openapi.json`)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({ ...document, servers: [{ url: gateway.baseUrl }] })
})

test('every model has both ways in, with a name of its own', () => {
  const posts = Object.keys(document.paths).filter(
    path => document.paths[path].post && path.startsWith('/workflows/'),
  )
  expect(posts).toHaveLength(50)
  const names = posts.map(path => document.paths[path].post.operationId)
  expect(new Set(names).size).toBe(50)
  expect(posts).toContain('/workflows/famc-3.0-image/execute')
})

test('it is OpenAPI 3.1 to a validator of others, which finds a mistake', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect([valid, errors]).toEqual([true, undefined])
  const { responses, ...rest } = document.paths['/workflows/famc-v3/submit'].post
  const broken = structuredClone(document)
  broken.paths['/workflows/famc-v3/submit'].post = { ...rest, response: responses }
  expect((await new Validator().validate(broken)).valid).toBe(false)
})

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    match => match[1] ?? '',
  )
  expect(references.length).toBeGreaterThan(100)
  for (const reference of references) {
    const found = reference.split('/').reduce((here, step) => here?.[step], document)
    expect(found, reference).toBeTypeOf('object')
  }
})

test('parameters are those of the catalog', () => {
  const { properties, required, additionalProperties } = document.components.schemas['famc-t2a']
  expect(properties).toMatchObject({
    model: { const: 'famc-t2a' },
    prompt: { type: 'string', maxLength: 2500 },
    duration: { type: 'number', minimum: 3, maximum: 10, default: 5 },
  })
  expect([required, additionalProperties]).toEqual([['prompt'], false])
})

test('a model with slashes has a path and a name of a schema', () => {
  const custom = {
    id: 'acme/paint v2',
    name: 'Paint',
    family: 'acme',
    inputType: 't2i',
    modes: ['t2i'],
    params: {},
  } as const
  // oxlint-disable-next-line typescript/no-explicit-any -- tests know the shape
  const { paths, components }: any = openApiDocument([custom], 'http://127.0.0.1:4000/gw-v2')
  expect(Object.keys(paths)).toContain('/workflows/acme/paint%20v2/submit')
  expect(components.schemas).toHaveProperty('acme_paint_v2')
})

test('what the gateway takes and answers fits the document', async () => {
  const gateway = await start({ manual: true })
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'doc', ...document })
  const fits = (name: string, value: unknown) => {
    const validate = ajv.getSchema(`doc#/components/schemas/${name}`)
    expect(validate?.(value), `${name}: ${JSON.stringify(validate?.errors)}`).toBe(true)
  }
  const params = { model: 'fama-imagine-video-1.5', prompt: 'A teapot', imageUrls: [pixel] }
  fits(params.model, params)
  const accepted = await order(gateway, 'submit', params)
  fits('Accepted', accepted.body)
  const run = await gateway.nextRun()
  run.progress(0.5)
  fits('Unfinished', (await result(gateway, params.model, run.id)).body)
  await run.finish()
  fits('Completed', (await finished(gateway, params.model, run.id)).body)
  const failing = order(gateway, 'execute', params)
  await (await gateway.nextRun()).fail()
  fits('Failed', (await failing).body)
  fits('Error', (await order(gateway, 'submit', { ...params, duration: 7 })).body)
  fits('Error', (await send(gateway, '/nowhere')).body)
})
