import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { JsonObject } from '../../base/names.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import { type TextEntry, toJson, valueSpan } from '../../text/tree.ts'
import { gatesExample, readOwnGate, takenGateNames } from '../../workspace/read/own-gate.ts'

interface Place {
  readonly folder: string
  readonly home?: string
  /** No program of a project's lies outside of it. Absolute. */
  readonly root?: string
  readonly report: (problem: Diagnostic) => void
}

/** Reads `gates`: programs and addresses by name, paths as seen from the file's folder. What is wrong is told, and that gate is left out. */
export function readGates({ key, value }: TextEntry, place: Place): readonly OwnGate[] {
  if (value.kind !== 'map') {
    const at = valueSpan({ key, value })
    place.report(
      error('wrong-type', at, '`gates` is a mapping from names to programs or addresses', gatesExample),
    )
    return []
  }
  return value.entries.flatMap(entry =>
    entry.key.source.startsWith('x-') ? [] : (readGate(entry, place) ?? []),
  )
}

function readGate(entry: TextEntry, { report, ...place }: Place): OwnGate | undefined {
  const read = readOwnGate(entry.key.source, toJson(entry.value), place)
  if (!('problem' in read)) return read
  report(error(read.code, read.of === 'name' ? entry.key : valueSpan(entry), read.problem, read.hint))
  return undefined
}

/** For editors. */
export function gatesSchema(): JsonObject {
  return {
    description:
      "looks of your own by name: programs, or addresses, that are given each file and answer `{ verdict, score, why }`; a project's only after `--trust`",
    type: 'object',
    propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,63}$', not: { enum: [...takenGateNames] } },
    additionalProperties: { type: 'string', minLength: 1 },
  }
}
