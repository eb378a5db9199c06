import { type Diagnostic, hasErrors } from '../base/diagnostic.ts'
import type { Json, JsonObject } from '../base/names.ts'
import type { WireMode } from '../base/state.ts'
import { type Model, type Param, usualMode } from '../catalog/index.ts'
import { modelSetOf } from '../catalog/model-set.ts'
import { modeOf, type Profile, workflowOf } from '../wire/profile/profile.ts'
import { requestFor } from '../wire/profile/request.ts'
import { openProfile, type ProfileService } from '../workspace/service/profile.ts'
import { profileSays, type Saying } from '../workspace/service/profile-says.ts'

/** A profile's verdict, what it says, and what it makes of each model. */
export interface ProfileCheck {
  readonly ok: boolean
  readonly problems: readonly Diagnostic[]
  readonly name?: string
  /** Where it differs from the built-in profile. */
  readonly says: readonly Saying[]
  /** One example for each model, with what the model requires and nothing else. */
  readonly requests: readonly ExampleRequest[]
}

/** One request as a profile would send it. */
export interface ExampleRequest {
  readonly model: string
  readonly mode: WireMode
  readonly workflow: string
  /** Below the base address: `/workflows/famc-v3/submit`. Undefined when the workflow cannot stand in an address. */
  readonly path: string | undefined
  readonly body: JsonObject
}

interface ProfileRequest {
  /** Relative to `cwd`. */
  readonly path: string
  readonly cwd: string
  /** Models beside the built-in ones, that the profile may speak of. */
  readonly own?: readonly Model[]
  /** The service it is for, when that is known: the key must not stand in it, and uploads must be allowed. */
  readonly service?: ProfileService
}

/** Reads a profile. Needs no key and no network. */
export function checkProfile({ path, cwd, own = [], service }: ProfileRequest): ProfileCheck {
  const { value, problems } = openProfile(path, cwd, service, own)
  const { models } = modelSetOf(own)
  return {
    ok: value !== undefined && !hasErrors(problems),
    problems,
    ...(value && { name: value.name }),
    says: value ? profileSays(value) : [],
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
