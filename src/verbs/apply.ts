import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { settingProblem } from '../planning/obstacles.ts'
import { changesSince, type Means, readSavedPlan, savedPlan } from '../planning/saved-plan.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { commandOn } from '../wording/command.ts'
import { busy } from '../workspace/records/busy.ts'
import type { RunRequest } from '../workspace/workspace.ts'
import { type RunResult, runManifest } from './run.ts'

/** A run of a saved plan. The manifest is the one beside which, or for which, the plan was made. */
export interface ApplyRequest
  extends Omit<
    RunRequest,
    'manifest' | 'outputs' | 'choices' | 'select' | 'redo' | 'caps' | 'vars' | 'expect'
  > {
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
    problems: messages.map(message => settingProblem(request.plan, '', 'stale-plan', message, hint)),
  })
  const text = readText(path)
  if (text === undefined) return refuse(['the saved plan cannot be read'], planFile)
  const saved = readSavedPlan(text)
  if (typeof saved === 'string') return refuse([saved], planFile)
  const { failed, rebuy, redo, select, caps, rehearsal, vars } = saved.asked
  if (rehearsal !== request.service.rehearsal)
    return refuse(
      [rehearsal ? 'it is the plan of a rehearsal' : 'it is no plan of a rehearsal'],
      'give --local to both commands, or to none',
    )
  const manifest = request.manifest ?? resolve(dirname(path), saved.manifest)
  const means = meansFrom(saved.means, dirname(path))
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
  const options = {
    ...means,
    ...(given as typeof request), // without what is not set, the same
    ...{ choices: { failed, rebuy }, redo, select, caps, vars, manifest },
  }
  const workspace = { ...options, rehearsal, savedTo: path }
  const seen = seeManifest(workspace)
  if (seen.got !== 'seen') return seen
  // What it has in hand is not what the plan was made of, and no reason to make another.
  if (seen.holder && !request.takeClaim) return busy(seen.holder)
  const now = savedPlan(workspace, seen)
  const changes = changesSince(saved, now)
  if (changes.length > 0) {
    const again = commandOn(workspace, 'plan', '-o', request.plan)
    return refuse(
      changes.map(change => `${change} since this plan was made`),
      `make a new one: \`${again}\``,
    )
  }
  return runManifest({ ...options, expect: { steps: saved.steps, jobs: now.digests.jobs }, yes: true })
}

const planFile = 'give a file that -o of genrun plan wrote'

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

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
