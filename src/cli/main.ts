import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { exit } from '../base/exit.ts'
import { readArgs } from './flags/args.ts'
import type { Asked } from './flags/asked.ts'
import { type Out, openOut } from './io/out.ts'
import type { Sink, Surroundings } from './io/surroundings.ts'
import { version } from './io/version.ts'
import { wrapHelp } from './io/wrap.ts'
import { networkErrorText } from './words/problems.ts'

/** Does what the command line (without node and script) asks for, and returns the exit code. */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const asked = readArgs(argv, path => existsSync(resolve(around.cwd, path)))
  const isPlain = 'noColour' in asked && asked.noColour
  if (!heeding.has(asked.do)) return carryOut(asked, around, openOut(around, isPlain))
  const { heedSettings } = await import('./settings/heed.ts')
  const heeded = heedSettings(asked, around, isPlain)
  if (heeded.got === 'refused') return exit.refused
  return carryOut(heeded.asked, heeded.around, heeded.out)
}

/** Commands that the settings say something about. */
const heeding: ReadonlySet<Asked['do']> = new Set([
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
async function carryOut(asked: Asked, around: Surroundings, out: Out): Promise<number> {
  switch (asked.do) {
    case 'run':
      return (await import('./commands/run.ts')).run(asked, around, out)
    case 'validate':
      return (await import('./commands/validate.ts')).validate(asked, around, out)
    case 'explain':
      return (await import('./commands/explain.ts')).explainCode(asked, out)
    case 'models':
      return (await import('./commands/models.ts')).showModels(asked, around, out)
    case 'model-info':
      return (await import('./commands/models.ts')).showModel(asked, around, out)
    case 'serve':
      return (await import('./commands/serve.ts')).serve(asked, around, out)
    case 'plan':
      return (await import('./commands/plan.ts')).plan(asked, around, out)
    case 'apply':
      return (await import('./commands/run.ts')).apply(asked, around, out)
    case 'why':
      return (await import('./commands/why.ts')).why(asked, around, out)
    case 'graph':
      return (await import('./commands/graph.ts')).graph(asked, around, out)
    case 'pricing':
      return (await import('./commands/pricing.ts')).pricing(asked, around, out)
    case 'verify':
      return (await import('./commands/verify.ts')).verify(asked, around, out)
    case 'accept':
      return (await import('./commands/accept.ts')).accept(asked, around, out)
    case 'pick':
      return (await import('./commands/pick.ts')).pick(asked, around, out)
    case 'report':
      return (await import('./commands/report.ts')).report(asked, around, out)
    case 'prune':
      return (await import('./commands/prune.ts')).prune(asked, around, out)
    case 'status':
      return (await import('./commands/status.ts')).status(asked, around, out)
    case 'resolve':
      return (await import('./commands/resolve.ts')).resolve(asked, around, out)
    case 'adopt':
      return (await import('./commands/resolve.ts')).adopt(asked, around, out)
    case 'recover':
      return (await import('./commands/recover.ts')).recover(asked, around, out)
    case 'lock-merge':
      return (await import('./commands/lock-merge.ts')).lockMerge(asked, around, out)
    case 'generate':
      return (await import('./commands/generate.ts')).generateOne(asked, around, out)
    case 'result':
      return (await import('./commands/result.ts')).fetchResults(asked, around, out)
    case 'init':
      return (await import('./commands/init.ts')).init(asked, around, out)
    case 'learn':
      return (await import('./commands/learn.ts')).learn(out)
    case 'schema':
      return (await import('./commands/schema.ts')).showSchema(asked, around, out)
    case 'convert':
      return (await import('./commands/convert.ts')).convert(asked, around, out)
    case 'profile-check':
      return (await import('./commands/profile.ts')).profileCheck(asked, around, out)
    case 'import':
      return (await import('./commands/import.ts')).importFile(asked, around, out)
    case 'mcp':
      return (await import('./commands/mcp.ts')).mcp(asked, around, out)
    case 'watch':
      return (await import('./commands/watch.ts')).watch(asked, around, out)
    case 'settings':
      return (await import('./commands/settings.ts')).showSettings(asked, around, out)
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor(asked, around, out)
    case 'completion':
      return (await import('./commands/completion.ts')).showCompletion(asked, out)
    case 'complete':
      return (await import('./commands/completion.ts')).complete(asked, around, out)
    case 'help':
      out.result(fittedHelp(asked.text, around.stdout))
      return exit.ok
    case 'version':
      out.result(version())
      return exit.ok
    case 'misused':
      out.talk(networkErrorText({ code: 'usage', message: asked.message, hint: asked.hint }, out.paint))
      return exit.refused
  }
}

function fittedHelp(text: string, { isTerminal, columns }: Sink): string {
  return isTerminal && columns !== undefined ? wrapHelp(text, columns) : text
}
