import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { Json } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import { usualMode } from '../catalog/index.ts'
import type { ModelSet } from '../catalog/model-set.ts'
import { canonicalParams } from '../forms/defaults.ts'
import { fieldsOf, payloadOf, textOf } from '../wire/profile/body.ts'
import { modeOf, type Profile, type ProfileExample, workflowOf } from '../wire/profile/profile.ts'
import { type OrderRequest, requestFor } from '../wire/profile/request.ts'
import { exampleSpan } from '../workspace/service/profile.ts'

/** Where requests that a profile makes are not those of its examples. `path` and `cwd` name its file. */
export function exampleProblems(
  profile: Profile,
  modelSet: ModelSet,
  { path, cwd }: { readonly path: string; readonly cwd: string },
): readonly Diagnostic[] {
  return profile.examples.flatMap((example, nth) => {
    const wrong = wrongAbout(example, profile, modelSet)
    return wrong
      ? [error('bad-profile', exampleSpan(path, cwd, nth, wrong.key), wrong.message, wrong.hint)]
      : []
  })
}

interface Wrong {
  /** Of the example. */
  readonly key: 'model' | 'order' | 'body'
  readonly message: string
  readonly hint?: string | undefined
}

function wrongAbout(example: ProfileExample, profile: Profile, modelSet: ModelSet): Wrong | undefined {
  const model = modelSet.find(example.model)
  if (!model) {
    const near = nearest(example.model, modelSet.ids)
    const hint = near ? `did you mean ${near}` : 'name its catalog with --catalog'
    return { key: 'model', message: `no model is called ${example.model}`, hint }
  }
  // As a job sends them: in the order of the catalog.
  const params = canonicalParams(model, example.params)
  const asked = { model: model.id, params }
  const mode = modeOf(profile, asked) ?? usualMode(model)
  const workflow = workflowOf(profile, model.id, params)
  const request = requestFor(profile, new URL('https://base.invalid/'), {
    ...asked,
    mode,
    workflow,
    key: 'example',
  })
  if ('problem' in request) return { key: 'model', message: `its order goes nowhere: ${request.problem}` }
  const line = `${request.method} ${request.url.pathname}${request.url.search}`
  if (example.order !== undefined && example.order !== line)
    return { key: 'order', message: `this order goes to ${line}` }
  const difference = differenceIn(request, example.body)
  return difference === undefined ? undefined : { key: 'body', message: difference }
}

/** The first difference, in words. */
function differenceIn(request: OrderRequest, body: Json): string | undefined {
  if (typeof body === 'string') return textDifference(request, body)
  const sent = request.as === 'json' ? request.body : formOf(request)
  const at = firstDifference(sent, body, '')
  if (at === undefined) return undefined
  const [there, here] = [shown(at.sent), shown(at.said)]
  return `${at.path || 'the body'} is sent as ${there}, and the example has ${here}`
}

function textDifference(request: OrderRequest, body: string): string | undefined {
  if (request.as !== 'multipart') {
    const sent = Buffer.from(request.payload()).toString('utf8')
    return sent === body ? undefined : `what is sent is ${sent.slice(0, 300)}`
  }
  // A boundary is free: the example's own stands in both.
  const boundary = /^--(\S+)\r?\n/.exec(body)?.[1]
  if (boundary === undefined) return 'a form of parts begins with `--` and its boundary'
  const sent = payloadOf(request.body, 'multipart', boundary).toString('utf8')
  // YAML ends its lines otherwise than the wire.
  const asWritten = body.includes('\r') ? sent : sent.replaceAll('\r\n', '\n')
  if (asWritten === body) return undefined
  const [here, there] = [body.split('\n'), asWritten.split('\n')]
  const at = there.findIndex((line, nth) => line !== here[nth])
  const [is, has] = [there, here].map(lines => shown(lines[at < 0 ? there.length : at]))
  return `line ${(at < 0 ? there.length : at) + 1} is sent as ${is}, and the example has ${has}`
}

/** What a form says, as a mapping. */
function formOf({ body }: OrderRequest): Json {
  return Object.fromEntries(fieldsOf(body).map(({ name, value }) => [name, textOf(value)]))
}

interface Difference {
  readonly path: string
  readonly sent: Json | undefined
  readonly said: Json | undefined
}

function firstDifference(
  sent: Json | undefined,
  said: Json | undefined,
  path: string,
): Difference | undefined {
  if (JSON.stringify(sent) === JSON.stringify(said)) return undefined
  const areBoth = typeof sent === 'object' && typeof said === 'object' && sent !== null && said !== null
  if (!areBoth || Array.isArray(sent) !== Array.isArray(said)) return { path, sent, said }
  const [a, b] = [Object.entries(sent), Object.entries(said)]
  const names = [...new Set([...a, ...b].map(([name]) => name))]
  const inner = names
    .map(name => firstDifference(memberOf(a, name), memberOf(b, name), `${path}/${name}`))
    .find(each => each !== undefined)
  // The same members in another order.
  return inner ?? { path, sent: a.map(([name]) => name).join(' '), said: b.map(([name]) => name).join(' ') }
}

function memberOf(entries: readonly (readonly [string, Json])[], name: string): Json | undefined {
  return entries.find(([each]) => each === name)?.[1]
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 120)
}
