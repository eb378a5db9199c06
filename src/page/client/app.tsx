import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { Shown, ShownPage } from '../data/shown.ts'
import { canBeJudged, savedText, saying, verdictOn } from '../data/verdicts.ts'
import { counted, grouped, resultsText } from '../data/words.ts'
import { Compare } from './compare.tsx'
import { quoteRejected, quoteRest, rejectedJobs } from './desk/quotes.ts'
import type { Desk } from './desk/state.ts'
import { Dialogs } from './dialogs/dialogs.tsx'
import { AxesGrid } from './grid.tsx'
import { List } from './list.tsx'
import { Decisions, LookAtOne } from './look.tsx'
import { Foreign, NoAnswer } from './parts/texts.tsx'
import { Side } from './side.tsx'

/** The whole page. */
export function App({ desk }: { readonly desk: Desk }) {
  const { state } = desk
  const result = state.cursor === undefined ? undefined : state.byAddress.get(state.cursor)
  const isCovered = result !== undefined && (state.isOpen || state.comparison !== undefined)
  // What is covered nobody sees: it is drawn anew when it is seen again, with the pictures that it needs then.
  const under = useRef<VNode>(null)
  if (!isCovered || state.isPrinting || !under.current) under.current = <All desk={desk} />
  return (
    <>
      <div class="app" inert={isCovered || state.page.of !== undefined}>
        {under.current}
      </div>
      {result && state.comparison ? (
        <Compare desk={desk} comparison={state.comparison} result={result} />
      ) : result && state.isOpen ? (
        <LookAtOne desk={desk} result={result} />
      ) : null}
      {state.dialog ? <Dialogs key={state.dialog.is} desk={desk} dialog={state.dialog} /> : null}
      <p class="said" role="status">
        {state.said === undefined ? null : (
          <span key={state.saidNth}>
            <Foreign text={state.said} />
          </span>
        )}
      </p>
    </>
  )
}

function All({ desk }: { readonly desk: Desk }) {
  return (
    <>
      <button type="button" class="skip" onClick={toResults}>
        To the results
      </button>
      <Top desk={desk} />
      <Banners desk={desk} />
      <main>
        <Filters desk={desk} />
        {desk.state.layout === 'grid' ? <AxesGrid desk={desk} /> : <List desk={desk} />}
      </main>
      {desk.state.layout === 'takes' ? <DecideHere desk={desk} /> : null}
      <Bottom desk={desk} />
    </>
  )
}

/** Where takes stand side by side they are decided on: what the keys do, about the one that is chosen. */
function DecideHere({ desk }: { readonly desk: Desk }) {
  const { cursor } = desk.state
  const result = desk.shown().find(({ address }) => address === cursor)
  return result ? <Decisions desk={desk} result={result} /> : null
}

/** Past the search and all chips, for whoever goes by the tabulator. */
function toResults(): void {
  document.querySelector<HTMLElement>('.list')?.focus()
}

function Top({ desk }: { readonly desk: Desk }) {
  const { page, choice } = desk.state
  const shown = desk.shown().length
  const all = page.of ?? page.results.length
  return (
    <header class="top">
      <h1>
        <Foreign text={page.name} />
      </h1>
      <input
        type="search"
        value={choice.words}
        placeholder="Search: words of a prompt, a model, a job; -word leaves out"
        aria-label="Search"
        dir="auto"
        autocomplete="off"
        onInput={event => desk.set({ choice: { ...choice, words: event.currentTarget.value } })}
      />
      <output title={page.of === undefined ? resultsText(page.results) : undefined}>
        {shown === all || page.of !== undefined
          ? counted(all, 'result')
          : `${grouped(shown)} of ${counted(all, 'result')}`}
      </output>
      <button type="button" class="quiet" onClick={() => desk.undo()} disabled={desk.state.undo.length === 0}>
        Undo
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => desk.set({ dialog: { is: 'help' } })}
        aria-label="Keys"
      >
        ?
      </button>
    </header>
  )
}

/** On a small screen the choices are folded away. */
function Filters({ desk }: { readonly desk: Desk }) {
  const isWide = matchMedia('(min-width: 760px)').matches
  return (
    <details class="filters" open={isWide}>
      <summary>Layout and filters</summary>
      <Side desk={desk} />
    </details>
  )
}

/** What somebody has to know before anything else. */
function Banners({ desk }: { readonly desk: Desk }) {
  const { page, waiting, trouble, order } = desk.state
  return (
    <div class="banners">
      {page.isRehearsal ? <p>A rehearsal: the files are placeholders, nothing was paid.</p> : null}
      <NoAnswer waiting={waiting} />
      {waiting.trouble === undefined ? null : (
        <p class="bad">
          <Foreign text={waiting.trouble} />
        </p>
      )}
      {trouble === undefined ? null : (
        <p class="bad">
          As it stood before: <Foreign text={trouble} />
        </p>
      )}
      {page.run && order?.is !== 'under way' ? <p class="run">{runText(page.run)}</p> : null}
      {order?.is === 'under way' ? (
        <p class="run" role="status">
          Ordered: {grouped(order.made)} of {grouped(order.of)}{' '}
          <button type="button" onClick={() => void desk.link.stop()}>
            Buy nothing more
          </button>
        </p>
      ) : null}
      {order?.is === 'over' ? (
        <p class={order.isWell ? 'good' : 'bad'} role={order.isWell ? 'status' : 'alert'}>
          <Foreign text={order.text} />{' '}
          <button type="button" class="quiet" onClick={() => desk.set({ order: undefined })}>
            ✕
          </button>
        </p>
      ) : null}
    </div>
  )
}

function runText({
  made,
  left,
  secondsLeft,
}: {
  made?: number
  left?: number
  secondsLeft?: number
}): string {
  if (made === undefined || left === undefined) return 'genrun is at work on this manifest'
  const time = secondsLeft === undefined ? '' : `, about ${Math.ceil(secondsLeft / 60)} min to go`
  return `genrun is at work: ${grouped(made)} made, ${grouped(left)} to come${time}`
}

/** How far it is judged, and what follows from that. */
function Bottom({ desk }: { readonly desk: Desk }) {
  const { page, verdicts, waiting } = desk.state
  const seen = page.results.filter(canBeJudged)
  const words = seen.map(each => verdictOn(each, verdicts)?.is)
  const approved = words.filter(is => is === 'approved').length
  const rejected = words.filter(is => is === 'rejected').length
  const again = new Set(rejectedJobs(desk).map(({ job }) => job)).size
  const open = seen.length - approved - rejected
  const rest = page.results.filter(({ standing }) => standing === 'not made').length
  const said = saying(waiting.verdicts)
  if (!page.can.judge) return null
  // Nothing is counted before all of it is there.
  if (page.of !== undefined) return <footer class="bottom" />
  return (
    <footer class="bottom">
      <progress max={Math.max(1, seen.length)} value={approved + rejected} aria-label="Judged" />
      <span>
        {grouped(approved)} approved · {grouped(rejected)} rejected · {grouped(open)} undecided
      </span>
      {page.can.sends ? null : <span class="soft">{savedText(waiting)}</span>}
      <span class="spring" />
      {page.can.sends ? (
        <button
          type="button"
          class="good"
          disabled={said.length === 0}
          onClick={() => desk.set({ dialog: { is: 'send' } })}
        >
          Save {counted(said.length, 'verdict')} as a file…
        </button>
      ) : null}
      {again > 0 && !page.can.sends ? (
        <button type="button" onClick={() => void quoteRejected(desk)}>
          Re-roll {counted(again, 'job')}… <kbd>r</kbd>
        </button>
      ) : null}
      {!page.can.sends && (rest > 0 || page.results.some(each => isToCome(each, page))) ? (
        <button type="button" onClick={() => void quoteRest(desk)}>
          Order what is not there… <kbd>o</kbd>
        </button>
      ) : null}
    </footer>
  )
}

/** Made anew, or gone on with, by the next run; what one is at work on comes by itself. */
function isToCome({ message, standing }: Shown, { run }: ShownPage): boolean {
  return message?.startsWith('the next run') === true || (standing === 'under way' && !run)
}
