import type { Shown, ShownQuote } from '../../data/shown.ts'
import { verdictOn } from '../../data/verdicts.ts'
import type { QuoteWish } from './linked.ts'
import type { Desk, OpenQuote } from './state.ts'

/**
 * Rejected, of jobs of which all is: where one take was kept, the others were rejected for it, and another would take its place. Not of
 * one that has an order in doubt: that may bring the other take, and nothing is ordered past it.
 */
export function rejectedJobs(desk: Desk): readonly Shown[] {
  const doubtful = jobsInDoubt(desk)
  return allRejected(desk).filter(({ job }) => !doubtful.has(job))
}

function allRejected({ state }: Desk): Shown[] {
  const isRejected = (each: Shown) => verdictOn(each, state.verdicts)?.is === 'rejected'
  const { results } = state.page
  const kept = new Set(
    results
      .filter(each => (each.files.length > 0 || each.altered) && !isRejected(each))
      .map(({ job }) => job),
  )
  return results.filter(each => isRejected(each) && !kept.has(each.job))
}

function jobsInDoubt({ state }: Desk): ReadonlySet<string> {
  return new Set(state.page.results.filter(({ standing }) => standing === 'doubt').map(({ job }) => job))
}

/** Asks what one take more costs of each job of which all is rejected, and shows it. Buys nothing. */
export async function quoteRejected(desk: Desk): Promise<void> {
  const redo = rejectedJobs(desk).map(({ address }) => address)
  const doubtful = jobsInDoubt(desk)
  const left = [...new Set(allRejected(desk).map(({ job }) => job))].filter(job => doubtful.has(job))
  const waits =
    left.length > 0 ? `an order of ${left.join(', ')} is in doubt, and is settled first` : undefined
  if (redo.length === 0) return desk.set({ said: waits ?? 'there is no job of which everything is rejected' })
  const of = 'One take more where all are rejected'
  await quoteFor(desk, waits === undefined ? of : `${of}; ${waits}`, { redo })
}

/** The same for what the manifest asks for and is not there. */
export async function quoteRest(desk: Desk): Promise<void> {
  await quoteFor(desk, 'Order what is not there', { run: true })
}

/** Shows what was asked for last: while it is counted, somebody may close it and ask for another. */
export async function quoteFor(desk: Desk, of: string, wish: QuoteWish): Promise<void> {
  const { notBuy } = desk.state.page.can
  if (notBuy !== undefined) return desk.set({ dialog: { is: 'quote', of, wish, trouble: notBuy } })
  const dialog: OpenQuote = { is: 'quote', of, wish }
  desk.set({ dialog })
  const answer = await desk.link.quote(wish)
  if (desk.state.dialog === dialog) desk.set({ dialog: { ...dialog, ...answered(answer) } })
}

function answered(answer: ShownQuote | { readonly trouble: string }): Pick<OpenQuote, 'quote' | 'trouble'> {
  return 'trouble' in answer ? { trouble: answer.trouble } : { quote: answer }
}

/**
 * For every change that a page hears of: an amount that stands open is counted once more. Where that is another order by now the one
 * that is shown is over, and is asked for anew by whoever wants it: nobody orders what changed under the finger.
 */
export function quoteKeeper(desk: Desk): () => Promise<void> {
  let isAsking = false
  let isDue = false
  return async function keep() {
    isDue = true
    if (isAsking) return
    isAsking = true
    while (isDue) {
      isDue = false
      await countAgain(desk)
    }
    isAsking = false
  }
}

async function countAgain(desk: Desk): Promise<void> {
  const { dialog } = desk.state
  if (dialog?.is !== 'quote' || !dialog.quote || dialog.isOver) return
  const answer = await desk.link.quote(dialog.wish)
  // Closed, or ordered, meanwhile.
  if (desk.state.dialog !== dialog) return
  const isSame = !('trouble' in answer) && answer.plan === dialog.quote.plan
  desk.set({ dialog: isSame ? { ...dialog, quote: answer } : { ...dialog, isOver: true } })
}
