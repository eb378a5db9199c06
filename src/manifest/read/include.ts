import { posix } from 'node:path'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { SourceFile } from '../../base/source.ts'
import { entryOf, type TextEntry, type TextMap } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import { readSource, type Sources } from '../fill/sources.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { isFree, topKeys } from './shape.ts'
import { readTexts, type Word } from './values.ts'

/** One file of a manifest. */
export interface Layer {
  readonly tree: TextMap
  /** From the manifest's folder; empty for the manifest itself. */
  readonly path: string
  readonly file: SourceFile
}

/**
 * All files of a manifest, the weakest first and the manifest itself last. A file that several include is taken once; its
 * problems are told in itself.
 */
export function readLayers(main: Layer, sources: Sources, report: ReportProblem): Layer[] {
  const reading: Reading = { sources, report, seen: new Set(), open: [] }
  return [...includedBy(reading, main), main]
}

interface Reading {
  readonly sources: Sources
  readonly report: ReportProblem
  readonly seen: Set<string>
  /** Paths of the files that are being read, outermost first. */
  readonly open: string[]
}

function includedBy(reading: Reading, { tree, path }: Layer): Layer[] {
  const entry = entryOf(tree, 'include')
  if (!entry) return []
  return readTexts(entry, reading.report).flatMap(word =>
    pathsOf(reading, word, path).flatMap(each => readLayer(reading, each, word)),
  )
}

/** Paths count from the including file. */
function pathsOf({ sources, report }: Reading, word: Word, from: string): string[] {
  const path = posix.join(posix.dirname(from), word.text)
  if (!/[*?[{]/.test(word.text)) return [path]
  const paths = sources.project.glob(path)
  if (paths.length === 0)
    report(error('no-files', word.at, `no file fits ${word.text}`, 'a path counts from this file on'))
  return [...paths]
}

function readLayer(reading: Reading, path: string, word: Word): Layer[] {
  const { sources, report, seen, open } = reading
  if (open.includes(path)) {
    const circle = [...open.slice(open.indexOf(path)), path].join(' → ')
    report(
      error(
        'circular-include',
        word.at,
        `these files include each other: ${circle}`,
        'remove one of these lines',
      ),
    )
    return []
  }
  if (seen.has(path)) return []
  seen.add(path)
  const file = readSource(sources, path, word.at)
  if ('code' in file) {
    report(file)
    return []
  }
  const { value, problems } = readYaml(file)
  problems.forEach(report)
  if (!value) return []
  if (value.kind !== 'map') {
    report(
      error(
        'not-a-manifest',
        value,
        'an included file is a mapping with vars, defaults or jobs',
        'rows are read by `forEach: lines.csv`, texts by ${{ file(…) }}',
      ),
    )
    return []
  }
  const layer = { tree: value, path, file }
  for (const { key } of value.entries) checkKey(key, report)
  open.push(path)
  const inner = includedBy(reading, layer)
  open.pop()
  return [...inner, layer]
}

const shared = ['vars', 'defaults', 'jobs', 'include', 'catalog', 'description', '$schema']

function checkKey(key: TextEntry['key'], report: ReportProblem): void {
  const name = key.source
  if (shared.includes(name) || isFree(name)) return
  report(Object.hasOwn(topKeys, name) ? notHere(key) : notShared(key))
}

function notHere(key: TextEntry['key']): Diagnostic {
  const hint = 'write it into the manifest that includes this file'
  return error('unknown-key', key, `\`${key.source}\` belongs to the manifest itself`, hint)
}

function notShared(key: TextEntry['key']): Diagnostic {
  const hint = 'an included file brings vars, defaults and jobs; keys of your own begin with x-'
  return error('unknown-key', key, `\`${key.source}\` is no key of an included file`, hint)
}
