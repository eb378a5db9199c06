import { systemClock } from '../../base/clock.ts'
import type { Shown } from '../data/shown.ts'
import { swap } from './compare.tsx'
import { beginDuel, keepSide, toggleComparison } from './desk/comparing.ts'
import { quoteRejected, quoteRest } from './desk/quotes.ts'
import { canEdit, type Desk, openNote } from './desk/state.ts'
import { fit, zoomToggled } from './desk/zooming.ts'
import { player } from './parts/media.tsx'

/** What a key does; undefined where it is none of ours, and the browser's. */
export function pressed(desk: Desk, event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey)
    return done(() => desk.undo())
  if (event.key.toLowerCase() === 'p' && (event.ctrlKey || event.metaKey) && !event.shiftKey)
    return done(() => void print(desk))
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  const act = actionOf(desk, event.key)
  return act ? done(act) : false
}

/** What they do is done to the result at the cursor. */
const aboutOne = /^(?:[0-5puxncdmke ]|Enter)$/

/**
 * Keys that were pressed before the page was whole, one after the other. Each that is about a result counts for the one that was seen
 * as chosen then, and for no other: behind it nobody has seen where the cursor went. What does not count is told.
 */
export function pressEarly(desk: Desk, keys: readonly KeyboardEvent[], seen: Shown | undefined): void {
  for (const [nth, event] of keys.entries()) {
    const { cursor = '', byAddress, dialog, comparison } = desk.state
    const isSeen = seen !== undefined && isSame(seen, byAddress.get(cursor))
    if (dialog || comparison || (aboutOne.test(event.key) && !isSeen)) {
      const lost = keys.slice(nth).map(({ key }) => key)
      return desk.set({ said: `pressed before all was here, and not counted: ${lost.join(' ')}` })
    }
    pressed(desk, event)
  }
}

function isSame(one: Shown, other: Shown | undefined): boolean {
  const keysOf = ({ files }: Shown) => files.map(({ key }) => key).join()
  return one.address === other?.address && keysOf(one) === keysOf(other)
}

/** A filter or another layout may have taken the result at the cursor away: nobody decides about what they do not see. */
function isInSight({ state, rows }: Desk): boolean {
  if (state.isOpen || state.comparison) return true
  return rows.some(row => row.is === 'cards' && row.items.some(({ address }) => address === state.cursor))
}

function done(act: () => void): true {
  act()
  return true
}

function actionOf(desk: Desk, key: string): (() => void) | undefined {
  const { state } = desk
  const result = state.cursor === undefined ? undefined : state.byAddress.get(state.cursor)
  const of = result?.files[0]
  if (aboutOne.test(key) && !isInSight(desk))
    return () => desk.set({ said: 'nothing in sight is chosen: an arrow key chooses' })
  if (/^[0-5]$/.test(key)) return () => desk.decide({ stars: Number(key) })
  if (state.comparison?.isDuel && (key === 'ArrowLeft' || key === 'ArrowRight'))
    return () => keepSide(desk, key === 'ArrowLeft' ? 'left' : 'right')
  switch (key) {
    case 'ArrowLeft':
      return () => desk.move('left')
    case 'ArrowRight':
      return () => desk.move('right')
    case 'ArrowUp':
      return () => desk.move('up')
    case 'ArrowDown':
      return () => desk.move('down')
    case 'Home':
      return () => desk.move('first')
    case 'End':
      return () => desk.move('last')
    case ' ':
    case 'Enter':
      return () => result && desk.set({ isOpen: !state.isOpen, comparison: undefined, zoom: fit })
    case 'Escape':
      return () => back(desk)
    case 'p':
      return () => desk.decide({ is: 'approved' })
    case 'x':
      return () => desk.decide({ is: 'rejected' })
    case 'u':
      return () => desk.decide({ is: 'undecided' })
    case 'n':
      return () => result && openNote(desk, result)
    case 'e':
      return () => result?.prompt !== undefined && canEdit(desk) && desk.set({ dialog: { is: 'prompt' } })
    case 'c':
      return () => toggleComparison(desk)
    case 'd':
      return () => state.page.can.judge && beginDuel(desk)
    case 'm':
      return () =>
        result &&
        desk.set({ marked: result.address, said: `${result.address} is marked: c compares another with it` })
    case 's':
      return state.comparison && (() => slide(desk))
    case 'v':
      return state.comparison && result && (() => swap(desk, state.comparison!, result)) // it was there a moment ago
    case 'z':
      return () => desk.set({ zoom: zoomToggled(state.zoom) })
    case 'k':
      return of && (() => player.toggle(desk.link.urlOf(of)))
    case 'f':
      return () => void fullScreen()
    case 'r':
      return () => void quoteRejected(desk)
    case 'o':
      return () => void quoteRest(desk)
    case 'w':
      return () => desk.set({ layout: 'wall' })
    case 'g':
      return () => Object.keys(state.page.axes).length > 0 && desk.set({ layout: 'grid' })
    case 't':
      return () => desk.set({ layout: 'takes' })
    case '/':
      return () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus()
    case '?':
      return () => desk.set({ dialog: { is: 'help' } })
    default:
      return undefined
  }
}

function back(desk: Desk): void {
  const { comparison, isOpen } = desk.state
  if (comparison) desk.set({ comparison: undefined, zoom: fit })
  else if (isOpen) desk.set({ isOpen: false, zoom: fit })
}

function slide(desk: Desk): void {
  const { comparison } = desk.state
  if (comparison)
    desk.set({ comparison: { ...comparison, how: comparison.how === 'slider' ? 'side by side' : 'slider' } })
}

const longestWait = 20_000

/** What is not in sight has no picture yet, and a browser that prints waits for none. */
async function print(desk: Desk): Promise<void> {
  const until = systemClock.now() + longestWait
  const isThere = () =>
    [...document.images].every(({ complete }) => complete) &&
    [...document.querySelectorAll('video')].every(
      each => each.readyState >= each.HAVE_CURRENT_DATA || each.error,
    )
  desk.set({ isPrinting: true })
  do await systemClock.until(systemClock.now() + 50)
  while (!isThere() && systemClock.now() < until)
  globalThis.print()
}

async function fullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen()
  else await document.documentElement.requestFullscreen()
}
