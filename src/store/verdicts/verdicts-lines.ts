import { type PersonsVerdict, type Verdicts, verdictKey, verdictsFormat } from './verdicts-text.ts'
import type { WaitingPick } from './waiting-picks.ts'

/**
 * The verdicts as text, in the form of the lock: valid JSON, one verdict a line sorted by address, and a closing `null`, so that
 * git merges by line. Picks that wait stand behind them, in the same form. Equal verdicts are equal texts.
 */
export function writeVerdicts({ manifest, verdicts, picks = [] }: Verdicts): string {
  const header = `{"genrunReview":${verdictsFormat},"manifest":${JSON.stringify(manifest)},"verdicts":[`
  const sorted = verdicts.toSorted((a, b) => (verdictKey(a) < verdictKey(b) ? -1 : 1))
  // Two may have one name, which was another job's on the other side of a merge.
  const orderOf = (each: WaitingPick) => `${each.address}\n${each.of ?? ''}`
  const waiting = picks
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .map(each => `${pickLine(each)},\n`)
  const last = waiting.length > 0 ? `,"picks":[\n${waiting.join('')}null]` : ''
  return `${header}\n${sorted.map(each => `${verdictLine(each)},\n`).join('')}null]${last}}\n`
}

/** One verdict as it stands in the file: its members always in one order. */
export function verdictLine(verdict: PersonsVerdict): string {
  const { address, is, stars, note, who, when, seen, of, dates } = verdict
  return JSON.stringify({ address, is, stars, note, who, when, seen, of, dates })
}

/** One as it stands in the file: its members always in one order. */
export function pickLine({ address, pick, who, when, seen, of }: WaitingPick): string {
  return JSON.stringify({ address, pick, who, when, seen, of })
}

/** Whether a file is one of verdicts, be it damaged; git hands a merge driver files without their names. */
export function areVerdicts(text: string): boolean {
  return text.replace(/^\ufeff/, '').startsWith('{"genrunReview"')
}

/** What several verdicts on one result know of dates that were ahead: of two about one date the earlier, in one order always. */
export function datesOfAll(verdicts: readonly PersonsVerdict[]): Pick<PersonsVerdict, 'dates'> {
  const dates = new Map<string, string>()
  for (const [sent, taken] of verdicts.flatMap(each => Object.entries(each.dates ?? {}))) {
    const other = dates.get(sent)
    if (other === undefined || taken < other) dates.set(sent, taken)
  }
  return dates.size > 0
    ? { dates: Object.fromEntries([...dates].toSorted(([a], [b]) => (a < b ? -1 : 1))) }
    : {}
}

/** Whether it says anything. One that does not tells that what was decided before was taken back, by whom and when. */
export function saysSomething({ is, stars, note }: PersonsVerdict): boolean {
  return is !== undefined || stars !== undefined || note !== undefined
}

/** Whether they are one and the same, or both are none. */
export function isSamePick(one: WaitingPick | undefined, other: WaitingPick | undefined): boolean {
  return (one && pickLine(one)) === (other && pickLine(other))
}
