import { Small } from './media.tsx'
import type { Shown } from './shown.ts'
import type { Desk } from './state.ts'
import { canBeJudged, formerVerdict, pickWord, verdictOn } from './verdicts.ts'
import { cardName, shownCost } from './words.ts'

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
}

/** What an element on the page is called for the reader of the screen. */
export function cardId(address: string): string {
  return `result ${address}`.replaceAll(' ', '-')
}

/** A result among many: its picture, its name, what was decided. */
export function Card({ desk, result, width, height, left, place, isAmongTakes = false }: CardProps) {
  const { verdicts, cursor, marked, page } = desk.state
  const verdict = verdictOn(result, verdicts)
  const isOver = formerVerdict(result, verdicts) !== undefined
  const kind = verdict?.is ?? (canBeJudged(result) ? 'open' : 'empty')
  const cost = width > 170 ? shownCost(result, page.currency) : ''
  const isSlim = width < 180 && verdict?.is === 'approved'
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
        <Badges result={result} is={verdict?.is} stars={verdict?.stars} />
      </div>
      <div class="cap">
        {isAmongTakes ? <b>take {result.take}</b> : <CardName result={result} />}
        <span class={result.standing === 'failed' || result.standing === 'doubt' ? 'bad' : ''}>
          {isOver ? `changed since it was judged${cost && ` · ${cost}`}` : stateText(result, cost)}
        </span>
        <span class="ear">{earText(result, verdict?.is, verdict?.stars)}</span>
      </div>
    </div>
  )
}

function CardName({ result }: { readonly result: Shown }) {
  const { name, nth } = cardName(result)
  return (
    <b class="two">
      <span>{name}</span>
      {nth}
    </b>
  )
}

function Badges({
  result,
  is,
  stars,
}: {
  result: Shown
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
      {pickWord(result) === undefined ? null : <span class="badge pick">{pickWord(result)}</span>}
      {stars === undefined ? null : (
        <span class="badge stars" aria-hidden="true">
          {'★'.repeat(stars)}
        </span>
      )}
      {result.files.length > 1 ? <span class="badge many">{result.files.length} files</span> : null}
    </>
  )
}

/** What the eye sees of its picture. */
function earText(result: Shown, is: string | undefined, stars: number | undefined): string {
  const { address, standing, prompt, altered } = result
  const parts = [
    address,
    standing,
    altered && 'altered on disk',
    pickWord(result),
    is ?? 'undecided',
    stars !== undefined && `${stars} stars`,
    prompt?.slice(0, 160),
  ]
  return parts.filter(Boolean).join(', ')
}

/** How it stands, where that says more than its picture. */
function stateText({ standing, message, model, altered }: Shown, cost: string): string {
  if (altered) return ['! altered on disk', cost].filter(Boolean).join(' · ')
  // The model is what may be cut off.
  if (standing === 'made' && message === undefined) return cost === '' ? model : `${cost} · ${model}`
  const state = standing === 'made' ? '!' : message === undefined ? standing : `${standing}:`
  return [[state, message].filter(Boolean).join(' '), cost].filter(Boolean).join(' · ')
}
