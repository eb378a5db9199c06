import { sniff } from '../media/sniff.ts'
import { jsonAnswer, type ReadRequest, refusedAnswer } from './http/answer.ts'
import { checkKey } from './http/auth.ts'
import { multipartType, readRequestBody } from './http/body.ts'
import { type Outcome, type Site, wholeAnswer } from './site.ts'

/**
 * `POST /files` with one file of a multipart form, in a field of any name: 201 and a link that can stand for the file
 * in parameters. Not of the specification, which shows no way to send larger files than fit in a body.
 */
export async function uploadRequest(site: Site, request: Request): Promise<Outcome> {
  site.counts.upload++
  const refused = checkKey(request.headers, site.key)
  if (refused) return wholeAnswer(refused)
  const body = await readRequestBody(request, multipartType)
  if ('refused' in body) return wholeAnswer(body.refused)
  const file = await fileOf(body.value, request.headers.get('content-type') ?? '')
  if ('refused' in file) return wholeAnswer(file.refused)
  const type = sniff(file.value)
  if (!type) return wholeAnswer(refusedAnswer(422, 'not_media', 'the file is not an image, a video or audio'))
  const id = site.random.token()
  const [output] = await site.outputs.put(id, [{ bytes: file.value, ...type }])
  if (!output) return wholeAnswer(refusedAnswer(500, 'internal', 'the file was not kept'))
  const url = site.links.to(output, new URL(request.url).origin)
  return wholeAnswer(jsonAnswer(201, { id, url, type: output.type, bytes: output.bytes }))
}

/** The first file of a form that is already in memory. */
async function fileOf(bytes: Uint8Array, contentType: string): Promise<ReadRequest<Uint8Array>> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
    const file = [...form.values()].find(value => typeof value !== 'string')
    if (file) return { value: new Uint8Array(await file.arrayBuffer()) }
    return { refused: refusedAnswer(422, 'no_file', 'the form has no file') }
  } catch {
    return { refused: refusedAnswer(400, 'bad_form', 'the body is not a multipart form') }
  }
}
