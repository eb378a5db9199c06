import { commandGroups } from '../usage/command-groups.ts'
import type { OptionUsage, Usage } from '../usage/usage.ts'

/** A help screen: what it is, examples first, then everything there is to say. Without a final line feed. */
export function helpText(usage: Usage, below: readonly Usage[]): string {
  const rows = commandGroups.map(
    ([title, names]) => [title, names.flatMap(name => commandRows(name, below))] as const,
  )
  const width = widthOf(rows.flatMap(([, each]) => each))
  const parts = [
    `${called(usage)}: ${usage.says}`,
    section('Examples', usage.examples),
    `Usage: ${[called(usage), usage.args, '[options]'].filter(Boolean).join(' ')}`,
    ...rows.map(([title, each]) => section(title, each, width)),
    section('Options', [...usage.options, help].map(optionRow)),
    ...(usage.name === '' ? ['`genrun <command> --help` tells more of each command.'] : []),
    ...(usage.notes ? [usage.notes.join('\n')] : []),
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

const help: OptionUsage = { flags: '-h, --help', says: 'this text' }

function called(usage: Usage): string {
  return `genrun ${usage.name}`.trim()
}

type Row = readonly [left: string, right: string]

function commandRows(name: string, below: readonly Usage[]): Row[] {
  return below
    .filter(usage => usage.name === name)
    .map(({ args, says }) => [[name, args].filter(Boolean).join(' '), says])
}

// Long names stand below each other, whether there is a short one or not.
function optionRow({ flags, says }: OptionUsage): Row {
  return [flags.startsWith('--') ? `    ${flags}` : flags, says]
}

function widthOf(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([left]) => left.length))
}

function section(title: string, rows: readonly Row[], width = widthOf(rows)): string {
  if (rows.length === 0) return ''
  const indent = ' '.repeat(width + 4)
  const lines = rows.map(([left, right]) => {
    return `  ${left.padEnd(width)}  ${wrapped(right, widest - indent.length).join(`\n${indent}`)}`
  })
  return [`${title}:`, ...lines].join('\n')
}

/** Columns of the narrowest terminal that people use all day. */
const widest = 80

/** A text in lines of at most so many characters, broken between words. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trimStart()
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
