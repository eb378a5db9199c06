import { systemClock } from '../../../base/clock.ts'
import {
  type Choice,
  everything,
  type Facet,
  fitting,
  goesByVerdicts,
  type Item,
  inSections,
  itemsOf,
  sorted,
  toggled,
} from '../../data/choose.ts'
import type { Shown, ShownChange, ShownOrder, ShownPage, ShownQuote, ShownVerdict } from '../../data/shown.ts'
import {
  canBeJudged,
  decidedSince,
  type GivenVerdict,
  type Judging,
  resultNow,
  stepFor,
  type UndoableDeed,
  type VerdictsBy,
  verdictOn,
  whyNotJudged,
  withGiven,
} from '../../data/verdicts.ts'
import { type Direction, type ListRow, moved } from './layout.ts'
import type { Link, QuoteWish, Waiting } from './linked.ts'
import { fit, type Zoom } from './zooming.ts'

export type PageLayout = 'wall' | 'grid' | 'takes'

/** What stands over the page and wants an answer. */
export type Dialog =
  | { readonly is: 'help' }
  | { readonly is: 'note' }
  | { readonly is: 'prompt' }
  | { readonly is: 'send' }
  | OpenQuote

/** An amount that stands open, with what was asked for. */
export interface OpenQuote {
  readonly is: 'quote'
  readonly of: string
  readonly wish: QuoteWish
  readonly quote?: ShownQuote
  readonly trouble?: string
  /** What would be ordered is another by now than what is shown, and nobody has seen that. */
  readonly isOver?: true
}

/** A prompt that was edited in the manifest, by the id of that. */
interface PromptChange {
  /** In words, for whoever undoes it. */
  readonly what: string
  readonly address: string
  readonly edit: string
}

/** Two results beside each other: the one at the cursor, about which is decided, and another. */
export interface Pair {
  readonly with: string
  /** On which side the one at the cursor stands: the one that was looked at first is on the left. */
  readonly here: 'left' | 'right'
  readonly how: 'side by side' | 'slider'
  /** An arrow keeps its side, and rejects the other. */
  readonly isDuel?: true
}

/** By `draftName`. */
type Drafts = { readonly [about: string]: string }

/** All that decides what is seen. Replaced as a whole, never changed. */
export interface State {
  readonly page: ShownPage
  readonly items: readonly Item[]
  readonly byAddress: ReadonlyMap<string, Shown>
  /** With those that were given and not answered yet. */
  readonly verdicts: VerdictsBy
  readonly choice: Choice
  readonly layout: PageLayout
  /** How wide a card is, in pixels. */
  readonly width: number
  readonly cursor?: string
  /** How often an arrow was pressed: be it that it leads nowhere, the card at the cursor is brought into sight. */
  readonly moves: number
  /** The result at the cursor fills the page. */
  readonly isOpen: boolean
  readonly comparison?: Pair | undefined
  /** The other side of the next comparison. */
  readonly marked?: string
  /** Shared by all pictures that are looked at. */
  readonly zoom: Zoom
  readonly undo: readonly (UndoableDeed | PromptChange)[]
  /** Notes and prompts that were begun and are not kept yet, by what they are about. */
  readonly drafts: Drafts
  readonly dialog?: Dialog | undefined
  readonly said?: string
  /** The same may be said twice. */
  readonly saidNth: number
  readonly order?: ShownOrder | undefined
  /** What was ordered on this page, by its addresses, until that is over. */
  readonly ordered?: ReadonlySet<string> | undefined
  readonly waiting: Waiting
  readonly trouble?: string
  readonly isPrinting?: boolean
  /** Which family the grid shows, and its axes. */
  readonly grid: { readonly family?: string; readonly rows?: string; readonly columns?: string }
}

/** The one place that changes what is seen. */
export interface Desk {
  readonly state: State
  readonly link: Link
  set(change: Partial<State>): void
  /** What is looked at, in its order and sections. */
  sections(): readonly { readonly title: string; readonly items: readonly Item[] }[]
  /** The same without sections. */
  shown(): readonly Shown[]
  /** Of the list as it is laid out now; arrows move by it. */
  rows: readonly ListRow<Shown>[]
  /** About the result at the cursor, or about one that was held on to. Whether it was taken. */
  decide(decision: Judging, held?: Shown): boolean
  /** Of the manifest: what was seen of it comes by itself. */
  edited(change: PromptChange): void
  undo(): void
  move(direction: Direction): void
  change(change: ShownChange): void
  /** The server that is heard from now on may be another, which counts its writes anew. */
  heardAnew(): void
}

export interface Kept {
  readonly choice?: Choice
  readonly layout?: PageLayout
  readonly width?: number
  readonly cursor?: string
  readonly grid?: State['grid']
  readonly drafts?: Drafts
}

export function openDesk(page: ShownPage, link: Link, kept: Kept, draw: () => void): Desk {
  let server: VerdictsBy = new Map(page.verdicts.map(each => [each.address, each]))
  const byAddress = byAddressOf(page.results)
  let state: State = {
    page,
    items: itemsOf(page.results),
    byAddress,
    verdicts: withGiven(server, link.waiting().verdicts, {
      who: page.who,
      when: nowText(),
      results: byAddress,
    }),
    choice: { ...everything, ...kept.choice },
    layout: kept.layout ?? 'wall',
    width: kept.width ?? 220,
    ...(kept.cursor !== undefined && { cursor: kept.cursor }),
    moves: 0,
    isOpen: false,
    zoom: fit,
    undo: [],
    drafts: kept.drafts ?? {},
    saidNth: 0,
    ...(page.trouble !== undefined && { trouble: page.trouble }),
    waiting: link.waiting(),
    grid: kept.grid ?? {},
  }
  let sections: ReturnType<Desk['sections']> | undefined
  let shown: readonly Shown[] | undefined

  const set = (change: Partial<State>) => {
    const before = state
    const saidNth = state.saidNth + (change.said === undefined ? 0 : 1)
    state = { ...state, ...change, saidNth }
    const isAnother =
      (['items', 'choice', 'layout'] as const).some(name => before[name] !== state[name]) ||
      (before.verdicts !== state.verdicts && goesByVerdicts(state.choice))
    if (isAnother) sections = shown = undefined
    draw()
  }
  const given = (results: ReadonlyMap<string, Shown>) => ({ who: state.page.who, when: nowText(), results })
  const verdictsNow = (results = state.byAddress) =>
    withGiven(server, link.waiting().verdicts, given(results))
  // What was saved a moment ago stands until the server has read it again: the next key goes by it.
  // By the address, after how many writes that was: what was told of it before is older.
  let writtenAt = new Map<string, number>()
  const take = (written: readonly GivenVerdict[], writes: number) => {
    const news = written.filter(({ address }) => (writtenAt.get(address) ?? 0) <= writes)
    for (const { address } of news) writtenAt.set(address, writes)
    // They have the names of now, be this page behind: what comes next goes by these.
    server = withGiven(server, news, given(new Map()))
  }
  const takeAll = (verdicts: readonly ShownVerdict[], writes: number) => {
    const all = new Map(verdicts.map(each => [each.address, each]))
    for (const [address, at] of writtenAt) {
      const own = server.get(address)
      if (at <= writes) continue
      if (own) all.set(address, own)
      else all.delete(address)
    }
    server = all
  }
  const takeBack = async (change: PromptChange) => {
    set({ undo: state.undo.slice(0, -1), cursor: change.address })
    const why = await link.takeBack(change.edit)
    set({ said: why === undefined ? `${change.what}: taken back` : `not taken back: ${why}` })
  }
  link.onSaved(take)
  link.onChange(waiting => {
    // What was said to be done, or taken back, is not.
    const isRefused = waiting.trouble !== undefined && waiting.trouble !== state.waiting.trouble
    set({ waiting, verdicts: verdictsNow(), ...(isRefused && { said: waiting.trouble ?? '' }) })
  })

  const desk: Desk = {
    get state() {
      return state
    },
    link,
    set,
    rows: [],
    sections() {
      return (sections ??= sectionsOf(state))
    },
    shown() {
      return (shown ??= desk.sections().flatMap(({ items }) => items.map(({ result }) => result)))
    },
    decide(decision, held) {
      const result = held ? resultNow(held, state.byAddress) : atCursor(desk)
      if (!result || !state.page.can.judge) return false
      const takes = takesOf(state, result)
      const step = stepFor(decision, result, { verdicts: state.verdicts, takes })
      if (!step) {
        set({ said: whyNotJudged(result) })
        return false
      }
      // A run has the manifest, and the take is picked when that is over.
      const isLater = step.picks.length > 0 && state.page.run !== undefined
      const said = isLater ? `${result.address} approved: its pick waits for the run` : step.what
      // Before the list is another: what is decided may leave it.
      const shown = desk.shown()
      link.send(step)
      const verdicts = verdictsNow()
      const { to, more } =
        'is' in decision && !state.comparison
          ? onFrom(result, shown, verdicts)
          : { to: state.cursor ?? result.address }
      set({
        said: more === undefined ? said : `${said}; ${more}`,
        undo: [...state.undo.slice(-999), step],
        verdicts,
        cursor: to,
        zoom: to === state.cursor ? state.zoom : fit,
      })
      return true
    },
    edited(change) {
      set({ said: change.what, undo: [...state.undo.slice(-999), change] })
    },
    undo() {
      const last = state.undo.at(-1)
      if (!last) return set({ said: 'there is nothing to undo' })
      if ('edit' in last) return void takeBack(last)
      const other = decidedSince(last, state)
      if (other !== undefined) {
        const said = `not taken back: ${other} is decided otherwise by now`
        return set({ said, undo: state.undo.slice(0, -1), cursor: other })
      }
      link.send(last.back)
      const address = last.verdicts[0]?.address
      set({
        said: last.back.what,
        undo: state.undo.slice(0, -1),
        verdicts: verdictsNow(),
        ...(address !== undefined && { cursor: address }),
      })
    },
    move(direction) {
      const here = state.cursor === undefined ? undefined : state.byAddress.get(state.cursor)
      const next = state.isOpen ? along(desk.shown(), here, direction) : moved(desk.rows, here, direction)
      if (!next) return
      const isAnother = next.address !== state.cursor
      set({ moves: state.moves + 1, ...(isAnother && { cursor: next.address, zoom: fit }) })
    },
    heardAnew() {
      writtenAt = new Map()
    },
    change(change) {
      const { results = [], order, verdicts, run, trouble } = change
      const known = new Map(state.byAddress)
      for (const each of results) known.set(each.address, each)
      const all = (order ?? state.page.results.map(({ address }) => address)).flatMap(
        each => known.get(each) ?? [],
      )
      if (verdicts) takeAll(verdicts, change.writes ?? 0)
      if (change.given) take(change.given, change.writes ?? 0)
      const { run: _, ...rest } = state.page
      const page: ShownPage = { ...rest, results: all, ...(run && { run }) }
      const isAnother = results.length > 0 || order !== undefined
      const { trouble: __, ...bare } = state
      state = { ...bare, ...(trouble !== undefined && { trouble }) }
      const areOthers = verdicts !== undefined || change.given !== undefined
      const byAddress = isAnother ? byAddressOf(all) : state.byAddress
      // What waits goes along with what is called otherwise now.
      const areMoved = isAnother && link.waiting().verdicts.length > 0
      set({
        page,
        ...(isAnother && { items: itemsOf(all), byAddress }),
        ...((areOthers || areMoved) && { verdicts: verdictsNow(byAddress) }),
      })
    },
  }
  return desk
}

/** As verdicts have their dates: `2026-03-01T09:30:00Z`. */
export function nowText(): string {
  return `${new Date(systemClock.wall()).toISOString().slice(0, 19)}Z`
}

function byAddressOf(results: readonly Shown[]): ReadonlyMap<string, Shown> {
  return new Map(results.map(each => [each.address, each]))
}

function sectionsOf({ items, choice, verdicts, layout }: State): ReturnType<Desk['sections']> {
  const found = sorted(fitting(items, choice, verdicts), choice.sort, verdicts)
  if (layout !== 'takes') return inSections(found, choice.group, verdicts)
  // A job with all of its takes, whichever of them was looked for; one alone is nothing to choose from.
  const jobs = new Set(found.map(({ result }) => result.job))
  const several = new Set(items.flatMap(({ result }) => (result.take > 1 ? [result.job] : [])))
  return inSections(
    items.filter(({ result }) => jobs.has(result.job) && several.has(result.job)),
    'job',
    verdicts,
  )
}

/** All takes of the job that a result belongs to. */
export function takesOf({ page }: Pick<State, 'page'>, { job }: Shown): readonly Shown[] {
  return page.results.filter(each => each.job === job)
}

/**
 * Where a decision about a result leads: to what is behind it, from the last to the first that is undecided, and nowhere where
 * there is none, which is told.
 */
function onFrom(
  { address }: Shown,
  shown: readonly Shown[],
  verdicts: VerdictsBy,
): { readonly to: string; readonly more?: string } {
  const at = shown.findIndex(each => each.address === address)
  const behind = shown.slice(at + 1).find(canBeJudged)
  if (behind) return { to: behind.address }
  const open = shown.filter(each => canBeJudged(each) && verdictOn(each, verdicts)?.is === undefined)
  const [first] = open
  if (!first) return { to: address, more: 'nothing here is undecided' }
  // The last one was made undecided.
  if (open.some(each => each.address === address)) return { to: address }
  return { to: first.address, more: `back to the first of ${open.length} undecided` }
}

function along(shown: readonly Shown[], here: Shown | undefined, direction: Direction): Shown | undefined {
  if (direction === 'first' || direction === 'last') return shown.at(direction === 'first' ? 0 : -1)
  const at = shown.findIndex(each => each.address === here?.address)
  if (at < 0) return shown[0]
  return shown[at + (direction === 'left' || direction === 'up' ? -1 : 1)] ?? here
}

/** A chip is pressed. */
export function press(desk: Desk, facet: Facet, value: string): void {
  const { choice } = desk.state
  desk.set({ choice: { ...choice, chosen: toggled(choice.chosen, facet, value) } })
}

/** As many as there are, in the order and the sections that were chosen. */
export function showAll(desk: Desk): void {
  desk.set({ choice: { ...desk.state.choice, chosen: everything.chosen, words: '' } })
}

/** What keys are about. */
export function atCursor({ state }: Desk): Shown | undefined {
  return state.cursor === undefined ? undefined : state.byAddress.get(state.cursor)
}

/** Where nothing can be decided about it, that is said instead. */
export function openNote(desk: Desk, result: Shown): void {
  if (!desk.state.page.can.judge) return
  desk.set(canBeJudged(result) ? { dialog: { is: 'note' } } : { said: whyNotJudged(result) })
}

/** A report has no manifest to write to, or to order by. */
export function canEdit({ state }: Desk): boolean {
  const { judge, sends } = state.page.can
  return judge && !sends
}
