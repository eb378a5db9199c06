import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { display } from '../../base/display.ts'
import type { Shown } from '../data/shown.ts'
import { type AxesBoard, boardOf, gridCards, type ListRow, scrolledTo } from './desk/layout.ts'
import type { Desk } from './desk/state.ts'
import { useInWindow, useView } from './list.tsx'
import { Card } from './parts/card.tsx'
import { Foreign } from './parts/texts.tsx'

const gap = 8
const captionHeight = 50
const beyond = 400

/** Between the margins of a sheet of paper that stands, of either common size. */
const sheetWidth = 700

/** The cells of one job by two of its axes; the others are chips, and what is left of them shares a cell. */
export function AxesGrid({ desk }: { readonly desk: Desk }) {
  const { state } = desk
  const frame = useRef<HTMLDivElement>(null)
  const view = useView(frame)
  useInWindow(frame, `${state.moves} ${state.cursor}`)
  const { height, top } = view
  // On a telephone more than one column is in sight.
  const headWidth = view.width < 500 ? 76 : 120
  const sections = desk.sections()
  const board = useMemo(() => boardOf(desk.shown(), state.page.axes, state.grid), [sections, state.grid])
  const widest = Math.min(state.width, Math.max(120, Math.floor((view.width - headWidth) / 1.6)))
  const onSheet = Math.floor((sheetWidth - headWidth) / Math.max(1, board.columns.length)) - gap
  const most = Math.max(1, ...board.lines.flatMap(({ cells }) => cells.map(cell => cell.length)))
  const room = view.width - headWidth
  const { width, across } = state.isPrinting
    ? { width: Math.min(widest, Math.max(60, onSheet)), across: 1 }
    : gridCards({ room, columns: board.columns.length, most, wanted: widest, gap })
  const step = across * (width + gap)
  const cardHeight = Math.round(width * 0.75) + captionHeight
  const tops = useMemo(() => topsOf(board, { cardHeight, across }), [board, cardHeight, across])
  desk.rows = useMemo(() => rowsFor(board, tops, { cardHeight, across }), [board, tops])
  const widthOf = { rows: headWidth, cell: step, card: width + gap }
  useLayoutEffect(() => {
    const { current } = frame
    const place = placeOf(board, state.cursor ?? '', { tops, widthOf, across, cardHeight })
    if (current && place) bringIntoSight(current, { ...place, width, height: cardHeight })
  }, [state.cursor, state.moves, state.isOpen, state.grid, width, across])
  const total = (tops.at(-1)?.top ?? 0) + (tops.at(-1)?.height ?? 0)
  const visible = board.lines
    .map((line, nth) => ({ line, place: tops[nth] ?? { top: 0, height: 0 } }))
    .filter(
      ({ place }) =>
        state.isPrinting || (place.top + place.height > top - beyond && place.top < top + height + beyond),
    )
  return (
    <div class="grid-frame">
      <Axes desk={desk} board={board} />
      <div
        class="list grid"
        ref={frame}
        tabIndex={0}
        role="listbox"
        aria-label={`Results of ${board.family} by their axes`}
      >
        <div
          class="columns"
          role="presentation"
          style={{ width: `${headWidth + board.columns.length * step}px` }}
        >
          <i class="corner" style={{ width: `${headWidth - gap}px` }} />
          {board.columns.map((column, nth) => (
            <b key={column} style={{ left: `${headWidth + nth * step}px`, width: `${step - gap}px` }}>
              <Foreign text={column} />
            </b>
          ))}
        </div>
        <div
          class="rows"
          role="presentation"
          style={{ height: `${total}px`, width: `${headWidth + board.columns.length * step}px` }}
        >
          {visible.map(({ line, place }) => (
            <div
              key={line.key}
              class="row"
              role="presentation"
              style={{ top: `${place.top}px`, height: `${place.height}px` }}
            >
              <b class="head" style={{ width: `${headWidth - gap}px` }}>
                <span dir="auto">
                  <Foreign text={line.key} />
                </span>
              </b>
              {line.cells.map((cell, nth) => (
                <div
                  key={board.columns[nth]}
                  class="cell"
                  role="presentation"
                  style={{ left: `${headWidth + nth * step}px`, width: `${step - gap}px` }}
                >
                  {cell.map((result, at) => (
                    <div
                      key={result.address}
                      class="stacked"
                      role="presentation"
                      style={{
                        top: `${Math.floor(at / across) * (cardHeight + gap)}px`,
                        left: `${(at % across) * (width + gap)}px`,
                      }}
                    >
                      <Card desk={desk} result={result} width={width} height={cardHeight} left={0} />
                    </div>
                  ))}
                </div>
              ))}
            </div>
          ))}
        </div>
        {board.lines.length === 0 ? <p class="empty">No job with a matrix fits.</p> : null}
      </div>
    </div>
  )
}

interface Cards {
  readonly cardHeight: number
  /** So many of a cell stand beside each other. */
  readonly across: number
}

function topsOf({ lines }: AxesBoard, { cardHeight, across }: Cards): { top: number; height: number }[] {
  let top = 0
  return lines.map(({ cells }) => {
    const most = Math.max(1, ...cells.map(cell => Math.ceil(cell.length / across)))
    const place = { top, height: most * (cardHeight + gap) }
    top += place.height
    return place
  })
}

/** Where a card stands in the rows of the grid. */
function placeOf(
  { lines }: AxesBoard,
  address: string,
  {
    tops,
    widthOf,
    across,
    cardHeight,
  }: Cards & {
    readonly tops: readonly { readonly top: number }[]
    readonly widthOf: { readonly rows: number; readonly cell: number; readonly card: number }
  },
): { readonly top: number; readonly left: number } | undefined {
  for (const [row, { cells }] of lines.entries())
    for (const [column, cell] of cells.entries()) {
      const at = cell.findIndex(each => each.address === address)
      if (at >= 0)
        return {
          top: (tops[row]?.top ?? 0) + Math.floor(at / across) * (cardHeight + gap),
          left: widthOf.rows + column * widthOf.cell + (at % across) * widthOf.card,
        }
    }
  return undefined
}

interface Box {
  readonly top: number
  readonly left: number
  readonly width: number
  readonly height: number
}

/** The heads of rows and columns lie over what is scrolled under them. */
function bringIntoSight(frame: HTMLElement, { top, left, width, height }: Box): void {
  const rows = frame.querySelector<HTMLElement>('.rows')
  const corner = frame.querySelector<HTMLElement>('.corner')
  if (!rows || !corner) return
  const { offsetTop, offsetLeft } = rows
  frame.scrollTop = scrolledTo(
    { from: offsetTop + top, to: offsetTop + top + height },
    { scroll: frame.scrollTop, size: frame.clientHeight, before: offsetTop, after: gap },
  )
  frame.scrollLeft = scrolledTo(
    { from: offsetLeft + left, to: offsetLeft + left + width },
    {
      scroll: frame.scrollLeft,
      size: frame.clientWidth,
      before: corner.offsetWidth + gap,
      after: gap,
    },
  )
}

/** For the arrows: what stands beside each other, cell by cell. */
function rowsFor(
  { lines }: AxesBoard,
  tops: readonly { top: number }[],
  { cardHeight, across }: Cards,
): ListRow<Shown>[] {
  return lines.flatMap(({ cells }, nth) => {
    const most = Math.max(0, ...cells.map(cell => Math.ceil(cell.length / across)))
    return Array.from({ length: most }, (_, at) => ({
      is: 'cards' as const,
      items: cells.flatMap(cell => cell.slice(at * across, (at + 1) * across)),
      top: (tops[nth]?.top ?? 0) + at * (cardHeight + gap),
      height: cardHeight,
    }))
  })
}

function Axes({ desk, board }: { readonly desk: Desk; readonly board: AxesBoard }) {
  const { page, grid } = desk.state
  const choose = (name: 'family' | 'rows' | 'columns') => (event: Event) => {
    const { value } = event.currentTarget as HTMLSelectElement // of a select
    desk.set({
      grid: name === 'family' ? { family: value } : { ...grid, family: board.family, [name]: value },
    })
  }
  const axes = page.axes[board.family] ?? []
  return (
    <div class="axes">
      <label>
        Job <Choices value={board.family} all={Object.keys(page.axes)} choose={choose('family')} />
      </label>
      <label>
        Rows <Choices value={board.rowAxis} all={axes} choose={choose('rows')} />
      </label>
      {axes.length > 1 ? (
        <label>
          Columns <Choices value={board.columnAxis} all={axes} choose={choose('columns')} />
        </label>
      ) : null}
    </div>
  )
}

interface ChoicesProps {
  readonly value: string
  readonly all: readonly string[]
  readonly choose: (event: Event) => void
}

function Choices({ value, all, choose }: ChoicesProps) {
  return (
    <select value={value} onChange={choose}>
      {all.map(each => (
        <option key={each} value={each}>
          {display(each)}
        </option>
      ))}
    </select>
  )
}
