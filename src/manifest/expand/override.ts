import { error } from '../../base/diagnostic.ts'
import { entryOf, type TextEntry } from '../../text/tree.ts'
import { type FillScope, fillNode } from '../fill/template.ts'
import { isFree, isOwnKey, type OwnKey } from '../read/shape.ts'
import type { Coordinates } from '../shapes/coordinates.ts'
import type { FilledMap } from '../shapes/filled.ts'
import { readPattern } from './patterns.ts'

/** Other values for the cells that match; the later of two wins. */
export interface Override {
  readonly match: FilledMap
  readonly own: readonly TextEntry[]
  readonly params: readonly TextEntry[]
  /** The cells that it fitted so far. */
  readonly hits: Coordinates[]
}

export function readOverrides(entry: TextEntry, axes: readonly string[], scope: FillScope): Override[] {
  const { report } = scope
  const { value } = entry
  const example = `for instance \`override: [{ match: { ${axes[0] ?? 'colour'}: … }, takes: 2 }]\``
  if (axes.length === 0) {
    report(
      error(
        'no-effect',
        entry.key,
        '`override` is for the cells of a matrix, and this job has none',
        'write these values into the job itself',
      ),
    )
    return []
  }
  if (value.kind !== 'list') {
    report(error('wrong-type', value, '`override` is a list', example))
    return []
  }
  return value.items.flatMap(item => {
    const match = item.kind === 'map' ? entryOf(item, 'match') : undefined
    if (item.kind !== 'map' || !match) {
      report(error('wrong-type', item, 'an override says with `match` which cells it is for', example))
      return []
    }
    const pattern = readPattern(fillNode(match.value, scope), 'match', axes, report)
    const others = item.entries.filter(({ key }) => key.source !== 'match' && !isFree(key.source))
    return pattern ? [overrideOf(pattern, others, scope)] : []
  })
}

function overrideOf(match: FilledMap, entries: readonly TextEntry[], { report }: FillScope): Override {
  const own: TextEntry[] = []
  const params: TextEntry[] = []
  for (const entry of entries) {
    const name = entry.key.source
    if (!isOwnKey(name)) params.push(entry)
    else if (fixed.includes(name)) {
      const message = `\`${name}\` is the same for all cells`
      report(
        error(
          'unknown-key',
          entry.key,
          message,
          'an override sets parameters, `model`, `takes`, `output` and the like',
        ),
      )
    } else own.push(entry)
  }
  return { match, own, params, hits: [] }
}

const fixed: readonly OwnKey[] = ['matrix', 'forEach', 'if', 'override']
