import type { Json, JsonObject } from '../../base/names.ts'
import { type Declared, settingsDeclared } from './declared.ts'
import { formSchema } from './form-schema.ts'
import { gatesSchema } from './gates.ts'
import { servicesSchema } from './services.ts'

/** The JSON Schema of `genrun.config.yaml` and of the user's own settings, for editors. */
export function settingsSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'genrun settings',
    description:
      "of a project (genrun.config.yaml) or of a user (~/.config/genrun/config.yaml); what says 'your own settings only' is refused in a project",
    type: 'object',
    properties: { ...propertiesOf(settingsDeclared, ''), services: servicesSchema(), gates: gatesSchema() },
    patternProperties: { '^x-': {} },
    additionalProperties: false,
  }
}

/** By its path from the project's root, and its text. A test keeps it fresh. */
export function publishedSettingsSchema(): readonly [path: string, text: string] {
  return ['schemas/settings.schema.json', `${JSON.stringify(settingsSchema(), null, 2)}\n`]
}

/** Settings with a dot stand together in a section. */
function propertiesOf(all: readonly Declared[], section: string): JsonObject {
  const properties: { [name: string]: Json } = {}
  for (const each of all.filter(({ name }) => name.startsWith(section))) {
    const [head = '', below] = each.name.slice(section.length).split('.')
    if (below === undefined) properties[head] = propertyOf(each)
    else
      properties[head] ??= {
        type: 'object',
        properties: propertiesOf(all, `${section}${head}.`),
        additionalProperties: false,
      }
  }
  return properties
}

function propertyOf({ says, form, builtIn, outside }: Declared): JsonObject {
  return {
    description: outside ? `${says} (your own settings only)` : says,
    ...formSchema(form),
    ...(builtIn !== undefined && { default: builtIn as Json }), // a text, a number or a switch
  }
}
