import type { Json, JsonObject } from '../../src/base/names.ts'
import type { Heard, Ordered, Said, Shape } from './double.ts'

const bearer: Shape['auth'] = ['authorization', key => `Bearer ${key}`]
const alone = (header: string): Shape['auth'] => [header, key => key]
const denied: Said = { status: 401, json: { error: { message: 'the key is not known' } } }
const busy: Said = {
  status: 429,
  headers: { 'retry-after': '0' },
  json: { error: { message: 'too many requests', code: 'rate_limit_exceeded' } },
}
const usual = { auth: bearer, denied, busy }

/** The last word of a path below a prefix. */
const below = (prefix: string, { path }: Heard): string | undefined =>
  path.startsWith(prefix) ? path.slice(prefix.length) : undefined

/** Each question finds it one state further on. */
function stateOf(ordered: Ordered): 'waiting' | 'working' | 'done' | 'failed' {
  ordered.asked++
  if (ordered.asked === 1) return 'waiting'
  if (ordered.asked === 2) return 'working'
  return JSON.stringify(ordered.body).includes('a forbidden thing') ? 'failed' : 'done'
}

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''
const refuse = (message: string, status = 422): Said => ({ status, json: { error: { message } } })

/** Takes only known keys, as strict services do. */
const knows = (body: JsonObject, ...keys: string[]): boolean =>
  Object.keys(body).every(key => keys.includes(key))

/** An order goes to a queue; its answer names where its state and its result are asked for. */
const queue: Shape = {
  ...usual,
  auth: ['authorization', key => `Key ${key}`],
  answer(heard, shop) {
    const { method, json } = heard
    const asked = /^\/queue\/(.+)\/requests\/(\w+)(\/status)?$/.exec(heard.path)
    if (!asked) {
      const model = below('/queue/', heard)
      if (method !== 'POST' || model === undefined) return undefined
      if (!isText(json.prompt) || !knows(json, 'prompt', 'image_size', 'num_images', 'seed', 'image_url'))
        return { status: 422, json: { detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] } }
      const { id } = shop.take({ model, ...json })
      const at = `${shop.origin}/queue/${model}/requests/${id}`
      return {
        json: {
          request_id: id,
          status: 'IN_QUEUE',
          queue_position: 0,
          status_url: `${at}/status`,
          response_url: at,
          cancel_url: `${at}/cancel`,
        },
      }
    }
    const ordered = shop.find(asked[2])
    if (!ordered) return { status: 404, json: { detail: 'Request not found' } }
    if (asked[3]) {
      const state = stateOf(ordered)
      const status = { waiting: 'IN_QUEUE', working: 'IN_PROGRESS', done: 'COMPLETED', failed: 'COMPLETED' }[
        state
      ]
      return {
        status: state === 'done' ? 200 : 202,
        json: {
          status,
          request_id: ordered.id,
          response_url: `${shop.origin}/queue/${asked[1]}/requests/${ordered.id}`,
        },
      }
    }
    if (ordered.asked < 3) return { status: 400, json: { detail: 'Request is still in progress' } }
    const image = { url: shop.link('png'), content_type: 'image/png', width: 40, height: 24 }
    return { json: { images: [image], seed: 42, prompt: ordered.body.prompt ?? '' } }
  },
}

/** A prediction of a version of a model; `urls.get` is where it is asked for. */
const predictions: Shape = {
  ...usual,
  answer({ method, path, json }, shop) {
    const shown = ({ id }: Ordered, more: JsonObject): JsonObject => ({
      id,
      version: 'v',
      urls: {
        get: `${shop.origin}/v1/predictions/${id}`,
        cancel: `${shop.origin}/v1/predictions/${id}/cancel`,
      },
      error: null,
      output: null,
      ...more,
    })
    if (method === 'POST' && path === '/v1/predictions') {
      const input = json.input as JsonObject | undefined // checked below
      if (!isText(json.version) || !isText(input?.prompt) || !knows(json, 'version', 'input'))
        return {
          status: 422,
          json: { title: 'Input validation failed', detail: '- input: prompt is required' },
        }
      return { status: 201, json: shown(shop.take(json), { status: 'starting', input: input ?? {} }) }
    }
    if (method === 'GET' && path === '/v1/predictions')
      return {
        json: {
          next: null,
          results: shop
            .all()
            .map(each => shown(each, { status: 'processing', created_at: '2026-11-25T10:00:00Z' })),
        },
      }
    const [, id, isCancel] = /^\/v1\/predictions\/(\w+)(\/cancel)?$/.exec(path) ?? []
    const ordered = shop.find(id)
    if (method === 'POST' && isCancel && ordered) {
      ordered.isCanceled = true
      return { json: shown(ordered, { status: 'canceled' }) }
    }
    if (method !== 'GET' || isCancel || !ordered) return undefined
    if (ordered.isCanceled) return { json: shown(ordered, { status: 'canceled' }) }
    const state = stateOf(ordered)
    const status = { waiting: 'starting', working: 'processing', done: 'succeeded', failed: 'failed' }[state]
    const output = [shop.link('png')]
    if (state === 'failed') return { json: shown(ordered, { status, error: 'NSFW content detected' }) }
    return {
      json: shown(ordered, { status, ...(state === 'done' && { output, metrics: { predict_time: 2 } }) }),
    }
  },
}

/** Images come in the answer itself, as base64. */
const base64Images: Shape = {
  ...usual,
  answer({ method, path, json }, shop) {
    if (method !== 'POST' || path !== '/v1/images/generations') return undefined
    const { model, prompt, n = 1, size } = json
    const isWhole = isText(model) && isText(prompt) && typeof n === 'number'
    if (!isWhole || !knows(json, 'model', 'prompt', 'n', 'size', 'quality', 'response_format'))
      return refuse('Invalid value', 400)
    if (size !== undefined && !/^\d+x\d+$/.test(String(size)))
      return refuse(`Invalid size '${String(size)}'`, 400)
    if (String(prompt).includes('a forbidden thing'))
      return {
        status: 400,
        json: { error: { code: 'moderation_blocked', message: 'rejected by the safety system' } },
      }
    shop.take(json)
    // No two of one answer are the same.
    const pictures = [shop.media.png, shop.media.webp].map(each => Buffer.from(each).toString('base64'))
    const data = pictures.slice(0, n).map(b64_json => ({ b64_json }))
    return { json: { created: 1, data, usage: { total_tokens: 9 } } }
  },
}

/** A video is made as a job; its bytes are asked for at another address, by a second request. */
const contentRequest: Shape = {
  ...usual,
  answer({ method, path, parts }, shop) {
    if (method === 'POST' && path === '/v1/videos') {
      const fields = Object.fromEntries([...parts].map(([name, { bytes }]) => [name, bytes.toString()]))
      const isWhole = isText(fields.model) && isText(fields.prompt) && /^\d+$/.test(fields.seconds ?? '4')
      const reference = parts.get('input_reference')
      const isImage = !reference || reference.bytes.equals(shop.media.png)
      if (!isWhole || !isImage || !knows(fields, 'model', 'prompt', 'seconds', 'size', 'input_reference'))
        return refuse('Invalid request', 400)
      const { id } = shop.take({ ...fields, input_reference: reference?.filename ?? '' })
      return { json: { id, object: 'video', status: 'queued', progress: 0, model: fields.model ?? '' } }
    }
    const [, id, isContent] = /^\/v1\/videos\/(\w+)(\/content)?$/.exec(path) ?? []
    const ordered = shop.find(id)
    if (method === 'GET' && path === '/v1/videos')
      return {
        json: {
          object: 'list',
          data: shop
            .all()
            .map(each => ({ id: each.id, object: 'video', status: 'queued', created_at: 1_764_064_800 })),
        },
      }
    if (method !== 'GET' || !ordered) return undefined
    if (isContent)
      return ordered.asked < 3
        ? { status: 404, json: { error: { message: 'Video is not ready yet' } } }
        : { bytes: shop.media.mp4, headers: { 'content-type': 'video/mp4' } }
    const state = stateOf(ordered)
    const video = { id: ordered.id, object: 'video' }
    switch (state) {
      case 'waiting':
        return { json: { ...video, status: 'queued', progress: 0 } }
      case 'working':
        return { json: { ...video, status: 'in_progress', progress: 40 } }
      case 'done':
        return { json: { ...video, status: 'completed', progress: 100 } }
      case 'failed':
        return {
          json: { ...video, status: 'failed', error: { code: 'moderation_blocked', message: 'blocked' } },
        }
    }
  },
}

/** Speech is the answer, in bytes; the voice stands in the path, the format in the query. */
const binarySpeech: Shape = {
  ...usual,
  auth: alone('x-speech-key'),
  denied: { status: 401, json: { detail: { status: 'invalid_api_key', message: 'Invalid API key' } } },
  answer({ method, path, query, json }, shop) {
    const voice = /^\/v1\/text-to-speech\/(\w+)$/.exec(path)?.[1]
    if (method !== 'POST' || voice === undefined) return undefined
    const isWhole = isText(json.text) && isText(json.model_id) && query.get('output_format') === 'wav_8000'
    if (!isWhole || !knows(json, 'text', 'model_id', 'voice_settings'))
      return { status: 422, json: { detail: [{ loc: ['body', 'text'], msg: 'field required' }] } }
    shop.take({ voice, ...json })
    return { bytes: shop.media.wav, headers: { 'content-type': 'audio/wav' } }
  },
}

/** A long-running operation: named by a path, `done` or not, with a response or an error. */
const operations: Shape = {
  ...usual,
  auth: alone('x-ops-api-key'),
  denied: {
    status: 403,
    json: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no such key' } },
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '0' },
    json: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded' } },
  },
  answer({ method, path, json }, shop) {
    const model = /^\/v1beta\/models\/([\w.-]+):predictLongRunning$/.exec(path)?.[1]
    if (method === 'POST' && model !== undefined) {
      const [instance] = (json.instances ?? []) as JsonObject[] // checked below
      if (!isText(instance?.prompt) || !knows(json, 'instances', 'parameters'))
        return { status: 400, json: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'prompt' } } }
      return { json: { name: `models/${model}/operations/${shop.take(json).id}` } }
    }
    const named = /^\/v1beta\/(models\/[\w.-]+\/operations\/(\w+))$/.exec(path)
    const ordered = shop.find(named?.[2])
    if (method !== 'GET' || !named || !ordered) return undefined
    const name = named[1] ?? ''
    const state = stateOf(ordered)
    if (state === 'failed')
      return { json: { name, done: true, error: { code: 3, message: 'blocked by the safety filters' } } }
    if (state !== 'done') return { json: { name, done: false } }
    const video = { uri: `${shop.origin}/cdn/a.mp4`, mimeType: 'video/mp4' }
    return {
      json: { name, done: true, response: { generateVideoResponse: { generatedSamples: [{ video }] } } },
    }
  },
}

/** The answer names an address for asking at another host of the service. */
const otherHostPolling: Shape = {
  ...usual,
  auth: alone('x-key'),
  answer(heard, shop) {
    const { method, path, query, json } = heard
    if (method === 'POST') {
      const model = below('/v1/', heard)
      if (!model || !isText(json.prompt) || !knows(json, 'prompt', 'aspect_ratio', 'seed', 'input_image'))
        return { status: 422, json: { detail: 'prompt is required' } }
      const { id } = shop.take({ model, ...json })
      return { json: { id, polling_url: `${shop.other}/v1/get_result?id=${id}` } }
    }
    const ordered = path === '/v1/get_result' ? shop.find(query.get('id') ?? undefined) : undefined
    if (!ordered || `http://${heard.headers.host}` !== shop.other) return undefined
    const { id } = ordered
    switch (stateOf(ordered)) {
      case 'waiting':
        return { json: { id, status: 'Pending', result: null, progress: 0 } }
      case 'working':
        return { json: { id, status: 'Pending', result: null, progress: 0.5 } }
      case 'done':
        return { json: { id, status: 'Ready', result: { sample: shop.link('png'), seed: 7 } } }
      case 'failed':
        return { json: { id, status: 'Content Moderated', result: null } }
    }
  },
}

/** A form of parts with the picture in one of them, and the picture in the answer. */
const multipart: Shape = {
  ...usual,
  denied: { status: 401, json: { name: 'unauthorized', errors: ['missing or invalid API key'] } },
  answer({ method, path, parts, headers }, shop) {
    if (method !== 'POST' || !path.startsWith('/v2beta/image/')) return undefined
    const prompt = parts.get('prompt')?.bytes.toString()
    const image = parts.get('image')
    const isEdit = path === '/v2beta/image/edit'
    const isImage = image?.bytes.equals(shop.media.png) === true && image.type === 'image/png'
    if (!prompt || (isEdit && !isImage) || headers.accept !== 'image/*')
      return { status: 400, json: { name: 'bad_request', errors: ['prompt: is required'] } }
    if (prompt.includes('a forbidden thing'))
      return {
        status: 403,
        json: { name: 'content_moderation', errors: ['flagged by the content moderation'] },
      }
    shop.take({ path, prompt })
    return { bytes: shop.media.png, headers: { 'content-type': 'image/png' } }
  },
}

/** Asynchronous, with the address of the operation in a header, and a version in every query. */
const operationLocation: Shape = {
  ...usual,
  auth: alone('api-key'),
  answer({ method, path, query, json }, shop) {
    if (query.get('api-version') !== '2025-03-01')
      return { status: 400, json: { error: { code: 'BadRequest', message: 'api-version is missing' } } }
    if (method === 'POST' && /^\/deployments\/[\w.-]+\/images\/generations:submit$/.test(path)) {
      if (!isText(json.prompt) || !knows(json, 'prompt', 'n', 'size'))
        return { status: 400, json: { error: { code: 'BadRequest', message: 'prompt' } } }
      const { id } = shop.take(json)
      const at = `${shop.origin}/operations/images/${id}?api-version=2025-03-01`
      return { status: 202, headers: { 'operation-location': at }, json: { id, status: 'notRunning' } }
    }
    const ordered = shop.find(/^\/operations\/images\/(\w+)$/.exec(path)?.[1])
    if (method !== 'GET' || !ordered) return undefined
    const { id } = ordered
    const headers = { 'retry-after': '0' }
    switch (stateOf(ordered)) {
      case 'waiting':
        return { headers, json: { id, status: 'notRunning' } }
      case 'working':
        return { headers, json: { id, status: 'running' } }
      case 'done':
        return {
          json: { id, status: 'succeeded', result: { created: 1, data: [{ url: shop.link('png') }] } },
        }
      case 'failed':
        return { json: { id, status: 'failed', error: { code: 'contentFilter', message: 'content filter' } } }
    }
  },
}

/** Everything is 200; what went wrong is a code in the body. A task has an id, and words of its own. */
const codes: Shape = {
  ...usual,
  denied: { json: { code: 1002, message: 'authorization failed', data: null } },
  busy: { json: { code: 1302, message: 'rate limit reached', data: null } },
  answer({ method, path, json }, shop) {
    if (method === 'POST' && path === '/api/v1/tasks') {
      const input = json.input as JsonObject | undefined // checked below
      if (!isText(json.model_name) || !isText(input?.prompt))
        return { json: { code: 1201, message: 'prompt must not be empty', data: null } }
      const { id } = shop.take(json)
      return { json: { code: 0, message: 'SUCCEED', data: { task_id: id, task_status: 'submitted' } } }
    }
    const ordered = shop.find(/^\/api\/v1\/tasks\/(\w+)$/.exec(path)?.[1])
    if (method !== 'GET' || !ordered) return undefined
    const state = stateOf(ordered)
    const task_status = { waiting: 'submitted', working: 'processing', done: 'succeed', failed: 'failed' }[
      state
    ]
    const videos = [{ id: 'v1', url: shop.link('mp4'), duration: '5' }]
    const data: JsonObject = {
      task_id: ordered.id,
      task_status,
      ...(state === 'done' && { task_result: { videos } }),
      ...(state === 'failed' && { task_status_msg: 'content policy' }),
    }
    return { json: { code: 0, message: 'SUCCEED', data } }
  },
}

/** By their names, which are those of the profiles under `examples/services`. */
export const shapes = {
  queue,
  predictions,
  'base64-images': base64Images,
  'content-request': contentRequest,
  'binary-speech': binarySpeech,
  operations,
  'other-host-polling': otherHostPolling,
  multipart,
  'operation-location': operationLocation,
  codes,
} satisfies { readonly [name: string]: Shape }

export type ShapeName = keyof typeof shapes
