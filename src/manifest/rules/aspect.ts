import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import { expectOf } from '../../forms/expect.ts'
import type { Settled } from '../jobs.ts'

/** First and last frames whose shape is not that of the video they are for: the service would cut or stretch them. */
export function aspectMismatches(settled: readonly Settled[]): Diagnostic[] {
  const byAddress = new Map(settled.map(one => [one.cell.address as string, one]))
  return settled.flatMap(one => {
    const { cell, cast } = one
    const wanted = cast.params.aspectRatio
    // What nobody wrote the service may well take from the frame.
    if (typeof wanted !== 'string' || cell.own.lint.includes('aspect-mismatch')) return []
    return frames.flatMap(name => {
      const [ref] = Object.entries(cast.files).find(([at]) => at === `/${name}`)?.[1] ?? []
      const maker = ref?.from === 'job' ? byAddress.get(ref.address.replace(/#\d+$/, '')) : undefined
      const made = maker && expectOf(maker.model, maker.cast.params).aspectRatio
      const given = cell.given.get(name)
      if (!maker || made === undefined || made === wanted || !given) return []
      const message = `${name} comes from ${maker.cell.address} in ${made}, and ${cell.address} is ${wanted}`
      const ratio = cell.given.get('aspectRatio')?.value
      const notes = ratio && [{ message: 'the shape of the video', at: ratio }]
      return [warning('aspect-mismatch', given.value, message, 'give both the same aspectRatio', notes)]
    })
  })
}

const frames = ['startFrame', 'endFrame']
