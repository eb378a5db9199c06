import type { Desk } from './state.ts'
import { verdictOn } from './verdicts.ts'

/** Rejected, as they are now. */
export function rejectedIn({ state }: Desk): string[] {
  return state.page.results
    .filter(each => verdictOn(each, state.verdicts)?.is === 'rejected')
    .map(({ address }) => address)
}

/** Asks what it costs to order everything that is rejected once more, and shows it. Buys nothing. */
export async function quoteRejected(desk: Desk): Promise<void> {
  const redo = rejectedIn(desk)
  if (redo.length === 0) return desk.set({ said: 'nothing is rejected' })
  await quoteFor(desk, 'Order what is rejected once more', { redo })
}

/** The same for what the manifest asks for and is not there. */
export async function quoteRest(desk: Desk): Promise<void> {
  await quoteFor(desk, 'Order what is not there', { run: true })
}

async function quoteFor(desk: Desk, of: string, wish: Parameters<Desk['link']['quote']>[0]): Promise<void> {
  const { notBuy } = desk.state.page.can
  if (notBuy !== undefined) return desk.set({ dialog: { is: 'quote', of, trouble: notBuy } })
  desk.set({ dialog: { is: 'quote', of } })
  const answer = await desk.link.quote(wish)
  // Somebody who has closed it meanwhile does not want to see it.
  if (desk.state.dialog?.is !== 'quote') return
  desk.set({
    dialog: { is: 'quote', of, ...('trouble' in answer ? { trouble: answer.trouble } : { quote: answer }) },
  })
}
