import { type Diagnostic, hasErrors, problemRecord } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import type { AnyArgs, Command } from '../flags/command.ts'
import { type Out, openOut } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import { keysIn } from '../service/service-for.ts'
import { problemsText, refuseFor } from '../words/problems.ts'
import { capTrouble, gatesFor, trustFor } from './caution.ts'
import { colourOf, withServiceSettings, withSettings } from './fill.ts'
import { openSettings } from './settle.ts'
import { settingsStart } from './start.ts'

type Heeded =
  | { readonly got: 'heeded'; readonly args: AnyArgs; readonly around: Surroundings; readonly out: Out }
  | ({ readonly got: 'refused' } & Unheeded)

/** Why nothing is done, which is told already. */
export interface Unheeded {
  readonly out: Out
  readonly problems: readonly Diagnostic[]
  readonly error?: Trouble
}

/** A command with what the settings say; refused, and told, where they are wrong: nothing is done by half of them. */
export async function heedSettings(
  command: Pick<Command, 'orders'>,
  args: AnyArgs,
  around: Surroundings,
): Promise<Heeded> {
  const asked = { ...args, orders: command.orders }
  const settings = await openSettings(around.cwd, around.env, await settingsStart(args, around.cwd))
  const { env, noColour } = colourOf(around.env, args.noColor === true, settings)
  const out = openOut({ ...around, env }, noColour)
  const { services } = settings
  const withAll = {
    ...around,
    env: withServiceSettings(env, settings),
    ...(services.length > 0 && { services }),
  }
  // Whatever is shown from here on, problems of the settings included.
  for (const key of keysIn(withAll)) out.hide(key)
  const { problems } = settings
  if (!tellProblems(problems, args.json === true, out)) return { got: 'refused', out, problems }
  if (args.trust) {
    const { trustNamed } = await import('./trust-named.ts')
    const trouble = await trustNamed(args, settings, withAll)
    if (trouble) return refused(trouble, args, out)
  }
  const trust = trustFor(asked, settings, withAll.env)
  const trouble = capTrouble(asked, settings, withAll.env, trust)
  if (trouble) return refused(trouble, args, out)
  const { gates, problem } = gatesFor(asked, settings, trust, withAll.env)
  if (problem && !tellProblems([problem], args.json === true, out))
    return { got: 'refused', out, problems: [problem] }
  const heeded = { ...withAll, trust, line: args, ...(gates.length > 0 && { gates }) }
  return { got: 'heeded', args: withSettings(args, settings), around: heeded, out }
}

function refused(trouble: Trouble, args: AnyArgs, out: Out): Heeded {
  refuseFor(trouble, out, args)
  return { got: 'refused', out, problems: [], error: trouble }
}

/** False where one of them is wrong enough to stop. */
function tellProblems(problems: readonly Diagnostic[], json: boolean, out: Out): boolean {
  const isWrong = hasErrors(problems)
  if (isWrong && json) out.json({ ok: false, exit: exit.refused, problems: problems.map(problemRecord) })
  if (problems.length > 0) out.talk(problemsText(problems, out.paint))
  return !isWrong
}
