import { type Diagnostic, hasErrors } from '../base/diagnostic.ts'
import type { Json, JsonObject } from '../base/names.ts'
import type { WireMode } from '../base/state.ts'
import { findModel, type Model, modelIds, type Param, usualMode } from '../catalog/index.ts'
import { modeOf, type Profile, workflowOf } from '../wire/profile.ts'
import { requestFor } from '../wire/request.ts'
import { openProfile } from './profile.ts'

/** A profile's verdict, and what it makes of each model. */
export interface ProfileCheck {
  readonly ok: boolean
  readonly problems: readonly Diagnostic[]
  readonly name?: string
  /** One example for each built-in model, with what the model requires and nothing else. */
  readonly requests: readonly ExampleRequest[]
}

export interface ExampleRequest {
  readonly model: string
  readonly mode: WireMode
  readonly workflow: string
  /** Below the base address: `/workflows/famc-v3/submit`. Undefined when the workflow cannot stand in an address. */
  readonly path: string | undefined
  readonly body: JsonObject
}

/** Reads the profile at `path` (relative to `cwd`). Needs no key and no network. */
export function checkProfile(path: string, cwd: string): ProfileCheck {
  const { value, problems } = openProfile(path, cwd)
  const models = modelIds.flatMap(id => findModel(id) ?? [])
  return {
    ok: value !== undefined && !hasErrors(problems),
    problems,
    ...(value && { name: value.name }),
    requests: value ? models.map(model => exampleOf(value, model)) : [],
  }
}

function exampleOf(profile: Profile, model: Model): ExampleRequest {
  const params = requiredParams(model)
  const asked = { model: model.id, params }
  const mode = modeOf(profile, asked) ?? usualMode(model)
  const workflow = workflowOf(profile, model.id, params)
  const request = requestFor(profile, new URL('https://base.invalid/'), { ...asked, mode, workflow, key: '' })
  return { model: model.id, mode, workflow, path: request?.url.pathname, body: request?.body ?? {} }
}

function requiredParams(model: Model): JsonObject {
  return Object.fromEntries(
    Object.entries(model.params).flatMap(([name, param]) =>
      param.required ? [[name, exampleValue(name, param)] as const] : [],
    ),
  )
}

function exampleValue(name: string, param: Param): Json {
  switch (param.type) {
    case 'text':
      return `<${name}>`
    case 'enum':
      return param.default ?? param.values[0] ?? ''
    case 'boolean':
    case 'integer':
    case 'number':
      return param.default
    case 'file':
      return param.maxItems === undefined ? `<${param.media}>` : [`<${param.media}>`]
    case 'object[]':
      return [Object.fromEntries(param.members.map(member => [member, `<${member}>`]))]
  }
}
