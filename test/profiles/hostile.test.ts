import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { samples } from '../media/samples.ts'
import {
  accepting,
  clip,
  finishing,
  type Hostile,
  html,
  image,
  json,
  page,
  project,
  run,
  serve,
} from './hostile.ts'

let png: Uint8Array
let mp4: Uint8Array
beforeAll(async () => {
  const all = await samples()
  png = all.png
  mp4 = all.mp4
})

describe('every run ends, and a second run pays for nothing again', () => {
  test.each<[string, string, Hostile, string]>([
    ['a page in place of everything, executed', image('20s'), ({ response }) => html(response), 'doubt'],
    ['a page in place of everything, submitted', clip('20s'), ({ response }) => html(response), 'doubt'],
    ['a page in place of results', clip('20s'), accepting(({ response }) => html(response)), 'detached'],
    ['a page in place of the file', clip('20s'), finishing(({ response }) => html(response)), 'detached'],
    [
      'the id of another run',
      clip('20s'),
      accepting(({ response }) =>
        json(response, { id: 'other', status: 'done', url: 'https://x.example/a.mp4' }),
      ),
      'detached',
    ],
    [
      'endless running',
      clip('20s'),
      accepting(({ response }) => json(response, { status: 'running' })),
      'detached',
    ],
    [
      'a word nobody knows, for ever',
      clip('20s'),
      accepting(({ response }) => json(response, { status: 'zzz' })),
      'detached',
    ],
    ['connections that break', clip('20s'), accepting(({ response }) => response.destroy()), 'detached'],
    [
      'JSON that is very deep',
      image('20s'),
      ({ response }) => response.end(`${'{"data":'.repeat(200_000)}1${'}'.repeat(200_000)}`),
      'doubt',
    ],
    [
      'JSON that is giant, as a result',
      clip('20s'),
      accepting(({ response }) => giant(response, 80)),
      'detached',
    ],
    [
      'an id that would climb out of its address',
      clip('20s'),
      ({ response }) => json(response, { id: '..' }),
      'doubt',
    ],
    // It is kept as it came.
    ['a file of another kind', clip('20s'), finishing(({ response }) => response.end(png)), 'failed'],
    [
      'links that lead in circles',
      clip('20s'),
      finishing(({ response, origin }) => response.writeHead(302, { location: `${origin}/files/a` }).end()),
      'detached',
    ],
    [
      'links that have always expired',
      clip('20s'),
      finishing(({ response }) => response.writeHead(410).end()),
      'detached',
    ],
    [
      'a link to a metadata service',
      clip('20s'),
      accepting(({ response }) => json(response, { url: 'http://169.254.169.254/latest' })),
      'detached',
    ],
  ])('%s', { timeout: 60_000 }, async (_, manifest, hostile, ending) => {
    const { origin, counts } = await serve(hostile)
    const cwd = project(manifest)
    const first = await run(origin, cwd)
    expect(first.jobs.map(job => job.ending)).toEqual([ending])
    expect(counts.execute + counts.submit).toBe(1)
    const second = await run(origin, cwd)
    expect(counts.execute + counts.submit).toBe(1)
    expect(second.paid).toBe(0)
  })
})

describe('a service that only stumbles is waited for', () => {
  test.each<[string, Hostile]>([
    [
      'a result that is not found for a while',
      ({ nth, response, origin }) =>
        nth < 6
          ? response.writeHead(404).end()
          : json(response, { status: 'done', url: `${origin}/files/a` }),
    ],
    [
      'states that flap',
      ({ nth, response, origin }) => {
        const states = ['running', 'failed', 'queued', 'failed', 'running']
        json(response, { status: states[nth - 1] ?? 'done', ...(nth > 5 && { url: `${origin}/files/a` }) })
      },
    ],
    [
      'pages and broken connections in between',
      ({ nth, response, origin }) => {
        if (nth === 1) return html(response)
        if (nth === 2) return response.destroy()
        if (nth === 3) return response.writeHead(502).end(page)
        if (nth === 4) return response.writeHead(200, { 'content-length': 99 }).end('{"status": "do')
        return json(response, { status: 'done', url: `${origin}/files/a` })
      },
    ],
  ])('%s', { timeout: 60_000 }, async (_, result) => {
    const { origin, counts } = await serve(
      accepting(at => (at.what === 'file' ? at.response.end(mp4) : result(at))),
    )
    const report = await run(origin, project(clip('15m')))
    expect(report.jobs.map(job => job.ending)).toEqual(['made'])
    expect(counts.submit).toBe(1)
  })

  test('a file that breaks off at every possible place is never taken for whole', {
    timeout: 60_000,
  }, async () => {
    const { origin } = await serve(
      finishing(({ nth, response }) => {
        // Without a length only the file itself says that its end is missing.
        const cut = nth <= 6 ? mp4.subarray(0, Math.floor((mp4.length * nth) / 7)) : mp4
        response.end(cut)
      }),
    )
    const report = await run(origin, project(clip('15m')))
    expect(report.jobs[0]).toMatchObject({ ending: 'made', files: [{ bytes: mp4.length }] })
  })
})

test('giant answers do not stay in memory', { timeout: 60_000 }, async () => {
  const { origin } = await serve(accepting(({ response }) => giant(response, 400)))
  const before = process.memoryUsage().rss
  await run(origin, project(clip('20s')))
  expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(400)
})

/** So many MiB of one JSON text that never ends. */
function giant(response: ServerResponse, mebibytes: number): void {
  const piece = 'x'.repeat(1024 * 1024)
  let left = mebibytes
  const more = () => {
    while (left-- > 0) if (!response.write(piece)) return
    response.end()
  }
  response.write('{"status": "')
  response.on('drain', more)
  more()
}
