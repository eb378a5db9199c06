import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { askService } from '../../src/verbs/ask-service.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import { webServer } from '../wire/servers.ts'

const key = 'sk-of-the-user'

const asked = (baseUrl: string, of = key) => askService({ baseUrl, key: of, rehearsal: false }, gwV2)

const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const page = (response: ServerResponse, status: number) =>
  void response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title>')

const isOwn = ({ headers }: IncomingMessage) => headers.authorization === `Bearer ${key}`

const isResult = ({ url = '' }: IncomingMessage) => /\/workflows\/[^/]+\/[^/]+\/result$/.test(url)

/** Refuses every key but the user's before it looks at anything else. */
const behindKey =
  (answer: RequestListener): RequestListener =>
  (request, response) =>
    isOwn(request) ? answer(request, response) : json(response, 401, { error: { message: 'who?' } })

describe('whether something is the service', () => {
  test('the gateway is, under its own path and with its own key alone', async () => {
    const served = await startGateway({ outputs: 'memory', ledger: true })
    onTestFinished(() => served.close())
    expect(await asked(served.baseUrl, served.key)).toEqual({ is: 'answers' })
    expect(await asked(served.baseUrl)).toMatchObject({ is: 'unauthorized' })
    const elsewhere = served.baseUrl.replace('/gw-v2', '/api/gw-v2')
    expect(await asked(elsewhere, served.key)).toMatchObject({ is: 'unclear' })
    expect(served.ledger().billed).toEqual({ execute: 0, submit: 0 })
  })

  test('nothing is asked where the profile names no address that is free', async () => {
    const server = await webServer((_, response) => json(response, 404, {}))
    const profile = { ...gwV2, endpoints: { ...gwV2.endpoints, result: undefined } }
    const service = { baseUrl: `${server.origin}/gw-v2`, key, rehearsal: false }
    expect(await askService(service, profile)).toEqual({
      is: 'unclear',
      detail: 'its profile names no address that can be asked for nothing',
    })
    expect(server.requests).toEqual([])
  })

  test.each<[string, RequestListener, object]>([
    [
      'knows the key and its own paths',
      behindKey((request, response) =>
        json(response, 404, { error: { code: isResult(request) ? 'unknown_run' : 'unknown_path' } }),
      ),
      { is: 'answers' },
    ],
    [
      'says that the run is under way, whichever it is',
      behindKey((request, response) =>
        isResult(request) ? json(response, 200, { status: 'pending' }) : page(response, 404),
      ),
      { is: 'answers' },
    ],
    [
      'a plain file server',
      (_, response) => page(response, 404),
      { is: 'unclear', detail: 'it answers 404 and a page to the key, and the same to a wrong key' },
    ],
    [
      'looks at no key',
      (_, response) => json(response, 404, { error: { message: 'no such run' } }),
      { is: 'unclear', detail: 'it answers 404, no such run to the key, and the same to a wrong key' },
    ],
    [
      'has nothing under this path',
      behindKey(({ url }, response) =>
        json(response, 404, { error: { message: `nothing at ${url}` }, id: 7e9 }),
      ),
      {
        is: 'unclear',
        detail: expect.stringMatching(
          /^it refuses a wrong key, and answers 404, nothing at .* to every path/,
        ),
      },
    ],
    [
      'pages behind a password',
      behindKey((_, response) => page(response, 404)),
      { is: 'unclear', detail: 'it refuses a wrong key, and its answer is not JSON (404 and a page)' },
    ],
    ['is busy', (_, response) => json(response, 429, {}), { is: 'unclear', detail: 'it is busy (429)' }],
    ['a page for everything', (_, response) => page(response, 200), { is: 'odd' }],
    ['is broken', (_, response) => page(response, 500), { is: 'odd', detail: '500 and a page' }],
    ['leads elsewhere', (_, response) => void response.writeHead(302).end(), { is: 'odd', detail: '302' }],
  ])('%s', async (_, listener, seen) => {
    const server = await webServer(listener)
    expect(await asked(`${server.origin}/gw-v2`)).toEqual(expect.objectContaining(seen))
    // Nothing that could cost money.
    expect(server.requests.every(({ method }) => method === 'GET')).toBe(true)
    expect(server.requests.length).toBeLessThanOrEqual(3)
  })
})
