import { join } from 'node:path'
import { type Trust, takeForRead, trustedBefore } from '../../workspace/read/trust.ts'
import type { Args } from '../flags/arguments.ts'
import { type Env, isCi, isPullRequest, variable } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import { userFolder } from './places.ts'
import type { Settings } from './settle.ts'

type Said = Pick<Settings, 'given' | 'byOf' | 'ofPerson'>

/** What is believed of the checkout when a command of this line runs here. */
export function trustFor(args: Args, settings: Said, env: Env): Trust {
  const [named, list] = [settings.given('trust'), listOf(env)]
  const isTheirProfile = profileFlag(args) === undefined && settings.byOf('profile') === 'project'
  return {
    digests: [...(Array.isArray(named) ? named : []), ...(list === undefined ? [] : trustedBefore(list))],
    ...(isTheirProfile && { isTheirProfile }),
    ...(isUntrusted(args, settings, env) && { untrusted: true }),
  }
}

/**
 * Why a command may not spend yet: nobody watches, the checkout may say anything, and nobody outside of it has said how much it
 * may cost. Undefined for everything that pays nothing.
 */
export function capTrouble(args: Args, settings: Said, env: Env, { untrusted }: Trust): Trouble | undefined {
  if (!untrusted || !mayBuy(args, env) || hasCap(args, settings)) return undefined
  const why = isPullRequest(env)
    ? 'this checkout is what a pull request proposes'
    : isCi(env)
      ? 'in CI nobody watches'
      : "the checkout may be a stranger's"
  return {
    code: 'no-cap',
    message: `${why}, and nobody outside of it has said how much it may spend`,
    hint: 'say so with --max-paid or GENRUN_MAX_PAID; GENRUN_UNTRUSTED=false takes the checkout for your own',
  }
}

/** On by itself for a pull request, and in CI with a key and no cap; a project can only ask for it. */
function isUntrusted(args: Args, settings: Said, env: Env): boolean {
  const said = settings.given('untrusted')
  if (said === true || ('untrusted' in args && args.untrusted)) return true
  if (said === false) return false
  return isPullRequest(env) || (isCi(env) && hasKey(env) && !hasCap(args, settings))
}

function hasKey(env: Env): boolean {
  return ['GENRUN_API_KEY', 'GENRUN_API_KEY_FILE'].some(name => variable(env, name))
}

/** `generate` makes the one order that stands on its line. */
function mayBuy(args: Args, env: Env): boolean {
  const isBuyer = args.do === 'run' || args.do === 'apply' || (args.do === 'mcp' && !args.readOnly)
  return isBuyer && !args.local && hasKey(env)
}

function hasCap(args: Args, settings: Said): boolean {
  const all = args.do === 'mcp' ? [args.maxTotalPaid, args.maxTotalCost] : []
  const flags = 'selection' in args ? args.selection : args.do === 'mcp' ? args : undefined
  const given = [...all, flags?.maxPaid, flags?.maxCost, ...caps.map(name => settings.ofPerson(name))]
  return given.some(cap => cap !== undefined)
}

const caps = ['limits.maxPaid', 'limits.maxCost'] as const

function profileFlag(args: Args): string | undefined {
  if ('selection' in args) return args.selection?.profile
  return 'profile' in args ? args.profile : undefined
}

/** The profile that counts here is taken for read from now on: its digest stands in the person's own folder. */
export async function trustProfile(
  args: Args,
  settings: Said,
  { env, cwd }: { readonly env: Env; readonly cwd: string },
): Promise<Trouble | undefined> {
  const path = profileFlag(args) ?? settings.given('profile')
  const list = listOf(env)
  if (typeof path !== 'string')
    return {
      code: 'usage',
      message: 'there is nothing to trust: no profile is named here',
      hint: '--profile names one, or `profile` in the settings',
    }
  if (list === undefined) return { code: 'usage', message: 'there is no home folder to remember it in', hint }
  const problem = await takeForRead(path, cwd, list)
  return problem === undefined ? undefined : { code: 'usage', message: problem, hint }
}

const hint = 'GENRUN_TRUST=sha256:… names its digest as well'

function listOf(env: Env): string | undefined {
  const folder = userFolder(env)
  return folder && join(folder, 'trusted')
}
