import type { Desk, Dialog } from '../desk/state.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { NoteDialog } from './note-dialog.tsx'
import { PromptDialog } from './prompt-dialog.tsx'
import { QuoteDialog } from './quote-dialog.tsx'
import { SendDialog } from './send-dialog.tsx'

export function Dialogs({ desk, dialog }: { readonly desk: Desk; readonly dialog: Dialog }) {
  switch (dialog.is) {
    case 'help':
      return <KeysDialog desk={desk} />
    case 'note':
      return <NoteDialog desk={desk} />
    case 'prompt':
      return <PromptDialog desk={desk} />
    case 'send':
      return <SendDialog desk={desk} />
    case 'quote':
      return <QuoteDialog desk={desk} dialog={dialog} />
  }
}
