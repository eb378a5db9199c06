import { describe, expect, test } from 'vitest'
import { render as builtIn } from '../../src/gateway/render/render.ts'
import { order, pixel, send, silence, start, watched } from './start.ts'

const prompt = 'A teapot'

describe('a request that is not right is refused with the places', () => {
  test.each<[string, unknown, { path: string; message: string; hint?: string }[]]>([
    [
      'no params',
      { prompt },
      [
        {
          path: '/params',
          message: 'params must be an object',
          hint: 'the body is { "params": { "model": …, "prompt": … } }',
        },
      ],
    ],
    [
      'another model',
      { params: { model: 'famc-v2-6', prompt } },
      [{ path: '/params/model', message: 'the workflow runs famc-v3' }],
    ],
    [
      'a file that is no link',
      { params: { prompt, startFrame: 'frames/first.png' } },
      [
        {
          path: '/params/startFrame',
          message: 'a file must be a data: URI or an http link',
          hint: 'send the bytes as data:<type>;base64,… or upload them first',
        },
      ],
    ],
    [
      'damaged base64',
      { params: { prompt, startFrame: 'data:image/png;base64,iVBOR?' } },
      [{ path: '/params/startFrame', message: 'the data: URI is malformed' }],
    ],
    [
      'a file of another kind',
      { params: { prompt, startFrame: silence } },
      [{ path: '/params/startFrame', message: 'the file is not an image but audio (audio/wav)' }],
    ],
    [
      'a file that is no media, whatever it says',
      { params: { prompt, startFrame: 'data:image/png;base64,PGh0bWw+' } },
      [{ path: '/params/startFrame', message: 'the image is not usable: it is not a media file' }],
    ],
    [
      'a link of ours to nothing',
      { params: { prompt, startFrame: 'own' } },
      [{ path: '/params/startFrame', message: 'the file behind the link is gone' }],
    ],
  ])('%s', async (_, body, problems) => {
    const gateway = await start()
    const own = `${gateway.baseUrl}/files/${'0'.repeat(32)}/1.png`
    const json = JSON.parse(JSON.stringify(body).replace('"own"', JSON.stringify(own)))
    const reply = await send(gateway, '/workflows/famc-v3/submit', { method: 'POST', json })
    expect(reply.status).toBe(422)
    expect(reply.body).toEqual({ error: { code: 'invalid_params', message: problems[0]?.message, problems } })
    expect(gateway.ledger()).toMatchObject({ requests: { submit: 1 }, billed: { submit: 0 } })
  })
})

test('every problem with the parameters is told, the first one in the message as well', async () => {
  const gateway = await start()
  const reply = await order(gateway, 'submit', { model: 'famc-v3', duration: 7, colour: 'red' })
  expect(reply.status).toBe(422)
  expect(reply.body.error.problems.map(({ path }: { path: string }) => path)).toEqual([
    '/params',
    '/params/colour',
    '/params/duration',
  ])
  expect(reply.body.error.message).toMatch(/\(and 2 more\)$/)
})

test('what is only odd is no problem', async () => {
  const gateway = await start()
  const reply = await order(gateway, 'submit', {
    model: 'famc-v3',
    prompt,
    multiPrompt: [{ index: 1, prompt }],
  })
  expect(reply.status).toBe(202)
})

test('the renderer gets what was ordered: files in bytes, defaults filled in, the run as seed', async () => {
  const { seen, render } = watched()
  const gateway = await start({ format: 'webp', render })
  const params = { model: 'famc-v3', prompt: '  A teapot ', startFrame: pixel, duration: 10 }
  const { body } = await order(gateway, 'execute', params, { 'x-gateway-job': 'clip[fox]' })
  expect(seen).toEqual([
    {
      model: 'famc-v3',
      inputType: 't2v',
      kind: 'video',
      prompt: 'A teapot',
      seed: body.id,
      params: expect.objectContaining({
        prompt: 'A teapot',
        aspectRatio: '16:9',
        duration: 10,
        renderingSpeed: 'std',
      }),
      count: 1,
      width: 1280,
      height: 720,
      seconds: 10,
      sound: true,
      inputs: [
        {
          param: 'startFrame',
          kind: 'image',
          at: '/startFrame',
          bytes: Buffer.from(pixel.split(',')[1] ?? '', 'base64'),
        },
      ],
      format: 'webp',
      job: 'clip[fox]',
    },
  ])
})

test('an output can be an input by its link, without any request', async () => {
  const png = { bytes: Buffer.from(pixel.split(',')[1] ?? '', 'base64'), type: 'image/png', extension: 'png' }
  const { seen, render } = watched(async () => [png])
  const gateway = await start({ render })
  const still = await order(gateway, 'execute', { model: 'famb-v4', prompt })
  const { url } = still.body.outputs[0]
  for (const startFrame of [url, url.replace('127.0.0.1', 'localhost')]) {
    await order(gateway, 'execute', { model: 'famc-v3', prompt, startFrame })
    expect(seen.at(-1)?.inputs).toEqual([
      { param: 'startFrame', kind: 'image', at: '/startFrame', bytes: png.bytes },
    ])
  }
  expect(gateway.requests().file).toBe(0)
})

test('an input behind a link that has expired is refused', async () => {
  let now = 1_000_000
  const clock = { now: () => now, wall: () => now, until: async () => undefined }
  const gateway = await start({ linkSeconds: 60, clock })
  const still = await order(gateway, 'execute', { model: 'famb-v4', prompt })
  now += 61_000
  const reply = await order(gateway, 'submit', {
    model: 'famc-v3',
    prompt,
    startFrame: still.body.outputs[0].url,
  })
  expect(reply.body.error.message).toBe('the file behind the link is gone')
})

test('a link to elsewhere is not fetched, and the output says so', async () => {
  const { seen, render } = watched()
  const gateway = await start({ render })
  const startFrame = 'https://pictures.example/1.png'
  const { body } = await order(gateway, 'execute', { model: 'famc-v3', prompt, startFrame })
  expect(seen[0]?.inputs).toEqual([])
  expect(body.outputs[0].warning).toBe('made without startFrame: links to elsewhere are not fetched here')
})

test('a link to elsewhere stays one, however it is written', async () => {
  const { seen, render } = watched()
  const gateway = await start({ render })
  const still = await order(gateway, 'execute', { model: 'famb-v4', prompt })
  const startFrame = still.body.outputs[0].url.replace('127.0.0.1', 'pictures.example')
  const { body } = await order(gateway, 'execute', { model: 'famc-v3', prompt, startFrame })
  expect(seen.at(-1)?.inputs).toEqual([])
  expect(body.outputs[0].warning).toContain('made without startFrame')
})

test('a reference video is measured and refused when it is too long', async () => {
  const gateway = await start({ render: builtIn })
  const made = await order(gateway, 'execute', {
    model: 'famc-v3',
    prompt,
    duration: 12,
    generateAudio: false,
  })
  const params = { model: 'famc-motion-control', imageUrls: [pixel], videoUrl: made.body.outputs[0].url }
  const refused = await order(gateway, 'submit', { ...params, characterOrientation: 'image' })
  expect(refused.body.error.problems).toEqual([
    {
      path: '/params/videoUrl',
      message: 'the video has 12 s; with characterOrientation image it can have 10 s at most',
    },
  ])
  expect((await order(gateway, 'submit', params)).status).toBe(202)
})

test('files in object arrays are read as well', async () => {
  const { seen, render } = watched()
  const gateway = await start({ render })
  const omniImageList = [{ image_url: pixel, type: 'first' }, { image_url: 'nowhere' }]
  const refused = await order(gateway, 'submit', { model: 'famc-v3-omni', prompt, omniImageList })
  expect(refused.body.error.problems[0].path).toBe('/params/omniImageList/1/image_url')
  await order(gateway, 'execute', { model: 'famc-v3-omni', prompt, omniImageList: omniImageList.slice(0, 1) })
  expect(seen[0]?.inputs.map(({ param, kind }) => [param, kind])).toEqual([['image_url', 'image']])
})

test('an upload gives a link that can be an input', async () => {
  const { seen, render } = watched()
  const gateway = await start({ render })
  const form = new FormData()
  form.append('note', 'not this')
  form.append('anything', new Blob([Buffer.from(pixel.split(',')[1] ?? '', 'base64')]), 'a.bin')
  const headers = { authorization: `Bearer ${gateway.key}` }
  const response = await fetch(`${gateway.baseUrl}/files`, { method: 'POST', body: form, headers })
  expect(response.status).toBe(201)
  const upload = (await response.json()) as { url: string; type: string; bytes: number }
  expect(upload).toMatchObject({ type: 'image/png', bytes: 70 })
  await order(gateway, 'execute', { model: 'famc-v3', prompt, startFrame: upload.url })
  expect(seen[0]?.inputs[0]?.bytes.byteLength).toBe(70)
  expect(gateway.requests().upload).toBe(1)
})

test.each<[string, (form: FormData) => void, number, string]>([
  ['no file', form => form.append('file', 'text'), 422, 'no_file'],
  ['a file that is no media', form => form.append('file', new Blob(['<html>']), 'a.png'), 422, 'not_media'],
])('an upload with %s is refused', async (_, fill, status, code) => {
  const gateway = await start()
  const form = new FormData()
  fill(form)
  const headers = { authorization: `Bearer ${gateway.key}` }
  const response = await fetch(`${gateway.baseUrl}/files`, { method: 'POST', body: form, headers })
  const body = (await response.json()) as { error: { code: string } }
  expect([response.status, body.error.code]).toEqual([status, code])
})

test('an upload needs the key and a form', async () => {
  const gateway = await start()
  expect(
    (await send(gateway, '/files', { method: 'POST', headers: { authorization: 'Bearer no' } })).status,
  ).toBe(401)
  expect((await send(gateway, '/files', { method: 'POST', json: {} })).status).toBe(415)
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  expect((await send(gateway, '/files', { method: 'POST', body: 'nonsense', headers })).status).toBe(400)
})
