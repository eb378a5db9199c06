import { amountText, bytesText, counted } from '../../base/measure.ts'
import type { Shown, ShownFile } from './shown.ts'

export { amountText, bytesText, counted }

/** `1024×768`, `5 s`, and how large it is. */
export function measuresText({ width, height, seconds, bytes }: ShownFile): string {
  return [
    width !== undefined && height !== undefined && `${width}×${height}`,
    seconds !== undefined && clipText(seconds),
    bytesText(bytes),
  ]
    .filter(Boolean)
    .join(', ')
}

/** `5 results, 4 files, 1 without a file`: takes are results of their own. Page, report, sheet and command line count so. */
export function resultsText(results: readonly { readonly files: readonly unknown[] }[]): string {
  const files = results.reduce((sum, each) => sum + each.files.length, 0)
  const without = results.filter(each => each.files.length === 0).length
  const text = `${counted(results.length, 'result')}, ${counted(files, 'file')}`
  if (files === 0) return `${text}: nothing is made yet`
  return without > 0 ? `${text}, ${without} without a file` : text
}

/** `0:05`, `1:02`. */
export function clipText(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

export function shownCost({ cost, credits }: Shown, currency: string | undefined): string {
  const told = credits === undefined ? '' : `${amountText(credits, 'credits')} by the service`
  const priced = cost !== undefined && currency !== undefined ? amountText(cost, currency) : ''
  return [priced, told].filter(Boolean).join(', ')
}

/** What belongs under a small picture: what tells it from its neighbours. `nth` is shown however little room there is. */
export function cardName({ cell, take, family, job }: Shown): {
  readonly name: string
  readonly nth: string
} {
  const keys = Object.values(cell)
  const name = keys.length > 0 ? keys.join(' · ') : family === job ? family : job
  return { name, nth: take > 1 ? ` #${take}` : '' }
}
