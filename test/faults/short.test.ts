import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Bench, manifestName, openBenchAt, pixel } from '../verbs/bench.ts'
import { chanceOf } from './chance.ts'

/** A picture that is like no other. */
function pictureOf(name: string): Buffer {
  const body = Buffer.from(`prVt${name}`)
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(body.length - 4, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([
    pixel.subarray(0, 33),
    frame.subarray(0, 4),
    body,
    frame.subarray(4),
    pixel.subarray(33),
  ])
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A service that brings fewer pictures than were ordered, as often as not, and counts. */
async function openMiser(seed: number) {
  const chance = chanceOf(seed)
  const runs: string[][] = []
  const faults: string[] = []
  const asked = { now: 4 }
  let stop: (() => void) | undefined
  const bench = await openBenchAt((request, response) => {
    let body = ''
    request.on('data', piece => (body += piece))
    request.on('end', () => {
      const name = /\/files\/(\w+)\.png/.exec(request.url ?? '')?.[1]
      if (stop && chance.hits(0.2)) stop()
      if (name) return response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(name))
      const links = (nth: number) => (runs[nth] ?? []).map(each => `${bench.origin}/files/${each}.png`)
      const run = Number(/\/r(\d+)\/result/.exec(request.url ?? '')?.[1])
      if (request.method === 'GET')
        return response.end(JSON.stringify({ id: `r${run}`, status: 'succeeded', outputs: links(run) }))
      const count = Number(/"count":(\d+)/.exec(body)?.[1] ?? 1)
      const there = runs.flat().length
      if (there + count > asked.now)
        faults.push(`${count} ordered though ${there} of ${asked.now} are paid for`)
      const brings = chance.hits(0.7) ? chance.whole(1, count) : count
      runs.push(Array.from({ length: brings }, (_, nth) => `p${seed}x${runs.length}x${nth}`))
      return response.end(JSON.stringify({ id: `r${runs.length - 1}`, status: 'queued' }))
    })
  })
  return {
    bench,
    chance,
    asked,
    faults,
    paid: () => runs.flat(),
    /** Until the run has ended, something or other stops it. */
    async stopped() {
      const controller = new AbortController()
      stop = () => controller.abort('stop')
      await bench.run({ stop: controller.signal })
      stop = undefined
    },
  }
}

function digestsIn(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
  return new Set(files.filter(path => statSync(path).isFile()).map(path => digestOf(readFileSync(path))))
}

/** A person throws a picture away; its digest. */
function removeOne(bench: Bench, nth: number): string | undefined {
  if (!bench.has('out/m')) return undefined
  const pictures = readdirSync(join(bench.folder, 'out/m'), { recursive: true, encoding: 'utf8' }).filter(
    path => path.endsWith('.png'),
  )
  const one = pictures[nth % Math.max(1, pictures.length)]
  if (one === undefined) return undefined
  const digest = digestOf(bench.bytes(join('out/m', one)))
  bench.remove(join('out/m', one))
  return digest
}

test.each([1, 2, 3, 4])(
  'whatever comes short, is raised, renamed, stopped or lost: nothing is ordered that is paid for (%d)',
  { timeout: 120_000 },
  async seed => {
    const { bench, chance, asked, faults, paid, stopped } = await openMiser(seed)
    let name = 'hero'
    const thrownAway = new Set<string | undefined>()
    const write = () =>
      bench.write(
        manifestName,
        `defaults: { shortDelivery: top-up }\njobs:\n  ${name}: { model: fama-imagine-image, prompt: Tea, mode: submit, count: ${asked.now} }\n`,
      )
    write()
    const acts = {
      run: () => bench.run(),
      stop: stopped,
      count: () => (asked.now = chance.pick([1, 2, 4, 4])),
      rename: () => (name = chance.pick(['hero', 'cover', 'tile'])),
      file: () => thrownAway.add(removeOne(bench, chance.whole(0, 3))),
      state: () => bench.has('m.lock.json') && bench.has('.genrun') && bench.remove('.genrun'),
      lock: () => bench.has('m.lock.json') && bench.has('.genrun') && bench.remove('m.lock.json'),
    }
    for (let nth = 0; nth < 14; nth++) {
      const act = chance.weighed({ run: 5, stop: 4, count: 4, rename: 2, file: 2, state: 1, lock: 1 })
      await acts[act]()
      write()
      expect(faults).toEqual([])
    }
    for (let nth = 0; nth < 3; nth++) await bench.run()
    expect(faults).toEqual([])
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
    expect(paid().length).toBeGreaterThanOrEqual(asked.now)
    // What was thrown away and is not asked for any more comes again when it is.
    const there = digestsIn(bench.folder)
    const digests = paid().map(each => digestOf(pictureOf(each)))
    expect(digests.filter(digest => !there.has(digest) && !thrownAway.has(digest))).toEqual([])
  },
)
