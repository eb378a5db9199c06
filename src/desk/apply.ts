import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { settingProblem } from './draw/obstacles.ts'
import { changesSince, type Means, readSavedPlan, savedPlan } from './draw/saved-plan.ts'
import { seePlan } from './ground/ground.ts'
import type { RunRequest } from './ground/setting.ts'
import { type RunResult, runManifest } from './run.ts'

/** A run of a saved plan. The manifest is the one beside which, or for which, the plan was made. */
export interface ApplyRequest
  extends Omit<RunRequest, 'manifest' | 'wish' | 'select' | 'redo' | 'caps' | 'vars' | 'expect'> {
  /** The saved plan's file, relative to `cwd`. */
  readonly plan: string
  /** Default: the file of the plan's own name, in the plan's folder. */
  readonly manifest?: string
}

const makeNew = 'make a new one: `genrun plan -o`'

/** Carries a saved plan out: exactly that, or nothing. */
export async function applyPlan(request: ApplyRequest): Promise<RunResult> {
  const path = resolve(request.cwd, request.plan)
  const refuse = (messages: readonly string[], hint = makeNew): RunResult => ({
    got: 'refused',
    problems: messages.map(message => settingProblem(request.plan, '', 'stale-plan', message, hint)),
  })
  const text = readText(path)
  if (text === undefined)
    return refuse(['the saved plan cannot be read'], 'give the file that `genrun plan -o` wrote')
  const saved = readSavedPlan(text)
  if (typeof saved === 'string') return refuse([saved])
  const { failed, rebuy, redo, select, caps, rehearsal, vars } = saved.asked
  if (rehearsal !== request.service.rehearsal)
    return refuse(
      [rehearsal ? 'it is the plan of a rehearsal' : 'it is no plan of a rehearsal'],
      'give --local to both commands, or to none',
    )
  const manifest = request.manifest ?? resolve(dirname(path), saved.manifest)
  const means = meansFrom(saved.means, dirname(path))
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
  const wanted = {
    ...means,
    ...(given as typeof request), // without what is not set, the same
    ...{ wish: { failed, rebuy }, redo, select, caps, vars, manifest },
  }
  const ground = { ...wanted, rehearsal, savedTo: path }
  const seen = seePlan(ground)
  if (seen.got !== 'seen') return seen
  const now = savedPlan(ground, seen)
  const changes = changesSince(saved, now)
  if (changes.length > 0) return refuse(changes.map(change => `${change} since this plan was made`))
  return runManifest({ ...wanted, expect: { steps: saved.steps, jobs: now.digests.jobs }, yes: true })
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Absolute. */
function meansFrom({ output, prices, profile, cache }: Means, folder: string): Means {
  return {
    ...(output !== undefined && { output: resolve(folder, output) }),
    ...(prices !== undefined && { prices: resolve(folder, prices) }),
    ...(profile !== undefined && { profile: resolve(folder, profile) }),
    ...(cache && { cache: { ...cache, folder: resolve(folder, cache.folder) } }),
  }
}
