import type { ShownFile, ShownQuote } from '../../data/shown.ts'
import type { Deed, GivenPick, GivenVerdict } from '../../data/verdicts.ts'

/** What was decided and has not reached the server's disk, or is not carried out yet. */
export interface Waiting {
  readonly verdicts: readonly GivenVerdict[]
  readonly picks: readonly GivenPick[]
  /** The server cannot be reached. */
  readonly isLost: boolean
  readonly trouble?: string
}

/** What an amount is asked of: one take more of these, what one job asks for by now, or all that is not there. */
export type QuoteWish =
  | { readonly redo: readonly string[] }
  | { readonly make: string }
  | { readonly run: true }

interface PromptEdit {
  readonly address: string
  readonly was: string
  readonly prompt: string
}

/** The way to whoever has the files. */
export interface Link {
  urlOf(file: ShownFile): string
  thumbnailOf(file: ShownFile): string | undefined
  send(change: Deed): void
  waiting(): Waiting
  onChange(hear: (waiting: Waiting) => void): void
  /** Hears what stands on the server's disk now, and after how many writes. */
  onSaved(hear: (given: readonly GivenVerdict[], writes: number) => void): void
  quote(wish: QuoteWish): Promise<ShownQuote | { trouble: string }>
  order(id: string): Promise<string | undefined>
  /** Tries it with placeholders: what came of it, in words. */
  rehearse(id: string): Promise<{ readonly text: string; readonly isWell: boolean }>
  stop(): Promise<void>
  /** Writes another prompt into the manifest, and gives the id of that; or why it was not done, and the prompt that it has by now. */
  edit(
    edit: PromptEdit,
  ): Promise<{ readonly id: string } | { readonly trouble: string; readonly now?: string }>
  /** Why another prompt could not be written there; undefined where it can, or where that cannot be told. */
  whyNoEdit(edit: Omit<PromptEdit, 'prompt'>): Promise<string | undefined>
  /** Writes the manifest as it was before that; why that was not done. */
  takeBack(id: string): Promise<string | undefined>
}
