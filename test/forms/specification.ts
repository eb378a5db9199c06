/** A row of a parameter table: the four cells as the specification writes them, shorthands expanded. */
interface SpecRow {
  readonly param: string
  readonly flag: string
  readonly type: string
  readonly values: string
}

export interface SpecModel {
  readonly id: string
  readonly name: string
  /** As in the model's section, which is where the parameters are. */
  readonly inputType: string
  /** As in the list of models. */
  readonly listedAs: string
  readonly family: string
  readonly rows: readonly SpecRow[]
}

export interface Limit {
  readonly limit: string
  readonly appliesTo: string
  readonly value: string
}

const section = /^`(?<id>[^`]+)`(?: and `(?<twin>[^`]+)`)? \((?<inputType>\w+)\)(?<rest>.*)$/

/** Reads the specification by itself: nothing here may look at the catalog. */
export function readSpecification(text: string): SpecModel[] {
  const lines = text.split('\n')
  const listed = modelList(lines)
  const sections = new Map<string, Pick<SpecModel, 'inputType' | 'rows'>>()
  lines.forEach((line, at) => {
    const found = section.exec(line)?.groups
    if (!found?.id || !found.inputType) return
    const own = tableAfter(lines, at).map(cells => row(cells, text, sections))
    const rows = expandSection(found.rest ?? '', own, sections)
    for (const id of [found.id, found.twin]) if (id) sections.set(id, { inputType: found.inputType, rows })
  })
  return listed.map(model => {
    const own = sections.get(model.id)
    if (!own) throw new Error(`${model.id} is listed and has no section`)
    return { ...model, ...own }
  })
}

/** The rows of the Limits table. */
export function readLimits(text: string): Limit[] {
  const lines = text.split('\n')
  const start = lines.indexOf('## Limits')
  return tableAfter(lines, start).map(([limit = '', appliesTo = '', value = '']) => ({
    limit,
    appliesTo,
    value,
  }))
}

function modelList(lines: readonly string[]): Pick<SpecModel, 'id' | 'name' | 'listedAs' | 'family'>[] {
  return lines.flatMap((line, at) => {
    const family = /^### Family (\w+)$/.exec(line)?.[1]
    if (!family) return []
    return tableAfter(lines, at).map(([id = '', name = '', listedAs = '']) => ({
      id,
      name,
      listedAs,
      family,
    }))
  })
}

/** The cells of the next table, if one starts before the next section or heading. */
function tableAfter(lines: readonly string[], at: number): string[][] {
  let from = at + 1
  while (from < lines.length && !lines[from]?.startsWith('|')) {
    if (section.test(lines[from] ?? '') || lines[from]?.startsWith('#')) return []
    from++
  }
  const rows: string[][] = []
  for (const line of lines.slice(from + 2)) {
    if (!line.startsWith('|')) break
    rows.push(
      line
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim()),
    )
  }
  return rows
}

type Sections = ReadonlyMap<string, Pick<SpecModel, 'rows'>>

function row(
  [param = '', flag = '', type = '', values = '']: string[],
  text: string,
  sections: Sections,
): SpecRow {
  return { param, flag, type, values: expandValues(values, param, text, sections) }
}

/** `all 21 values of X param, plus …`, `1 to 9`, `effect name from the list below`. */
function expandValues(values: string, param: string, text: string, sections: Sections): string {
  const borrowed = /^all (\d+) values of `([^`]+)` (\w+), plus (.*)$/.exec(values)
  if (borrowed) {
    const [, count, id = '', from, rest] = borrowed
    const source = sections.get(id)?.rows.find(candidate => candidate.param === from)?.values ?? ''
    const list = source.replace(/ \(default .*\)$/, '')
    if (list.split(', ').length !== Number(count))
      throw new Error(`${id} ${from} does not have ${count} values`)
    return `${list}, ${rest}`
  }
  const range = /^(\d+) to (\d+) (\(default .*\))$/.exec(values)
  if (range) {
    const [, first, last, standard] = range
    const length = Number(last) - Number(first) + 1
    return `${Array.from({ length }, (_, index) => Number(first) + index).join(', ')} ${standard}`
  }
  if (!values.startsWith('effect name from the list below')) return values
  const list = new RegExp(`Allowed \`${param}\` values:\\n\\n(.*)\\.\\n`).exec(text)?.[1]
  if (!list) throw new Error(`no list of ${param} values`)
  return values.replace('effect name from the list below', list)
}

/** `same as X except …`, `same parameters and values as X …, plus:` and nothing else; anything unknown throws. */
function expandSection(prose: string, own: SpecRow[], sections: Sections): SpecRow[] {
  const same = /^: same (?:parameters and values )?as `([^`]+)`(.*)$/.exec(prose)
  if (!same) return own
  const base = sections.get(same[1] ?? '')?.rows
  if (!base) throw new Error(`no earlier section: ${prose}`)
  const rest = same[2] ?? ''
  if (/^ \(resolution default \w+\), plus:$/.test(rest)) return [...base, ...own]
  const otherDefault = /^, except the default of (\w+) is (\w+)\.$/.exec(rest)
  if (otherDefault) {
    const [, param, standard] = otherDefault
    return change(base, param, values => values.replace(/\(default .*\)/, `(default ${standard})`))
  }
  const otherValues = /^ except (\w+) is (.+) only (\(default \w+\))\.$/.exec(rest)
  if (otherValues) {
    const [, param, list = '', standard] = otherValues
    return change(base, param, () => `${list.split(' or ').join(', ')} ${standard}`)
  }
  throw new Error(`not understood: ${prose}`)
}

function change(
  rows: readonly SpecRow[],
  param: string | undefined,
  to: (values: string) => string,
): SpecRow[] {
  return rows.map(candidate =>
    candidate.param === param ? { ...candidate, values: to(candidate.values) } : candidate,
  )
}

/** A printed table, cell by cell, in the specification's form. */
export function printSpec(model: SpecModel): string {
  const rows = model.rows.map(
    ({ param, flag, type, values }) => `| ${param} | ${flag} | ${type} | ${values} |`,
  )
  return [
    `\`${model.id}\` (${model.inputType})`,
    '',
    '| Param | CLI flag | Type | Values |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
