import { type Model, paramOf } from '../../catalog/index.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import { flagsOf } from '../../forms/flags.ts'
import type { Usage } from '../flags/command.ts'
import { formOf, formsOf, isList, type Option, type OptionForm } from '../flags/option.ts'
import { options } from '../flags/options.ts'
import { topics } from '../words/topics.ts'

/** A word that may stand at the cursor. */
export interface Candidate {
  readonly word: string
  readonly says: string
}

/** What only the disk knows. */
interface Known {
  readonly commands: readonly Usage[]
  /** Addresses and ids of a manifest's jobs; none where it cannot be read. */
  readonly jobs: (manifest: string) => readonly string[]
  /** The models there are. */
  readonly modelSet: ModelSet
  /** Codes that `explain` explains. */
  readonly codes: () => readonly string[]
}

/**
 * What may stand at the end of a line. `words` are those behind `genrun`; the last is not finished and may be empty. No
 * candidate means that a file may stand there.
 */
export function candidates(words: readonly string[], known: Known): Candidate[] {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const inline = /^(--[a-z-]+)=/.exec(current)
  if (inline?.[1] !== undefined) {
    const values = allAt([...before, inline[1]], '', known).map(each => ({
      ...each,
      word: `${inline[0]}${each.word}`,
    }))
    return values.filter(({ word }) => word.startsWith(current))
  }
  return allAt(before, current, known).filter(({ word }) => word.startsWith(current) && word !== '')
}

function allAt(before: readonly string[], current: string, known: Known): Candidate[] {
  // `gen-ai` is followed by the same words.
  if (before[0] === 'gen-ai' && before.length > 1) return allAt(before.slice(1), current, known)
  const { commands } = known
  if (before[0] === 'gen-ai' && !current.startsWith('-')) return genAi(commands)
  const usage = usageOf(before, commands)
  if (!usage) return current.startsWith('-') ? flagsIn([version, help], []) : commandWords('', commands)
  const rest = before.slice(usage.name === 'run' && before[0] !== 'run' ? 0 : usage.name.split(' ').length)
  const { modelSet } = known
  const model = usage.anyFlags ? modelIn(usage, rest, modelSet) : undefined
  const values = valuesBehind(rest.at(-1), { usage, model, modelSet })
  if (values) return values
  if (current.startsWith('-')) return [...modelFlags(model), ...flagsIn([...optionsOf(usage), help], rest)]
  return [
    ...commandWords(usage.name, commands),
    ...argumentsOf(usage, bareWords(rest, { usage, model, modelSet }), known),
  ]
}

/** The command that the words begin with; a first word that is none is a manifest, to be run. */
function usageOf(words: readonly string[], commands: readonly Usage[]): Usage | undefined {
  if (words.length === 0) return undefined
  const fitting = commands.filter(({ name }) => name.split(' ').every((part, nth) => words[nth] === part))
  const longest = fitting.toSorted((a, b) => b.name.length - a.name.length)[0]
  return longest ?? commands.find(({ name }) => name === 'run')
}

/** First words of commands, or the second words of one. */
function commandWords(above: string, commands: readonly Usage[]): Candidate[] {
  const depth = above === '' ? 0 : above.split(' ').length
  return commands.flatMap(({ name, says }) => {
    const parts = name.split(' ')
    const isBelow = parts.length === depth + 1 && (above === '' || name.startsWith(`${above} `))
    return isBelow ? [{ word: parts.at(-1) ?? '', says }] : []
  })
}

function genAi(commands: readonly Usage[]): Candidate[] {
  return ['generate', 'models', 'pricing'].map(word => ({
    word,
    says: commands.find(({ name }) => name === word)?.says ?? '',
  }))
}

const help: Option = { flag: '-h, --help', says: 'help' }
const version: Option = { flag: '-V, --version', says: 'the version of genrun' }

/** The options of a command, in the words of its help. */
function optionsOf({ flags, saying, offering }: Usage): Option[] {
  return [...flags, 'noColor' as const].map(name => {
    const option: Option = options[name]
    const offers = offering?.[name]
    return { ...option, says: saying?.[name] ?? option.says, ...(offers && { offers }) }
  })
}

/** Flags that are not given yet, or may be given again. */
function flagsIn(all: readonly Option[], given: readonly string[]): Candidate[] {
  return all.flatMap(option => {
    const forms = formsOf(option)
    const isGiven = forms.some(form => given.includes(form)) && !isList(formOf(option))
    return isGiven
      ? []
      : forms.filter(form => form.startsWith('--')).map(word => ({ word, says: option.says }))
  })
}

interface Place {
  readonly usage: Usage
  readonly model: Model | undefined
  readonly modelSet: ModelSet
}

/** The values of the flag that stands before the cursor; undefined when that word wants none. */
function valuesBehind(word: string | undefined, { usage, model, modelSet }: Place): Candidate[] | undefined {
  if (!word?.startsWith('-') || word.includes('=')) return undefined
  const option = optionsOf(usage).find(each => formsOf(each).includes(word))
  if (option) {
    const form = formOf(option)
    if (form.is === 'switch') return undefined
    if (formsOf(option).includes('--model')) return modelWords(modelSet)
    return valuesOf(option, form).map(value => ({ word: value, says: '' }))
  }
  const name = model && flagsOf(model).find(({ forms }) => forms.includes(word))?.name
  const param = model && name !== undefined ? paramOf(model, name) : undefined
  if (!param || name === undefined) return undefined
  switch (param.type) {
    case 'enum':
      return param.values.map(value => ({ word: String(value), says: name }))
    case 'boolean':
      return undefined
    default:
      return []
  }
}

function valuesOf({ offers = [] }: Option, form: OptionForm): readonly string[] {
  return form.is === 'choice' ? form.values : offers
}

/** The short flags first: what the specification calls them. */
function modelFlags(model: Model | undefined): Candidate[] {
  if (!model) return []
  return flagsOf(model).flatMap(({ name, flag, longFlag }) =>
    [...new Set([flag, longFlag])].map(word => ({
      word,
      says: `${name}${isRequired(model, name) ? ', required' : ''}`,
    })),
  )
}

function isRequired(model: Model, name: string): boolean {
  return paramOf(model, name)?.required === true
}

function modelIn(usage: Usage, rest: readonly string[], modelSet: ModelSet): Model | undefined {
  if (usage.name === 'pricing') return modelSet.find(rest[0] ?? '')
  const at = rest.findIndex(word => word === '-m' || word === '--model')
  const inline = rest.find(word => word.startsWith('--model='))?.slice('--model='.length)
  return modelSet.find(inline ?? (at < 0 ? '' : (rest[at + 1] ?? '')))
}

function modelWords({ models }: ModelSet): Candidate[] {
  return models.map(({ id, name, inputType }) => ({ word: id, says: `${name}, ${inputType}` }))
}

/** Words that are neither flags nor values of flags. */
function bareWords(rest: readonly string[], place: Place): string[] {
  return rest.filter(
    (word, nth) =>
      !word.startsWith('-') && valuesBehind(rest[nth - 1], { ...place, model: undefined }) === undefined,
  )
}

/** What may stand as an argument; none where files stand. */
function argumentsOf(
  { name, arguments: args = '' }: Usage,
  given: readonly string[],
  known: Known,
): Candidate[] {
  const names = [...args.matchAll(/[<[]([a-z]+)(\.\.\.)?[>\]]/g)]
  const isOpenEnd = names.at(-1)?.[2] !== undefined
  const kind = (names[given.length] ?? (isOpenEnd ? names.at(-1) : undefined))?.[1]
  const plain = (words: readonly string[]) => words.map(word => ({ word, says: '' }))
  switch (kind) {
    case 'jobs':
    case 'takes':
    case 'address':
      return plain(known.jobs(given[0] ?? '').filter(word => !given.includes(word)))
    case 'id':
    case 'model':
      return modelWords(known.modelSet)
    case 'shell':
      return plain(shells)
    case 'topic':
      return plain(topics.map(topic => topic.name))
    case 'code':
      return plain(known.codes())
    case 'words':
      return name === 'models' ? plain(modelFilters(known.modelSet)) : []
    default:
      return []
  }
}

/** Families and modes. */
function modelFilters({ models: all }: ModelSet): string[] {
  return [...new Set<string>([...all.map(({ family }) => family), ...all.map(({ inputType }) => inputType)])]
}

export const shells = ['bash', 'zsh', 'fish'] as const
