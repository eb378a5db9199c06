import { createHash } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { pointer } from '../base/names.ts'
import type { Model } from '../catalog/index.ts'
import { canonicalParams } from '../forms/defaults.ts'
import { checkParams } from '../forms/validate.ts'
import { ownFile } from './files/links.ts'
import { type BodyProblem, type ReadRequest, refusedAnswer } from './http/answer.ts'
import { isObject, parseBody } from './http/body.ts'
import { type OwnFiles, readInputs } from './runs/inputs.ts'
import type { Work } from './runs/work.ts'
import type { Site } from './site.ts'

/** A body as it came, and the name under which the gateway was reached. */
interface Sent {
  readonly bytes: Uint8Array
  readonly origin: string
}

/** The work a paid request's body orders; 400 when it is not JSON, 422 with located problems when it is not right. */
export async function readWork(
  site: Site,
  model: Model,
  { bytes, origin }: Sent,
): Promise<ReadRequest<Work>> {
  const body = parseBody(bytes)
  if ('refused' in body) return body
  const { params } = body.value
  if (!isObject(params))
    return invalid([{ path: pointer(['params']), message: 'params must be an object', hint: shape }])
  const { model: named, ...given } = params
  if (named !== undefined && named !== model.id) {
    return invalid([{ path: pointer(['params', 'model']), message: `the workflow runs ${model.id}` }])
  }
  const problems = checkParams(model, given).filter(({ severity }) => severity === 'error')
  if (problems.length > 0) return invalid(problems.map(inBody))
  const files = await readInputs(model, given, ownFiles(site, origin))
  if (files.problems.length > 0) return invalid(files.problems.map(inBody))
  return { value: { model, params: canonicalParams(model, given), inputs: files.inputs } }
}

/** The same for the same request on another day, in whatever order requests come. */
export function labelOf(workflow: string, bytes: Uint8Array): string {
  return createHash('sha256').update(workflow).update('\0').update(bytes).digest('hex').slice(0, 16)
}

const shape = 'the body is { "params": { "model": …, "prompt": … } }'

interface ParamPlace {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly hint?: string
}

function inBody({ path, message, hint }: ParamPlace): BodyProblem {
  return { path: pointer(['params', ...path]), message, ...defined({ hint }) }
}

// Clients often show nothing but the message, so it says the first problem.
function invalid(problems: readonly BodyProblem[]): ReadRequest<never> {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return {
    refused: refusedAnswer(422, 'invalid_params', `${first?.message ?? 'the parameters are wrong'}${more}`, {
      problems,
    }),
  }
}

function ownFiles({ origins, outputs, links }: Site, origin: string): OwnFiles {
  return async link => {
    const place = ownFile(link, [origin, ...origins()])
    if (!place) return 'elsewhere'
    const { run, name, query } = place
    const output = links.check(run, name, query) === 'good' ? outputs.find(run, name) : undefined
    if (!output) return 'gone'
    const chunks: Uint8Array[] = []
    for await (const chunk of outputs.later(output).read(0, output.bytes)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}
