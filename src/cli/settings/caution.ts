import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Diagnostic } from '../../base/diagnostic.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import { trustedGates } from '../../workspace/read/gate-trust.ts'
import { type Trust, trustedBefore } from '../../workspace/read/trust.ts'
import { gateSecretIn, userFolder } from '../../workspace/read/user-folder.ts'
import type { AnyArgs, Usage } from '../flags/command.ts'
import { type Env, isCi, isPullRequest, variable } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'

import type { Settings } from './settle.ts'

type Said = Pick<Settings, 'given' | 'byOf' | 'ofPerson'>

/** What was asked for, and how many orders that may come to. */
type Asked = AnyArgs & { readonly orders: Usage['orders'] }

/** What is believed of the checkout when a command of this line runs here. */
export function trustFor(args: Asked, settings: Said, env: Env): Trust {
  const [named, list] = [settings.given('trust'), trustList(env)]
  const isTheirProfile = args.profile === undefined && settings.byOf('profile') === 'project'
  return {
    digests: [...(Array.isArray(named) ? named : []), ...(list === undefined ? [] : trustedBefore(list))],
    ...(isTheirProfile && { isTheirProfile }),
    ...(isUntrusted(args, settings, env) && { untrusted: true }),
    ...(isCi(env) && settings.given('untrusted') !== false && { isUnwatched: true }),
  }
}

/**
 * Why a command may not spend yet: nobody watches, the checkout may say anything, and nobody outside of it has said how much it
 * may cost. Undefined for everything that pays nothing.
 */
export function capTrouble(args: Asked, settings: Said, env: Env, { untrusted }: Trust): Trouble | undefined {
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

/**
 * On by itself for a pull request, and in CI with a key and no cap that holds; a project can only ask for it. A cap on the cost holds
 * nothing when the project alone says what an order costs.
 */
function isUntrusted(args: Asked, settings: Said, env: Env): boolean {
  const said = settings.given('untrusted')
  if (said === true || args.untrusted) return true
  if (said === false) return false
  return isPullRequest(env) || (isCi(env) && hasKey(env) && !hasFirmCap(args, settings))
}

function hasKey(env: Env): boolean {
  return ['GENRUN_API_KEY', 'GENRUN_API_KEY_FILE'].some(name => variable(env, name))
}

function mayBuy({ orders, readOnly, local, frozen }: Asked, env: Env): boolean {
  return orders === 'many' && !readOnly && !local && !frozen && hasKey(env)
}

function hasCap(args: Asked, settings: Said): boolean {
  return hasOneOf(capsOn(args, settings, 'paid')) || hasOneOf(capsOn(args, settings, 'cost'))
}

function hasFirmCap(args: Asked, settings: Said): boolean {
  if (hasOneOf(capsOn(args, settings, 'paid'))) return true
  const areTheirs = args.prices === undefined && settings.byOf('prices') === 'project'
  return !areTheirs && hasOneOf(capsOn(args, settings, 'cost'))
}

function hasOneOf(given: readonly unknown[]): boolean {
  return given.some(cap => cap !== undefined)
}

/**
 * Caps that somebody outside of the checkout has set. What `generate` may cost is the price of the one order on its line,
 * and no word on a checkout.
 */
function capsOn(args: Asked, settings: Said, on: 'paid' | 'cost'): readonly unknown[] {
  const { maxPaid, maxCost, maxTotalPaid, maxTotalCost } = args.orders === 'one' ? {} : args
  return on === 'paid'
    ? [maxPaid, maxTotalPaid, settings.ofPerson('limits.maxPaid')]
    : [maxCost, maxTotalCost, settings.ofPerson('limits.maxCost')]
}

/** The file of digests that a person has taken for read; undefined without a home. */
export function trustList(env: Env): string | undefined {
  const folder = userFolder(env)
  return folder && join(folder, 'trusted')
}

/** Whom a manifest may name: the person's own, then the project's as far as somebody has read them. */
export function gatesFor(
  args: Asked,
  { gates, theirGates }: Pick<Settings, 'gates' | 'theirGates'>,
  trust: Trust,
  env: Env,
): { readonly gates: readonly OwnGate[]; readonly problem?: Diagnostic } {
  const isLooking = args.orders !== 'many' || args.local === true || args.readOnly === true
  const theirs = theirGates && trustedGates(theirGates, trust, isLooking)
  const others = theirs?.gates.filter(each => !gates.some(({ name }) => name === each.name)) ?? []
  const secret = gateSecretIn(env)
  return {
    gates: [...gates, ...others].map(gate => ({ ...gate, ...defined({ secret }) })),
    ...defined({ problem: theirs?.problem }),
  }
}
