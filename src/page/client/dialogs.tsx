import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { quoteFor } from './quotes.ts'
import type { Shown, ShownQuote } from './shown.ts'
import {
  type Desk,
  type Dialog,
  draftName,
  keepDraft,
  nowText,
  type OpenQuote,
  promptDraftName,
} from './state.ts'
import { Foreign, Joined, Marked } from './texts.tsx'
import { resultNow, verdictsText } from './verdicts.ts'
import { amountText, counted, grouped } from './words.ts'

const layoutKeys = ['w, g, t', 'wall, grid, takes'] as const

type Need = 'judging' | 'a manifest' | 'takes' | 'several' | 'a sound'

type Keys = readonly (readonly [keys: string, does: string, ...needs: readonly Need[]])[]

/** Those that do something on a page that cannot do everything are the ones that need nothing, or what it has. */
const keys: Keys = [
  ['← ↑ ↓ →', 'move; Home and End'],
  ['Space, Enter', 'look at one; again, or Esc: back'],
  ['p', 'pick: this take is the result', 'judging'],
  ['x', 'reject', 'judging'],
  ['u', 'undecided', 'judging'],
  ['1 – 5, 0', 'stars, or none', 'judging'],
  ['n', 'a note', 'judging'],
  ['e', 'edit its prompt in the manifest, and order it anew', 'a manifest'],
  ['c', 'compare: with the marked one, another take, or the next', 'several'],
  [
    'd',
    'a duel of takes: ← or → keeps one and rejects the other; the last one is picked',
    'judging',
    'takes',
  ],
  ['m', 'mark it for the next comparison', 'several'],
  ['s, v', 'in a comparison: slider; swap', 'several'],
  ['z, wheel, drag', 'zoom and move'],
  ['k', 'play or pause a sound', 'a sound'],
  ['f', 'full screen'],
  ['r', 'order one take more where all takes are rejected: shows the amount first', 'a manifest'],
  ['o', 'order what is not there: shows the amount first', 'a manifest'],
  layoutKeys,
  ['/', 'search'],
  ['Ctrl Z', 'undo, as far back as this page', 'judging'],
  ['?', 'this help'],
]

export function Dialogs({ desk, dialog }: { readonly desk: Desk; readonly dialog: Dialog }) {
  switch (dialog.is) {
    case 'help':
      return (
        <Modal desk={desk} title="Keys">
          <dl class="keys">
            {keysThatAct(desk).map(([name, does]) => (
              <div key={name}>
                <dt>
                  <kbd>{name}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Modal>
      )
    case 'note':
      return <Note desk={desk} />
    case 'prompt':
      return <PromptDialog desk={desk} />
    case 'send':
      return <Send desk={desk} />
    case 'quote':
      return <QuoteDialog desk={desk} dialog={dialog} />
  }
}

function keysThatAct(desk: Desk): Keys {
  const { can, axes, results } = desk.state.page
  const has: { readonly [need in Need]: boolean } = {
    judging: can.judge,
    'a manifest': canEdit(desk),
    takes: results.some(({ take }) => take > 1),
    several: results.length > 1,
    'a sound': results.some(({ kind }) => kind === 'audio' || kind === 'speech'),
  }
  return keys
    .filter(([, , ...needs]) => needs.every(each => has[each]))
    .map(each => (each === layoutKeys && Object.keys(axes).length === 0 ? ['w, t', 'wall, takes'] : each))
}

/** A report has no manifest to write to, or to order by. */
export function canEdit({ state }: Desk): boolean {
  const { judge, sends } = state.page.can
  return judge && !sends
}

function close(desk: Desk): void {
  desk.set({ dialog: undefined })
}

/** The browser's own dialog: it keeps the keyboard inside, and Esc closes it. */
function Modal({
  desk,
  title,
  onClosed,
  children,
}: {
  readonly desk: Desk
  readonly title: string
  readonly onClosed?: () => void
  readonly children: ComponentChildren
}) {
  const box = useRef<HTMLDialogElement>(null)
  const [own] = useState(desk.state.dialog?.is)
  // The browser tells of a closed one later: by then a key may have opened another.
  const closed = () => desk.state.dialog?.is === own && close(desk)
  // At once: a key that is pressed before it is open would be the page's.
  useLayoutEffect(() => {
    box.current?.showModal()
    return onClosed
  }, [])
  return (
    <dialog ref={box} aria-label={title} onClose={closed}>
      <header>
        <h2>
          <Foreign text={title} />
        </h2>
        <button type="button" class="quiet" onClick={() => close(desk)} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}

/** What was begun and is left by Esc stays there as a draft; nothing of it is lost but by a word. `saved`: as it was before. */
function useDraft(desk: Desk, about: string, saved: string) {
  const box = useRef<HTMLTextAreaElement>(null)
  const [told, setTold] = useState<string>()
  const draft = desk.state.drafts[about]
  return {
    box,
    draft,
    onInput() {
      const text = box.current?.value ?? ''
      keepDraft(desk, about, text.trim() === saved.trim() ? undefined : text)
    },
    onKeyDown(event: KeyboardEvent) {
      // Of a word that is being written in another script Esc takes back that word alone.
      if (event.key !== 'Escape' || event.isComposing || draft === undefined || told === draft) return
      event.preventDefault()
      setTold(draft)
    },
    cancel() {
      keepDraft(desk, about, undefined)
      close(desk)
    },
    cancelText: draft === undefined ? 'Cancel' : 'Discard the draft',
    status: (
      <p class="soft" role="status">
        {draft === undefined
          ? ''
          : told === draft
            ? 'It stays here as a draft. Esc again closes.'
            : 'A draft.'}
      </p>
    ),
  }
}

function Note({ desk }: { readonly desk: Desk }) {
  const { cursor = '', verdicts, byAddress } = desk.state
  // What it is about stays that, whatever comes meanwhile.
  const [result] = useState(byAddress.get(cursor))
  const [saved] = useState(verdicts.get(cursor)?.note ?? '')
  const about = result ? draftName(result) : ''
  const { box, draft, cancel, cancelText, status, ...heard } = useDraft(desk, about, saved)
  if (!result) return null
  const now = resultNow(result, byAddress)
  const keep = () => {
    const note = box.current?.value.trim() ?? ''
    const isTaken = desk.decide({ note }, result)
    // What was not taken is not lost by that.
    keepDraft(desk, about, isTaken || note === saved ? undefined : note)
    close(desk)
  }
  return (
    <Modal
      desk={desk}
      title={`A note on ${(now ?? result).address}`}
      onClosed={() => tellDraft(desk, result)}
    >
      <textarea
        ref={box}
        rows={5}
        maxLength={4000}
        aria-label="Note"
        dir="auto"
        autofocus
        defaultValue={draft ?? saved}
        {...heard}
      />
      {now ? null : (
        <p class="message" role="alert">
          What you write stays a draft: {notShown}.
        </p>
      )}
      {status}
      <footer>
        <button type="button" onClick={cancel}>
          {cancelText}
        </button>
        <button type="button" class="good" onClick={keep}>
          Keep
        </button>
      </footer>
    </Modal>
  )
}

const notShown = 'the result that it is about is not shown any more'

function tellDraft(desk: Desk, result: Shown): void {
  if (desk.state.drafts[draftName(result)] === undefined) return
  const now = resultNow(result, desk.state.byAddress)
  const why = now ? 'n goes on with it' : notShown
  desk.set({ said: `the note on ${(now ?? result).address} is a draft: ${why}` })
}

function tellPromptDraft(desk: Desk, result: Shown): void {
  if (desk.state.drafts[promptDraftName(result)] !== undefined)
    desk.set({ said: `the prompt of ${result.address} is a draft: e goes on with it` })
}

/** Another prompt for the manifest. What becomes stale by it is shown with its price, and ordered only then. */
function PromptDialog({ desk }: { readonly desk: Desk }) {
  const { cursor = '', byAddress } = desk.state
  const [trouble, setTrouble] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  // What somebody began with stays what it was, whatever comes meanwhile.
  const [result] = useState(byAddress.get(cursor))
  const [was, setWas] = useState(result?.asked ?? result?.prompt ?? '')
  const about = result ? promptDraftName(result) : ''
  const { box, draft, cancel, cancelText, status, ...heard } = useDraft(desk, about, was)
  // It was begun before: who goes on with it sees what it replaces.
  const [isOld] = useState(draft !== undefined)
  // Said before anybody has typed much, who types meanwhile loses nothing where it can be.
  const [may, setMay] = useState<{ readonly not?: string | undefined }>()
  useEffect(() => {
    void desk.link.whyNoEdit({ address: result?.address ?? '', was }).then(not => {
      if (not !== undefined && box.current) box.current.value = was
      setMay({ not })
    })
  }, [])
  if (!result || result.prompt === undefined) return null
  const { address, job, place } = result
  const keep = async () => {
    const prompt = box.current?.value.trim() ?? ''
    if (prompt === was.trim() || prompt === '') return cancel()
    setBusy(true)
    const answer = await desk.link.edit({ address, was, prompt })
    setBusy(false)
    if ('trouble' in answer) {
      const { trouble: why, now } = answer
      // The button that was pressed was off meanwhile, and has lost it.
      box.current?.focus()
      // What was seen is of a prompt before it: whoever has read this one may replace it.
      if (now !== undefined) setWas(now)
      return setTrouble(now === undefined ? why : `${why}: “${now}”. Once more replaces it.`)
    }
    keepDraft(desk, about, undefined)
    desk.edited({ what: `the prompt of ${job} is another now`, address, edit: answer.id })
    await quoteFor(desk, `Order ${job} anew`, { make: address })
  }
  return (
    <Modal desk={desk} title={`The prompt of ${job}`} onClosed={() => tellPromptDraft(desk, result)}>
      <textarea
        ref={box}
        rows={8}
        maxLength={20_000}
        aria-label="Prompt"
        dir="auto"
        readOnly={may?.not !== undefined}
        autofocus
        defaultValue={draft ?? was}
        {...heard}
      />
      {status}
      {isOld && draft !== undefined ? (
        <p class="soft">
          The manifest has:{' '}
          <span class="prompt">
            <Marked text={was} beside={[draft]} />
          </span>
        </p>
      ) : null}
      <MadeFrom result={result} />
      {may?.not === undefined ? null : (
        <p class="message" role="alert">
          It cannot be edited here: <Foreign text={may.not} />
        </p>
      )}
      {trouble === undefined ? null : (
        <p class="message" role="alert">
          <Foreign text={trouble} />
        </p>
      )}
      {may?.not === undefined ? (
        <p class="soft">
          It goes into <Foreign text={place.replace(/:\d+$/, '')} />; nothing is ordered before you have seen
          its price.
        </p>
      ) : null}
      <footer>
        <button type="button" onClick={() => (may?.not === undefined ? cancel() : close(desk))}>
          {may?.not === undefined ? cancelText : 'Close'}
        </button>
        {may?.not === undefined ? (
          <button type="button" class="good" disabled={isBusy} onClick={() => void keep()}>
            Change the manifest
          </button>
        ) : null}
      </footer>
    </Modal>
  )
}

/** What is seen is of another prompt than the manifest has. */
function MadeFrom({ result: { asked, prompt = '', files } }: { readonly result: Shown }) {
  if (asked === undefined) return null
  return (
    <p class="soft">
      {files.length > 0 ? 'What is seen was made from' : 'It was ordered as'}:{' '}
      <span class="prompt">
        <Marked text={prompt} beside={[asked]} />
      </span>
    </p>
  )
}

const nameKeptAs = 'genrun reviewer'

/** What was decided, as a file for whoever sent the page. */
function Send({ desk }: { readonly desk: Desk }) {
  const { page, waiting } = desk.state
  const box = useRef<HTMLInputElement>(null)
  const send = () => {
    const who = box.current?.value.trim() || 'somebody'
    keepName(who)
    const text = verdictsText(waiting.verdicts, { manifest: page.manifest, who, when: nowText() })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = `${page.name}.verdicts.json`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
    close(desk)
    desk.set({ said: `${link.download} is saved` })
  }
  return (
    <Modal desk={desk} title="Save what was decided">
      <p>
        Send the file back to whoever sent you this page: <code>genrun review --take</code> applies it. What
        you decided also stays in this browser.
      </p>
      <label class="choice">
        Your name
        <input ref={box} type="text" maxLength={100} autofocus defaultValue={keptName()} />
      </label>
      <footer>
        <button type="button" onClick={() => close(desk)}>
          Cancel
        </button>
        <button type="button" class="good" onClick={send}>
          Save
        </button>
      </footer>
    </Modal>
  )
}

function keptName(): string {
  try {
    return localStorage.getItem(nameKeptAs) ?? ''
  } catch {
    return ''
  }
}

function keepName(name: string): void {
  try {
    localStorage.setItem(nameKeptAs, name)
  } catch {
    // It is asked for once more then.
  }
}

function QuoteDialog({ desk, dialog }: { readonly desk: Desk; readonly dialog: OpenQuote }) {
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
