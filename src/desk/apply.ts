import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { seePlan } from './ground.ts'
import { settingProblem } from './obstacles.ts'
import { type RunResult, runManifest } from './run.ts'
import { changesSince, readSavedPlan, savedPlan } from './saved-plan.ts'
import type { RunRequest } from './setting.ts'

/** A run of a saved plan. The manifest is the one beside which, or for which, the plan was made. */
export interface ApplyRequest
  extends Omit<RunRequest, 'manifest' | 'wish' | 'select' | 'redo' | 'caps' | 'vars' | 'expect'> {
  /** The saved plan's file, relative to `cwd`. */
  readonly plan: string
  /** Default: the file of the plan's own name, in the plan's folder. */
  readonly manifest?: string
}

/** Carries a saved plan out: exactly that, or nothing. */
export async function applyPlan(request: ApplyRequest): Promise<RunResult> {
  const path = resolve(request.cwd, request.plan)
  const refuse = (message: string, hint = 'make a new one: `genrun plan -o`'): RunResult => ({
    got: 'refused',
    problems: [settingProblem(request.plan, '', 'stale-plan', message, hint)],
  })
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return refuse('the saved plan cannot be read')
  }
  const saved = readSavedPlan(text)
  if (typeof saved === 'string') return refuse(saved)
  const { failed, rebuy, redo, select, caps, rehearsal, vars } = saved.asked
  if (rehearsal !== request.service.rehearsal)
    return refuse(
      rehearsal ? 'it is the plan of a rehearsal' : 'it is no plan of a rehearsal',
      'give --local to both commands, or to none',
    )
  const manifest = request.manifest ?? resolve(dirname(path), saved.manifest)
  const wanted = { wish: { failed, rebuy }, redo, select, caps, vars }
  const seen = seePlan({ ...request, ...wanted, manifest, rehearsal })
  if (seen.got !== 'seen') return seen
  const changes = changesSince(saved, savedPlan({ ...request, ...wanted, manifest, rehearsal }, seen))
  if (changes.length > 0)
    return {
      got: 'refused',
      problems: changes.map(change =>
        settingProblem(
          request.plan,
          '',
          'stale-plan',
          `${change} since this plan was made`,
          'make a new one: `genrun plan -o`',
        ),
      ),
    }
  return runManifest({ ...request, ...wanted, manifest, expect: saved.steps, yes: true })
}
