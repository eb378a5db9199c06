import { useEffect, useState } from 'preact/hooks'
import type { Shown } from '../../data/shown.ts'
import { keepDraft, promptDraftName } from '../desk/drafts.ts'
import { quoteFor } from '../desk/quotes.ts'
import type { Desk } from '../desk/state.ts'
import { Foreign, Marked } from '../parts/texts.tsx'
import { useDraft } from './draft.tsx'
import { close, Modal } from './modal.tsx'

/** Another prompt for the manifest. What becomes stale by it is shown with its price, and ordered only then. */
export function PromptDialog({ desk }: { readonly desk: Desk }) {
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

function tellPromptDraft(desk: Desk, result: Shown): void {
  if (desk.state.drafts[promptDraftName(result)] !== undefined)
    desk.set({ said: `the prompt of ${result.address} is a draft: e goes on with it` })
}
