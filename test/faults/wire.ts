import type { Clock } from '../../src/base/clock.ts'
import type { Beginning } from '../../src/base/state.ts'
import { removeQuietly } from '../../src/store/files/atomic-write.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import type { Disk } from '../../src/store/files/disk.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'
import { readOrderAnswer, readResultAnswer } from '../../src/wire/answers/dialect.ts'
import { runOf } from '../../src/wire/answers/run-status.ts'
import { type Answer, readBody } from '../../src/wire/http/answer.ts'
import { wireLimits } from '../../src/wire/http/limits.ts'
import type {
  LastWord,
  Order,
  OrderReply,
  ReadReply,
  SpoolSink,
  Watch,
  Wire,
} from '../../src/wire/http/wire.ts'
import { isMedia, keepOutputs, keepRaw, type Received } from '../../src/wire/transfer/receive-answer.ts'
import { askedBy, takeIn } from './asked.ts'
import { isHolder } from './holder.ts'
import type { Life } from './life.ts'
import { writeDown } from './resubmitted.ts'
import type { Scene } from './scene.ts'
import { type Charge, fileBytes, json, type Ordered, readLink, type Sent } from './service.ts'
import type { OrderFate, Weather } from './weather.ts'
import type { Attempt } from './witness.ts'

/** What lies between a process and the service. */
interface Line {
  readonly scene: Scene
  readonly life: Life
  readonly clock: Clock
  readonly disk: Disk
  readonly weather: Weather
  /** Of the service that this process asks. */
  readonly origin: string
}

/**
 * A wire whose answers are made of a status and a body, and understood by the real dialect. It does what `wire/client`
 * does, over a network that loses, cuts and delays.
 */
export function wireOver(line: Line, spool: SpoolSink): Wire & { close(): Promise<void> } {
  const modelSet = { spool, name: () => line.scene.chance.token() }
  return {
    origin: line.origin,
    workflow: model => model,
    order: (order, beforeFirstByte) => placeOrder(line, modelSet, order, beforeFirstByte),
    read: (run, signal) => readRun(line, modelSet, run, signal),
    download: (file, to, watch) => download(line, file.url, to, watch),
    close: async () => {},
  }
}

type ModelSet = Parameters<typeof keepOutputs>[0]

async function placeOrder(
  line: Line,
  modelSet: ModelSet,
  order: Order,
  beforeFirstByte: () => Promise<LastWord>,
): Promise<OrderReply> {
  const { life, clock, weather } = line
  const { chance, witness, log } = line.scene
  const notSent = (detail: string): OrderReply => ({
    got: 'not-sent',
    failure: { why: 'unreachable', origin: line.origin, detail },
  })
  const fate = chance.weighed(weather.order)
  const ordered = orderedBy(line, order)
  witness.asks(`an order of ${order.address}`)
  log(`  order of ${order.address} (${order.mode}): ${fate}`)
  await wait(line, chance.whole(0, 30))
  if (fate === 'no connection') return notSent('connection refused')
  if (fate === 'slow connection') {
    await wait(line, wireLimits.connectMs)
    return notSent('no connection')
  }
  try {
    if (life.isAlive()) witness.tries(ordered)
    const lastWord = await writeDown(line.scene, { order: ordered, life }, beforeFirstByte)
    lastWord()
    if (life.isAlive()) witness.letsGo(ordered)
    if (life.isAlive() && !isHolder(line.scene, life))
      witness.accuse(`P19: ${order.address} was bought by a process that had lost its claim`)
  } catch (cause) {
    return { got: 'not-sent', failure: { why: 'stopped' }, cause }
  }
  await life.moment()
  if (fate === 'closed at once') return notSent('the service closed the connection at once')
  const attempt = witness.leaves(ordered)
  const sent = await answerOf(line, { ...order, ...ordered }, fate, attempt)
  if (sent === 'nothing') return { got: 'doubt', detail: 'no answer' }
  const { status, headers } = sent
  const isResult = status >= 200 && status <= 299 && (order.mode === 'execute' || isMedia({ headers }))
  const received = await receive(line, modelSet, sent, isResult)
  const reply = await settle(line, modelSet, order, received)
  await life.moment()
  log(`  order of ${order.address} got`, reply)
  if (reply.got === 'refused') {
    attempt.isOver = true
    attempt.isRefused = true
    if (reply.canRetry) witness.isAskedToWait(clock.now() + (reply.waitMs ?? 0))
  }
  if (reply.got === 'failure' && attempt.charge) attempt.charge.failuresTold = 2
  return reply
}

/** What the service's ledger is kept by. */
function orderedBy({ origin }: Line, { address, mode, model, params, key }: Order): Ordered {
  const asked = askedBy(model, params, takeIn(address))
  const count = Number(params.count ?? 1)
  return { job: address, origin, mode, key, count, prompt: String(params.prompt), ...asked }
}

/** What comes back, at the time at which it comes. The service goes on by itself, also when nobody listens any more. */
async function answerOf(
  line: Line,
  order: Order & Ordered,
  fate: OrderFate,
  attempt: Attempt,
): Promise<Cut | 'nothing'> {
  const { clock, weather } = line
  const { timeline, chance, service, log } = line.scene
  const { mode, deadlineMs } = order
  const handedAt = clock.now()
  const totalMs = Math.min(deadlineMs, wireLimits[mode].totalMs)
  const firstHeaderMs = Math.min(wireLimits[mode].firstHeaderMs, totalMs)
  if (isAccepted[fate]) {
    timeline.at(handedAt + chance.whole(0, 40), () => {
      attempt.charge = service.accept(order, weather.runs)
      log(`  service: ${order.job} is billed as ${attempt.charge.serial}, ends ${attempt.charge.ends}`)
    })
  }
  await wait(line, 40)
  const { charge } = attempt
  const isLost = fate === 'request lost' || fate === 'answer lost'
  const workMs = mode === 'execute' && charge ? charge.readyAt - clock.now() : 0
  const takesMs = chance.whole(0, 50) + Math.max(0, workMs)
  const isSilent = fate === 'answer late' || takesMs > firstHeaderMs || (isLost && chance.hits(0.5))
  await wait(line, isSilent ? firstHeaderMs : takesMs)
  if (isSilent || isLost) return 'nothing'
  return answered(line, fate, attempt)
}

const isAccepted: { readonly [fate in OrderFate]: boolean } = {
  fine: true,
  'no connection': false,
  'slow connection': false,
  'closed at once': false,
  'request lost': false,
  'answer lost': true,
  'answer late': true,
  'answer cut': true,
  '5xx before': false,
  '5xx after': true,
  '503 before': false,
  busy: false,
  refused: false,
  odd: true,
}

/** An answer, and how many bytes of its body arrive. */
interface Cut extends Sent {
  readonly arrives?: number
}

function answered(line: Line, fate: OrderFate, { charge }: Attempt): Cut {
  const { chance, service } = line.scene
  switch (fate) {
    case '5xx before':
    case '5xx after':
      return chance.pick([500, 502, 504, 408, 520].map(status => oops(status)))
    case '503 before':
      return { ...oops(503), headers: { 'retry-after': '5' } }
    case 'busy':
      return busy(line)
    case 'refused':
      return oops(chance.pick([400, 401, 402, 403, 404, 409, 413, 422, 451]))
    case 'odd':
      return chance.pick([
        () => json(200, {}),
        () => json(200, { status: 'ok' }),
        () => ({ status: 200, headers: {}, body: Buffer.alloc(0) }),
        () => ({
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: Buffer.from('<html>hello</html>'),
        }),
        () => ({ ...oops(303), headers: { location: '/somewhere' } }),
      ])()
    default: {
      if (!charge) throw new Error('an answer of a service that was not asked')
      const sent = service.acceptance(charge)
      return fate === 'answer cut'
        ? { ...sent, arrives: chance.whole(0, Math.max(0, sent.body.length - 1)) }
        : sent
    }
  }
}

function oops(status: number): Sent {
  return json(status, { error: { message: `something about ${status}` } })
}

/** "Later", with or without a date, in the forms that RFC 9110 allows; the service's clock may be wrong. */
function busy({ scene: { chance }, clock }: Line): Sent {
  const seconds = chance.pick([0, 1, 7, 45, 400, 5000])
  const theirs = clock.now() + chance.pick([0, 0, -7_200_000, 86_400_000])
  const date = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toUTCString()
  const headers = chance.pick<Sent['headers']>([
    {},
    { 'retry-after': String(seconds) },
    { 'retry-after': `${seconds}.5` },
    { 'retry-after': date(theirs + seconds * 1000), date: date(theirs) },
  ])
  return { ...oops(429), headers }
}

/** No service of the simulation echoes a key: nothing has to be taken out of what lies in the spool. */
async function rawOf(spoolPlace: ModelSet, received: Received): Promise<string | undefined> {
  if ('path' in received.place) return received.place.path
  return keepRaw({ spoolPlace, hide: text => text }, received)
}

/** As `receiveOrder` and `receiveResult` of the wire do it: what can be a result goes to the spool first. */
async function receive(line: Line, modelSet: ModelSet, sent: Cut, isResult: boolean): Promise<Received> {
  const { status, headers, body, arrives = body.length } = sent
  const bytes = body.subarray(0, arrives)
  const head = { status, headers, at: line.clock.wall() }
  const flaw = arrives < body.length ? `the answer broke off after ${arrives} bytes` : undefined
  if (!isResult) return { answer: { ...head, body: readBody(bytes), flaw }, place: { bytes } }
  try {
    const path = await modelSet.spool(once(bytes), `${modelSet.name()}-answer`)
    const answer: Answer = { ...head, body: flaw === undefined ? readBody(bytes) : { is: 'empty' }, flaw }
    return { answer, place: { path } }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    // Answers are short here: they are read all the same.
    return { answer: { ...head, body: readBody(bytes, flaw), flaw }, place: { bytes }, unkept: true }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** As `wire/client` settles an order. */
async function settle(line: Line, modelSet: ModelSet, order: Order, received: Received): Promise<OrderReply> {
  const verdict = readOrderAnswer(line.scene.profile, order, received.answer)
  const id = 'id' in verdict ? verdict.id : undefined
  const run = id === undefined ? undefined : { workflow: order.workflow, id }
  switch (verdict.got) {
    case 'refused':
      return verdict
    case 'run':
      return { got: 'run', run: { workflow: order.workflow, id: verdict.id }, waitMs: verdict.waitMs }
    case 'failure':
      return { got: 'failure', failure: verdict.failure, run }
    case 'doubt': {
      const { detail, foreign } = verdict
      const unkept = received.unkept && runOf(line.scene.profile.response, 'identity', received.answer)
      if (unkept) return { got: 'run', run: { workflow: order.workflow, id: unkept } }
      return { got: 'doubt', detail, raw: await rawOf(modelSet, received), ...(foreign && { foreign }) }
    }
    case 'files': {
      const kept = await keepOutputs(modelSet, line.origin, verdict.outputs, received)
      if ('files' in kept) return { got: 'files', files: kept.files, run }
      if (run) return { got: 'run', run }
      return {
        got: 'doubt',
        detail: `the result could not be kept, ${kept.trouble}`,
        raw: await rawOf(modelSet, received),
      }
    }
  }
}

async function readRun(
  line: Line,
  modelSet: ModelSet,
  run: Parameters<Wire['read']>[0],
  signal: AbortSignal,
): Promise<ReadReply> {
  const { life, clock, weather } = line
  const { chance, service, witness, log } = line.scene
  const fate = chance.weighed(weather.read)
  witness.asks(`a look at ${run.id}`)
  // One that failed is asked once more before it is ordered anew: there is nothing to lose any more.
  const hasFailed = (service.runAt(line.origin, run.id)?.failuresTold ?? 0) >= 2
  if (!hasFailed) witness.polls({ origin: line.origin, id: run.id })
  await wait(line, chance.whole(1, 40), signal)
  if (signal.aborted) return { got: 'trouble', failure: { why: 'stopped' } }
  await life.moment()
  if (fate === 'reset')
    return { got: 'trouble', failure: { why: 'unreachable', origin: line.origin, detail: 'reset' } }
  const sent = readAnswer(line, fate, run.id)
  const received = await receive(line, modelSet, sent, sent.status === 200 && isMedia(sent))
  if (sent.status === 404) noteGone(service.runAt(line.origin, run.id), clock.now())
  const verdict = readResultAnswer(line.scene.profile, run.id, received.answer)
  if (verdict.got === 'finished') throw new Error('no profile here names a content')
  await life.moment()
  log(`  read of ${run.id} (${fate}) got`, verdict)
  if (verdict.got === 'failure') countFailure(service.runAt(line.origin, run.id))
  if (verdict.got === 'trouble' && verdict.failure.why === 'busy')
    witness.isAskedToWait(clock.now() + (verdict.waitMs ?? 0))
  if (verdict.got !== 'files') return verdict
  const kept = await keepOutputs(modelSet, line.origin, verdict.outputs, received)
  if ('files' in kept) return { got: 'files', files: kept.files }
  return { got: 'trouble', failure: { why: 'unsaved', path: 'the spool', detail: kept.trouble } }
}

function readAnswer(line: Line, fate: keyof Weather['read'], id: string): Cut {
  const { chance, service } = line.scene
  switch (fate) {
    case '5xx':
      return oops(chance.pick([500, 502, 503, 504]))
    case 'busy':
      return busy(line)
    case 'other run':
      return json(200, {
        id: 'run-of-somebody-else',
        status: 'completed',
        outputs: ['https://files.example/x/0.png'],
      })
    case 'page':
      return { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>soon</html>') }
    case 'stale':
      return json(200, { id, status: 'processing', progress: 10 })
    case 'no key':
      return oops(401)
    case 'cut': {
      const sent = service.result(line.origin, id)
      return { ...sent, arrives: chance.whole(0, Math.max(0, sent.body.length - 1)) }
    }
    case 'reset':
    case 'fine':
      return service.result(line.origin, id)
  }
}

/** Forgotten for good, and not one that is only not to be seen yet. */
function noteGone(charge: Charge | undefined, now: number): void {
  if (charge?.ends === 'gone' && now >= Math.max(charge.visibleAt, charge.readyAt)) charge.failuresTold++
}

function countFailure(charge: Charge | undefined): void {
  if (charge) charge.failuresTold++
}

/**
 * As `wire/download` leaves the disk: a synced part with everything, or an outcome that says what is missing. What an
 * earlier process noted of the same file is copied, and gone on with.
 */
async function download(line: Line, url: string, to: string, watch: Watch): ReturnType<Wire['download']> {
  const { signal } = watch
  const { life, clock, disk, weather } = line
  const { chance, log } = line.scene
  const fate = chance.weighed(weather.download)
  log(`  download of ${url}: ${fate}`)
  const undelivered = (detail: string) => ({ why: 'undelivered', detail }) as const
  await wait(line, chance.whole(1, 40), signal)
  if (signal.aborted) return { got: 'trouble', failure: { why: 'stopped' } }
  if (fate === 'busy')
    return {
      got: 'trouble',
      failure: undelivered('status 503'),
      waitMs: chance.pick([1000, 90_000, 7_200_000]),
    }
  const { id, nth, until } = readLink(url)
  if (fate === 'expired' || clock.now() > until) return { got: 'expired', failure: undelivered('status 403') }
  const whole = fileBytes(id, nth)
  const there = takenUp(line, url, watch)
  const bytes = fate === 'fine' ? whole : whole.subarray(0, chance.whole(0, whole.length - 1))
  const half = Math.max(there.length, bytes.length >> 1)
  const note = (length: number) => {
    if (length > 0) watch.onBeginning?.(beginningOf(url, whole.subarray(0, length)))
  }
  try {
    removeQuietly(disk, to)
    const file = disk.open(to, 'create')
    disk.write(file, there)
    note(there.length)
    disk.write(file, bytes.subarray(there.length, half))
    if (chance.hits(0.5)) note(Math.min(half, bytes.length))
    await wait(line, chance.whole(0, 20), signal)
    disk.write(file, bytes.subarray(half))
    if (fate === 'reset') note(Math.max(there.length, bytes.length))
    else await disk.sync(file)
    disk.close(file)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return { got: 'trouble', failure: { why: 'unsaved', path: to, detail: error.detail } }
  }
  await life.moment()
  if (fate === 'reset') return { got: 'trouble', failure: undelivered('connection reset') }
  const got = bytes.length < there.length ? there : bytes
  return { got: 'bytes', bytes: got.length, sha256: digestBytes(got).slice('sha256:'.length) }
}

/** What `wire/resumption` takes up: the bytes that were noted, if they are still there. */
function takenUp({ disk, scene }: Line, url: string, { begun }: Watch): Buffer {
  const none = Buffer.alloc(0)
  if (!begun || begun.beginning.resource !== beginningOf(url, none).resource) return none
  const { path, beginning } = begun
  try {
    const bytes = Buffer.from(disk.readAll(path).subarray(0, beginning.bytes))
    if (beginningOf(url, bytes).sha256 !== beginning.sha256) return none
    disk.remove(path)
    scene.log(`  ${bytes.length} bytes of an earlier run are gone on with`)
    scene.counts.resumed++
    return bytes
  } catch (error) {
    if (error instanceof StorageError) return none
    throw error
  }
}

function beginningOf(url: string, bytes: Buffer): Beginning {
  const { id, nth } = readLink(url)
  const sha256 = digestBytes(bytes).slice('sha256:'.length)
  return { resource: `${id} ${nth}`, etag: `"${id}"`, bytes: bytes.length, sha256 }
}

/** Waits, and lets a process die there. */
async function wait({ life, clock }: Line, ms: number, signal?: AbortSignal): Promise<void> {
  await life.moment()
  await clock.until(clock.now() + ms, signal)
}
