import { relative, resolve } from 'node:path'
import { type Checked, error } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import type { Prices } from '../../forms/cost.ts'
import { readPrices } from '../../forms/prices.ts'
import { readGuarded } from './guarded.ts'

const longestPrices = 1024 * 1024

/** Reads the prices at `path` (relative to `cwd`); without one there are none, which is no problem. */
export function openPrices(path: string | undefined, cwd: string): Checked<Prices> {
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
  return 'problem' in read ? refuse(read.problem) : readPrices({ name, text: read.text })
}
