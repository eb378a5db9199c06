import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { samples } from '../media/samples.ts'
import { boundaries } from './boundaries.ts'
import { accepting, clip, finishing, type Hostile, json, project, run, serve } from './hostile.ts'

let files: Awaited<ReturnType<typeof samples>>
beforeAll(async () => {
  files = await samples()
})

const still = 'jobs:\n  job: { model: fama-imagine-image, mode: submit, prompt: a teapot }\n'
const film = 'jobs:\n  job: { model: famc-v3, prompt: steam }\n'
const voice = 'jobs:\n  job: { model: fama-tts, prompt: Good morning }\n'

/** Where a file is cut: in its head, at its end, and between. */
const cuts = [0.02, 0.2, 0.4, 0.6, 0.8, 0.95]

describe('a file that breaks off is never taken for whole, and costs nothing more', () => {
  test.each([
    ['png', still],
    ['jpeg', still],
    ['webp', still],
    ['mp4', film],
    ['webm', film],
    ['mov', film],
    ['wav', voice],
    ['mp3', voice],
    ['ogg', voice],
    ['flac', voice],
  ] as const)('%s, by its own structure alone', { timeout: 60_000 }, async (format, manifest) => {
    const whole = files[format]
    const delivered: number[] = []
    const { origin, counts } = await serve(
      finishing(({ nth, response }) => {
        const part = whole.subarray(0, Math.max(1, Math.floor(whole.length * (cuts[nth - 1] ?? 1))))
        // The sixth lacks its last byte only. None has a length.
        const sent = nth === cuts.length + 1 ? whole.subarray(0, -1) : part
        delivered.push(sent.length)
        response.write(sent)
        response.end()
      }),
    )
    const report = await run(origin, project(manifest))
    expect(report.jobs).toMatchObject([{ ending: 'made', files: [{ bytes: whole.length }] }])
    expect(delivered.slice(0, -1).every(bytes => bytes < whole.length)).toBe(true)
    expect(counts.submit).toBe(1)
  })

  /** So many cuts that a download is never given up. */
  const cutsPerJob = 6

  test.each([
    ['png', still, 4],
    ['jpeg', still, 11],
    ['webp', still, 4],
    ['mp4', film, 18],
    ['mov', film, 18],
    ['webm', film, 40],
    ['wav', voice, 2],
    ['mp3', voice, 20],
    ['ogg', voice, 2],
    ['flac', voice, 6],
  ] as const)(
    '%s, at every boundary of its parts',
    {
      timeout: 60_000,
    },
    async (format, manifest, atLeast) => {
      const whole = files[format]
      const at = boundaries(format, whole)
      expect(at.length).toBeGreaterThanOrEqual(atLeast)
      const left = new Map<string, number[]>()
      const delivered: number[] = []
      const { origin, counts } = await serve(({ what, nth, request, response, origin }) => {
        if (what === 'submit') {
          left.set(`r${nth}`, at.slice((nth - 1) * cutsPerJob, nth * cutsPerJob))
          return json(response, { id: `r${nth}` })
        }
        const [id = ''] = /r\d+/.exec(request.url ?? '') ?? []
        if (what === 'result') return json(response, { status: 'done', url: `${origin}/files/${id}` })
        const cut = left.get(id)?.shift() ?? whole.length
        delivered.push(cut)
        response.write(whole.subarray(0, cut))
        return response.end()
      })
      const jobs = Math.ceil(at.length / cutsPerJob)
      const lines = Array.from({ length: jobs }, (_, nth) =>
        manifest.split('\n')[1]?.replace('job', `job${nth}`),
      )
      const cwd = project(`jobs:\n${lines.join('\n')}\n`)
      const report = await run(origin, cwd)
      for (const job of report.jobs)
        expect(job).toMatchObject({ ending: 'made', files: [{ bytes: whole.length }] })
      expect(delivered.filter(bytes => bytes < whole.length).toSorted((a, b) => a - b)).toEqual(at)
      expect(counts.submit).toBe(jobs)
    },
  )

  test('a paid answer that is only half a picture is told, kept aside and not bought again', {
    timeout: 60_000,
  }, async () => {
    const manifest = 'jobs:\n  job: { model: fama-imagine-image, prompt: a teapot, timeout: 20s }\n'
    const half = files.png.subarray(0, -20)
    const { origin, counts } = await serve(({ response }) => response.end(half))
    const cwd = project(manifest)
    const first = await run(origin, cwd)
    expect(first.jobs).toMatchObject([{ ending: 'failed', failure: { why: 'bad-media' } }])
    expect((await run(origin, cwd)).paid).toBe(0)
    expect(counts.execute).toBe(1)
  })
})

/** What a file server says to the rest that is asked for after a break. */
type Rest = (response: ServerResponse, from: number, whole: Uint8Array, other: Uint8Array) => void

const etag = '"v1"'

describe('a file server that is asked for the rest of a file, and may lie', () => {
  test.each<[string, Rest]>([
    [
      'sends what was asked for',
      (response, from, whole) =>
        response
          .writeHead(206, { etag, 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` })
          .end(whole.subarray(from)),
    ],
    [
      'sends the head again as the rest',
      (response, from, whole) =>
        response
          .writeHead(206, { etag, 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` })
          .end(whole.subarray(0, whole.length - from)),
    ],
    [
      'sends the rest of another version under the same tag',
      (response, from, whole, other) =>
        response
          .writeHead(206, { etag, 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` })
          .end(other.subarray(from)),
    ],
    [
      'sends the rest from another place',
      (response, from, whole) =>
        response
          .writeHead(206, { etag, 'content-range': `bytes ${from - 1}-${whole.length - 1}/${whole.length}` })
          .end(whole.subarray(from - 1)),
    ],
    [
      'says another size of the whole',
      (response, from, whole) =>
        response
          .writeHead(206, { etag, 'content-range': `bytes ${from}-${whole.length}/${whole.length + 1}` })
          .end(whole.subarray(from)),
    ],
    [
      'sends the rest of a version with another tag',
      (response, from, whole, other) =>
        response
          .writeHead(206, {
            etag: '"v2"',
            'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}`,
          })
          .end(other.subarray(from)),
    ],
    ['knows no ranges', (response, _, whole) => response.writeHead(200, { etag }).end(whole)],
    ['refuses the range', response => response.writeHead(416).end()],
  ])('%s: what is kept in the end is one version, whole', { timeout: 60_000 }, async (_, rest) => {
    const whole = files.mp4
    const other = Uint8Array.from(whole, byte => byte ^ 0x55)
    let ranges = 0
    const answer = (request: IncomingMessage, response: ServerResponse, nth: number) => {
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? Number.NaN)
      if (!Number.isNaN(from)) ranges++
      if (nth === 1) {
        response.writeHead(200, { etag, 'content-length': whole.length })
        response.write(whole.subarray(0, Math.floor(whole.length / 2)))
        return setTimeout(() => response.destroy(), 20)
      }
      if (nth === 2 && !Number.isNaN(from)) return rest(response, from, whole, other)
      return response.writeHead(200, { etag }).end(whole)
    }
    const { origin, counts } = await serve(
      finishing(({ nth, request, response }) => void answer(request, response, nth)),
    )
    const cwd = project(clip('15m'))
    const report = await run(origin, cwd)
    expect(report.jobs).toMatchObject([{ ending: 'made', files: [{ bytes: whole.length }] }])
    const path = report.jobs[0]?.files[0]?.path ?? ''
    const kept = readFileSync(join(cwd, 'out/tea', path))
    expect(kept.equals(whole)).toBe(true)
    expect(ranges).toBe(1)
    expect(counts.submit).toBe(1)
  })
})

test('a download that outlasts its job is left at the deadline, and gone on with by the next run', {
  timeout: 60_000,
}, async () => {
  const whole = files.mp4
  const half = Math.floor(whole.length / 2)
  const asked: (string | undefined)[] = []
  const { origin, counts } = await serve(
    finishing(({ nth, request, response }) => {
      asked.push(request.headers.range)
      const headers = { etag, 'content-length': whole.length }
      // The first time the second half never comes.
      if (nth === 1) return void response.writeHead(200, headers).write(whole.subarray(0, half))
      response
        .writeHead(206, { etag, 'content-range': `bytes ${half}-${whole.length - 1}/${whole.length}` })
        .end(whole.subarray(half))
    }),
  )
  // Less than the minute after which a download that brings nothing is given up anyway.
  const cwd = project(clip('50s'))
  const first = await run(origin, cwd, 10)
  expect(first.jobs).toMatchObject([{ ending: 'detached', run: 'r1', failure: { why: 'overdue' } }])
  expect(first.seconds).toBeLessThan(59)
  const second = await run(origin, cwd, 10)
  expect(second.jobs).toMatchObject([{ ending: 'made', files: [{ bytes: whole.length }] }])
  expect(asked).toEqual([undefined, `bytes=${half}-`])
  expect(counts).toMatchObject({ submit: 1, file: 2 })
})

describe('a service that drips', () => {
  /** A byte now and then, for ever. */
  const drip = (response: ServerResponse) => {
    const timer = setInterval(() => response.write('x'), 50)
    response.on('close', () => clearInterval(timer))
  }
  const drips: readonly (readonly [string, Hostile])[] = [
    ['its file', at => (at.what === 'file' && at.nth === 1 ? drip(at.response) : finishing(rest)(at))],
    ['its result', at => (at.what === 'result' && at.nth === 1 ? drip(at.response) : finishing(rest)(at))],
  ]
  const rest: Hostile = ({ response }) => response.end(files.mp4)

  test.each(drips)('%s is cut off, and asked again', { timeout: 60_000 }, async (_, hostile) => {
    const { origin, counts } = await serve(hostile)
    const report = await run(origin, project(clip('15m')))
    expect(report.jobs).toMatchObject([{ ending: 'made' }])
    expect(counts.submit).toBe(1)
  })

  test('its answer to an order leaves a doubt, and no second order', { timeout: 60_000 }, async () => {
    const { origin, counts } = await serve(at =>
      at.what === 'submit' ? drip(at.response) : accepting(({ response }) => json(response, {}))(at),
    )
    const cwd = project(clip('15m'))
    const report = await run(origin, cwd)
    expect(report.jobs).toMatchObject([{ ending: 'doubt' }])
    expect((await run(origin, cwd)).paid).toBe(0)
    expect(counts.submit).toBe(1)
  })
})
