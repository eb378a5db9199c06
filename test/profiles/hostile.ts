import { setMaxListeners } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { runUnderClaim } from '../../src/run/run-under-claim.ts'
import { stateFolder } from '../../src/store/files/state-folder.ts'
import { createWire } from '../../src/wire/client.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import { layoutOf } from '../../src/workspace/layout.ts'
import { thisMachine } from '../../src/workspace/machine.ts'
import { checkFile } from '../../src/workspace/read/check.ts'
import { openServicePolls } from '../../src/workspace/service/service-polls.ts'

/** Answers as it likes. `nth` counts the requests of one kind. */
export type Hostile = (at: {
  readonly what: 'execute' | 'submit' | 'result' | 'file'
  readonly nth: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly origin: string
}) => void

/** A server that answers as it likes, and counts what was paid for. */
export async function serve(hostile: Hostile) {
  const counts = { execute: 0, submit: 0, result: 0, file: 0 }
  let origin = ''
  const server = createServer((request, response) => {
    const last = request.url?.split('/').at(-1) ?? ''
    const what = last === 'execute' || last === 'submit' || last === 'result' ? last : 'file'
    request.resume().on('end', () => hostile({ what, nth: ++counts[what], request, response, origin }))
    response.on('error', () => {})
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // not a pipe
  return { origin, counts }
}

export const image = (timeout: string) =>
  `jobs:\n  still: { model: fama-imagine-image, prompt: a teapot, timeout: ${timeout} }\n`
export const clip = (timeout: string) =>
  `jobs:\n  clip: { model: famc-v3, prompt: steam, timeout: ${timeout} }\n`

/** Time that runs forty times as fast: what is waited for in earnest would take minutes. */
function fastClock(speed = 40): Clock {
  const began = systemClock.now()
  const now = () => began + (systemClock.now() - began) * speed
  return {
    now,
    wall: now,
    until: (date, signal) => systemClock.until(systemClock.now() + Math.ceil((date - now()) / speed), signal),
  }
}

/** As `runManifest` does it, on a clock of its own. */
export async function run(origin: string, cwd: string, speed?: number) {
  const clock = fastClock(speed)
  const { manifest, place } = checkFile('tea.yaml', cwd)
  if (!manifest || !place) return expect.fail('the manifest has problems')
  const stop = new AbortController().signal
  setMaxListeners(0, stop)
  const layout = layoutOf(place, manifest, undefined, false)
  const result = await runUnderClaim({
    request: {
      manifest: 'tea.yaml',
      cwd,
      service: { baseUrl: `${origin}/gw-v2`, key: 'k', rehearsal: false },
      emit: () => {},
      stop,
    },
    manifest,
    place,
    layout,
    folders: stateFolder(layout.state),
    warnings: [],
    profile: gwV2,
    machine: {
      ...thisMachine,
      clock,
      polls: openServicePolls(clock),
      connect: async (service, spool, profile) => createWire({ ...service, profile, spool, clock }),
    },
  })
  if (result.got !== 'report') return expect.fail(JSON.stringify(result))
  return result.report
}

export function project(manifest: string): string {
  const cwd = mkdtempSync(join(tmpdir(), 'hostile-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(join(cwd, 'tea.yaml'), manifest)
  return cwd
}

export const page = '<!doctype html><title>Sign in</title><p>Welcome to the hotel network'
export const html = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end(page)
export const json = (response: ServerResponse, value: unknown) => response.end(JSON.stringify(value))

/** Accepts orders; all else is up to the rest. */
export const accepting =
  (rest: Hostile): Hostile =>
  at =>
    at.what === 'submit' ? json(at.response, { id: `r${at.nth}` }) : rest(at)

/** Accepts and finishes; only the file is up to the rest. */
export const finishing = (rest: Hostile): Hostile =>
  accepting(at =>
    at.what === 'result' ? json(at.response, { status: 'done', url: `${at.origin}/files/a` }) : rest(at),
  )
