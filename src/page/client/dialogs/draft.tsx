import { useRef, useState } from 'preact/hooks'
import { keepDraft } from '../desk/drafts.ts'
import type { Desk } from '../desk/state.ts'
import { close } from './modal.tsx'

/** What was begun and is left by Esc stays there as a draft; nothing of it is lost but by a word. `saved`: as it was before. */
export function useDraft(desk: Desk, about: string, saved: string) {
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
