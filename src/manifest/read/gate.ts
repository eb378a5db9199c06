import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import {
  type GatePolicy,
  type LookMeaning,
  lookMeanings,
  lookNames,
  type OwnLooks,
} from '../../looks/names.ts'
import { entryIn } from '../../text/tree.ts'
import type { FilledEntry } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readChoice, readWhole } from './values.ts'

const noLooks: OwnLooks = { names: [] }

/** One word for all looks, or words by look. */
export function readGate(entry: FilledEntry, report: ReportProblem, own: OwnLooks = noLooks): GatePolicy {
  const looks = ['all', ...lookNames, ...own.names]
  const entries = entry.value.kind === 'map' ? entry.value.entries : [entry]
  const policy = new Map<string, LookMeaning>()
  for (const each of entries) {
    const name = each === entry ? 'all' : each.key.source
    if (name === 'retakes') continue
    if (!looks.includes(name) && !isElsewhere(name, looks, own)) report(unknownLook(name, each.key, looks))
    const word = readChoice(each, { is: 'choice', of: lookMeanings }, report)
    if (word !== undefined) policy.set(name, word as LookMeaning) // One of the words.
  }
  return policy
}

/** How often what fails them is ordered anew: `gate: { all: fail, retakes: 2 }`. */
export function readRetakes({ value }: FilledEntry, report: ReportProblem): number | undefined {
  const entry = value.kind === 'map' ? entryIn(value.entries, 'retakes') : undefined
  return entry && readWhole(entry, { is: 'whole', minimum: 0, maximum: 10 }, report)
}

/** Somebody else's settings declare it, as far as can be known here. */
function isElsewhere(name: string, looks: readonly string[], { isForShow }: OwnLooks): boolean {
  return isForShow === true && nearest(name, looks) === undefined
}

function unknownLook(name: string, at: FilledEntry['key'], looks: readonly string[]): Diagnostic {
  const near = nearest(name, looks)
  const hint =
    near === undefined
      ? `there are ${listed(looks)}; your own settings declare others (\`gates\`)`
      : `did you mean ${near}`
  return error('unknown-key', at, `there is no look ${name}`, hint)
}
