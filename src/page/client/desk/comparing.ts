import type { Shown } from '../../data/shown.ts'
import { canBeJudged, verdictOn } from '../../data/verdicts.ts'
import { atCursor, type Desk, type State, takesOf } from './state.ts'
import { fit } from './zooming.ts'

/** Beside the other side of it; a second time it is over. */
export function toggleComparison(desk: Desk): void {
  const { state } = desk
  if (state.comparison) return desk.set({ comparison: undefined, zoom: fit })
  const result = atCursor(desk)
  const other = result && partnerOf(state, result, desk.shown())
  if (other === undefined || other === result?.address) return
  // What was marked was looked at before.
  const here = other === state.marked ? 'right' : 'left'
  desk.set({ comparison: { with: other, here, how: 'side by side' }, zoom: fit })
}

/** Takes of one job against each other, two at a time: the one that is left is picked. Each step can be undone. */
export function beginDuel(desk: Desk): void {
  const result = atCursor(desk)
  const all = result ? contenders(desk, result) : []
  const own = all.find(({ address }) => address === result?.address) ?? all[0]
  const other = all.find(each => each !== own)
  if (!own || !other) return desk.set({ said: noDuel })
  desk.set({
    cursor: own.address,
    comparison: { with: other.address, here: 'left', how: 'side by side', isDuel: true },
    zoom: fit,
  })
}

const noDuel = 'a duel takes two takes of one job that are not rejected'

/** Why a result is in no duel; undefined where it can be. */
export function whyNoDuel(desk: Desk, result: Shown): string | undefined {
  return contenders(desk, result).length < 2 ? noDuel : undefined
}

/** The other one is rejected, and the next take comes in its place. */
export function keepSide(desk: Desk, side: 'left' | 'right'): void {
  const { comparison, cursor = '' } = desk.state
  if (!comparison) return
  const isHere = side === comparison.here
  const [winner, loser] = isHere ? [cursor, comparison.with] : [comparison.with, cursor]
  desk.set({ cursor: loser })
  desk.decide({ is: 'rejected' })
  const kept = desk.state.byAddress.get(winner)
  const next = kept && contenders(desk, kept).find(({ address }) => address !== winner)?.address
  if (next === undefined) {
    desk.set({ cursor: winner, comparison: undefined, zoom: fit })
    return void desk.decide({ is: 'approved' })
  }
  const [own, other] = isHere ? [winner, next] : [next, winner]
  desk.set({ cursor: own, comparison: { ...comparison, with: other }, zoom: fit })
}

function contenders({ state }: Desk, result: Shown): Shown[] {
  return takesOf(state, result).filter(
    each => canBeJudged(each) && verdictOn(each, state.verdicts)?.is !== 'rejected',
  )
}

/** The other side of a comparison: what was marked, the picked take, another take, or what comes next. */
function partnerOf(state: State, result: Shown, shown: readonly Shown[]): string | undefined {
  const { marked } = state
  if (marked !== undefined && marked !== result.address && state.byAddress.has(marked)) return marked
  const takes = takesOf(state, result).filter(each => each.address !== result.address && canBeJudged(each))
  const take =
    takes.find(({ picked }) => picked) ??
    takes.find(each => verdictOn(each, state.verdicts)?.is !== 'rejected')
  return (take ?? takes[0])?.address ?? neighbour(shown, result)
}

/** The one behind it, or before it at the end. */
function neighbour(shown: readonly Shown[], { address }: Shown): string | undefined {
  const at = shown.findIndex(each => each.address === address)
  return (shown[at + 1] ?? shown[at - 1])?.address ?? address
}
