import { dirname, relative, resolve } from 'node:path'
import { listed } from '../base/nearest.ts'
import { readShard } from '../base/shard.ts'
import { isBelow } from '../disk/open.ts'
import { lowestCaps } from '../plan/budget.ts'
import { withCacheAsked } from '../planning/ask-cache.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { type Means, type SavedPlan, savedPlan } from '../planning/saved-plan.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { commandOn } from '../wording/command.ts'
import { readGuarded } from '../workspace/read/guarded.ts'
import { repositoryAround } from '../workspace/read/place.ts'
import { busy } from '../workspace/records/busy.ts'
import type { Service } from '../workspace/service/service.ts'
import type { RunRequest } from '../workspace/workspace.ts'
import { changesSince, isBegun, readSavedPlan } from './read-saved-plan.ts'
import { type RunResult, runManifest } from './run.ts'

/** A run of a saved plan. The manifest is the one beside which, or for which, the plan was made. */
export interface ApplyRequest
  extends Omit<RunRequest, 'manifest' | 'choices' | 'select' | 'redo' | 'vars' | 'expect' | 'shard'> {
  /** The saved plan's file, relative to `cwd`. */
  readonly plan: string
  /** Default: the file of the plan's own name, in the plan's folder. */
  readonly manifest?: string
}

/** Carries a saved plan out: exactly that, or nothing. */
export async function applyPlan(request: ApplyRequest): Promise<RunResult> {
  const path = resolve(request.cwd, request.plan)
  const refuse = (messages: readonly string[], hint: string): RunResult => ({
    got: 'refused',
    problems: messages.map(message =>
      settingProblem({ name: request.plan, value: '' }, 'stale-plan', message, hint),
    ),
  })
  const read = readGuarded(path, request.cwd, longestPlan)
  if ('problem' in read) return refuse([`the saved plan cannot be read: ${read.problem}`], planFile)
  const saved = readSavedPlan(read.text)
  if (typeof saved === 'string') return refuse([saved], planFile)
  const { failed, rebuy, resubmit = false, redo, select, caps, rehearsal, vars, shard: part } = saved.asked
  const shard = part === undefined ? undefined : readShard(part)
  if (rehearsal !== request.service.rehearsal)
    return rehearsal
      ? refuse(['it is the plan of a rehearsal'], 'give --local to both commands, or to none')
      : refuse(
          ['it is no plan of a rehearsal, and no service is asked here'],
          'name the service (GENRUN_BASE_URL and a key), or give --local to both commands',
        )
  const manifest = request.manifest ?? resolve(dirname(path), saved.manifest)
  const means = meansFrom(saved.means, dirname(path))
  const unsaid = meansUnsaid(means, request)
  if (unsaid.length > 0)
    return refuse(
      unsaid.map(name => `it was made with a \`${name}\` that only you can name`),
      `give ${listed(
        unsaid.map(name => `--${name}`),
        'and',
      )} once more, or make a new plan`,
    )
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
  const options = {
    ...means,
    ...(given as typeof request), // without what is not set, the same
    ...{ choices: { failed, rebuy, resubmit }, redo, select, vars, manifest },
    ...(shard && { shard }),
    caps: lowestCaps(caps, request.caps),
    service: believing(request, means),
  }
  const workspace = { ...options, rehearsal, savedTo: path }
  const seen = await withCacheAsked(workspace, () => seeManifest(workspace))
  if (seen.got !== 'seen') return seen
  // What it has in hand is not what the plan was made of, and no reason to make another.
  if (seen.holder && !request.takeClaim) return busy(seen.holder)
  const now = savedPlan(workspace, seen)
  const changes = changesSince(saved, now)
  if (changes.length > 0 && !isBegun(saved, now, seen.planned.plan)) {
    const words = wordsAgain(saved, path, request.cwd)
    // All of a division are made by one command, whichever of them is out of date.
    const { shard: _, ...undivided } = workspace
    const again = shard
      ? commandOn(
          undivided,
          'plan',
          ...words,
          '--shards',
          String(shard.of),
          '-o',
          relative(request.cwd, dirname(path)) || '.',
        )
      : commandOn(workspace, 'plan', ...words, '-o', request.plan)
    return refuse(
      changes.map(change => `${change} since this plan was made`),
      `make a new one: \`${again}\``,
    )
  }
  return runManifest({ ...options, expect: { steps: now.steps, jobs: now.digests.jobs }, yes: true })
}

/** The words by which a new plan is one of the same: without them it would be of more jobs, of other prompts, or without a cap. */
function wordsAgain({ asked, means }: SavedPlan, path: string, cwd: string): string[] {
  const { select, caps, vars, failed, rebuy, resubmit } = asked
  const flag = (name: string, value: unknown) => (value === undefined ? [] : [`--${name}`, String(value)])
  const isSaid = (name: string, is: boolean | undefined) => (is ? [`--${name}`] : [])
  const at = (named: string | undefined) => named && relative(cwd, resolve(dirname(path), named))
  return [
    ...(select.words ?? []),
    ...(select.tags ?? []).flatMap(tag => flag('tag', tag)),
    ...(select.models ?? []).flatMap(model => flag('model', model)),
    ...isSaid('changed', select.changed),
    ...flag('limit', select.limit),
    ...isSaid('failed', failed),
    ...isSaid('rebuy', rebuy),
    ...isSaid('resubmit', resubmit),
    ...vars.filter(each => !each.isAmbient).flatMap(({ name, value }) => flag('var', `${name}=${value}`)),
    ...flag('prices', at(means.prices)),
    ...flag('profile', at(means.profile)),
    ...flag('cache', at(means.cache?.folder)),
    ...isSaid('cache-read-only', means.cache?.readOnly),
    ...flag('max-paid', caps.maxPaid),
    ...flag('max-cost', caps.maxCost),
  ]
}

/**
 * What a saved plan may not say, which lies in the checkout like a manifest: a cache, in which files are thrown away, and files
 * or folders outside of the project.
 */
function meansUnsaid({ output, outputs, prices, profile, cache }: Means, request: ApplyRequest): string[] {
  const project = repositoryAround(request.cwd)
  const isOutside = (path: string | undefined) => path !== undefined && !isBelow(path, project)
  return [
    ...((isOutside(output) || isOutside(outputs)) && (request.output ?? request.outputs) === undefined
      ? ['output']
      : []),
    ...(isOutside(prices) && request.prices === undefined ? ['prices'] : []),
    ...(isOutside(profile) && request.profile === undefined ? ['profile'] : []),
    ...(cache && !request.cache ? ['cache'] : []),
  ]
}

/** A profile that nobody but the plan names is one of the checkout. */
function believing({ service, profile }: ApplyRequest, means: Means): Service {
  const isTheirs = profile === undefined && means.profile !== undefined
  return service.trust && isTheirs
    ? { ...service, trust: { ...service.trust, isTheirProfile: true } }
    : service
}

const planFile = 'give a file that -o of genrun plan wrote'

/** Of 100,000 jobs, and more. In bytes. */
const longestPlan = 256 * 1024 * 1024

/** Absolute. */
function meansFrom({ output, outputs, prices, profile, cache }: Means, folder: string): Means {
  return {
    ...(output !== undefined && { output: resolve(folder, output) }),
    ...(outputs !== undefined && { outputs: resolve(folder, outputs) }),
    ...(prices !== undefined && { prices: resolve(folder, prices) }),
    ...(profile !== undefined && { profile: resolve(folder, profile) }),
    ...(cache && { cache: { ...cache, folder: resolve(folder, cache.folder) } }),
  }
}
