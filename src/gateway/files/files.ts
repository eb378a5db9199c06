import { type GatewayAnswer, type Later, type ReadRequest, refusedAnswer } from '../http/answer.ts'
import { isKnown, partAsked, rangeHolds } from '../http/ranges.ts'
import type { Links } from './links.ts'
import type { GatewayOutput, Outputs } from './outputs.ts'

/** Answers a request for one file: whole, a part, unchanged, expired. HEAD is answered like GET. */
export function fileAnswer(request: Request, output: GatewayOutput, outputs: Outputs): GatewayAnswer {
  const { headers } = request
  const etag = `"${output.run}/${output.name}"`
  const common = { ...fileHeaders, etag }
  if (isKnown(headers.get('if-none-match'), etag)) return { status: 304, headers: common }
  const range = rangeHolds(headers.get('if-range'), etag) ? headers.get('range') : null
  const part = partAsked(range, output.bytes)
  const later = outputs.later(output)
  switch (part.is) {
    case 'outside':
      return refusedAnswer(416, 'bad_range', `the file has ${output.bytes} bytes`, {
        headers: { ...common, 'content-range': `bytes */${output.bytes}` },
      })
    case 'part': {
      const { start, end } = part
      const span = `bytes ${start}-${end - 1}/${output.bytes}`
      const body: Later = { bytes: end - start, read: (from, to) => later.read(start + from, start + to) }
      return { status: 206, headers: { ...common, 'content-type': output.type, 'content-range': span }, body }
    }
    case 'whole':
      return { status: 200, headers: { ...common, 'content-type': output.type }, body: later }
  }
}

interface LinkedFiles {
  readonly links: Links
  readonly outputs: Outputs
}

/** The file a link stands for, or why there is none. */
export function linkedFile(
  request: Request,
  run: string,
  name: string,
  { links, outputs }: LinkedFiles,
): ReadRequest<GatewayOutput> {
  switch (links.check(run, name, new URL(request.url).searchParams)) {
    case 'forged':
      return { refused: refusedAnswer(403, 'bad_signature', 'the signature of the link does not hold') }
    case 'expired':
      return { refused: expiredAnswer() }
    case 'good': {
      const value = outputs.find(run, name)
      return value
        ? { value }
        : { refused: refusedAnswer(404, 'unknown_file', `there is no file ${run}/${name}`) }
    }
  }
}

export function expiredAnswer(): GatewayAnswer {
  return refusedAnswer(410, 'link_expired', 'the link has expired; read the result again for a fresh one')
}

// Whatever the bytes are, a browser that opens the link runs nothing.
const fileHeaders = {
  'accept-ranges': 'bytes',
  'cache-control': 'private, max-age=3600, immutable',
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
} as const
