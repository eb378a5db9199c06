import { useState } from 'preact/hooks'
import type { Shown } from '../../data/shown.ts'
import { resultNow } from '../../data/verdicts.ts'
import { draftName, keepDraft } from '../desk/drafts.ts'
import type { Desk } from '../desk/state.ts'
import { useDraft } from './draft.tsx'
import { close, Modal } from './modal.tsx'

/** What is said of a result, beside the decision about it. */
export function NoteDialog({ desk }: { readonly desk: Desk }) {
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
