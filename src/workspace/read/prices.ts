import { relative, resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { type Checked, error, hasErrors } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import type { Model } from '../../catalog/index.ts'
import type { Prices } from '../../forms/cost.ts'
import { readPrices } from '../../forms/prices.ts'
import { readGuarded } from './guarded.ts'
import { isDoubtedPrice, pricesProblem, type Trust } from './trust.ts'

const longestPrices = 1024 * 1024

/**
 * Reads the prices at `path` (relative to `cwd`), beside which stands what the catalogs of `own` say of their models; with neither
 * there are none, which is no problem. Prices of a checkout that nobody trusts count for nothing. Where `own` is not known, no name
 * of a model is told as wrong.
 */
export function openPrices(
  path: string | undefined,
  cwd: string,
  { trust, own }: { readonly trust?: Trust | undefined; readonly own?: readonly Model[] | undefined } = {},
): Checked<Prices> {
  const { value: given, problems } = path === undefined ? none : openFile(path, { cwd, trust, own })
  if (hasErrors(problems)) return { value: undefined, problems }
  const priced = (own ?? []).flatMap(model => ownPrices(model, cwd, trust))
  const [first] = priced
  if (!first) return { value: given, problems }
  const currency = given?.currency ?? priced.find(each => each.currency !== undefined)?.currency ?? 'credits'
  return { value: { models: [], ...given, currency, own: priced }, problems }
}

const none: Checked<Prices> = { value: undefined, problems: [] }

function ownPrices({ id, service, price }: Model, cwd: string, trust: Trust | undefined): OwnPrice[] {
  if (!price) return []
  const { currency, rates, from } = price
  const isDoubted = trust !== undefined && isDoubtedPrice({ file: from, path: from.name, cwd }, trust)
  return [{ model: id, rates, isDoubted, ...defined({ service, currency }) }]
}

type OwnPrice = NonNullable<Prices['own']>[number]

interface Around {
  readonly cwd: string
  readonly trust: Trust | undefined
  readonly own: readonly Model[] | undefined
}

function openFile(path: string, { cwd, trust, own }: Around): Checked<Prices> {
  const full = resolve(cwd, path)
  const name = relative(cwd, full) || path
  const refuse = (why: string): Checked<Prices> => ({
    value: undefined,
    problems: [
      error(
        'unreadable-prices',
        headOf({ name, text: '' }),
        `the prices cannot be read: ${why}`,
        'give the path of a YAML file',
      ),
    ],
  })
  const read = readGuarded(full, cwd, longestPrices)
  if ('problem' in read) return refuse(read.problem)
  const file = { name, text: read.text }
  const doubted = trust && pricesProblem({ file, path, cwd }, trust)
  return doubted ? { value: undefined, problems: [doubted] } : readPrices(file, own ?? 'unknown')
}
