import { useRef } from 'preact/hooks'
import { verdictsText } from '../../data/verdicts.ts'
import { type Desk, nowText } from '../desk/state.ts'
import { close, Modal } from './modal.tsx'

/** What was decided, as a file for whoever sent the page. */
export function SendDialog({ desk }: { readonly desk: Desk }) {
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

const nameKeptAs = 'genrun reviewer'

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
