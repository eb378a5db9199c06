import type { Shown } from '../../data/shown.ts'
import type { Desk } from './state.ts'

/** What a note is about, whatever that is called by then. */
export function draftName({ of, address }: Shown): string {
  return of ?? address
}

/** The same of another prompt that is written for it. */
export function promptDraftName(result: Shown): string {
  return `prompt ${draftName(result)}`
}

/** What somebody has begun to write; undefined where nothing of it is to be kept. */
export function keepDraft(desk: Desk, about: string, text: string | undefined): void {
  const { [about]: _, ...others } = desk.state.drafts
  desk.set({ drafts: text === undefined ? others : { ...others, [about]: text } })
}
