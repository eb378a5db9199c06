import { problemRecord } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import type { Args } from '../flags/arguments.ts'
import { type Out, openOut } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { problemsText } from '../words/problems.ts'
import { colourOf, withService, withSettings } from './fill.ts'
import { openSettings, type Settings } from './settle.ts'

export type Heeded =
  | { readonly got: 'heeded'; readonly args: Args; readonly around: Surroundings; readonly out: Out }
  | { readonly got: 'refused' }

/** A command with what the settings say; refused, and told, where they are wrong: nothing is done by half of them. */
export function heedSettings(args: Args, around: Surroundings, isPlain: boolean): Heeded {
  const settings = openSettings(around.cwd, around.env)
  const { env, noColour } = colourOf(around.env, isPlain, settings)
  const out = openOut({ ...around, env }, noColour)
  tellProblems(settings, 'json' in args && args.json, out)
  if (settings.isWrong) return { got: 'refused' }
  return {
    got: 'heeded',
    args: withSettings(args, settings),
    around: { ...around, env: withService(env, settings) },
    out,
  }
}

function tellProblems({ problems, isWrong }: Settings, json: boolean, out: Out): void {
  if (problems.length === 0) return
  if (isWrong && json) out.json({ ok: false, exit: exit.refused, problems: problems.map(problemRecord) })
  out.talk(problemsText(problems, out.paint))
}
