import { checkInputs } from '../resolve/inputs.ts'
import { collidingOutputs } from '../resolve/outputs.ts'
import { aspectMismatches } from './aspect.ts'
import { circles } from './cycles.ts'
import { idleAxes } from './idle-axes.ts'
import { longReferences } from './reference-length.ts'
import type { Rule } from './rule.ts'
import { sameRecipes } from './same-recipe.ts'

/** All rules that jobs are held to once their values are settled, in the order in which they are told. */
export const rules: readonly Rule[] = [
  circles,
  ({ comparable }) => collidingOutputs(comparable.map(({ destination }) => destination)),
  copies,
  ({ settled, project }) =>
    checkInputs(
      settled.flatMap(({ cast }) => cast.locals),
      project,
    ),
  longReferences,
  aspectMismatches,
]

/** Jobs that order the same; those of an axis that makes no difference are told by that. */
function copies({ families, sound }: Parameters<Rule>[0]): ReturnType<Rule> {
  const idle = idleAxes(families, sound)
  const copied = new Set(idle.map(({ job }) => job))
  const others = sound.filter(({ cell }) => !copied.has(cell.draft.id))
  return [...idle.map(({ problem }) => problem), ...sameRecipes(others)]
}
