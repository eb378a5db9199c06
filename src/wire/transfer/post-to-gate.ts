import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { type GateQuestion, type GateWord, gateLimits } from '../../looks/own-gate.ts'
import { pieceBytes, withFile } from '../../media/bytes.ts'
import { mediaTypes } from '../../media/sniff.ts'
import { cappedBody, collectBytes } from '../http/capped-body.ts'
import type { Way } from '../http/dial.ts'
import type { Head } from '../http/exchange.ts'
import { createAsker } from '../http/http.ts'
import { wireLimits } from '../http/limits.ts'
import { multipartForm } from '../http/multipart.ts'

interface Posting {
  readonly way: Way
  readonly clock: Clock
  readonly random: Random
  readonly stop: AbortSignal
}

/**
 * Sends a file to the address of a gate, as a form: what it is told as fields, the file last. With nothing that belongs to a service,
 * and to that address alone: redirects are not followed. Never rejects.
 */
export async function postToGate(
  url: string,
  { file, params, ...about }: GateQuestion,
  { way, clock, random, stop }: Posting,
): Promise<GateWord> {
  const to = new URL(url)
  const asker = createAsker(to.origin, clock, wireLimits.connectMs, way)
  const mostMs = gateLimits.seconds * 1000
  try {
    return await withFile(file, async bytes => {
      async function* chunks() {
        for (let at = 0; at < bytes.size; at += pieceBytes) yield (await bytes.read(at, pieceBytes)).slice()
      }
      const { type } = about
      const sent = { name: `file.${extensionOf(type)}`, type, bytes: bytes.size, chunks }
      const fields = { ...about, params: JSON.stringify(params) }
      const form = multipartForm(`genrun-${random.token()}`, fields, 'file', sent)
      const asked = await asker.post(
        {
          url: to,
          headers: { 'content-type': form.type, 'content-length': String(form.bytes) },
          body: form.chunks(),
          signal: stop,
          firstHeaderMs: mostMs,
          totalMs: () => mostMs,
        },
        (head, body) => readWord(head, body),
      )
      if (asked.got === 'answer') return asked.value
      return { unseen: asked.stopped ? 'genrun was stopped' : `${to.host}: ${asked.detail}` }
    })
  } catch (error) {
    return { unseen: error instanceof Error ? error.message : String(error) }
  } finally {
    await asker.close()
  }
}

async function readWord({ status, headers }: Head, body: AsyncIterable<Uint8Array>): Promise<GateWord> {
  const capped = cappedBody(body, gateLimits.bytes, headers['content-encoding'])
  const bytes = await collectBytes(capped, () => true)
  const flaw = capped.flaw()
  if (status < 200 || status > 299) return { unseen: `it answers ${status}` }
  return flaw === undefined ? { text: bytes.toString('utf8') } : { unseen: flaw }
}

function extensionOf(type: string): string {
  return Object.values(mediaTypes).find(each => each.type === type)?.extension ?? 'bin'
}
