import { useState } from 'preact/hooks'
import type { ShownQuote } from '../../data/shown.ts'
import { amountText, counted, grouped } from '../../data/words.ts'
import { quoteFor } from '../desk/quotes.ts'
import type { Desk, OpenQuote } from '../desk/state.ts'
import { Foreign, Joined } from '../parts/texts.tsx'
import { close, Modal } from './modal.tsx'

/** What an order comes to, before it is given. */
export function QuoteDialog({ desk, dialog }: { readonly desk: Desk; readonly dialog: OpenQuote }) {
  const { quote, trouble } = dialog
  return (
    <Modal desk={desk} title={dialog.of}>
      {quote === undefined && trouble === undefined ? <p>Counting…</p> : null}
      {trouble === undefined ? null : (
        <p class="message">
          <Foreign text={trouble} />
        </p>
      )}
      {quote ? <Quote desk={desk} quote={quote} dialog={dialog} /> : null}
    </Modal>
  )
}

interface QuoteProps {
  readonly desk: Desk
  readonly dialog: OpenQuote
  readonly quote: ShownQuote
}

function Quote({ desk, dialog, quote }: QuoteProps) {
  const { currency } = desk.state.page
  const { buys, stale, free, held, against, amount, canRehearse } = quote
  const { of, wish, isOver = false } = dialog
  const order = async () => {
    close(desk)
    // Whether it is ordered is told by how it goes: this word only says that it was asked for.
    desk.set({ ordered: new Set(buys.map(({ address }) => address)) })
    const trouble = await desk.link.order(quote.id)
    if (trouble !== undefined) desk.set({ said: trouble, ordered: undefined })
  }
  const [rehearsal, setRehearsal] = useState<{ readonly text: string; readonly isWell?: boolean }>()
  const isRehearsing = rehearsal !== undefined && rehearsal.isWell === undefined
  const rehearse = async () => {
    setRehearsal({ text: 'rehearsing with placeholders …' })
    setRehearsal(await desk.link.rehearse(quote.id))
  }
  const isOff = buys.length + free.length === 0 || against.length > 0
  return (
    <>
      <p class="amount">
        {counted(buys.length, 'result')}: <b>{amount}</b>
      </p>
      {quote.limits.length > 0 ? (
        <p class={quote.isBeyond ? 'message' : 'soft'}>
          Its run may spend at most: <Foreign text={quote.limits.join(', ')} />
          {quote.isBeyond ? '. What is beyond that is left out.' : ''}
        </p>
      ) : null}
      <ul class="buys" hidden={buys.length === 0}>
        {buys.slice(0, 100).map(({ address, model, cost }) => (
          <li key={address}>
            <Foreign text={address} />{' '}
            <span class="soft">
              <Joined
                all={[model, cost !== undefined && currency !== undefined && amountText(cost, currency)]}
              />
            </span>
          </li>
        ))}
        {buys.length > 100 ? <li>and {grouped(buys.length - 100)} more</li> : null}
      </ul>
      {stale.length > 0 ? (
        <p>
          {counted(stale.length, 'job is', 'jobs are')} made from what is there now, and stale then:{' '}
          <Foreign text={listText(stale)} />
        </p>
      ) : null}
      {free.length > 0 ? (
        <p>
          {counted(free.length, 'result is', 'results are')} paid for already, and{' '}
          {free.length === 1 ? 'is' : 'are'} brought: <Foreign text={listText(free)} />
        </p>
      ) : null}
      {held.slice(0, 5).map(each => (
        <p class="soft" key={each}>
          Not ordered: <Foreign text={each} />
        </p>
      ))}
      {held.length > 5 ? <p class="soft">and {grouped(held.length - 5)} more that wait</p> : null}
      {against.map(each => (
        <p class="message" key={each}>
          <Foreign text={each} />
        </p>
      ))}
      {rehearsal === undefined ? null : (
        <p class={rehearsal.isWell === false ? 'message' : 'soft'} role="status">
          <Foreign text={rehearsal.text} />
        </p>
      )}
      {isOver ? (
        <p class="message" role="alert">
          Something has changed since this was counted: it is not ordered like this any more.
        </p>
      ) : null}
      <footer>
        <button type="button" autofocus onClick={() => close(desk)}>
          Cancel
        </button>
        {canRehearse && !isOver ? (
          <button type="button" disabled={isRehearsing} onClick={() => void rehearse()}>
            Rehearse: free
          </button>
        ) : null}
        {isOver ? (
          <button type="button" class="good" onClick={() => void quoteFor(desk, of, wish)}>
            Count anew
          </button>
        ) : (
          <button type="button" class="good" disabled={isOff} onClick={() => void order()}>
            {orderText(quote)}
          </button>
        )}
      </footer>
    </>
  )
}

function orderText({ buys, free, isFree, amount }: ShownQuote): string {
  if (buys.length === 0 && free.length > 0) return 'Go on: nothing is paid'
  return isFree ? 'Order: nothing is paid' : `Order for ${amount}`
}

/** A dozen of them. */
function listText(addresses: readonly string[]): string {
  return `${addresses.slice(0, 12).join(', ')}${addresses.length > 12 ? ' …' : ''}`
}
