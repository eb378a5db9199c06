import { type SourceFile, spanOf } from '../../base/source.ts'
import type { LineWord } from '../../run/one-shot/ask-flags.ts'
import { shellWord } from '../../text/shell-word.ts'

/** A command line as a text that problems can point into, its words quoted as a shell wants them. */
export interface CommandLine {
  readonly file: SourceFile
  readonly words: readonly LineWord[]
}

/** Words as they were given to the program, behind `head`: what was typed before them. */
export function commandLine(head: string, given: readonly string[]): CommandLine {
  const quoted = given.map(shellWord)
  const file = { name: 'command line', text: [head, ...quoted].join(' ') }
  let start = head.length + 1
  const words = quoted.map((word, nth): LineWord => {
    const at = spanOf(file, start, start + word.length)
    start += word.length + 1
    return { ...at, text: given[nth] ?? '' }
  })
  return { file, words }
}
