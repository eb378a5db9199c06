import { display } from '../../base/display.ts'
import { amountText, bytesText, counted, grouped } from '../../base/measure.ts'
import type { Shown, ShownFile, ShownLook } from './shown.ts'

export { amountText, bytesText, counted, grouped }

/** A piece of a text; with a code where it is a character that is not seen and acts on others. */
interface CharacterPart {
  readonly text: string
  readonly code?: string
}

/**
 * What the terminal shows as codes, in pieces of its own with these codes (`\u{202e}`). On a page lines and tabs are what they are, and so
 * is what words of Persian or Hindi are written with.
 */
export function characterParts(text: string): readonly CharacterPart[] {
  const parts: CharacterPart[] = []
  let from = 0
  for (const { index, 0: found } of text.matchAll(unseen)) {
    const code = display(found)
    if (code === found) continue
    if (index > from) parts.push({ text: text.slice(from, index) })
    parts.push({ text: found, code })
    from = index + found.length
  }
  return from === 0 ? [{ text }] : from < text.length ? [...parts, { text: text.slice(from) }] : parts
}

// Seen or at home in words: signs before numbers in Arabic, and what keeps two letters apart.
const unseen =
  /(?![\t\n\u0600-\u0605\u06dd\u070f\u08e2]|\r\n|(?<=[\p{L}\p{M}])\u200c(?=\p{L}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

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

/** A result with its files: those that are there, and those of it that are not. */
interface Counted {
  readonly files: readonly unknown[]
  readonly missing?: readonly unknown[]
  readonly altered?: readonly unknown[]
  readonly unread?: readonly unknown[]
}

/** `5 results, 4 files, 1 without a file`: takes are results of their own. Page, report, sheet and command line count so. */
export function resultsText(results: readonly Counted[]): string {
  const files = results.reduce((sum, each) => sum + each.files.length, 0)
  const without = results.filter(each => each.files.length === 0).length
  const text = `${counted(results.length, 'result')}, ${counted(files, 'file')}`
  const isMade = results.some(each => [each.missing, each.altered, each.unread].some(some => some?.length))
  // Of no results at all nothing is known: others may be made, and were not chosen.
  if (results.length === 0) return text
  if (files === 0 && !isMade) return `${text}: nothing is made yet`
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

/**
 * What belongs under a small picture: what tells it from its neighbours. Of a matrix that are the keys of its cell, and `of` says whose
 * they are where those of other jobs stand beside it. `nth` is shown however little room there is.
 */
export function cardName(
  { cell, take, family, job }: Shown,
  isAmongOthers: boolean,
): { readonly of?: string; readonly name: string; readonly nth: string } {
  const keys = Object.values(cell)
  const nth = take > 1 ? ` #${take}` : ''
  if (keys.length === 0) return { name: family === job ? family : job, nth }
  return { ...(isAmongOthers && { of: family }), name: keys.join(' · '), nth }
}

/** How a result stands, where that says more than its picture: what matters comes first, as a narrow card cuts off the rest. */
export function stateText(result: Shown, { cost, isOrdered }: { cost: string; isOrdered: boolean }): string {
  const { standing, message, model, altered } = result
  if (altered) return ['! altered on disk', cost].filter(Boolean).join(' · ')
  if (isOrdered && standing === 'not made') return ['being ordered', cost].filter(Boolean).join(' · ')
  // The model is what may be cut off.
  if (standing === 'made' && message === undefined) return cost === '' ? model : `${cost} · ${model}`
  const reasons = findingsIn(result)
  return [reasons ? `! ${reasons.join('; ')}` : standingText(standing, message), cost]
    .filter(Boolean)
    .join(' · ')
}

function standingText(standing: Shown['standing'], message: string | undefined): string {
  if (standing === 'made') return `! ${message ?? ''}`
  if (message === undefined) return standing
  return message.startsWith(standing) ? message : `${standing}: ${message}`
}

/** What the looks found, where a message tells that and nothing else: `what they have in common: a.png: one; b.png: another`. */
function findingsIn({ message = '', looks = [] }: Shown): readonly string[] | undefined {
  const told: string[] = []
  let rest = message.replace(/^.*?: /s, '')
  for (const { verdict, why } of looks) {
    const at = why === undefined || verdict === 'not looked at' ? -1 : rest.indexOf(`: ${why}`)
    if (why === undefined || at < 0) continue
    told.push(why)
    rest = rest.slice(at + `: ${why}`.length)
    if (rest !== '' && !rest.startsWith('; ')) return undefined
  }
  return told.length > 0 && rest === '' ? told : undefined
}

/** What the looks found and their own message does not tell word for word. */
export function looksBeside(result: Shown): readonly ShownLook[] {
  const message = messageBeside(result) ?? ''
  return (result.looks ?? []).filter(
    ({ look, why }) => why === undefined || !message.includes(`${look}: ${why}`),
  )
}

/** A message beside the looks: what each of them tells stands in its own line. */
export function messageBeside(result: Shown): string | undefined {
  return findingsIn(result) ? result.message?.replace(/: .*$/s, '') : result.message
}
