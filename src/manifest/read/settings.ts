import { error } from '../../base/diagnostic.ts'
import type { SourceFile } from '../../base/source.ts'
import type { TextEntry, TextMap } from '../../text/tree.ts'
import { isEmpty } from '../../text/tree.ts'
import type { FilledEntry } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readText } from './values.ts'

/** The manifest's name: as written, or the file's without its ending. */
export function readName(entry: FilledEntry | undefined, file: SourceFile, report: ReportProblem): string {
  const word = entry && readText(entry, report)
  if (!word) return nameOfFile(file)
  if (
    /^[\p{L}\p{N}_][\p{L}\p{N}\p{M} ._-]*$/u.test(word.text) &&
    !/[. ]$/.test(word.text) &&
    word.text.length <= 100
  ) {
    return word.text
  }
  const hint = 'it names folders: letters, digits, blanks, `.`, `_` and `-`, at most 100'
  report(error('bad-name', word.at, 'this cannot be the name of a manifest', hint))
  return word.text
}

function nameOfFile(file: SourceFile): string {
  const base = file.name.split(/[/\\]/).at(-1) ?? ''
  const stem = base.replace(/\.(ya?ml|json)$/i, '').replaceAll(/[^\p{L}\p{N}\p{M}._-]+/gu, '-')
  return stem === '' || stem.startsWith('.') ? 'manifest' : stem
}

/** The output folder, relative to the manifest's and inside it. */
export function readOutputFolder(
  entry: FilledEntry | undefined,
  name: string,
  report: ReportProblem,
): string {
  const word = entry && readText(entry, report)
  if (!word) return `out/${name}`
  const { text, at } = word
  if (text.includes('\\')) {
    report(
      error(
        'bad-output',
        at,
        'a path is written with forward slashes',
        `write ${text.replaceAll('\\', '/')}`,
      ),
    )
  } else if (/^([A-Za-z]:|\/|~)/.test(text) || text.split('/').includes('..')) {
    const hint = 'write a folder beside the manifest; for another place there is --output on the command line'
    report(error('bad-output', at, 'the output folder of a manifest lies beside it', hint))
  } else if (/[\p{Cc}]/u.test(text))
    report(error('bad-output', at, 'the output folder has a control character in its name'))
  return text.replace(/\/+$/, '')
}

/** A section that is a mapping or nothing. */
export function readMapping(entry: TextEntry | undefined, report: ReportProblem): TextMap | undefined {
  if (!entry || isEmpty(entry.value)) return undefined
  if (entry.value.kind === 'map') return entry.value
  report(error('wrong-type', entry.value, `\`${entry.key.source}\` is a mapping from names to values`))
  return undefined
}
