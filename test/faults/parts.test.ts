import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { readJournal } from '../../src/store/journal/journal.ts'
import { freshFolder, genrun, startGenrun } from '../e2e/executable.ts'
import { hangsAfterMs } from './budget.ts'
import { largePicture } from './large-picture.ts'

const mebibyte = 1024 * 1024

interface Download {
  readonly range: string | undefined
  sent: number
}

/** A door in front of the gateway: the first download stands still after so many bytes. */
async function standsStillAfter(bytes: number, gateway: Gateway) {
  const downloads: Download[] = []
  const { port } = new URL(gateway.baseUrl)
  const door = createServer((incoming, outgoing) => {
    const { method, headers, url: path } = incoming
    const onwards = request({ port, host: '127.0.0.1', method, headers, path }, answer =>
      isFile(incoming) ? deliver(answer, outgoing, headers.range) : pass(answer, outgoing),
    )
    onwards.on('error', () => outgoing.destroy())
    incoming.pipe(onwards)
  })
  function deliver(answer: IncomingMessage, outgoing: ServerResponse, range: string | undefined): void {
    const download: Download = { range, sent: 0 }
    const isHeld = downloads.push(download) === 1
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.on('data', (piece: Buffer) => {
      if (isHeld && download.sent >= bytes) return
      download.sent += piece.length
      outgoing.write(piece)
    })
    answer.on('end', () => isHeld || outgoing.end())
  }
  await new Promise<void>(listening => door.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    door.closeAllConnections()
    door.close()
    await gateway.close()
  })
  // It listens on a port, so that its address has one.
  const baseUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}/gw-v2`
  const env = { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: gateway.key, CI: '1', GENRUN_UNTRUSTED: 'false' }
  return { env, downloads }
}

function pass(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
  answer.pipe(outgoing)
}

function isFile({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' && !url.includes('/workflows/')
}

function notedIn(cwd: string): number {
  const reading = readJournal(join(cwd, '.genrun', 't', 'journal'))
  const entries = reading.got === 'records' ? reading.entries : []
  return Math.max(0, ...entries.map(entry => (entry.kind === 'PART' ? entry.beginning.bytes : 0)))
}

const picture = largePicture(12 * mebibyte)

test.each<[string, NodeJS.Signals]>([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGTERM'],
])(
  'a download of a genrun that was %s is gone on with by the next, and nothing is paid',
  async (_, signal) => {
    const gateway = await startGateway({
      outputs: 'memory',
      render: async () => [{ bytes: picture, type: 'image/png', extension: 'png' }],
    })
    const { env, downloads } = await standsStillAfter(9 * mebibyte, gateway)
    const cwd = freshFolder({
      't.yaml': 'jobs:\n  still: { model: fama-imagine-image, prompt: Tea, mode: submit }\n',
    })
    const first = startGenrun(['t.yaml'], { cwd, env })
    await expect.poll(() => notedIn(cwd), { timeout: 30_000 }).toBeGreaterThanOrEqual(8 * mebibyte)
    first.child.kill(signal)
    await first.ended
    const noted = notedIn(cwd)
    const { code, stderr } = await genrun(['t.yaml'], { cwd, env })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(downloads.slice(1)).toEqual([{ range: `bytes=${noted}-`, sent: picture.length - noted }])
    expect(gateway.ledger().requests.submit).toBe(1)
    const verified = await genrun(['verify', 't.yaml'], { cwd })
    expect(verified).toMatchObject({ code: 0 })
    console.log(
      `${picture.length} bytes, ${noted} of them before the end: ${downloads[1]?.sent} came after it`,
    )
  },
  hangsAfterMs,
)
