import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import { sha256Digest } from '../../src/base/names.ts'
import { openUploads, type UploadInput } from '../../src/desk/uploads.ts'
import type { Disk } from '../../src/store/disk.ts'
import type { UploadReply, Wire } from '../../src/wire/wire.ts'
import { handClock, seededRandom } from '../engine/fake.ts'

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
    async upload(file: { chunks: () => AsyncIterable<Uint8Array> }) {
      let text = ''
      try {
        for await (const piece of file.chunks()) text += Buffer.from(piece).toString()
      } catch {
        return { got: 'trouble', failure: { why: 'unreachable', origin: 'x', detail: 'broken off' } }
      }
      sent.push([text, clock.now()])
      return answer(text, sent.length)
    },
  } as unknown as Wire // nothing else of it is used
  const stop = new AbortController()
  return {
    clock,
    sent,
    stop,
    uploads: openUploads({ wire, clock, random: seededRandom(), disk, stop: stop.signal }),
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
    Promise.all([input('abc'), input('abc'), input('xyz')].map(each => uploads.link(each))),
  )
  expect(links).toEqual([{ link: 'l-abc' }, { link: 'l-abc' }, { link: 'l-xyz' }])
  expect(sent.map(([text]) => text)).toEqual(['abc', 'xyz'])
})

test('trouble is tried again, never before the service wants it', async () => {
  const { uploads, sent, clock } = uploadsOf((_, nth) => (nth < 3 ? busy : { got: 'link', link: 'l' }))
  expect(await clock.run(uploads.link(input('abc')))).toEqual({ link: 'l' })
  const [first, second, third] = sent.map(([, at]) => at)
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(5000)
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(5000)
})

test('after five attempts it is given up, and the next job that needs the file tries again', async () => {
  const { uploads, sent, clock } = uploadsOf((_, nth) => (nth <= 5 ? busy : { got: 'link', link: 'l' }))
  expect(await clock.run(uploads.link(input('abc')))).toEqual(busy.got === 'trouble' && busy.failure)
  expect(sent).toHaveLength(5)
  expect(await clock.run(uploads.link(input('abc')))).toEqual({ link: 'l' })
})

test('a refusal is final', async () => {
  const failure: Failure = { why: 'refused', status: 413, detail: 'too large' }
  const { uploads, sent, clock } = uploadsOf(() => ({ got: 'refused', failure }))
  expect(await clock.run(uploads.link(input('abc')))).toEqual(failure)
  expect(sent).toHaveLength(1)
})

test('a file that was altered since it was digested is not sent to its end', async () => {
  const { uploads, sent, clock } = uploadsOf(() => ({ got: 'link', link: 'l' }))
  expect(await clock.run(uploads.link(input('abc', digestOf('abd'))))).toEqual({
    why: 'bad-input',
    path: 'shots/abc.png',
    detail: 'it was altered while it was sent',
  })
  expect(sent).toEqual([])
})
