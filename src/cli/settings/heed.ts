import { problemRecord } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import type { AnyArgs, Command } from '../flags/command.ts'
import { type Out, openOut } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import { keysIn } from '../service/service-for.ts'
import { problemsText, troubleText } from '../words/problems.ts'
import { capTrouble, trustFor, trustProfile } from './caution.ts'
import { colourOf, withServiceSettings, withSettings } from './fill.ts'
import { openSettings, type Settings } from './settle.ts'

type Heeded =
  | { readonly got: 'heeded'; readonly args: AnyArgs; readonly around: Surroundings; readonly out: Out }
  | { readonly got: 'refused' }

/** A command with what the settings say; refused, and told, where they are wrong: nothing is done by half of them. */
export async function heedSettings(command: Command, args: AnyArgs, around: Surroundings): Promise<Heeded> {
  const asked = { ...args, orders: command.orders }
  const settings = openSettings(around.cwd, around.env)
  const { env, noColour } = colourOf(around.env, args.noColor === true, settings)
  const out = openOut({ ...around, env }, noColour)
  const { services, gates } = settings
  const withAll = {
    ...around,
    env: withServiceSettings(env, settings),
    ...(services.length > 0 && { services }),
    ...(gates.length > 0 && { gates }),
  }
  // Whatever is shown from here on, problems of the settings included.
  for (const key of keysIn(withAll)) out.hide(key)
  tellProblems(settings, args.json === true, out)
  if (settings.isWrong) return { got: 'refused' }
  if (args.trust) {
    const trouble = await trustProfile(args, settings, withAll)
    if (trouble) return refused(trouble, args, out)
  }
  const trust = trustFor(asked, settings, withAll.env)
  const trouble = capTrouble(asked, settings, withAll.env, trust)
  if (trouble) return refused(trouble, args, out)
  return { got: 'heeded', args: withSettings(args, settings), around: { ...withAll, trust }, out }
}

function refused(trouble: Trouble, { json }: AnyArgs, out: Out): Heeded {
  if (json) out.json({ ok: false, exit: exit.refused, error: trouble })
  out.talk(troubleText(trouble, out.paint))
  return { got: 'refused' }
}

function tellProblems({ problems, isWrong }: Settings, json: boolean, out: Out): void {
  if (problems.length === 0) return
  if (isWrong && json) out.json({ ok: false, exit: exit.refused, problems: problems.map(problemRecord) })
  out.talk(problemsText(problems, out.paint))
}
