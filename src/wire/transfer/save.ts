import type { Clock } from '../../base/clock.ts'
import type { Opened } from '../http/exchange.ts'
import type { WireLimits } from '../http/limits.ts'
import { keepMinSpeed } from '../http/min-speed.ts'
import type { DownloadReply, Watch } from '../http/wire.ts'
import { declaredBytes, tooLong } from './delivery.ts'
import { inlineBytes } from './files.ts'
import { openPart, type Part } from './part.ts'
import { beginningOf, type Resumption, resourceOf, strongEtag, totalOfRest } from './resumption.ts'
import { trouble } from './undelivered.ts'

/** What is fetched, and where it goes. */
interface Target {
  readonly link: string
  readonly to: string
  /** What the answer continues. */
  readonly rest: Resumption | undefined
}

export interface Cutting {
  readonly watch: Watch
  readonly over: AbortSignal
  readonly cutOff: (reason: string) => void
}

// So much at most is fetched again after a crash.
const noteEvery = 4 * 1024 * 1024

export interface Saver {
  readonly clock: Clock
  readonly limits: WireLimits
  /** Downloads that broke off in this run, by the file they go to. */
  readonly resumptions: Map<string, Resumption>
}

/** Writes an answer's body into its file, and notes where it broke off. */
export async function save(
  from: Saver,
  { head, body }: Opened,
  { link, to, rest }: Target,
  { watch, over, cutOff }: Cutting,
): Promise<DownloadReply> {
  const part = await openPart(to, rest)
  if ('why' in part) return { got: 'trouble', failure: part }
  const total = rest ? totalOfRest(head) : declaredBytes(head)
  const etag = rest ? rest.etag : strongEtag(head)
  let isOver = false
  let noted = part.bytes()
  const sofar = () => etag !== undefined && { resource: resourceOf(link), etag, total, ...part.sofar() }
  void keepMinSpeed(
    { clock: from.clock, limits: from.limits.download },
    { bytes: part.bytes, total },
    over,
    cutOff,
  )
  try {
    for await (const chunk of body) {
      if (part.bytes() + chunk.byteLength > from.limits.download.bytes) return trouble(tooLong(from.limits))
      const failure = await part.write(chunk)
      if (failure) return { got: 'trouble', failure }
      watch.progress?.(part.bytes(), total)
      if (part.bytes() - noted < noteEvery) continue
      noted = part.bytes()
      // What came lies outside the heap, where it would stand until there is much of it. Only our executable exposes this.
      globalThis.gc?.({ type: 'minor' })
      const present = sofar()
      if (present) watch.onBeginning?.(beginningOf(present))
    }
    const isWhole = total === undefined || part.bytes() === total
    if (!isWhole) return trouble(`${part.bytes()} of ${total} bytes came`)
    const done = await finish(part)
    isOver = done.got === 'bytes'
    return done
  } finally {
    const isShort = part.bytes() > 0 && (total === undefined || part.bytes() < total)
    const broken = !isOver && isShort && sofar()
    if (broken) {
      from.resumptions.set(to, broken)
      watch.onBeginning?.(beginningOf(broken))
    }
    await part.leave()
  }
}

/** The file that a data URI is. */
export async function writeInline(link: string, to: string): Promise<DownloadReply> {
  const bytes = inlineBytes(link)
  if (!bytes) return trouble('the data URI is empty')
  const part = await openPart(to)
  if ('why' in part) return { got: 'trouble', failure: part }
  const failure = await part.write(bytes)
  if (!failure) return finish(part)
  await part.leave()
  return { got: 'trouble', failure }
}

async function finish(part: Part): Promise<DownloadReply> {
  const bytes = part.bytes()
  if (bytes === 0) return trouble('the file is empty')
  const done = await part.finish()
  return 'why' in done ? { got: 'trouble', failure: done } : { got: 'bytes', bytes, sha256: done.sha256 }
}
