import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Failure } from '../../base/failure.ts'
import { type Digest, type JobAddress, sha256Digest } from '../../base/names.ts'
import type { Random } from '../../base/random.ts'
import type { Emit } from '../../engine/event.ts'
import type { Disk } from '../../store/files/disk.ts'
import type { UploadReply, Wire } from '../../wire/http/wire.ts'
import { throttle } from './throttle.ts'

/** One file that is to be uploaded. */
export interface UploadInput {
  readonly path: string
  /** The folder that it has to lie in when it is opened. */
  readonly within?: string | undefined
  /** As the user knows it. */
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly digest: Digest
}

/** Uploads of one run: every content goes once, however many jobs use it. */
export interface Uploads {
  /** `by` is the job that needs it: what is going on is told about the first that asks. */
  link(input: UploadInput, by: JobAddress): Promise<{ readonly link: string } | Failure>
}

interface UploadMeans {
  readonly wire: Wire
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly stop: AbortSignal
  readonly emit: Emit
}

const attempts = 5

export function openUploads(means: UploadMeans): Uploads {
  const links = new Map<Digest, Promise<{ readonly link: string } | Failure>>()
  return {
    async link(input, by) {
      const known = links.get(input.digest)
      if (known) return known
      const sent = send(means, input, by)
      links.set(input.digest, sent)
      const reply = await sent
      // The next job that needs it tries again: the trouble may have passed by then.
      if ('why' in reply) links.delete(input.digest)
      return reply
    },
  }
}

async function send(
  means: UploadMeans,
  input: UploadInput,
  by: JobAddress,
): Promise<{ readonly link: string } | Failure> {
  const { clock, stop } = means
  for (let tries = 0; ; tries++) {
    const reply = await attempt(means, input, by)
    if (reply.got === 'link') return { link: reply.link }
    if (reply.got === 'refused' || tries + 1 >= attempts) return reply.failure
    await clock.until(clock.now() + waitMs(reply, tries, means.random), stop)
    if (stop.aborted) return { why: 'stopped' }
  }
}

async function attempt(
  { wire, disk, stop, clock, emit }: UploadMeans,
  { path, name, within, type, bytes, digest }: UploadInput,
  by: JobAddress,
): Promise<UploadReply> {
  const refused = (detail: string): UploadReply => ({
    got: 'refused',
    failure: { why: 'bad-input', path: name, detail },
  })
  if (!wire.upload) return refused('there is no place for uploads')
  let altered = false
  const chunks = () =>
    checkedPieces(
      () => disk.readPieces(path, within),
      digest,
      () => (altered = true),
    )
  const last = name.split('/').at(-1) ?? name
  const progress = throttle(clock, sent =>
    emit({
      at: clock.now(),
      address: by,
      event: 'uploading',
      file: name,
      bytes: Math.min(sent, bytes),
      total: bytes,
    }),
  )
  const reply = await wire.upload({ name: last, type, bytes, chunks }, { signal: stop, progress })
  return altered ? refused('it was altered while it was sent') : reply
}

/** The bytes that are sent are the bytes of the recipe, or the last piece is held back and the request breaks off. */
async function* checkedPieces(
  read: () => AsyncIterable<Uint8Array>,
  digest: Digest,
  onAltered: () => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let held: Uint8Array | undefined
  for await (const piece of read()) {
    if (held) yield held
    held = Uint8Array.from(piece)
    hash.update(held)
  }
  if (sha256Digest(hash.digest('hex')) !== digest) {
    onAltered()
    throw new Error('the file was altered')
  }
  if (held) yield held
}

/** Half a second, doubling, at most 20 s, by chance; what the service asks for is never undercut. */
function waitMs(reply: UploadReply & { got: 'trouble' }, tries: number, random: Random): number {
  const longest = Math.min(20_000, 500 * 2 ** tries)
  return Math.max((reply.waitMs ?? 0) * (1 + 0.1 * random.next()), longest * random.next())
}
