import { type Diagnostic, error, hasErrors, withNotes } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import { type SourceFile, type Span, spanOf, withLineFeeds } from '../../base/source.ts'
import { type Model, type Param, paramOf } from '../../catalog/index.ts'
import { builtIn, type ModelSet } from '../../catalog/model-set.ts'
import { flagsOf, longFlag } from '../../forms/flags.ts'
import type { Filled, FilledEntry } from '../../manifest/shapes/filled.ts'
import { readYaml } from '../../text/yaml.ts'
import type { AskRead } from './ask.ts'

/** A word of a command line: what it says without its quotes, and where it stands. */
export interface LineWord extends Span {
  readonly text: string
}

/** A model and its flags as a command line has them. */
export interface FlagLine {
  readonly file: SourceFile
  readonly model: LineWord | undefined
  /** Everything else: `-p`, `A teapot`, `--ar=16:9`. */
  readonly words: readonly LineWord[]
}

/** Where texts come from that are not written out: `@prompt.txt`, and `-` for what is piped in. */
export interface Texts {
  /** The text of a file, or why there is none. */
  read(path: string): SourceFile | { readonly problem: string }
  stdin(): SourceFile | { readonly problem: string }
}

/**
 * Reads a model's flags: its short ones, every `--kebab-case` form, `--flag=value`, `-n2`; switches stand alone, are
 * followed by true or false, or begin with `--no-`. Lists of files and of objects are given by repeating the flag.
 */
export function askOfFlags(line: FlagLine, texts: Texts, modelSet: ModelSet = builtIn): AskRead {
  const problems: Diagnostic[] = []
  const emit = (problem: Diagnostic) => void problems.push(problem)
  const { file, model: word, words } = line
  const at = word ?? spanOf(file, 0, file.text.length)
  const model = word && modelSet.find(word.text)
  // Without a model no flag means anything; that there is none is told by the check.
  const given = model ? readFlags(model, words, emit) : []
  const params = model ? entriesOf(model, given, { texts, emit }) : []
  if (!word)
    emit(error('missing-model', at, 'no model is given', 'give one with `-m`; `genrun models` lists them'))
  else if (!model) emit(unknownModel(word, modelSet))
  if (hasErrors(problems)) return { ask: undefined, problems }
  return {
    ask: { model: word && { id: word.text, at: word }, params, at, isFlags: true, inline: new Map() },
    problems,
  }
}

function unknownModel(word: LineWord, modelSet: ModelSet): Diagnostic {
  const near = nearest(word.text, modelSet.ids)
  const hint = near ? `did you mean ${near}` : '`genrun models` lists them'
  return error('unknown-model', word, `there is no model ${word.text}`, hint)
}

type Emit = (problem: Diagnostic) => void

interface FlagGiven {
  readonly name: string
  readonly param: Param
  readonly flag: Span
  readonly value: LineWord
}

function readFlags(model: Model, words: readonly LineWord[], emit: Emit): FlagGiven[] {
  const given: FlagGiven[] = []
  for (let nth = 0; nth < words.length; nth++) {
    const word = words[nth] as LineWord // within bounds
    const found = flagIn(model, word)
    if (!found) {
      emit(noFlag(model, word))
      if (word.text.startsWith('-') && isValue(words[nth + 1])) nth++
      continue
    }
    const next = words[nth + 1]
    const value = found.value ?? valueBehind(found.param, word, next)
    if (!value) emit(error('missing-value', word, `${word.text} is given without its value`))
    else given.push({ ...found, flag: found.flag, value })
    if (value === next && next) nth++
  }
  return given
}

function isValue(word: LineWord | undefined): boolean {
  return word !== undefined && !word.text.startsWith('-')
}

/** A switch alone is on; every other flag has its value behind it, whatever that begins with. */
function valueBehind(param: Param, flag: LineWord, next: LineWord | undefined): LineWord | undefined {
  if (param.type !== 'boolean') return next
  return next && ['true', 'false'].includes(next.text) ? next : { ...flag, text: 'true' }
}

type Found = Omit<FlagGiven, 'value'> & { readonly value?: LineWord }

function flagIn(model: Model, word: LineWord): Found | undefined {
  const { text } = word
  const sign = text.startsWith('--') ? text.indexOf('=') : -1
  const bare = sign < 0 ? text : text.slice(0, sign)
  const whole = named(model, bare, word)
  if (whole) return sign < 0 ? whole : { ...whole, value: { ...word, text: text.slice(sign + 1) } }
  const off = /^--no-(.*)$/.exec(text)?.[1]
  const switched = off === undefined ? undefined : named(model, `--${off}`, word)
  if (switched?.param.type === 'boolean') return { ...switched, value: { ...word, text: 'false' } }
  // `-n2`
  const short =
    /^-[a-z]./i.test(text) && !text.startsWith('--') ? named(model, text.slice(0, 2), word) : undefined
  return short && { ...short, value: { ...word, text: text.slice(2) } }
}

function named(model: Model, form: string, flag: Span): Found | undefined {
  const name = flagsOf(model).find(each => each.forms.includes(form))?.name
  const param = name === undefined ? undefined : paramOf(model, name)
  return name === undefined || !param ? undefined : { name, param, flag }
}

function noFlag(model: Model, word: LineWord): Diagnostic {
  if (!word.text.startsWith('-')) {
    const hint = 'a text of several words stands in quotes behind its flag'
    return error('stray-word', word, `${word.text} stands behind no flag`, hint)
  }
  const forms = flagsOf(model).flatMap(flag => flag.forms)
  const bare = word.text.replace(/=.*/s, '')
  const near = nearest(bare, forms)
  const hint = near ? `did you mean ${near}` : `\`genrun models info ${model.id}\` lists its flags`
  return error('unknown-flag', word, `${model.id} has no flag ${bare}`, hint)
}

interface Reading {
  readonly texts: Texts
  readonly emit: Emit
}

/** The flags of one parameter together, in written order. */
function entriesOf(model: Model, given: readonly FlagGiven[], reading: Reading): FilledEntry[] {
  const byName = grouped(given)
  return [...byName]
    .flatMap(([name, [first, ...more]]): FilledEntry[] => {
      if (!first) return []
      const isList =
        first.param.type === 'object[]' ||
        first.param.type === 'text[]' ||
        (first.param.type === 'file' && first.param.maxItems !== undefined)
      const [second] = more
      if (second && !isList) {
        const hint = `${longFlag(name)} takes one value`
        reading.emit(
          withNotes(error('duplicate-flag', second.flag, `${name} is given twice`, hint), [
            { message: 'the first is here', at: first.flag },
          ]),
        )
        return []
      }
      const values = [first, ...more].flatMap(each => valuesOf(each, reading))
      const [value] = values
      if (!value) return []
      const whole: Filled = isList ? { kind: 'list', ...rangeOf(values), items: values } : value
      return [
        {
          key: { kind: 'scalar', ...placeOf(first.flag), value: name, source: name, style: 'plain' },
          value: whole,
        },
      ]
    })
    .toSorted((a, b) => orderIn(model, a) - orderIn(model, b))
}

function grouped(given: readonly FlagGiven[]): Map<string, FlagGiven[]> {
  const groups = new Map<string, FlagGiven[]>()
  for (const each of given) groups.set(each.name, [...(groups.get(each.name) ?? []), each])
  return groups
}

function orderIn(model: Model, { key }: FilledEntry): number {
  return Object.keys(model.params).indexOf(key.source)
}

function rangeOf(values: readonly Filled[]): Span {
  const [first, last] = [values[0], values.at(-1)]
  if (!first || !last || first.file !== last.file) return placeOf(first as Filled) // one value at least
  return spanOf(first.file, first.start, last.end)
}

function placeOf({ file, start, end }: Span): Span {
  return { file, start, end }
}

function valuesOf({ name, param, value }: FlagGiven, { texts, emit }: Reading): Filled[] {
  if (param.type === 'object[]' || param.type === 'object') return objectsIn(name, value, texts, emit)
  if (param.type !== 'text') return [scalarAt(value, typed(param, value.text))]
  const source = textSource(value, texts)
  if (!source) return [scalarAt(value, value.text.replace(/^@@/, '@'))]
  if ('problem' in source) {
    const hint = value.text === '-' ? undefined : 'a text that begins with @ is written with two: @@'
    emit(error('unreadable-file', value, source.problem, hint))
    return []
  }
  // The last line end belongs to the file and not to the text.
  return [scalarAt(value, withLineFeeds(source.text).replace(/\n$/, ''))]
}

/** `{"index":1,…}`, a list of those, or a file with either. */
function objectsIn(name: string, value: LineWord, texts: Texts, emit: Emit): Filled[] {
  const source = textSource(value, texts) ?? { name: longFlag(name), text: value.text }
  if ('problem' in source) {
    emit(error('unreadable-file', value, source.problem))
    return []
  }
  const { value: tree, problems } = readYaml(source)
  problems.filter(problem => problem.severity === 'error').forEach(emit)
  if (!tree) return []
  return tree.kind === 'list' ? [...tree.items] : [tree]
}

/** Where a text really stands; undefined when it is written out. */
function textSource({ text }: LineWord, texts: Texts): ReturnType<Texts['read']> | undefined {
  if (text === '-') return texts.stdin()
  return text.startsWith('@') && !text.startsWith('@@') ? texts.read(text.slice(1)) : undefined
}

function scalarAt(at: Span, value: string | number): Filled {
  return { kind: 'scalar', ...placeOf(at), value, source: String(value), style: 'plain', isUntyped: true }
}

/** Where only numbers are right, a wrong number is a wrong value and no text. */
function typed(param: Param, text: string): string | number {
  const isNumeric = param.type === 'enum' && param.values.every(value => typeof value === 'number')
  return isNumeric && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}
