import { isAbsolute, join, resolve } from 'node:path'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { JsonObject } from '../../base/names.ts'
import { isServiceName, serviceNameForm } from '../../base/service-name.ts'
import { lookNames } from '../../looks/names.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import { type TextEntry, toJson, valueSpan } from '../../text/tree.ts'

interface Place {
  readonly folder: string
  readonly home?: string
  readonly report: (problem: Diagnostic) => void
}

/** Reads `gates`: programs by name, paths as seen from the file's folder. What is wrong is told, and that gate is left out. */
export function readGates({ key, value }: TextEntry, place: Place): readonly OwnGate[] {
  if (value.kind !== 'map') {
    const at = valueSpan({ key, value })
    place.report(error('wrong-type', at, '`gates` is a mapping from names to programs', example))
    return []
  }
  return value.entries.flatMap(entry =>
    entry.key.source.startsWith('x-') ? [] : (readGate(entry, place) ?? []),
  )
}

const example = 'for instance `gates: { brand: ./check }`'
const taken: readonly string[] = ['all', ...lookNames]

function readGate(entry: TextEntry, { folder, home, report }: Place): OwnGate | undefined {
  const name = entry.key.source
  const program = toJson(entry.value)
  if (taken.includes(name)) {
    report(error('bad-setting', entry.key, `${name} is a look of genrun's own`, 'choose another name'))
    return undefined
  }
  if (!isServiceName(name)) {
    report(error('bad-setting', entry.key, `the name of a gate is ${serviceNameForm}`))
    return undefined
  }
  if (typeof program !== 'string' || program.trim() === '') {
    const message = `the gate ${name} is the path of a program`
    report(error('wrong-type', valueSpan(entry), message, `${example}; it gets the file, and no shell`))
    return undefined
  }
  const path = home !== undefined && program.startsWith('~/') ? join(home, program.slice(2)) : program
  return { name, program: isAbsolute(path) ? path : resolve(folder, path) }
}

/** For editors. */
export function gatesSchema(): JsonObject {
  return {
    description:
      'looks of your own by name: programs that are given each file and answer `{ verdict, score, why }` (your own settings only)',
    type: 'object',
    propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,63}$', not: { enum: [...taken] } },
    additionalProperties: { type: 'string', minLength: 1 },
  }
}
