import type { JsonObject } from '../../src/base/names.ts'

/** A request as a service of some habit sees it. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly text: string
  /** The body, when it is JSON. */
  readonly json: JsonObject
  /** The how manieth request with this method and path. */
  readonly nth: number
}

export interface Said {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly json?: unknown
  readonly bytes?: Uint8Array
}

/** Media that the services deliver. */
export interface Media {
  readonly png: Uint8Array
  readonly mp4: Uint8Array
  readonly wav: Uint8Array
  /** A link to a file of this server. */
  readonly link: (name: 'a.png' | 'b.png' | 'a.mp4' | 'a.wav') => string
}

export interface Habit {
  readonly jobs: string
  /** What it answers to a request that is as it wants it; undefined for any other, which is then refused. */
  readonly answer: (seen: Seen, media: Media) => Said | undefined
  readonly endings: { readonly [job: string]: string }
  /** The paths of paid requests, in order of jobs. */
  readonly paid: readonly string[]
}

const image = (id: string, more = '') =>
  `  ${id}:\n    model: fama-imagine-image\n    prompt: a teapot\n${more}`
const clip = (id: string, more = '') =>
  `  ${id}:\n    model: famc-v3\n    prompt: steam\n    duration: 5\n${more}`
const same = (value: unknown, wanted: unknown) => JSON.stringify(value) === JSON.stringify(wanted)
const base = '/api/gw-v2/workflows'

/** By the name of the profile. */
export const habits: { readonly [name: string]: Habit } = {
  snake: {
    jobs: image('still', '    aspectRatio: 16:9\n    count: 2\n') + clip('clip', '    aspectRatio: 1:1\n'),
    answer({ method, path, json, nth }, { link }) {
      const still = { model_name: 'fama-imagine-image', prompt: 'a teapot', aspect_ratio: '16x9', count: '2' }
      if (path === `${base}/fama-imagine-image/execute` && same(json, still))
        return {
          json: { output: { choices: [{ pictures: [{ href: link('a.png') }, { href: link('b.png') }] }] } },
        }
      const film = { model_name: 'famc-v3', prompt: 'steam', aspect_ratio: '1x1', duration: 5 }
      if (path === `${base}/famc-v3/submit` && same(json, film))
        return { json: { id: 'exchange', task_id: 't-1' } }
      if (method !== 'GET' || path !== `${base}/famc-v3/t-1/result`) return undefined
      if (nth < 2) return { json: { task_id: 't-1', task_status: 'PENDING' } }
      return { json: { task_status: 'SUCCEEDED', output: { choices: [{ pictures: [link('a.mp4')] }] } } }
    },
    endings: { still: 'made', clip: 'made' },
    paid: [`${base}/fama-imagine-image/execute`, `${base}/famc-v3/submit`],
  },
  slashes: {
    jobs: image('still') + clip('clip'),
    answer({ path, headers, json }, { png, mp4 }) {
      if (headers['x-client-name'] !== 'genrun') return undefined
      if (path.endsWith('/result')) return { bytes: mp4, headers: { 'content-type': 'video/mp4' } }
      if (path.endsWith('/submit')) return { status: 202, json: { data: { id: 'a/b?c' } } }
      return same(json, { input: { prompt: 'a teapot' } }) ? { bytes: png } : undefined
    },
    endings: { still: 'made', clip: 'made' },
    paid: [`${base}/vendor/fama-imagine-image/v2/execute`, `${base}/film/third%20generation/submit`],
  },
  switched: {
    jobs: clip('words') + clip('picture', '    startFrame: in.png\n'),
    answer({ method, path, json }, { png, link }) {
      if (method === 'GET') return { json: { status: 'done', url: link('a.mp4') } }
      const hasImage = json.first_image === Buffer.from(png).toString('base64')
      const wanted = path.includes('/film-from-picture/') ? hasImage : json.first_image === undefined
      return wanted ? { json: { id: 'r1' + (hasImage ? 'p' : 'w') } } : undefined
    },
    endings: { words: 'made', picture: 'made' },
    paid: [`${base}/film-from-words/submit`, `${base}/film-from-picture/submit`],
  },
  template: {
    jobs: image('drawn', '    aspectRatio: 16:9\n') + image('plain'),
    answer({ json }, { link }) {
      const asks = (ratio: string) => ({
        model: 'fama-imagine-image',
        stream: false,
        messages: [{ role: 'user', content: [{ type: 'text', text: `Draw a teapot in ${ratio}` }] }],
      })
      if (!same(json, asks('16:9')) && !same(json, asks('1:1'))) return undefined
      const message = {
        role: 'assistant',
        images: [{ type: 'image_url', image_url: { url: link('a.png') } }],
      }
      return { json: { id: 'chat-1', choices: [{ message }] } }
    },
    endings: { drawn: 'made', plain: 'made' },
    paid: [`${base}/chat/execute`, `${base}/chat/execute`],
  },
  uploads: {
    jobs:
      clip('one', '    startFrame: in.png\n') + clip('two', '    startFrame: in.png\n    aspectRatio: 1:1\n'),
    answer({ method, path, text, json, nth, headers }, { link }) {
      if (path === '/api/assets') {
        const isWhole =
          text.includes('name="kind"\r\n\r\ninput\r\n') && text.includes('name="asset"; filename="in.png"')
        if (!isWhole || headers.authorization !== 'Bearer key-of-the-test') return undefined
        if (nth === 1) return { status: 503, headers: { 'retry-after': '0' } }
        // A second upload of one content would be a fault.
        return nth === 2 ? { json: { asset: { ref: 'asset://77' } } } : undefined
      }
      if (method === 'GET') return { json: { status: 'completed', video: { url: link('a.mp4') } } }
      const { params } = json as { params: JsonObject }
      return params.startFrame === 'asset://77'
        ? { json: { id: `r-${String(params.aspectRatio)}` } }
        : undefined
    },
    endings: { one: 'made', two: 'made' },
    paid: [`${base}/famc-v3/submit`, `${base}/famc-v3/submit`],
  },
  location: {
    jobs: image('still'),
    answer({ method, path, nth }, { link }) {
      if (method === 'POST')
        return path.endsWith('/submit')
          ? { status: 202, headers: { location: `${path.replace('/submit', '')}/r-9/result` } }
          : undefined
      if (nth < 3) return { status: 404, json: { message: 'no such run' } }
      return { json: [link('a.png')] }
    },
    endings: { still: 'made' },
    paid: [`${base}/fama-imagine-image/submit`],
  },
  words: {
    jobs: clip('good') + clip('bad', '    aspectRatio: 1:1\n'),
    answer({ method, path, json, nth }, { link }) {
      const no =
        path.includes('/bad/') || (json.params as JsonObject | undefined)?.aspectRatio ? 'bad' : 'good'
      const ticket = (mood: string, more = {}) => ({
        json: { status: 'failed', ticket: { no, mood, ...more } },
      })
      if (method === 'POST') return ticket('Ready')
      if (nth < 3) return ticket('IN-THE-OVEN', { brown: '40%' })
      return no === 'bad'
        ? ticket('burnt', { why: 'too hot' })
        : ticket('On The Table', { plate: [link('a.mp4')] })
    },
    endings: { good: 'made', bad: 'failed' },
    paid: [`${base}/famc-v3/submit`, `${base}/famc-v3/submit`],
  },
  billing: {
    jobs: image('first') + image('second', '    aspectRatio: 16:9\n'),
    answer({ json, nth }, { link }) {
      if ((json.params as JsonObject).aspectRatio) return { status: 400, json: { message: 'charged anyway' } }
      return nth === 1 ? { status: 503, headers: { 'retry-after': '0' } } : { json: { url: link('a.png') } }
    },
    endings: { first: 'made', second: 'doubt' },
    paid: [1, 2, 3].map(() => `${base}/fama-imagine-image/execute`),
  },
  kebab: {
    jobs: image('still', '    aspectRatio: 16:9\n'),
    answer({ json }, { link }) {
      const { job, ...rest } = json as { job: { settings: JsonObject } }
      const { engine, text, 'aspect-ratio': ratio, count } = job.settings
      const isWanted = same([engine, text, ratio, count], ['fama-imagine-image', 'a teapot', '16:9', 1])
      if (!isWanted || !same(rest, { 'api-version': 3, team: { name: 'tea' } })) return undefined
      return { json: { job: { number: 4711, state: 'finished', files: [{ download_url: link('a.png') }] } } }
    },
    endings: { still: 'made' },
    paid: [`${base}/fama-imagine-image/execute`],
  },
  base64: {
    jobs: '  voice:\n    model: fama-tts\n    prompt: Good morning\n' + image('still'),
    answer({ method, path, headers }, { png, wav }) {
      if (headers['idempotency-key'] !== undefined) return undefined
      if (path.endsWith('/submit')) return { json: { id: 'r1' } }
      const blob = Buffer.from(method === 'GET' ? wav : png).toString('base64')
      return { json: { artifacts: [{ seed: 1, blob }], preview: 'https://x.example/no.png' } }
    },
    endings: { voice: 'made', still: 'made' },
    paid: [`${base}/fama-tts/submit`, `${base}/fama-imagine-image/execute`],
  },
  once: {
    jobs: '  still:\n    model: fama-imagine-image-2.0\n    prompt: a teapot\n    imageUrls: [https://shop.example/in.png]\n',
    answer({ headers, json }, { link }) {
      const key = headers['x-order-id']
      const { imageUrls } = json.params as JsonObject
      const isWanted =
        typeof key === 'string' && key.length >= 16 && imageUrls === 'https://shop.example/in.png'
      return isWanted ? { json: { response: { outputs: [link('a.png')] } } } : undefined
    },
    endings: { still: 'made' },
    paid: [`${base}/fama-imagine-image-2.0/execute`],
  },
  moderation: {
    jobs: image('fine') + image('refused', '    aspectRatio: 16:9\n'),
    answer({ json }, { link }) {
      if ((json.params as JsonObject).aspectRatio)
        return { json: { verdict: { text: 'against rule 12 of the house' }, url: null } }
      return { json: { url: link('a.png'), bill: { tokens: 3 } } }
    },
    endings: { fine: 'made', refused: 'failed' },
    paid: [1, 2].map(() => `${base}/fama-imagine-image/execute`),
  },
}
