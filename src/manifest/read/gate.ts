import { error } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import { type GatePolicy, type LookMeaning, lookMeanings, lookNames } from '../../looks/names.ts'
import type { FilledEntry } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readChoice } from './values.ts'

/** One word for all looks, or words by look. A name that is nearly a look is none of a check of the user's. */
export function readGate(entry: FilledEntry, report: ReportProblem): GatePolicy {
  const entries = entry.value.kind === 'map' ? entry.value.entries : [entry]
  const policy = new Map<string, LookMeaning>()
  for (const each of entries) {
    const name = each === entry ? 'all' : each.key.source
    const near = nearest(name, looks)
    if (near !== undefined && near !== name)
      report(error('unknown-key', each.key, `there is no look ${name}`, `did you mean ${near}`))
    const word = readChoice(each, { is: 'choice', of: lookMeanings }, report)
    if (word !== undefined) policy.set(name, word as LookMeaning) // One of the words.
  }
  return policy
}

const looks = ['all', ...lookNames]
