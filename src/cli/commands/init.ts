import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { manifestSchema } from '../../forms/manifest-schema.ts'
import type { Out } from '../out.ts'
import { troubleText } from '../problems.ts'
import { starterText } from '../starter.ts'
import type { Surroundings } from '../surroundings.ts'

/**
 * `genrun init [name]`: a manifest to begin with. An editor takes its schema from the genrun that is installed in the
 * project; where there is none, the schema is written beside the manifest.
 */
export function init(
  asked: { readonly name: string | undefined },
  around: Pick<Surroundings, 'cwd'>,
  out: Out,
): number {
  const name = fileName(asked.name ?? 'campaign')
  const path = resolve(around.cwd, name)
  if (existsSync(path)) return refused(out, `${display(name)} is there already`, overwriteHint)
  const folder = dirname(path)
  if (!existsSync(folder)) {
    const missing = display(relative(around.cwd, folder))
    return refused(out, `there is no folder ${missing}`, `make it first: mkdir -p ${missing}`)
  }
  const installed = installedSchema(folder)
  const schema = installed ?? `./${schemaName}`
  const written = [name]
  // Somebody may have been quicker since: `wx` overwrites nothing.
  if (!write(path, starterText(schema, basename(name))))
    return refused(
      out,
      `${display(name)} cannot be written`,
      `is ${display(dirname(name))} a folder of yours?`,
    )
  if (!installed && write(join(folder, schemaName), `${JSON.stringify(manifestSchema(), null, 2)}\n`))
    written.push(join(dirname(name), schemaName))
  out.result(`wrote ${written.map(each => display(each)).join(' and ')}`)
  out.talk(
    `\`genrun ${display(name)}\` makes what it describes; without a service it is a rehearsal, and free`,
  )
  return exit.ok
}

const schemaName = 'genrun.schema.json'
const overwriteHint = 'nothing is overwritten: give another name, as in `genrun init teapots`'

function fileName(name: string): string {
  return /\.ya?ml$/i.test(name) ? name : `${name}.yaml`
}

/** The schema of a genrun in the project, as a path from the manifest's folder. */
function installedSchema(folder: string): string | undefined {
  const inside = join('node_modules', 'genrun', 'schemas', 'manifest.schema.json')
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, inside))) {
      const path = relative(folder, join(here, inside)).replaceAll('\\', '/')
      return path.startsWith('.') ? path : `./${path}`
    }
    if (here === dirname(here)) return undefined
  }
}

function write(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

function refused(out: Out, message: string, hint: string): number {
  out.talk(troubleText({ code: 'init', message, hint }, out.paint))
  return exit.refused
}
