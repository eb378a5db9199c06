import { basename, dirname, join, relative, resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { nearest, offered } from '../../base/nearest.ts'
import { firstJobs } from '../../convert/first-manifest.ts'
import { isThere } from '../../disk/look.ts'
import { writeNewFile, writeNewFolder } from '../../disk/write.ts'
import { manifestSchema } from '../../forms/schemas/manifest-schema.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import { type Stop, watchSignals } from '../io/signals.ts'
import { isCi, type Surroundings } from '../io/surroundings.ts'
import { version } from '../io/version.ts'
import { troubleText } from '../words/problems.ts'
import { projectFiles } from '../words/project-files.ts'
import { startedText, starterText } from '../words/starter.ts'
import { type Starter, starters, starterWords } from '../words/starters.ts'

interface InitArgs extends Given<'make' | 'from' | 'project' | 'yes'> {
  readonly name: string | undefined
}

/**
 * `genrun init [name]`: a manifest to begin with. On a terminal it asks for what the command line leaves open. An editor
 * takes its schema from the genrun that is installed in the project; where there is none, the schema is written beside
 * the manifest.
 */
export async function init(args: InitArgs, around: Surroundings, out: Out): Promise<number> {
  // `genrun init storyboard` is a manifest of that name, and what it says.
  const makes = starters.find(each => each === (args.make ?? args.name?.replace(/\.ya?ml$/i, '')))
  if (args.make !== undefined && !makes) return refused(out, ...unknownStarter(args.make))
  if (args.project) return beginProject(args, makes, around, out)
  if (args.from !== undefined) return beginOver(args.from, args.name ?? usualName, around, out)
  const { ask, env } = around
  if (!ask || args.yes || isCi(env) || (args.name !== undefined && makes))
    return begin(args.name ?? usualName, makes ?? tellNear(args.name, out), around, out)
  const stop = watchSignals(around, () => undefined)
  try {
    const given = await answers(
      { name: args.name, makes },
      question => ask(out.clean(question), stop.signal),
      out,
    )
    return given ? begin(given.name, given.makes, around, out) : leave(stop, out)
  } finally {
    stop.close()
  }
}

/** A name of its own is as good as any, and may be a slip in the name of a manifest to begin with. */
function tellNear(name: string | undefined, out: Out): Starter {
  const near = name === undefined ? undefined : nearest(name.replace(/\.ya?ml$/i, ''), starters)
  if (near !== undefined) out.talk(`this is the usual manifest; did you mean \`genrun init ${near}\`?`)
  return 'campaign'
}

/** Answers to what is open; undefined when whoever was asked went away. */
async function answers(
  { name, makes }: { readonly name: string | undefined; readonly makes: Starter | undefined },
  ask: (question: string) => Promise<string | undefined>,
  out: Out,
): Promise<{ readonly name: string; readonly makes: Starter } | undefined> {
  const called = name ?? (await ask(`Name of the manifest [${usualName}]: `))
  if (called === undefined) return undefined
  const width = Math.max(...starters.map(each => each.length))
  if (!makes) out.talk(starters.map(each => `  ${each.padEnd(width)}  ${starterWords[each]}`).join('\n'))
  let chosen = makes
  while (!chosen) {
    const answer = (await ask(`What does it make? [${starters[0]}]: `))?.trim().toLowerCase()
    if (answer === undefined) return undefined
    chosen = answer === '' ? starters[0] : starters.find(each => each === answer)
    if (!chosen) out.talk(unknownStarter(answer).join('; '))
  }
  return { name: called.trim() || usualName, makes: chosen }
}

function leave(stop: Stop, out: Out): number {
  out.talk('\nnothing is written; `genrun init --yes` asks nothing')
  return stop.code() ?? exit.refused
}

function unknownStarter(makes: string): [message: string, hint: string] {
  const near = nearest(makes, starters)
  return [
    `there is no manifest to begin with for ${display(makes)}`,
    near ? `did you mean ${near}?` : offered(starters),
  ]
}

/** A manifest over what is there. A path means a place beside whoever types, and is written as the manifest sees it. */
function beginOver(from: string, given: string, around: Pick<Surroundings, 'cwd'>, out: Out): number {
  const folder = dirname(resolve(around.cwd, fileName(given)))
  const found = firstJobs(relative(folder, resolve(around.cwd, from)), folder)
  if (found.is === 'nothing') return refused(out, `${display(from)} ${found.problem}`, found.hint)
  return write(given, (schema, file) => startedText(schema, file, [found.text]), around, out)
}

/** A folder of its own: whoever comes after types `npm install`, and has the same genrun. */
function beginProject(
  { name: folder, from }: InitArgs,
  makes: Starter | undefined,
  around: Pick<Surroundings, 'cwd'>,
  out: Out,
): number {
  if (folder === undefined) return refused(out, '--project needs a name', 'as in `genrun init --project tea`')
  if (from !== undefined)
    return refused(
      out,
      '--project and --from do not go together',
      'begin the project, then `genrun init shop --from products.csv` in it',
    )
  const at = resolve(around.cwd, folder)
  if (isThere(at)) return refused(out, `${display(folder)} is there already`, 'give the name of a new folder')
  const manifest = fileName(makes ?? usualName)
  const schema = './node_modules/genrun/schemas/manifest.schema.json'
  const files = [
    ...projectFiles({ folder: basename(at), manifest, version: version() }),
    [manifest, starterText(schema, manifest, makes)] as const,
  ]
  try {
    writeNewFolder(at, files)
  } catch {
    return refused(
      out,
      `${display(folder)} cannot be made`,
      `is ${display(dirname(folder))} a folder of yours?`,
    )
  }
  out.result(`wrote ${files.map(([each]) => display(join(folder, each))).join(', ')}`)
  out.talk(`cd ${shellWord(folder)} && npm install && npm run rehearse`)
  return exit.ok
}

function begin(given: string, makes: Starter, around: Pick<Surroundings, 'cwd'>, out: Out): number {
  return write(given, (schema, file) => starterText(schema, file, makes), around, out)
}

type TextFor = (schema: string, file: string) => string

function write(given: string, textFor: TextFor, around: Pick<Surroundings, 'cwd'>, out: Out): number {
  const name = fileName(given)
  const path = resolve(around.cwd, name)
  if (isThere(path)) return refused(out, `${display(name)} is there already`, overwriteHint)
  const folder = dirname(path)
  if (!isThere(folder)) {
    const missing = display(relative(around.cwd, folder))
    return refused(out, `there is no folder ${missing}`, `make it first: mkdir -p ${missing}`)
  }
  const installed = installedSchema(folder)
  const schema = installed ?? `./${schemaName}`
  const written = [name]
  // Somebody may have been quicker since: nothing is overwritten.
  if (!writeFile(path, textFor(schema, basename(name))))
    return refused(
      out,
      `${display(name)} cannot be written`,
      `is ${display(dirname(name))} a folder of yours?`,
    )
  if (!installed && writeFile(join(folder, schemaName), `${JSON.stringify(manifestSchema(), null, 2)}\n`))
    written.push(join(dirname(name), schemaName))
  out.result(`wrote ${written.map(each => display(each)).join(' and ')}`)
  out.talk(
    `\`genrun ${display(name)}\` makes what it describes; without a service it is a rehearsal, and free`,
  )
  return exit.ok
}

const usualName = 'campaign'
const schemaName = 'genrun.schema.json'
const overwriteHint = 'nothing is overwritten: give another name, as in `genrun init teapots`'

function fileName(name: string): string {
  return /\.ya?ml$/i.test(name) ? name : `${name}.yaml`
}

/** The schema of a genrun in the project, as a path from the manifest's folder. */
function installedSchema(folder: string): string | undefined {
  const inside = join('node_modules', 'genrun', 'schemas', 'manifest.schema.json')
  for (let here = folder; ; here = dirname(here)) {
    if (isThere(join(here, inside))) {
      const path = relative(folder, join(here, inside)).replaceAll('\\', '/')
      return path.startsWith('.') ? path : `./${path}`
    }
    if (here === dirname(here)) return undefined
  }
}

function writeFile(path: string, text: string): boolean {
  try {
    writeNewFile(path, text)
    return true
  } catch {
    return false
  }
}

function refused(out: Out, message: string, hint: string): number {
  out.talk(troubleText({ code: 'init', message, hint }, out.paint))
  return exit.refused
}
