import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { type GatePolicy, type LookMeaning, lookMeanings, lookNames } from '../../looks/names.ts'
import type { FilledEntry } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readChoice } from './values.ts'

/** One word for all looks, or words by look. */
export function readGate(entry: FilledEntry, report: ReportProblem): GatePolicy {
  const entries = entry.value.kind === 'map' ? entry.value.entries : [entry]
  const policy = new Map<string, LookMeaning>()
  for (const each of entries) {
    const name = each === entry ? 'all' : each.key.source
    if (!looks.includes(name)) report(unknownLook(name, each.key))
    const word = readChoice(each, { is: 'choice', of: lookMeanings }, report)
    if (word !== undefined) policy.set(name, word as LookMeaning) // One of the words.
  }
  return policy
}

const looks: readonly string[] = ['all', ...lookNames]

function unknownLook(name: string, at: FilledEntry['key']): Diagnostic {
  const near = nearest(name, looks)
  const hint = near === undefined ? `there are ${listed(looks)}` : `did you mean ${near}`
  return error('unknown-key', at, `there is no look ${name}`, hint)
}
