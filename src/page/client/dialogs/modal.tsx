import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Desk } from '../desk/state.ts'
import { Foreign } from '../parts/texts.tsx'

/** Whatever dialog is open. */
export function close(desk: Desk): void {
  desk.set({ dialog: undefined })
}

/** The browser's own dialog: it keeps the keyboard inside, and Esc closes it. */
export function Modal({
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
