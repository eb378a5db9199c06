import type { Json } from '../../base/names.ts'
import type { RenderRequest } from './order/request.ts'

/** A stretch of a clip without a cut, in frames. */
export interface Shot {
  readonly prompt: string
  /** Its place among the shots, from 0. */
  readonly nth: number
  readonly first: number
  readonly frames: number
}

/**
 * The shots from the frame `first` to the end of a clip of so many frames: one; several where a storyboard was sent, or
 * where cutting was left to the model.
 */
export function shotsOf({ prompt, params, seconds }: RenderRequest, frames: number, first = 0): Shot[] {
  const written = params.multiShot === true ? storyboard(params.multiPrompt ?? null) : []
  if (written.length > 0) return cut(written, frames - first, first)
  const mayCut = params.multiShot === true && params.shotType === 'intelligence'
  const count = mayCut ? Math.max(1, Math.min(4, Math.floor((seconds ?? 0) / 2))) : 1
  const alike = Array.from({ length: count }, () => ({ prompt, share: 1 }))
  return cut(alike, frames - first, first)
}

interface Planned {
  readonly prompt: string
  /** Of the clip, beside the other shots' shares. */
  readonly share: number
}

function storyboard(items: Json): Planned[] {
  if (!Array.isArray(items)) return []
  const shots = items.flatMap((item: Json) => {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return []
    const { index, prompt, duration } = item as { readonly [member: string]: Json } // an object, by the line above
    return [{ index: Number(index ?? 0), prompt: String(prompt ?? ''), share: Number(duration ?? 1) }]
  })
  const inOrder = shots.toSorted((a, b) => (a.index || 0) - (b.index || 0))
  return inOrder.map(({ prompt, share }) => ({ prompt, share: share > 0 ? share : 1 }))
}

/** Gives every shot at least one frame, and the last one what is left. */
function cut(planned: readonly Planned[], frames: number, offset: number): Shot[] {
  const shown = planned.slice(0, frames)
  const whole = shown.reduce((sum, shot) => sum + shot.share, 0)
  const shots: Shot[] = []
  let first = 0
  let share = 0
  for (const [nth, shot] of shown.entries()) {
    share += shot.share
    const left = shown.length - nth - 1
    const end =
      left === 0 ? frames : Math.min(frames - left, Math.max(first + 1, Math.round((frames * share) / whole)))
    shots.push({ prompt: shot.prompt, nth, first: offset + first, frames: end - first })
    first = end
  }
  return shots
}
