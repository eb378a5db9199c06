import type { Shown } from '../../data/shown.ts'
import { canBeJudged, formerVerdict, pickWord, verdictOn } from '../../data/verdicts.ts'
import { cardName, grouped, shownCost, stateText } from '../../data/words.ts'
import type { Desk } from '../desk/state.ts'
import { Small } from './media.tsx'
import { Foreign } from './texts.tsx'

interface CardProps {
  readonly desk: Desk
  readonly result: Shown
  readonly width: number
  readonly height: number
  readonly left: number
  /** From 1, of all that are shown. */
  readonly place?: number
  /** Among its takes its number says enough. */
  readonly isAmongTakes?: boolean
  /** Beside it stand results of other jobs. */
  readonly isAmongOthers?: boolean
}

/** What an element on the page is called for the reader of the screen. */
export function cardId(address: string): string {
  return `result ${address}`.replaceAll(' ', '-')
}

/** A result among many: its picture, its name, what was decided. */
export function Card({ desk, result, width, height, left, place, isAmongTakes, isAmongOthers }: CardProps) {
  const { verdicts, cursor, marked, page, ordered } = desk.state
  const verdict = verdictOn(result, verdicts)
  const isOver = formerVerdict(result, verdicts) !== undefined
  const kind = verdict?.is ?? (canBeJudged(result) ? 'open' : 'empty')
  const cost = width > 170 ? shownCost(result, page.currency) : ''
  const isSlim = width < 180 && verdict?.is === 'approved'
  const pick = pickWord(result, page)
  const isOrdered = ordered?.has(result.address) === true
  const classes = [
    'card',
    kind,
    isSlim && 'slim',
    cursor === result.address && 'here',
    marked === result.address && 'marked',
  ]
  return (
    <div
      id={cardId(result.address)}
      class={classes.filter(Boolean).join(' ')}
      role="option"
      aria-selected={cursor === result.address}
      aria-posinset={place}
      aria-setsize={desk.shown().length}
      style={{ width: `${width}px`, height: `${height}px`, left: `${left}px` }}
      onClick={() =>
        cursor === result.address ? desk.set({ isOpen: true }) : desk.set({ cursor: result.address })
      }
      onDblClick={() => desk.set({ cursor: result.address, isOpen: true })}
    >
      <div class="pic" aria-hidden="true">
        <Small result={result} link={desk.link} />
        <Badges result={result} pick={pick} is={verdict?.is} stars={verdict?.stars} />
      </div>
      <div class="cap">
        {isAmongTakes ? (
          <b>take {result.take}</b>
        ) : (
          <CardName result={result} isAmongOthers={isAmongOthers === true} />
        )}
        <span class={result.standing === 'failed' || result.standing === 'doubt' ? 'bad' : ''}>
          <Foreign
            text={
              isOver
                ? `changed since it was judged${cost && ` · ${cost}`}`
                : stateText(result, { cost, isOrdered })
            }
          />
        </span>
        <span class="ear">{earText(result, pick, verdict?.is, verdict?.stars)}</span>
      </div>
    </div>
  )
}

function CardName({ result, isAmongOthers }: { readonly result: Shown; readonly isAmongOthers: boolean }) {
  const { of, name, nth } = cardName(result, isAmongOthers)
  return (
    <b class="two">
      {of === undefined ? null : (
        <span class="of">
          <Foreign text={of} /> ·
        </span>
      )}
      <span dir="auto">
        <Foreign text={name} />
      </span>
      {nth}
    </b>
  )
}

function Badges({
  result,
  pick,
  is,
  stars,
}: {
  result: Shown
  pick: string | undefined
  is: 'approved' | 'rejected' | undefined
  stars: number | undefined
}) {
  return (
    <>
      {is === undefined ? null : (
        <span class={`badge mark ${is}`} aria-hidden="true">
          {is === 'approved' ? '✓' : '✕'}
        </span>
      )}
      {pick === undefined ? null : <span class="badge pick">{pick}</span>}
      {stars === undefined ? null : (
        <span class="badge stars" aria-hidden="true">
          {'★'.repeat(stars)}
        </span>
      )}
      {result.files.length > 1 ? <span class="badge many">{grouped(result.files.length)} files</span> : null}
    </>
  )
}

/** What the eye sees of its picture. */
function earText(
  result: Shown,
  pick: string | undefined,
  is: string | undefined,
  stars: number | undefined,
): string {
  const { address, standing, prompt, altered } = result
  const parts = [
    address,
    standing,
    altered && 'altered on disk',
    pick,
    is ?? 'undecided',
    stars !== undefined && `${stars} stars`,
    prompt?.slice(0, 160),
  ]
  return parts.filter(Boolean).join(', ')
}
