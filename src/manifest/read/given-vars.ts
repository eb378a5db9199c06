import { error, warning } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import { spanOf } from '../../base/source.ts'
import { hasExpressions } from '../../text/template.ts'
import { rawTemplate } from '../fill/raw-template.ts'
import type { Vars } from '../fill/vars.ts'
import type { FilledScalar } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'

/** A value for a declared variable that comes from outside the manifest. It is text, and never read as a template. */
export interface GivenVar {
  readonly name: string
  readonly value: string
  /** How the user would name the place: `--var`, `GENRUN_VAR_SEASON`. */
  readonly from: string
  /** It was there anyway: case counts for nothing, and a manifest need not declare it. Where one is declared whose name is near, that is told. */
  readonly isAmbient?: boolean
}

/** Sets declared variables; the later of two wins. */
export function setVars(vars: Vars, given: readonly GivenVar[], report: ReportProblem): void {
  for (const { name, value, from, isAmbient } of given) {
    const declared = isAmbient ? [...vars.entries.keys()].find(known => sameName(known, name)) : name
    const text = isAmbient ? value : `${name}=${value}`
    const file = { name: from, text }
    const at = spanOf(file, text.length - value.length, text.length)
    if (declared !== undefined && vars.entries.has(declared)) {
      const use = vars.entries.get(declared)?.key
      if (use && hasExpressions(value)) report(rawTemplate(at, use))
      const scalar: FilledScalar = {
        kind: 'scalar',
        ...at,
        value,
        source: value,
        style: 'plain',
        isUntyped: true,
      }
      vars.filled.set(declared, scalar)
    } else if (isAmbient) {
      // A variable that something sets is not missed, and this one may be for another manifest.
      const missed = [...vars.entries.keys()].filter(known => !given.some(each => sameName(known, each.name)))
      const near = nearest(name, missed.map(ambientName))
      const at = spanOf(file, 0, text.length)
      const hint = `did you mean ${from.slice(0, -name.length)}${near}`
      if (near) report(warning('unknown-name', at, `the manifest declares no variable ${name}`, hint))
    } else {
      const near = nearest(name, vars.entries.keys())
      const hint = near ? `did you mean ${near}` : 'a manifest declares its variables under `vars`'
      report(
        error(
          'unknown-name',
          spanOf(file, 0, name.length),
          `the manifest declares no variable ${name}`,
          hint,
        ),
      )
    }
  }
}

/** Names of the environment have capitals and `_` only. */
function sameName(declared: string, name: string): boolean {
  return ambientName(declared) === name.toUpperCase()
}

function ambientName(declared: string): string {
  return declared.replaceAll('-', '_').toUpperCase()
}
