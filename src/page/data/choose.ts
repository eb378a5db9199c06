import type { Shown } from './shown.ts'
import { canBeJudged, type VerdictsBy, verdictOn } from './verdicts.ts'

/** A way to divide the results: its values are chips. */
export type Facet = 'verdict' | 'state' | 'look' | 'kind' | 'model' | 'tag' | `axis:${string}`

/** By facet the values that are chosen: one of each facet has to fit. */
type ChosenChips = { readonly [facet in Facet]?: readonly string[] }

export type Sort = 'manifest' | 'cost' | 'age' | 'stars' | 'trouble'
export type Group = 'none' | 'verdict' | 'state' | 'tag' | 'model' | 'job'

/** What of the results is looked at, and in what order. */
export interface Choice {
  readonly chosen: ChosenChips
  /** Words that all have to occur; one that begins with `-` must not. */
  readonly words: string
  readonly sort: Sort
  readonly group: Group
}

export const everything: Choice = { chosen: {}, words: '', sort: 'manifest', group: 'none' }

/** A result with what is looked for in it, made once. */
export interface Item {
  readonly result: Shown
  readonly text: string
  readonly nth: number
}

export function itemsOf(results: readonly Shown[]): Item[] {
  return results.map((result, nth) => ({ result, nth, text: textOf(result) }))
}

function textOf({
  address,
  model,
  prompt = '',
  asked = '',
  tags,
  params,
  standing,
  message = '',
}: Shown): string {
  return [address, model, prompt, asked, standing, message, ...tags, ...params.flat()]
    .join('\n')
    .toLowerCase()
}

/** The values that a result has of a facet. */
function valuesOf({ result }: Item, facet: Facet, verdicts: VerdictsBy): readonly string[] {
  switch (facet) {
    case 'verdict':
      return [verdictWord(result, verdicts)]
    case 'state':
      return stateWords(result)
    case 'look':
      return lookWords(result)
    case 'kind':
      return [result.kind]
    case 'model':
      return [result.model]
    case 'tag':
      return result.tags
    default: {
      const value = result.cell[facet.slice('axis:'.length)]
      return value === undefined ? [] : [value]
    }
  }
}

/** `picked`, `approved`, `rejected`, `undecided`, or `nothing to see`. */
function verdictWord(result: Shown, verdicts: VerdictsBy): string {
  if (!canBeJudged(result)) return 'nothing to see'
  const is = verdictOn(result, verdicts)?.is
  return is ?? 'undecided'
}

/** What was found; one that could not be looked at is no good one. */
function lookWords({ looks }: Shown): string[] {
  if (!looks) return []
  if (looks.length === 0) return ['nothing found']
  return [...new Set(looks.map(({ look, verdict }) => (verdict === 'not looked at' ? verdict : look)))]
}

/** What was found is grave, by what the job says of its looks. */
export function failsLooks(looks: Shown['looks']): boolean {
  return looks?.some(({ verdict }) => verdict === 'fail') ?? false
}

function stateWords({ standing, message, missing, altered, picked, looks, outdated }: Shown): string[] {
  const isFailing = failsLooks(looks)
  const isWarned = message !== undefined && standing === 'made' && !isFailing
  return [
    standing,
    ...(picked ? ['picked'] : []),
    ...(isFailing ? ['fails its looks'] : []),
    ...(outdated ? ['asked otherwise by now'] : []),
    ...(isWarned && !outdated ? ['with a warning'] : []),
    ...(missing ? ['files missing'] : []),
    ...(altered ? ['altered on disk'] : []),
  ]
}

/** Those that fit, in their order. `but`: as if nothing were chosen of that facet. */
export function fitting(
  items: readonly Item[],
  { chosen, words }: Pick<Choice, 'chosen' | 'words'>,
  verdicts: VerdictsBy,
): Item[] {
  const facets = Object.entries(chosen).filter(([, values = []]) => values.length > 0) as [
    Facet,
    readonly string[],
  ][]
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter(
    item =>
      wanted.every(word => hasWord(item.text, word)) &&
      facets.every(([facet, values]) =>
        valuesOf(item, facet, verdicts).some(value => values.includes(value)),
      ),
  )
}

function hasWord(text: string, word: string): boolean {
  return word.startsWith('-') && word.length > 1 ? !text.includes(word.slice(1)) : text.includes(word)
}

interface Chip {
  readonly value: string
  /** How many would be shown with it, all else as it is. */
  readonly count: number
  readonly isChosen: boolean
}

/** Whether what is looked at, or its order, is another by a verdict. */
export function goesByVerdicts({ chosen, sort, group }: Choice): boolean {
  return (chosen.verdict ?? []).length > 0 || sort === 'stars' || group === 'verdict'
}

/**
 * The facets that divide the results, each with its chips: `verdict` alone, or all the others, which stay what they are when somebody
 * judges.
 */
export function chipsOf(
  items: readonly Item[],
  choice: Choice,
  verdicts: VerdictsBy,
  which: 'verdict' | 'others',
): { facet: Facet; chips: Chip[] }[] {
  if (which === 'verdict') return facetChips(['verdict'], items, choice, verdicts)
  const axes = [...new Set(items.flatMap(({ result }) => Object.keys(result.cell)))].map(
    (axis): Facet => `axis:${axis}`,
  )
  return facetChips(['state', 'look', 'kind', 'model', 'tag', ...axes], items, choice, verdicts)
}

function facetChips(
  facets: readonly Facet[],
  items: readonly Item[],
  choice: Choice,
  verdicts: VerdictsBy,
): { facet: Facet; chips: Chip[] }[] {
  // Most facets have nothing chosen: what fits is the same for all of these, and is looked for once.
  let all: Item[] | undefined
  return facets.flatMap(facet => {
    const { [facet]: own = [], ...others } = choice.chosen
    const found =
      own.length === 0
        ? (all ??= fitting(items, choice, verdicts))
        : fitting(items, { chosen: others, words: choice.words }, verdicts)
    const counts = new Map<string, number>()
    for (const item of items) for (const value of valuesOf(item, facet, verdicts)) counts.set(value, 0)
    for (const item of found)
      for (const value of valuesOf(item, facet, verdicts)) counts.set(value, (counts.get(value) ?? 0) + 1)
    const chips = [...counts].map(([value, count]) => ({ value, count, isChosen: own.includes(value) }))
    if (facet === 'verdict')
      chips.sort((a, b) => verdictOrder.indexOf(a.value) - verdictOrder.indexOf(b.value))
    // A single value divides what has it from what has none.
    const hasNone = (item: Item) => valuesOf(item, facet, verdicts).length === 0
    const divides = chips.length > 1 || (chips.length === 1 && items.some(hasNone))
    return divides || own.length > 0 ? [{ facet, chips }] : []
  })
}

const verdictOrder = ['undecided', 'approved', 'rejected', 'nothing to see']

/** Whether anything may be left out. */
export function isNarrowed({ words, chosen }: Choice): boolean {
  return words !== '' || Object.values(chosen).some((values = []) => values.length > 0)
}

/** A chip is pressed: chosen, or no longer. */
export function toggled(chosen: ChosenChips, facet: Facet, value: string): ChosenChips {
  const own = chosen[facet] ?? []
  return { ...chosen, [facet]: own.includes(value) ? own.filter(each => each !== value) : [...own, value] }
}

/** In the order that is asked for; what is alike in it stays in the order of the manifest. */
export function sorted(items: readonly Item[], sort: Sort, verdicts: VerdictsBy): readonly Item[] {
  if (sort === 'manifest') return items
  return items.toSorted((a, b) => weight(b, sort, verdicts) - weight(a, sort, verdicts) || a.nth - b.nth)
}

function weight({ result }: Item, sort: Exclude<Sort, 'manifest'>, verdicts: VerdictsBy): number {
  switch (sort) {
    case 'cost':
      return result.cost ?? result.credits ?? -1
    case 'age':
      return result.orderedAt ?? 0
    case 'stars':
      return verdictOn(result, verdicts)?.stars ?? 0
    case 'trouble':
      return result.standing === 'failed' || result.standing === 'doubt'
        ? 2
        : result.message === undefined && !result.altered
          ? 0
          : 1
  }
}

/** Sections with their titles, in the order in which they first occur. One without a title where nothing is inSections. */
export function inSections(
  items: readonly Item[],
  group: Group,
  verdicts: VerdictsBy,
): { title: string; items: readonly Item[] }[] {
  if (group === 'none') return [{ title: '', items }]
  const sections = new Map<string, Item[]>()
  for (const item of items) {
    for (const title of titlesOf(item, group, verdicts)) {
      const section = sections.get(title)
      if (section) section.push(item)
      else sections.set(title, [item])
    }
  }
  return [...sections].map(([title, items]) => ({ title, items }))
}

/** Each result stands in one section: moved through by keys it comes once. */
function titlesOf(item: Item, group: Exclude<Group, 'none'>, verdicts: VerdictsBy): readonly string[] {
  if (group === 'job') return [item.result.job]
  const values = valuesOf(item, group, verdicts)
  return [values[0] ?? `no ${group}`]
}
