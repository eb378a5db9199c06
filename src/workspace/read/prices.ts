import { relative, resolve } from 'node:path'
import { type Checked, error } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import type { Prices } from '../../forms/cost.ts'
import { readPrices } from '../../forms/prices.ts'
import { readGuarded } from './guarded.ts'
import { pricesProblem, type Trust } from './trust.ts'

const longestPrices = 1024 * 1024

/**
 * Reads the prices at `path` (relative to `cwd`); without one there are none, which is no problem. Those of a checkout that
 * nobody trusts count for nothing.
 */
export function openPrices(path: string | undefined, cwd: string, trust?: Trust): Checked<Prices> {
  if (path === undefined) return { value: undefined, problems: [] }
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
  return doubted ? { value: undefined, problems: [doubted] } : readPrices(file)
}
