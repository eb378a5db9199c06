import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../src/base/names.ts'
import { models } from '../../src/catalog/index.ts'
import { commands, genrun } from '../../src/cli/declared/commands.ts'
import { helpText } from '../../src/cli/parser/help.ts'
import { settingsDeclared } from '../../src/cli/settings/declared.ts'
import { servicesSchema } from '../../src/cli/settings/services.ts'
import { modelInfo, type ParamInfo } from '../../src/forms/info.ts'
import { explanations } from '../../src/verbs/explain.ts'
import { manifestLanguage } from '../../src/verbs/language.ts'
import { profileSchema } from '../../src/wire/profile/profile-file.ts'
import { root } from './pages.ts'

/** Variables that stand for no setting. */
export const otherVariables: readonly (readonly [name: string, says: string])[] = [
  ['GENRUN_API_KEY', 'the key of the service'],
  ['GENRUN_VAR_SEASON', 'a variable that a manifest declares, here `season`, as `--var` sets it'],
  ['GENRUN_MCP_TOKEN', 'the token that clients of `genrun mcp --http` must send'],
  ['GENRUN_STORE', 'the PostgreSQL of a fleet: `postgres://user:password@host/database`'],
  ['GENRUN_DEBUG', 'a bug shows where it is'],
  ['CI', 'nothing is rehearsed unasked, and a run with a key needs a cap'],
  ['NO_COLOR, FORCE_COLOR', 'no colours, or colours everywhere'],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY', 'the way out'],
]

/** The pages of reference by their names in docs/reference, made from what declares the things themselves. */
export function referencePages(): { readonly [name: string]: string } {
  return {
    'commands.md': page('Commands', 'Every command with its options, as `--help` shows it.', commandParts()),
    'settings.md': page('Settings and variables', settingsIntro, settingsParts()),
    'language.md': page('Keys of a manifest', 'Every key and function of the language.', languageParts()),
    'profile.md': page('Keys of a profile', profileIntro, profileParts()),
    'models.md': page('Models', modelsIntro, modelParts()),
    'events.md': page('Events', eventsIntro, eventParts()),
    'problems.md': page('Problem codes', problemsIntro, problemParts()),
  }
}

function page(title: string, intro: string, parts: readonly string[]): string {
  const made =
    '<!-- Made from the declarations by `UPDATE=1 npx vitest run test/pages.test.ts`: not written by hand. -->'
  return `${[`# ${title}`, made, intro, ...parts].join('\n\n')}\n`
}

function commandParts(): string[] {
  const listed = commands.filter(({ isLeading }) => !isLeading)
  return [genrun, ...listed].map(
    usage => `## ${`genrun ${usage.name}`.trim()}\n\n\`\`\`text\n${helpText(usage)}\n\`\`\``,
  )
}

const settingsIntro =
  'A value comes from the first of these that has one: flag, variable, the manifest, the project’s settings, your own settings, built in. Of several caps the lowest counts; what a project may say at all stands in [who may say what](../security.md).'

function settingsParts(): string[] {
  const rows = settingsDeclared.map(({ name, variable, flag, says }) => [
    code(name),
    variable ? code(variable) : '',
    flag ? code(flag) : '',
    says,
  ])
  return [
    table(['setting', 'variable', 'flag', 'what it says'], rows),
    '## Of a service that jobs name',
    'In your own settings, under `services` and a name of your choice ([several services](../services.md#several-services-in-one-manifest)).',
    keyTable(servicesSchema().additionalProperties),
    '## Further variables',
    table(
      ['variable', 'what it says'],
      otherVariables.map(([names, says]) => [names.split(', ').map(code).join(', '), says]),
    ),
  ]
}

function languageParts(): string[] {
  const { top, job, functions } = manifestLanguage()
  const rows = (keys: typeof top) => keys.map(({ name, says }) => [code(name), says])
  return [
    '## Of a manifest',
    table(['key', 'what it says'], rows(top)),
    '## Of a job',
    'Everything else in a job is a parameter of its [model](models.md).',
    table(['key', 'what it says'], rows(job)),
    '## Functions',
    functions.map(each => `- ${code(each)}`).join('\n'),
  ]
}

const profileIntro =
  'How a service speaks, where it is otherwise than the built-in profile `gw-v2`. [Bring your own service](../services.md) leads through it; `genrun profile check` says what is wrong. `genrun schema profile` is the same for editors.'

/** Keys that hold one value for each model, and one with conditions. */
const perModel = ['workflow', 'mode', 'request.models', 'request.body']

function profileParts(): string[] {
  const { properties } = profileSchema() as { properties: { [key: string]: JsonObject } }
  const isPlain = (schema: Json) => keysOf(schema).length === 0
  const [plain, nested] = [true, false].map(wanted =>
    Object.entries(properties).filter(([, schema]) => isPlain(schema) === wanted),
  )
  return [
    keyTable({ properties: Object.fromEntries(plain ?? []) }),
    `What is said for some models only (${perModel.map(code).join(', ')}) is a mapping from ids or patterns to values, or to a list of \`{ when, use }\`, of which the first whose condition holds counts: \`when\` has \`given\` and \`absent\` (parameters), \`is\` (values that they must have) and \`mode\`.`,
    ...(nested ?? []).flatMap(([key, schema]) => [`## ${key}`, sentence(saysOf(schema)), keyTable(schema)]),
  ]
}

/** The keys of a mapping, or of a list of such, with those below them. */
function keyTable(schema: Json | undefined): string {
  return table(
    ['key', 'what it says'],
    keysOf(schema ?? {}).map(([key, says]) => [code(key), says]),
  )
}

function keysOf(schema: Json, above = ''): readonly (readonly [key: string, says: string])[] {
  const { properties, anyOf } = schema as {
    properties?: { [key: string]: Json }
    anyOf?: { properties?: object }[]
  }
  const [one] = (anyOf ?? []).filter(each => each.properties)
  if (one) return keysOf(one as Json, above)
  return Object.entries(properties ?? {}).flatMap(([key, each]) => [
    [`${above}${key}`, saysOf(each)] as const,
    ...keysOf(each, `${above}${key}.`),
  ])
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

function saysOf(schema: Json): string {
  const { description = '', enum: words } = schema as { description?: string; enum?: readonly string[] }
  return words ? `${description}: ${words.map(code).join(', ')}` : description
}

const modelsIntro =
  'The built-in models with every parameter: a parameter without a default is left out unless it is given, and `!` marks what is required. `genrun models info` shows the same, with the flags of `genrun generate`.'

function modelParts(): string[] {
  return Object.values(models).map(model => {
    const { id, name, modes, mode, note, params } = modelInfo(model)
    const about = `${name}: ${modes.join(', ')}; ${mode === 'execute' ? 'answers at once (execute)' : 'runs at the service (submit)'}.`
    const rows = params.map(param => [
      code(param.name) + (param.required ? '!' : ''),
      flagsOf(param),
      param.type,
      param.default === undefined ? '' : code(String(param.default)),
      takes(param),
    ])
    const head = ['parameter', 'flags', 'type', 'default', 'takes']
    return [`## ${id}`, note ? `${about} ${prose(note)}` : about, table(head, rows)].join('\n\n')
  })
}

const flagsOf = ({ flag, longFlag }: ParamInfo) => [...new Set([flag, longFlag])].map(code).join(', ')

function takes(param: ParamInfo): string {
  const { values, labels, minimum, maximum, step, maxLength, media, maxItems, members, note } = param
  const label = (value: string | number) =>
    labels?.[String(value)] ? `${code(String(value))} (${labels[String(value)]})` : code(String(value))
  return [
    values && (values.length > 40 ? `one of ${values.length} values` : values.map(label).join(', ')),
    minimum !== undefined &&
      `${minimum} to ${maximum}${step !== undefined && step !== 1 ? `, in steps of ${step}` : ''}`,
    maxLength !== undefined && `up to ${maxLength} characters`,
    media && `${media}${maxItems !== undefined && maxItems > 1 ? `, up to ${maxItems}` : ''}`,
    members && `up to ${maxItems}, each with ${members.map(code).join(', ')}`,
    note,
  ]
    .filter(Boolean)
    .join('; ')
}

const eventsIntro =
  '`--events events.jsonl` writes what happens in a run, one JSON object a line, as it happens; `-` is stdout. Each has `at` (UTC, to the millisecond) and `event`. A key with `?` may be absent. The schema is `schemas/events.schema.json`.'

interface EventSchema {
  readonly title: string
  readonly description: string
  readonly properties: {
    readonly [key: string]: { readonly description?: string; readonly type?: string; readonly $ref?: string }
  }
  readonly required: readonly string[]
}

function eventParts(): string[] {
  const text = readFileSync(join(root, 'schemas/events.schema.json'), 'utf8')
  const { oneOf } = JSON.parse(text) as { readonly oneOf: readonly EventSchema[] }
  return oneOf.map(({ title, description, properties, required }) => {
    const rows = Object.entries(properties)
      .filter(([key]) => key !== 'at' && key !== 'event')
      .map(([key, { description: says, type, $ref }]) => [
        code(required.includes(key) ? key : `${key}?`),
        says ?? type ?? $ref?.replace('#/definitions/', 'a ') ?? '',
      ])
    return [
      `## ${title}`,
      `${description}.`,
      ...(rows.length > 0 ? [table(['key', 'what it says'], rows)] : []),
    ].join('\n\n')
  })
}

const problemsIntro =
  'The code behind a message, in brackets. `genrun explain` with a code says the same. Behind a `#` stands what is meant, or why it is wrong.'

function problemParts(): string[] {
  return explanations().map(
    each => `## ${each.code}\n\n${prose(each.about)}\n\n\`\`\`text\n${each.example}\n\`\`\``,
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => prose(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** Words that stand outside of code: the site takes braces and angle brackets for its own. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map(part =>
      part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;'),
    )
    .join('')
}

function code(text: string): string {
  return `\`${text}\``
}
