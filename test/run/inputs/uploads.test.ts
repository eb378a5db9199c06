import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Failure } from '../../../src/base/failure.ts'
import { jobAddress, sha256Digest } from '../../../src/base/names.ts'
import type { Event } from '../../../src/engine/event.ts'
import { openUploads, type UploadInput } from '../../../src/run/inputs/uploads.ts'
import type { Disk } from '../../../src/store/files/disk.ts'
import type { UploadReply, Watch, Wire } from '../../../src/wire/http/wire.ts'
import { handClock, seededRandom } from '../../engine/fake.ts'

const clip = jobAddress('clip')
const digestOf = (text: string) => sha256Digest(createHash('sha256').update(text).digest('hex'))

function input(text: string, digest = digestOf(text)): UploadInput {
  return { path: text, name: `shots/${text}.png`, type: 'image/png', bytes: text.length, digest }
}

/** Files whose contents are their paths, and a wire that answers as told. */
function uploadsOf(answer: (text: string, nth: number) => UploadReply) {
  const clock = handClock()
  const sent: [string, number][] = []
  const disk = {
    async *readPieces(path: string) {
      for (const letter of path) yield Buffer.from(letter)
    },
  } as unknown as Disk // nothing else of it is used
  const wire = {
    async upload(file: { chunks: () => AsyncIterable<Uint8Array> }, watch: Watch) {
      let text = ''
      try {
        for await (const piece of file.chunks()) {
          text += Buffer.from(piece).toString()
          watch.progress?.(text.length, undefined)
        }
      } catch {
        return { got: 'trouble', failure: { why: 'unreachable', origin: 'x', detail: 'broken off' } }
      }
      sent.push([text, clock.now()])
      return answer(text, sent.length)
    },
  } as unknown as Wire // nothing else of it is used
  const stop = new AbortController()
  const told: Event[] = []
  const emit = (event: Event) => void told.push(event)
  return {
    told,
    clock,
    sent,
    stop,
    uploads: openUploads({ wire, clock, random: seededRandom(), disk, stop: stop.signal, emit }),
  }
}

const busy: UploadReply = {
  got: 'trouble',
  waitMs: 5000,
  failure: { why: 'refused', status: 503, detail: '' },
}

test('a content goes once in a run, however many jobs use it at a time', async () => {
  const { uploads, sent, clock } = uploadsOf(text => ({ got: 'link', link: `l-${text}` }))
  const links = await clock.run(
    Promise.all([input('abc'), input('abc'), input('xyz')].map(each => uploads.link(each, clip))),
  )
  expect(links).toEqual([{ link: 'l-abc' }, { link: 'l-abc' }, { link: 'l-xyz' }])
  expect(sent.map(([text]) => text)).toEqual(['abc', 'xyz'])
})

test('trouble is tried again, never before the service wants it', async () => {
  const { uploads, sent, clock } = uploadsOf((_, nth) => (nth < 3 ? busy : { got: 'link', link: 'l' }))
  expect(await clock.run(uploads.link(input('abc'), clip))).toEqual({ link: 'l' })
  const [first, second, third] = sent.map(([, at]) => at)
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(5000)
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(5000)
})

test('after five attempts it is given up, and the next job that needs the file tries again', async () => {
  const { uploads, sent, clock } = uploadsOf((_, nth) => (nth <= 5 ? busy : { got: 'link', link: 'l' }))
  expect(await clock.run(uploads.link(input('abc'), clip))).toEqual(busy.got === 'trouble' && busy.failure)
  expect(sent).toHaveLength(5)
  expect(await clock.run(uploads.link(input('abc'), clip))).toEqual({ link: 'l' })
})

test('a refusal is final', async () => {
  const failure: Failure = { why: 'refused', status: 413, detail: 'too large' }
  const { uploads, sent, clock } = uploadsOf(() => ({ got: 'refused', failure }))
  expect(await clock.run(uploads.link(input('abc'), clip))).toEqual(failure)
  expect(sent).toHaveLength(1)
})

test('a file that was altered since it was digested is not sent to its end', async () => {
  const { uploads, sent, clock } = uploadsOf(() => ({ got: 'link', link: 'l' }))
  expect(await clock.run(uploads.link(input('abc', digestOf('abd')), clip))).toEqual({
    why: 'bad-input',
    path: 'shots/abc.png',
    detail: 'it was altered while it was sent',
  })
  expect(sent).toEqual([])
})

test('what goes on is told about the job that needs it first, and not for every piece', async () => {
  const { uploads, clock, told } = uploadsOf((_, nth) => (nth < 2 ? busy : { got: 'link', link: 'l' }))
  await clock.run(
    Promise.all([uploads.link(input('abc'), clip), uploads.link(input('abc'), jobAddress('other'))]),
  )
  const line = { address: 'clip', event: 'uploading', file: 'shots/abc.png', bytes: 1, total: 3 }
  // One line for each of the two attempts: the clock stands still while the pieces go.
  expect(told).toMatchObject([line, line])
})
