import type { JobAddress, Json, RunId } from '../../src/base/names.ts'
import type { WireMode } from '../../src/base/state.ts'
import type { Chance } from './chance.ts'

/** What a service sends back. */
export interface Sent {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
}

/** One order that the service accepted: it is billed, whatever the client learns of it. */
export interface Charge {
  /** The job that it was ordered for. */
  readonly job: JobAddress
  /** Where it was accepted. */
  readonly origin: string
  /** Only there: another service gives the same ids. */
  readonly id: RunId
  /** Its own, whichever service accepted it; its files are known by it. */
  readonly serial: string
  readonly mode: WireMode
  /** So many files it brings. */
  readonly count: number
  readonly prompt: string
  /** Everything that was asked for, inputs included. */
  readonly what: string
  readonly sort: string
  /** The idempotency key that came with it. */
  readonly key: string
  readonly at: number
  /** When its result is there. */
  readyAt: number
  /** `odd`: one of its files is of a kind that nobody ordered. `gone`: the service forgets it before anybody had its result. */
  readonly ends: 'well' | 'odd' | 'failed' | 'rejected' | 'gone'
  /** Until then a result request does not find it. */
  readonly visibleAt: number
  /** How long a link to its files works. */
  readonly linkMs: number
  /** How often the client has been told that it failed. */
  failuresTold: number
  /** Its files are there. */
  isDelivered: boolean
  /** The user does without it. */
  isGivenUp: boolean
  /** The user threw away all that told of it. */
  isForgotten: boolean
  /** Nothing at the machine that is used now tells of it. */
  isElsewhere: boolean
  /** The user deleted its files: they come again when something asks for them. */
  isThrownAway: boolean
  /** The user deleted them once, whatever came since. */
  wasThrownAway: boolean
}

/** Paid for, and not there yet. What is no result is owed once: nobody fetches it again when it was deleted. */
export function isOwed(charge: Charge): boolean {
  return isWanted(charge) && !charge.isDelivered && !(charge.ends === 'odd' && charge.isThrownAway)
}

/** Paid for, and the user has not done away with it. */
export function isWanted({ ends, isGivenUp, isForgotten, isElsewhere }: Charge): boolean {
  return hasFiles(ends) && !isGivenUp && !isForgotten && !isElsewhere
}

/** A result came of it, be it one that was asked for or not. */
export function hasFiles(ends: Charge['ends']): boolean {
  return ends === 'well' || ends === 'odd'
}

/** What an order says about itself. */
export type Ordered = Pick<Charge, 'job' | 'origin' | 'mode' | 'count' | 'prompt' | 'what' | 'sort' | 'key'>

/** What kind of runs an accepted order becomes. */
export interface RunKinds {
  readonly failed: number
  readonly rejected: number
  /** Of those that are submitted. */
  readonly gone: number
  /** Of those that end well. */
  readonly odd: number
  /** Of those that were to bring several files: fewer come. */
  readonly short?: number
  readonly stalls: number
  readonly hidden: number
  /** How long they take, in milliseconds; one of these. */
  readonly lengths: readonly number[]
}

/**
 * A service with a ledger, at one or two addresses, each with runs of its own. It does exactly what it is asked; what goes
 * wrong is decided by the weather.
 */
export interface Service {
  accept(order: Ordered, kinds: RunKinds): Charge
  /** How it says that it accepted an order, in one of the ways that services have. */
  acceptance(charge: Charge): Sent
  /** The answer to a result request. */
  result(origin: string, id: string): Sent
  readonly charges: readonly Charge[]
  /** By its serial. */
  chargeOf(serial: string): Charge | undefined
  runAt(origin: string, id: string): Charge | undefined
  /** Runs that would never end do. */
  finishAll(): void
}

export function openService(chance: Chance, now: () => number, keysLiveMs: number): Service {
  const charges: Charge[] = []
  const ids: RunId[] = []
  const runAt = (origin: string, id: string) =>
    charges.find(charge => charge.id === id && charge.origin === origin)
  return {
    accept(order, kinds) {
      const at = now()
      const here = charges.filter(({ origin }) => origin === order.origin)
      const first = here.find(each => each.key === order.key && at < each.at + keysLiveMs)
      if (first) return first
      const id = (ids[here.length] ??= `run-${here.length + 1}-${chance.token().slice(0, 6)}` as RunId) // short and printable
      const ends = endOf(order, kinds, chance)
      const serial = charges.some(each => each.id === id) ? `other-${id}` : id
      const isShort = order.count > 1 && kinds.short !== undefined && chance.hits(kinds.short)
      const charge: Charge = {
        ...order,
        count: isShort ? chance.whole(1, order.count - 1) : order.count,
        id,
        serial: ends === 'odd' ? oddSerial(serial, order.count) : serial,
        at,
        readyAt: chance.hits(kinds.stalls) ? Number.POSITIVE_INFINITY : at + chance.pick(kinds.lengths),
        ends,
        visibleAt: chance.hits(kinds.hidden) ? at + chance.whole(0, 20_000) : at,
        linkMs: chance.pick([20_000, 3_600_000]),
        failuresTold: 0,
        isDelivered: false,
        isGivenUp: false,
        isForgotten: false,
        isElsewhere: false,
        isThrownAway: false,
        wasThrownAway: false,
      }
      charges.push(charge)
      return charge
    },
    acceptance: charge =>
      charge.mode === 'submit' ? submitted(charge, chance) : executed(charge, chance, now()),
    result(origin, id) {
      const charge = runAt(origin, id)
      if (!charge || now() < charge.visibleAt) return json(404, { error: { message: 'unknown run' } })
      if (now() < charge.readyAt) return unfinished(charge, chance)
      if (charge.ends === 'gone') return json(404, { error: { message: 'unknown run' } })
      if (!hasFiles(charge.ends)) return failed(charge)
      return finished(charge, chance, now())
    },
    charges,
    chargeOf: serial => charges.find(charge => charge.serial === serial),
    runAt,
    finishAll() {
      for (const charge of charges) charge.readyAt = Math.min(charge.readyAt, now())
    },
  }
}

function endOf({ mode }: Ordered, { failed, rejected, odd, gone }: RunKinds, chance: Chance): Charge['ends'] {
  // Nothing is drawn where none is: every other history stays as it is.
  if (gone > 0 && mode === 'submit' && chance.hits(gone)) return 'gone'
  if (chance.hits(failed)) return 'failed'
  if (chance.hits(rejected)) return 'rejected'
  return chance.hits(odd) ? 'odd' : 'well'
}

// Whoever has a file sees by it whether it is one of those: the last of its result, so that others have their names by then.
function oddSerial(serial: string, count: number): string {
  return `odd${count - 1}-${serial}`
}

/** Whether a file is of a kind that nobody ordered. */
export function isOdd({ id, nth }: { readonly id: string; readonly nth: number }): boolean {
  return id.startsWith(`odd${nth}-`)
}

export function json(status: number, body: Json, headers: Sent['headers'] = {}): Sent {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  }
}

function submitted({ id }: Charge, chance: Chance): Sent {
  return chance.pick([
    () => json(200, { id, status: 'queued' }),
    () => json(202, { response: { id, status: 'QUEUED' } }),
    () => json(201, { code: 0, message: 'success', data: { task_id: id, task_status: 'submitted' } }),
    () => json(202, { request_id: `x-${id}`, run_id: id }, { 'retry-after': '2' }),
    () => ({ status: 202, headers: { location: `/gw-v2/workflows/w/${id}/result` }, body: Buffer.alloc(0) }),
  ])()
}

/** An exchange that brings the result along. Only those with an id can be asked again. */
function executed(charge: Charge, chance: Chance, now: number): Sent {
  if (!hasFiles(charge.ends)) return failed(charge)
  const links = linksOf(charge, now)
  const bytes = Array.from({ length: charge.count }, (_, nth) =>
    fileBytes(charge.serial, nth).toString('base64'),
  )
  if (charge.count === 1 && chance.hits(0.2)) {
    return { status: 200, headers: { 'content-type': 'image/png' }, body: fileBytes(charge.serial, 0) }
  }
  return chance.pick([
    () => json(200, { id: charge.id, status: 'completed', outputs: links.map(url => ({ url })) }),
    () => json(200, { id: charge.id, images: bytes.map(b64_json => ({ b64_json })) }),
    () => json(200, { created: 1, data: bytes.map(b64_json => ({ b64_json })) }),
  ])()
}

function unfinished({ id }: Charge, chance: Chance): Sent {
  return chance.pick([
    () => json(200, { id, status: 'processing', progress: 40 }),
    () => json(202, { response: { id, status: 'IN_QUEUE' } }),
    () => ({ status: 202, headers: { 'retry-after': '3' }, body: Buffer.alloc(0) }),
    () => json(200, { id, status: 'warming up' }),
  ])()
}

function failed(charge: Charge): Sent {
  const message = charge.ends === 'rejected' ? 'blocked by the content policy' : 'a worker gave up'
  return json(200, { id: charge.id, status: 'failed', error: { message } })
}

function finished(charge: Charge, chance: Chance, now: number): Sent {
  const links = linksOf(charge, now)
  if (charge.count === 1 && chance.hits(0.1)) {
    return { status: 200, headers: { 'content-type': 'video/mp4' }, body: fileBytes(charge.serial, 0) }
  }
  return chance.pick([
    () => json(200, { id: charge.id, status: 'completed', outputs: links.map(url => ({ url })) }),
    () => json(200, { response: { id: charge.id, status: 'SUCCESS', results: links } }),
  ])()
}

function linksOf(charge: Charge, now: number): string[] {
  return Array.from(
    { length: charge.count },
    (_, nth) => `https://files.example/${charge.serial}/${nth}.png?until=${now + charge.linkMs}`,
  )
}

/** What a link leads to: whose file it is, and until when it works. */
export function readLink(url: string): { readonly id: string; readonly nth: number; readonly until: number } {
  const found = /^https:\/\/files\.example\/([^/]+)\/(\d+)\.png\?until=(\d+)$/.exec(url)
  if (!found) throw new Error(`no link of the service: ${url}`)
  return { id: found[1] ?? '', nth: Number(found[2]), until: Number(found[3]) }
}

// The eight bytes that every PNG begins with: no text does, so that a bare body is taken for media.
const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const end = '\nthe end\n'

/** No two are of one length: genrun plans by that. */
export function fileBytes(id: string, nth: number): Buffer {
  const length = 10 * Number(/run-(\d+)/.exec(id)?.[1]) + nth + (id.includes('other') ? 5 : 0)
  return Buffer.concat([mark, Buffer.from(`${id} ${nth} ${'.'.repeat(length)}${end}`)])
}

/** Whose output a file is; undefined when it is not whole. */
export function readFileBytes(bytes: Buffer): { readonly id: string; readonly nth: number } | undefined {
  const text = bytes.subarray(mark.length).toString()
  if (!bytes.subarray(0, mark.length).equals(mark) || !text.endsWith(end)) return undefined
  const [id = '', nth = ''] = text.slice(0, -end.length).split(' ')
  return { id, nth: Number(nth) }
}
