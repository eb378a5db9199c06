import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isNarrowed } from '../data/choose.ts'
import type { Shown } from '../data/shown.ts'
import { grouped } from '../data/words.ts'
import { columnsIn, heightOf, type ListRow, rowsBetween, rowsOf, scrolledTo } from './desk/layout.ts'
import { type Desk, showAll } from './desk/state.ts'
import { Card, cardId } from './parts/card.tsx'
import { Foreign } from './parts/texts.tsx'

const gap = 10
const titleHeight = 44
const captionHeight = 50

/** What is drawn above and below what is in sight, so that scrolling shows no holes. At first nobody scrolls. */
const beyond = 600

/** All that is looked at, of which only what is in sight is there. */
export function List({ desk }: { readonly desk: Desk }) {
  const { state } = desk
  const frame = useRef<HTMLDivElement>(null)
  const { width, height, top } = useView(frame)
  useInWindow(frame, `${state.moves} ${state.cursor}`)
  // On a telephone two beside each other, whatever was chosen on a desk.
  const wanted = Math.min(state.width, Math.max(130, Math.floor((width - gap) / 2)))
  const margin = state.page.of === undefined ? beyond : 0
  const sections = desk.sections()
  // A row for each job: on a wide window its takes are seen larger.
  const most = state.layout === 'takes' ? Math.max(...sections.map(({ items }) => items.length)) : Infinity
  const { columns, cardWidth } = columnsIn(width, { wanted, gap, most })
  const cardHeight = Math.round(cardWidth * 0.75) + captionHeight
  const rows = useMemo(
    () =>
      rowsOf(
        sections.map(({ title, items }) => ({ title, items: items.map(({ result }) => result) })),
        { columns, cardHeight, titleHeight, gap },
      ),
    [sections, columns, cardHeight],
  )
  desk.rows = rows
  const isAmongOthers = useMemo(
    () =>
      state.layout === 'wall' &&
      state.choice.group !== 'job' &&
      new Set(desk.shown().map(({ family }) => family)).size > 1,
    [sections],
  )
  const places = useMemo(
    () => new Map(desk.shown().map((result, nth) => [result.address, nth + 1])),
    [sections],
  )
  // What the cursor has come to is brought into sight; a page that was only scrolled stays where it is.
  useLayoutEffect(() => {
    const row = rows.find(
      each => each.is === 'cards' && each.items.some(({ address }) => address === state.cursor),
    )
    const { current } = frame
    if (!row || !current) return
    const padding = current.querySelector<HTMLElement>('.rows')?.offsetTop ?? 0
    const to = padding + row.top + row.height
    // Above the first cards stands their title.
    const isFirst = rows.find(({ is }) => is === 'cards') === row && to + gap <= current.clientHeight
    current.scrollTop = scrolledTo(
      { from: isFirst ? 0 : padding + row.top, to },
      { scroll: current.scrollTop, size: current.clientHeight, before: padding, after: gap },
    )
  }, [state.cursor, state.moves, columns, state.layout, state.isOpen])
  const drawn = state.isPrinting ? rows : rowsBetween(rows, top - margin, top + height + margin)
  return (
    <div
      class="list"
      ref={frame}
      tabIndex={0}
      role="listbox"
      aria-label="Results"
      aria-activedescendant={chosenIn(drawn, state.cursor)}
    >
      <div class="rows" role="presentation" style={{ height: `${heightOf(rows)}px` }}>
        {drawn.map(row =>
          row.is === 'title' ? (
            <h2
              key={`title ${row.text}`}
              class="row"
              role="presentation"
              style={{ top: `${row.top}px`, height: `${row.height}px` }}
            >
              <Foreign text={row.text} /> <small>{grouped(row.count)}</small>
            </h2>
          ) : (
            <div
              key={row.items[0]?.address}
              class="row"
              role="presentation"
              style={{ top: `${row.top}px`, height: `${row.height}px` }}
            >
              {row.items.map((result, nth) => (
                <Card
                  key={result.address}
                  desk={desk}
                  result={result}
                  width={cardWidth}
                  height={cardHeight}
                  left={nth * (cardWidth + gap)}
                  place={places.get(result.address) ?? 0}
                  isAmongOthers={isAmongOthers}
                />
              ))}
            </div>
          ),
        )}
      </div>
      {desk.shown().length === 0 ? <Empty desk={desk} /> : null}
    </div>
  )
}

/** The card at the cursor, where that is drawn. */
function chosenIn(rows: readonly ListRow<Shown>[], cursor: string | undefined): string | undefined {
  const isDrawn = rows.some(row => row.is === 'cards' && row.items.some(({ address }) => address === cursor))
  return cursor !== undefined && isDrawn ? cardId(cursor) : undefined
}

/** On a small screen the choices that leave nothing are folded away. */
function Empty({ desk }: { readonly desk: Desk }) {
  return (
    <div class="empty">
      <p>{emptyText(desk)}</p>
      {isNarrowed(desk.state.choice) ? (
        <button type="button" onClick={() => showAll(desk)}>
          Show everything
        </button>
      ) : null}
    </div>
  )
}

function emptyText({ state }: Desk): string {
  if (state.items.length === 0) return 'The manifest has no jobs.'
  return state.layout === 'takes'
    ? 'No job with several takes fits.'
    : 'Nothing fits. Take a chip or a word away.'
}

interface View {
  readonly width: number
  readonly height: number
  readonly top: number
}

/** In a low window the page scrolls, too: what a key has led to is in sight. Who has only opened it sees its beginning. */
export function useInWindow(frame: { readonly current: HTMLElement | null }, place: string): void {
  const seen = useRef(place)
  useLayoutEffect(() => {
    if (place !== seen.current) frame.current?.scrollIntoView({ block: 'nearest' })
    seen.current = place
  }, [place])
}

/** How large an element is and how far it is scrolled, without its padding. */
export function useView(frame: { readonly current: HTMLElement | null }): View {
  const [view, setView] = useState<View>({ width: 1000, height: 800, top: 0 })
  useLayoutEffect(() => {
    const { current } = frame
    if (!current) return undefined
    const measure = () => {
      const style = getComputedStyle(current)
      const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight)
      const next = {
        width: current.clientWidth - padding,
        height: current.clientHeight,
        top: current.scrollTop,
      }
      setView(last => (isSame(last, next) ? last : next))
    }
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(current)
    current.addEventListener('scroll', measure, { passive: true })
    return () => {
      watch.disconnect()
      current.removeEventListener('scroll', measure)
    }
  }, [])
  return view
}

function isSame(a: View, b: View): boolean {
  return a.width === b.width && a.height === b.height && a.top === b.top
}
