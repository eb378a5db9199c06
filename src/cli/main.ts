import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { exit } from '../base/exit.ts'
import { readArgs } from './flags/args.ts'
import type { Args } from './flags/arguments.ts'
import { type Out, openOut } from './io/out.ts'
import type { Sink, Surroundings } from './io/surroundings.ts'
import { version } from './io/version.ts'
import { wrapHelp } from './io/wrap.ts'
import { troubleText } from './words/problems.ts'

/** Does what the command line (without node and script) asks for, and returns the exit code. */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const args = readArgs(argv, path => existsSync(resolve(around.cwd, path)))
  const isPlain = 'noColour' in args && args.noColour
  if (!heeding.has(args.do)) return carryOut(args, around, openOut(around, isPlain))
  const { heedSettings } = await import('./settings/heed.ts')
  const heeded = await heedSettings(args, around, isPlain)
  if (heeded.got === 'refused') return exit.refused
  if ('talk' in heeded.args && heeded.args.talk === 'debug')
    (await import('./io/debug.ts')).openDebug(heeded.out)
  return carryOut(heeded.args, heeded.around, heeded.out)
}

/** Commands that the settings say something about. */
const heeding: ReadonlySet<Args['do']> = new Set([
  'run',
  'validate',
  'models',
  'model-info',
  'schema',
  'plan',
  'apply',
  'why',
  'graph',
  'pricing',
  'verify',
  'accept',
  'pick',
  'prune',
  'report',
  'status',
  'journal',
  'resolve',
  'adopt',
  'recover',
  'generate',
  'result',
  'convert',
  'import',
  'mcp',
  'watch',
  'complete',
])

// Every command is loaded when it is asked for: `validate` needs no network library, `models` no YAML.
async function carryOut(args: Args, around: Surroundings, out: Out): Promise<number> {
  switch (args.do) {
    case 'run':
      return (await import('./commands/run.ts')).run(args, around, out)
    case 'validate':
      return (await import('./commands/validate.ts')).validate(args, around, out)
    case 'explain':
      return (await import('./commands/explain.ts')).explainCode(args, out)
    case 'models':
      return (await import('./commands/models.ts')).showModels(args, around, out)
    case 'model-info':
      return (await import('./commands/models.ts')).showModel(args, around, out)
    case 'serve':
      return (await import('./commands/serve.ts')).serve(args, around, out)
    case 'plan':
      return (await import('./commands/plan.ts')).plan(args, around, out)
    case 'apply':
      return (await import('./commands/run.ts')).apply(args, around, out)
    case 'why':
      return (await import('./commands/why.ts')).why(args, around, out)
    case 'graph':
      return (await import('./commands/graph.ts')).graph(args, around, out)
    case 'pricing':
      return (await import('./commands/pricing.ts')).pricing(args, around, out)
    case 'verify':
      return (await import('./commands/verify.ts')).verify(args, around, out)
    case 'accept':
      return (await import('./commands/accept.ts')).accept(args, around, out)
    case 'pick':
      return (await import('./commands/pick.ts')).pick(args, around, out)
    case 'report':
      return (await import('./commands/report.ts')).report(args, around, out)
    case 'prune':
      return (await import('./commands/prune.ts')).prune(args, around, out)
    case 'status':
      return (await import('./commands/status.ts')).status(args, around, out)
    case 'journal':
      return (await import('./commands/journal.ts')).journal(args, around, out)
    case 'resolve':
      return (await import('./commands/resolve.ts')).resolve(args, around, out)
    case 'adopt':
      return (await import('./commands/resolve.ts')).adopt(args, around, out)
    case 'recover':
      return (await import('./commands/recover.ts')).recover(args, around, out)
    case 'lock-merge':
      return (await import('./commands/lock-merge.ts')).lockMerge(args, around, out)
    case 'generate':
      return (await import('./commands/generate.ts')).generateOne(args, around, out)
    case 'result':
      return (await import('./commands/result.ts')).fetchResults(args, around, out)
    case 'init':
      return (await import('./commands/init.ts')).init(args, around, out)
    case 'learn':
      return (await import('./commands/learn.ts')).learn(out)
    case 'schema':
      return (await import('./commands/schema.ts')).showSchema(args, around, out)
    case 'convert':
      return (await import('./commands/convert.ts')).convert(args, around, out)
    case 'profile-check':
      return (await import('./commands/profile.ts')).profileCheck(args, around, out)
    case 'import':
      return (await import('./commands/import.ts')).importFile(args, around, out)
    case 'mcp':
      return (await import('./commands/mcp.ts')).mcp(args, around, out)
    case 'watch':
      return (await import('./commands/watch.ts')).watch(args, around, out)
    case 'settings':
      return (await import('./commands/settings.ts')).showSettings(args, around, out)
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor(args, around, out)
    case 'completion':
      return (await import('./commands/completion.ts')).showCompletion(args, out)
    case 'complete':
      return (await import('./commands/completion.ts')).complete(args, around, out)
    case 'help':
      out.result(fittedHelp(args.text, around.stdout))
      return exit.ok
    case 'version':
      out.result(version())
      return exit.ok
    case 'misused':
      out.talk(troubleText({ code: 'usage', message: args.message, hint: args.hint }, out.paint))
      return exit.refused
  }
}

function fittedHelp(text: string, { isTerminal, columns }: Sink): string {
  return isTerminal && columns !== undefined ? wrapHelp(text, columns) : text
}
