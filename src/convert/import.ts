import { defined } from '../base/defined.ts'
import { type Diagnostic, error, hasErrors, warning } from '../base/diagnostic.ts'
import type { Json, JsonObject } from '../base/names.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import { type Model, usualMode } from '../catalog/index.ts'
import { builtIn, type ModelSet } from '../catalog/model-set.ts'
import { formOfRows, readRows } from '../manifest/expand/rows.ts'
import { isKeptName } from '../manifest/resolve/output.ts'
import type { Filled } from '../manifest/shapes/filled.ts'
import type { AskRead } from '../run/one-shot/ask.ts'
import { askOfFlags, type LineWord, type Texts } from '../run/one-shot/ask-flags.ts'
import { judgeAsk } from '../run/one-shot/single-job.ts'
import { shellWords } from '../text/shell.ts'
import { readYaml } from '../text/yaml.ts'
import { statedParams } from './convert-to.ts'
import { readCurl } from './curl.ts'
import { asParams, type FoundAll, type FoundJob, type FoundOwn, foundIn, modeIn, valueIn } from './found.ts'
import { readProgram } from './program.ts'
import { type TableOffer, tableOffer } from './table-offer.ts'

/** What can be read into a manifest. */
export const imports = ['cli', 'tool', 'curl', 'sdk', 'batch', 'table'] as const

type Import = (typeof imports)[number]

interface Imported {
  /**
   * A manifest's text; undefined where there are errors. Jobs of models that are not known are left out of it, and a table
   * that names no model is one job that wants one.
   */
  readonly text: string | undefined
  readonly jobs: number
  readonly problems: readonly Diagnostic[]
}

/** What jobs are read with. */
interface ImportAround {
  readonly texts: Texts
  readonly cwd: string
  /** The models there are; the built-in ones when it is absent. */
  readonly modelSet?: ModelSet
  /** Files that declare some of them, as the manifest is to name them. */
  readonly catalog?: readonly string[]
  /** The path of a table as the manifest is to name it; absent where it has none. */
  readonly tableAt?: string
  readonly splitLine: SplitLine
}

/** Takes the options of a command itself, by name, from between the flags of a model. */
export type SplitLine = (
  words: readonly LineWord[],
) =>
  | { readonly own: ReadonlyMap<string, LineWord>; readonly words: readonly LineWord[] }
  | { readonly code: 'missing-value' | 'duplicate-flag'; readonly at: LineWord; readonly message: string }

/**
 * Reads jobs of other tools into a manifest: lines of the command-line client (`cli`) and of curl (`curl`), which may
 * stand in one file, calls of the tool (`tool`, one or a list), of the SDK in a program (`sdk`), a batch of jobs with
 * `defaults` (`batch`), rows of csv, tsv and jsonl files (`table`). Input files are taken by name and not looked for.
 */
export function importJobs(file: SourceFile, from: Import, around: ImportAround): Imported {
  const { cwd, modelSet } = around
  const offer = from === 'table' && around.tableAt !== undefined && offerOf(file, around.tableAt, modelSet)
  if (offer) return { text: offer.text, jobs: 1, problems: [offer.problem] }
  const { found, problems } = read(file, from, around)
  const all = [...problems]
  const jobs = found.flatMap(({ ask, own }) => {
    const judged = judgeAsk(ask, 'job', { cwd, ...defined({ modelSet }), files: 'unread' })
    all.push(...judged.problems)
    return judged.value ? [{ own, model: judged.value.model, params: statedParams(judged.value) }] : []
  })
  if (found.length === 0 && !hasErrors(all))
    all.push(error('no-jobs', headOf(file), 'there are no jobs in it'))
  const own = jobs.some(({ model }) => !builtIn.find(model.id)) ? (around.catalog ?? []) : []
  // The others are worth having; a model that is not known is told, and by the exit code.
  const isWrong = hasErrors(all.filter(({ code }) => code !== 'unknown-model')) || jobs.length === 0
  return { text: isWrong ? undefined : manifestText(jobs, own), jobs: jobs.length, problems: all }
}

function offerOf(file: SourceFile, path: string, { paramNames } = builtIn): TableOffer | undefined {
  const { rows, problems } = readRows(file, formOfRows(file.name) ?? 'csv')
  return hasErrors(problems) ? undefined : tableOffer(file, rows, { path, paramNames })
}

/** By the name and by what it looks like. */
export function importFormat({ name, text }: SourceFile): Import {
  const form = formOfRows(name)
  if (form === 'csv' || form === 'tsv' || form === 'jsonl' || form === 'ndjson') return 'table'
  if (/^\s*[[{]/.test(text)) return formOfJson(text)
  if (/^\s*(?:npx +)?(?:gen-ai|genrun) +(?:\S+ +)?generate\b/m.test(text)) return 'cli'
  if (/\.(?:generate|submit)\s*(?:<[^<>()]*>\s*)?\(|\bcreateGenrun\b/.test(text)) return 'sdk'
  return /^\s*curl\s/m.test(text) ? 'curl' : 'cli'
}

function formOfJson(text: string): Import {
  return /"(arguments|params)"\s*:|"name"\s*:\s*"service_generate"/.test(text) ? 'tool' : 'batch'
}

function read(file: SourceFile, from: Import, around: ImportAround): FoundAll {
  switch (from) {
    case 'cli':
    case 'curl':
      return readLines(file, around)
    case 'sdk':
      return readProgram(file)
    case 'table': {
      const { rows, problems } = readRows(file, formOfRows(file.name) ?? 'csv')
      const { paramNames } = around.modelSet ?? builtIn
      return { found: rows.flatMap(row => foundIn(asParams(row, paramNames))), problems }
    }
    case 'tool':
    case 'batch': {
      const { value, problems } = readYaml(file)
      return {
        found: value ? calls(value) : [],
        problems: problems.filter(each => each.severity === 'error'),
      }
    }
  }
}

/** One call, a list of them, or `{ defaults, jobs }`, where jobs are a list or a mapping from id to job. */
function calls(tree: Filled): FoundJob[] {
  if (tree.kind === 'list') return tree.items.flatMap(item => calls(item))
  if (tree.kind !== 'map') return []
  const jobs = valueIn(tree, 'jobs')
  const inner = valueIn(tree, 'arguments')
  if (inner) return foundIn(inner)
  if (!jobs) return foundIn(tree)
  const defaults = valueIn(tree, 'defaults')
  const shared = defaults?.kind === 'map' ? defaults.entries : []
  if (jobs.kind === 'list') return jobs.items.flatMap(job => foundIn(job, shared))
  if (jobs.kind !== 'map') return []
  return jobs.entries.flatMap(({ key, value }) =>
    foundIn(value, shared).map(each => ({ ...each, own: { id: key.source, ...each.own } })),
  )
}

/** Lines of the command-line client and of curl, one job a line; `#` begins a comment, a backslash at the end goes on. */
function readLines(file: SourceFile, around: ImportAround): FoundAll {
  const { texts, modelSet, splitLine } = around
  const problems: Diagnostic[] = []
  const found: FoundJob[] = []
  for (const words of shellWords(file)) {
    const [first, ...others] = words
    if (first?.text === 'curl') {
      const read = readCurl([first, ...others], texts, modelSet)
      found.push(...read.found)
      problems.push(...read.problems)
      continue
    }
    const batch = batchOf(words)
    if (batch) {
      const read = readBatch(batch, around)
      found.push(...read.found)
      problems.push(...read.problems)
      continue
    }
    const line = lineOf(file, words)
    if ('code' in line) problems.push(line)
    else {
      problems.push(...line.read.problems)
      if (line.read.ask) found.push({ ask: line.read.ask, own: line.own })
    }
  }
  return { found, problems }

  function lineOf(
    source: SourceFile,
    words: readonly LineWord[],
  ): { read: AskRead; own: FoundOwn } | Diagnostic {
    const at = words.findIndex(word => word.text === 'generate')
    const [first] = words
    if (at < 0 || at > 2)
      return error(
        'not-a-job',
        first ?? headOf(source),
        'this line orders nothing',
        'lines read `gen-ai generate -m … -p …`',
      )
    const split = splitLine(words.slice(at + 1))
    if ('code' in split) return error(split.code, split.at, split.message)
    const { own } = split
    const read = askOfFlags({ file: source, model: own.get('model'), words: split.words }, texts, modelSet)
    const output = own.get('output')?.text.replace(/\.[^./]+$/, '')
    const mode = modeIn(own.get('mode')?.text)
    return {
      read: { ...read, problems: [...read.problems, ...leftOut(own)] },
      own: { ...(output && { output }), ...defined({ mode }) },
    }
  }
}

/** The file of `gen-ai batch run jobs.json`. */
function batchOf(words: readonly LineWord[]): LineWord | undefined {
  const at = words.findIndex(word => word.text === 'batch')
  if (at < 0 || at > 2 || words[at + 1]?.text !== 'run') return undefined
  return words.slice(at + 2).find(word => !word.text.startsWith('-')) ?? words[at + 1]
}

/** What stands in such a file is read as if it were given itself; lines in it are no batch. */
function readBatch(word: LineWord, around: ImportAround): FoundAll {
  const file = around.texts.read(word.text)
  if ('problem' in file) return { found: [], problems: [error('unreadable-file', word, file.problem)] }
  const form = importFormat(file)
  if (form === 'batch' || form === 'table' || form === 'tool') return read(file, form, around)
  const hint = 'a batch is JSON, csv, tsv or jsonl'
  return { found: [], problems: [error('not-a-job', word, `${word.text} holds no batch`, hint)] }
}

/** A cap that is quietly dropped would be missed. */
function leftOut(own: ReadonlyMap<string, LineWord>): Diagnostic[] {
  const folder = own.get('download')
  const where = folder?.text
    ? [
        warning(
          'left-out',
          folder,
          'the folder of --download is no part of a job and is left out',
          `give it to the run: genrun campaign.yaml --output ${folder.text}`,
        ),
      ]
    : []
  const others = ['max-cost', 'profile', 'prices', 'verify', 'ca'].flatMap(name => {
    const word = own.get(name)
    if (!word) return []
    const hint = `give it to the run: genrun campaign.yaml --${name} ${word.text}`
    return warning('left-out', word, `--${name} is no part of a job and is left out`, hint)
  })
  return [...where, ...others]
}

interface ManifestJob {
  readonly own: FoundOwn
  readonly model: Model
  readonly params: JsonObject
}

/** Values are written as JSON, which YAML reads: nothing in them can be taken for something else. */
function manifestText(jobs: readonly ManifestJob[], catalog: readonly string[]): string {
  const taken = new Set<string>()
  const blocks = jobs.map(job => {
    const { output, mode } = job.own
    const lines = Object.entries({
      model: job.model.id,
      ...(output && { output }),
      ...(mode && mode !== usualMode(job.model) && { mode }),
      ...job.params,
    })
    return [
      `  ${idFor(job, taken)}:`,
      ...lines.map(([name, value]) => `    ${name}: ${valueText(value)}`),
    ].join('\n')
  })
  const head = catalog.length > 0 ? `catalog: ${JSON.stringify(catalog)}\n` : ''
  return `${head}jobs:\n${blocks.join('\n')}\n`
}

function valueText(value: Json): string {
  // What looks like a template is the text itself.
  return JSON.stringify(value).replaceAll('${{', "${{ '${{' }}")
}

function idFor({ own, model, params }: ManifestJob, taken: Set<string>): string {
  const words = own.id ?? own.output?.split('/').at(-1) ?? String(params.prompt ?? model.id)
  const plain = words
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  const cut = (own.id ? plain : plain.toLowerCase().slice(0, 40).replace(/-+$/, '')) || 'job'
  const short = isNoId(cut) ? `job-${cut}` : cut
  let id = short
  for (let nth = 2; taken.has(id); nth++) id = `${short}-${nth}`
  taken.add(id)
  return id
}

/** Keys that begin with x- are the writer's own, some words are refused as keys, and some as the name of a file. */
function isNoId(word: string): boolean {
  const isKey = !word.startsWith('x-') && !['__proto__', 'constructor', 'prototype'].includes(word)
  return !isKey || isKeptName(word)
}
