import { timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Context, Hono } from 'hono'
import { defined } from '../base/defined.ts'
import { jobAddress } from '../base/names.ts'
import { isKnown, partAsked, rangeHolds } from '../gateway/http/ranges.ts'
import type { ShownChange, ShownOrder, ShownPage } from '../page/data/shown.ts'
import { firstTake } from '../plan/picks.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import { openServed } from '../thumbnails/served.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import type { PromptEdits } from './edit-prompt.ts'
import { type JudgeDesk, judgeShown } from './judge-shown.ts'
import type { ReviewModel } from './model.ts'
import type { OrderWish, ReviewOrders } from './orders.ts'
import type { PickWorks } from './picks.ts'
import type { ReviewReader } from './reader.ts'

/** What a page hears while it is open. */
export type ReviewEvent =
  | { readonly event: 'change'; readonly data: ShownChange }
  | { readonly event: 'order'; readonly data: ShownOrder }
  /** Nothing is being ordered; how the last order ended. */
  | { readonly event: 'idle'; readonly data: { readonly last?: ShownOrder } }
  | {
      readonly event: 'picks'
      /** `waiting`: takes that are to be picked, as soon as nobody else has the manifest. */
      readonly data: { readonly waiting: readonly string[]; readonly trouble?: string }
    }

/** All that the page's requests come to. */
interface ReviewDesk extends JudgeDesk {
  readonly token: () => string
  /** The server's own: `http://127.0.0.1:4042`. */
  readonly origin: () => string
  readonly document: { html(first: ShownPage): string; readonly policy: string }
  readonly model: ReviewModel
  readonly thumbnails: Thumbnails
  readonly edit: ReviewReader['edit']
  readonly whyNoEdit: ReviewReader['whyNoEdit']
  readonly prompts: PromptEdits
  readonly picks: PickWorks
  /** Picks that wait, as they stand on the disk. */
  readonly waiting: () => readonly WaitingPick[]
  readonly orders: ReviewOrders
  readonly canJudge: boolean
  /** Hears of everything until the returned function is called. */
  readonly listen: (hear: (event: ReviewEvent) => void) => () => void
}

/** Many verdicts at once, with notes. */
const longestBody = 4 * 1024 * 1024

/**
 * The page and what it asks for, below the token. Whoever has it is the person who started the server; a page of another site has
 * not, and is refused by its Origin besides.
 */
export function reviewApp(desk: ReviewDesk): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    const refused = refusal(c, desk)
    if (refused) c.res = refused
    else await next()
    for (const [name, value] of Object.entries(common))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  })
  // Which token is right is looked at before.
  const at = (path: string) => `/:token/${path}`
  app.get('/:token', c => c.redirect(`${c.req.path}/`))
  app.get(at(''), c =>
    c.body(desk.document.html(desk.model.first()), 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${desk.document.policy}; frame-ancestors 'none'`,
    }),
  )
  app.get(at('data'), c => c.body(desk.model.json(), 200, { 'content-type': 'application/json' }))
  app.get(at('events'), c => eventsOf(c, desk))
  app.get(at('file/:key'), c => fileOf(c, desk))
  app.get(at('thumbnail/:key'), c => thumbnailOf(c, desk))
  app.post(at('verdicts'), c => withBody(c, body => takeVerdicts(body, desk)))
  app.post(at('prompt'), c => withBody(c, body => takePrompt(body, desk)))
  app.post(at('prompt/may'), c => withBody(c, body => takeWhyNoEdit(body, desk)))
  app.post(at('prompt/back'), c => withBody(c, body => takePromptBack(body, desk)))
  app.post(at('quote'), c => withBody(c, body => takeQuote(body, desk)))
  app.post(at('order'), c =>
    withBody(c, ({ id }) =>
      desk.orders.order(String(id)) ? said({ ok: true }) : said({ trouble: noQuote }, 409),
    ),
  )
  app.post(at('rehearsal'), c => withBody(c, body => takeRehearsal(body, desk)))
  app.post(at('stop'), () => {
    desk.orders.stop()
    return said({ ok: true })
  })
  app.notFound(c => c.text('there is nothing here', 404))
  app.onError(() => new Response('this went wrong', { status: 500 }))
  return app
}

const noQuote = 'the amount was not shown for this, or something is bought already: look at the amount again'

/** Of every answer. */
const common = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const

/** Another name of this machine, another site, or somebody without the token. */
function refusal(c: Context, { token, origin }: ReviewDesk): Response | undefined {
  const { host } = new URL(c.req.url)
  if (`http://${host}` !== origin()) return said({ trouble: `${host} is not served here` }, 421)
  const from = c.req.header('origin')
  const site = c.req.header('sec-fetch-site')
  const isForeign =
    (from !== undefined && from !== origin()) || (site !== undefined && !/^(same-origin|none)$/.test(site))
  // A form can send what it likes, but no such type; whoever sends it by a script has to name an origin.
  const isUnnamed = c.req.method !== 'GET' && c.req.method !== 'HEAD' && from === undefined
  if (isForeign || isUnnamed) return said({ trouble: 'another site asks' }, 403)
  const [, given = ''] = c.req.path.split('/')
  const [sent, right] = [Buffer.from(given), Buffer.from(token())]
  const isRight = sent.length === right.length && timingSafeEqual(sent, right)
  return isRight ? undefined : said({ trouble: 'the token is missing or wrong' }, 404)
}

function said(value: object, status = 200): Response {
  return Response.json(value, { status })
}

async function withBody(
  c: Context,
  use: (body: { readonly [name: string]: unknown }) => Response | Promise<Response>,
): Promise<Response> {
  if (!/^application\/json\b/.test(c.req.header('content-type') ?? ''))
    return said({ trouble: 'JSON is taken here' }, 415)
  if (Number(c.req.header('content-length') ?? Number.NaN) > longestBody)
    return said({ trouble: 'that is too much' }, 413)
  const text = await c.req.text()
  if (text.length > longestBody) return said({ trouble: 'that is too much' }, 413)
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null) return await use({ ...body })
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  return said({ trouble: 'it is no JSON object' }, 400)
}

/** Answers when they are on the medium: what was answered is never lost. */
async function takeVerdicts(body: { readonly [name: string]: unknown }, desk: ReviewDesk): Promise<Response> {
  const { verdicts, picks } = body
  if (!desk.canJudge) return said({ trouble: 'nothing is decided here' }, 403)
  if (!Array.isArray(verdicts) || !Array.isArray(picks))
    return said({ trouble: 'verdicts and picks are lists' }, 400)
  const result = await judgeShown({ verdicts, picks }, desk)
  if (result.got === 'damaged') return said({ trouble: result.message }, 500)
  const { refused, given } = result
  const writes = desk.model.wrote(given)
  if (desk.waiting().length > 0) desk.picks.begin()
  return said({ ok: true, refused, given, writes })
}

/** Changes the manifest, and nothing else: what becomes stale by that is told with its price when somebody orders it. */
async function takePrompt(
  { address, was, prompt }: { readonly [name: string]: unknown },
  { canJudge, model, edit, prompts }: ReviewDesk,
): Promise<Response> {
  if (!canJudge) return said({ trouble: 'nothing is decided here' }, 403)
  const exhibit = model.review.exhibits.find(each => each.address === address)
  if (!exhibit || typeof was !== 'string' || typeof prompt !== 'string')
    return said({ trouble: 'a prompt is of a job, what it was and what it is to be' }, 400)
  const result = await edit({ address: exhibit.address, was, prompt })
  if (result.got === 'refused') return said({ trouble: result.why, ...defined({ now: result.now }) }, 409)
  await model.refresh()
  return said({ ok: true, place: result.place, id: prompts.keep(result) })
}

/** For whoever is about to type. */
async function takeWhyNoEdit(
  { address, was }: { readonly [name: string]: unknown },
  { canJudge, model, whyNoEdit }: ReviewDesk,
): Promise<Response> {
  if (!canJudge) return said({ trouble: 'nothing is decided here' }, 403)
  const exhibit = model.review.exhibits.find(each => each.address === address)
  if (!exhibit || typeof was !== 'string' || was === '')
    return said({ trouble: 'a prompt is of a job, and what it was' }, 400)
  return said(defined({ why: await whyNoEdit({ address: exhibit.address, was }) }))
}

/** Only what this server has written, and where nobody has written anything since. */
async function takePromptBack(
  { id }: { readonly [name: string]: unknown },
  { canJudge, model, prompts }: ReviewDesk,
): Promise<Response> {
  if (!canJudge) return said({ trouble: 'nothing is decided here' }, 403)
  const trouble = await prompts.takeBack(String(id))
  if (trouble !== undefined) return said({ trouble }, 409)
  await model.refresh()
  return said({ ok: true })
}

async function takeQuote(body: { readonly [name: string]: unknown }, desk: ReviewDesk): Promise<Response> {
  const wish = wishIn(body, desk)
  if (!wish) return said({ trouble: 'there is nothing to order by that' }, 400)
  const quote = await desk.orders.quote(wish)
  return 'trouble' in quote ? said(quote, 409) : said(quote)
}

async function takeRehearsal(
  { id }: { readonly [name: string]: unknown },
  { orders }: ReviewDesk,
): Promise<Response> {
  const end = await orders.rehearse(String(id))
  return 'trouble' in end ? said(end, 409) : said(end)
}

function wishIn(
  { redo, make, run }: { readonly [name: string]: unknown },
  { model }: ReviewDesk,
): OrderWish | undefined {
  if (run === true) return { run: true }
  const known = new Set<string>(model.review.exhibits.map(({ address }) => address))
  // A take that only `redo` ordered is no longer there once its job asks for something else.
  const first = typeof make === 'string' ? firstTake(jobAddress(make)) : undefined
  if (first !== undefined && known.has(first)) return { make: first }
  if (!Array.isArray(redo) || redo.length === 0) return undefined
  const addresses = redo.filter((each): each is string => typeof each === 'string' && known.has(each))
  if (addresses.length !== redo.length) return undefined
  // One take more of its job is asked for by one that the job still has.
  const former = new Set<string>(
    model.review.exhibits.flatMap(({ address, outdated }) => (outdated === 'aside' ? [address] : [])),
  )
  const asked = addresses.map(each => (former.has(each) ? firstTake(jobAddress(each)) : each))
  return { redo: [...new Set(asked)] }
}

// What would run in a page when it is opened by itself is only ever downloaded.
const shownTypes = /^(image\/(png|jpeg|webp|gif|avif|bmp|tiff)|video\/[\w.-]+|audio\/[\w.-]+)$/

/** What is found of a digest: a pick may have given its file another name since that was read. */
async function foundOf<T>(
  c: Context,
  { model }: ReviewDesk,
  find: (key: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const key = c.req.param('key') ?? ''
  const found = await find(key)
  if (found !== undefined || model.files(key).length === 0 || isGone(c)) return found
  await model.renew()
  return find(key)
}

/** Nobody waits for the answer any more. */
function isGone(c: Context): boolean {
  return c.req.raw.signal.aborted
}

async function fileOf(c: Context, desk: ReviewDesk): Promise<Response> {
  const [asked] = desk.model.files(c.req.param('key') ?? '')
  // A picture as it is, is asked for by whoever looks at it alone, and waits for it.
  if (asked?.type.startsWith('image/')) desk.thumbnails.rest()
  const found = await foundOf(c, desk, async key => {
    const file = await desk.model.proven(key)
    const open = file && openServed(file)
    return open && { file, key, open }
  })
  if (!found) return said({ trouble: 'it is not there any more, or is another file by now' }, 404)
  const { file, key, open } = found
  const etag = `"${key}-${open.bytes}"`
  const headers = {
    'content-type': shownTypes.test(file.type) ? file.type : 'application/octet-stream',
    'content-security-policy': "default-src 'none'; sandbox",
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag,
  }
  if (isKnown(c.req.header('if-none-match') ?? null, etag)) {
    open.close()
    return new Response(null, { status: 304, headers })
  }
  const range = rangeHolds(c.req.header('if-range') ?? null, etag) ? (c.req.header('range') ?? null) : null
  const part = partAsked(range, open.bytes)
  if (part.is === 'outside') {
    open.close()
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${open.bytes}` },
    })
  }
  const [start, end] = part.is === 'part' ? [part.start, part.end] : [0, open.bytes]
  const span = part.is === 'part' && { 'content-range': `bytes ${start}-${end - 1}/${open.bytes}` }
  const answer = {
    status: part.is === 'part' ? 206 : 200,
    headers: { ...headers, ...span, 'content-length': String(end - start) },
  }
  if (c.req.method !== 'HEAD') return new Response(webStreamOf(open.pieces(start, end)), answer)
  open.close()
  return new Response(null, answer)
}

/** One type under two names: the one of the platform, and the one of its streams. */
function webStreamOf(pieces: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(pieces) as ReadableStream<Uint8Array>
}

async function thumbnailOf(c: Context, desk: ReviewDesk): Promise<Response> {
  const { model, thumbnails } = desk
  const thumbnail = await foundOf(c, desk, async key => {
    for (const file of model.files(key)) {
      const made = await thumbnails.of(key, file, c.req.raw.signal)
      if (made) return made
    }
    return undefined
  })
  // One that was kept is of that digest whatever lies there by now: what is altered is told aside.
  model.proveAside(c.req.param('key') ?? '')
  if (!thumbnail) return said({ trouble: 'there is no small picture of it' }, 404)
  return new Response(new Uint8Array(thumbnail), {
    // By its digest it is always the same.
    headers: { 'content-type': 'image/webp', 'cache-control': 'private, max-age=604800, immutable' },
  })
}

// Proxies and browsers give up on what says nothing.
const beatMs = 15_000

/**
 * Everything that changes, as it changes, until the page is closed. Each has the serial of the page's data behind it; a page that
 * comes with another one than the last has missed something, and hears that first.
 */
function eventsOf(c: Context, { listen, clock, model, orders, waiting }: ReviewDesk): Response {
  const over = new AbortController()
  const known = c.req.header('last-event-id') ?? c.req.query('since')
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        try {
          controller.enqueue(Buffer.from(text))
        } catch {
          over.abort()
        }
      }
      const hear = ({ event, data }: ReviewEvent) => {
        const id = event === 'change' ? `id: ${model.serial()}\n` : ''
        send(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`)
      }
      const stop = listen(hear)
      over.signal.addEventListener('abort', stop, { once: true })
      send('retry: 1000\n\n')
      if (known !== model.serial()) send('event: behind\ndata: {}\n\n')
      // A page that was away may have missed how it ended.
      const { now } = orders
      if (now?.is === 'under way') hear({ event: 'order', data: now })
      else hear({ event: 'idle', data: defined({ last: now }) })
      hear({ event: 'picks', data: { waiting: waiting().map(({ address }) => address) } })
      void beat(send)
    },
    cancel: () => over.abort(),
  })
  async function beat(send: (text: string) => void): Promise<void> {
    while (!over.signal.aborted) {
      await clock.until(clock.now() + beatMs, over.signal)
      if (!over.signal.aborted) send(': here\n\n')
    }
  }
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
}
