import {
  type Checked,
  type Diagnostic,
  error,
  hasErrors,
  sortProblems,
  upToMostErrors,
} from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { listed, nearest } from '../base/nearest.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import { fitsStars } from '../base/wildcard.ts'
import { type Model, modelIds, models } from '../catalog/index.ts'
import { type Rate } from '../catalog/model.ts'
import { ratesSchema, readCurrency, readRates } from '../catalog/rates.ts'
import { entryOf, type TextEntry, type TextMap, valueSpan } from '../text/tree.ts'
import { readYaml } from '../text/yaml.ts'
import type { Prices } from './cost.ts'
import { draft } from './schema.ts'

/** Models that the user declares, where it is known which. */
type OwnModels = readonly Model[] | 'unknown'

type Report = (problem: Diagnostic) => void

const example = 'for instance `currency: USD` and `models: { fama-imagine-image: { perImage: 0.02 } }`'

/**
 * Reads a file of prices:
 *
 *     currency: USD
 *     models:
 *       fama-imagine-image: { perImage: 0.02 }
 *       famc-v3:
 *         - { when: { renderingSpeed: std, generateAudio: false }, perSecond: 0.08 }
 *         - { perSecond: 0.12 }
 *     workflows:
 *       hero-flow: { perRun: 0.4 }
 *
 * All problems together; there is no value where there is an error. `own` are models that the user declares; where they are not
 * known, no name of a model is told as wrong.
 */
export function readPrices(file: SourceFile, own: OwnModels = []): Checked<Prices> {
  const read = readYaml(file)
  if (!read.value) return { value: undefined, problems: read.problems }
  const problems = [...read.problems]
  const { value: tree } = read
  const value =
    tree.kind === 'map' ? upToMostErrors(problems, report => pricesOf(tree, own, report)) : undefined
  if (tree.kind !== 'map') problems.push(error('not-prices', headOf(file), 'prices are a mapping', example))
  const sorted = sortProblems(problems)
  return { value: hasErrors(sorted) ? undefined : value, problems: sorted }
}

/** Prices as a section of a larger text. */
function pricesOf(tree: TextMap, own: OwnModels, report: Report): Prices {
  for (const { key } of tree.entries) {
    if (sections.includes(key.source) || key.source.startsWith('x-')) continue
    const near = nearest(key.source, sections)
    const hint = near ? `did you mean ${near}` : `there are ${listed(sections)}`
    report(error('unknown-key', key, `\`${key.source}\` is no key of prices`, hint))
  }
  const [models, workflows] = [entryOf(tree, 'models'), entryOf(tree, 'workflows')]
  if (!models && !workflows) report(error('no-prices', tree, 'there are no `models`', example))
  const named = entriesOf(workflows, 'names', report)
  const currency = entryOf(tree, 'currency')
  return {
    currency: (currency && readCurrency(currency, report)) ?? 'credits',
    models: entriesOf(models, 'model ids', report).map(each => modelPrices(each, own, report)),
    ...(named.length > 0 && { workflows: named.map(each => workflowPrices(each, report)) }),
  }
}

const sections = ['currency', 'models', 'workflows']

function entriesOf(section: TextEntry | undefined, names: string, report: Report): readonly TextEntry[] {
  if (section?.value.kind === 'map') return section.value.entries
  const message = `\`${section?.key.source}\` is a mapping from ${names} to prices`
  if (section) report(error('wrong-type', valueSpan(section), message, example))
  return []
}

function modelPrices({ key, value }: TextEntry, own: OwnModels, report: Report): Prices['models'][number] {
  const match = key.source
  const all = [...modelIds.map((id): Model => models[id]), ...(own === 'unknown' ? [] : own)]
  const meant = all.filter(({ id }) => fitsStars(match, id))
  if (meant.length === 0 && own !== 'unknown') {
    const near = nearest(
      match,
      all.map(({ id }) => id),
    )
    const message = match.includes('*') ? `no model is called like ${match}` : `there is no model ${match}`
    report(error('unknown-model', key, message, near ? `did you mean ${near}` : '`genrun models` lists them'))
  }
  return { match, rates: readRates({ key, value }, meant, report) }
}

/** Of what a job is sent to by its own word. Its parameters are the service's: nothing is known of them here. */
function workflowPrices(entry: TextEntry, report: Report): { readonly name: string; readonly rates: Rate[] } {
  return { name: entry.key.source, rates: readRates(entry, [], report) }
}

/** The schema of a file of prices, for editors. */
export function pricesSchema(): JsonObject {
  return {
    $schema: draft,
    title: 'genrun prices',
    description:
      'What a service charges, as you know it. A model without a price is told as unknown, never as free.',
    type: 'object',
    properties: {
      currency: { description: 'as it is shown: USD, credits', type: 'string' },
      models: {
        description: 'by model id or pattern; the first rate whose `when` holds counts',
        type: 'object',
        additionalProperties: ratesSchema,
      },
      workflows: {
        description: 'by the name of a workflow that jobs name themselves, and for models of your own',
        type: 'object',
        additionalProperties: ratesSchema,
      },
    },
    patternProperties: { '^x-': {} },
    additionalProperties: false,
  }
}
