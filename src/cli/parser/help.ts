import { groups } from '../declared/commands.ts'
import type { Usage } from '../flags/command.ts'
import type { FlagOption } from '../flags/given.ts'
import { options } from '../flags/options.ts'

/** A help screen: what it is, examples first, then everything there is to say. Without a final line feed. */
export function helpText(usage: Usage): string {
  const isWhole = usage.name === ''
  const rows = isWhole ? groups.map(([title, each]) => [title, each.flatMap(commandRow)] as const) : []
  const width = widthOf(rows.flatMap(([, each]) => each))
  const parts = [
    `${called(usage)}: ${usage.says}`,
    section('Examples', usage.examples),
    `Usage: ${[called(usage), usage.arguments, '[options]'].filter(Boolean).join(' ')}`,
    ...rows.map(([title, each]) => section(title, each, width)),
    section('Options', [...(isWhole ? [version] : flagRows(usage)), help]),
    ...(isWhole ? ['`genrun <command> --help` tells more of each command.'] : []),
    ...(usage.notes ? [usage.notes.join('\n')] : []),
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

const version: Row = ['-V, --version', 'the version of genrun']
const help: Row = ['-h, --help', 'this text']

function called(usage: Usage): string {
  return `genrun ${usage.name}`.trim()
}

type Row = readonly [left: string, right: string]

function commandRow({ name, arguments: words, says, isLeading }: Usage): Row[] {
  return isLeading ? [] : [[[name, words].filter(Boolean).join(' '), says]]
}

function flagRows({ flags, saying }: Usage): Row[] {
  return [...flags, 'noColor' as const].map((name: FlagOption) => {
    const { flag, says } = options[name]
    // Long names stand below each other, whether there is a short one or not.
    return [flag.startsWith('--') ? `    ${flag}` : flag, saying?.[name] ?? says]
  })
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
