import { type Diagnostic, warning, withNotes } from '../../base/diagnostic.ts'
import { expectOf } from '../../forms/expect.ts'
import { entryIn } from '../../text/tree.ts'
import type { SettledJob } from '../resolve/jobs.ts'
import type { FileRef, Project } from '../shapes/job.ts'
import type { RuleJobs } from './rule.ts'

/** First and last frames whose shape is not that of the video they are for: the service would cut or stretch them. */
export function aspectMismatches({ settled, project }: RuleJobs): Diagnostic[] {
  const framed = settled.filter(({ cast: { files } }) => '/startFrame' in files || '/endFrame' in files)
  if (framed.length === 0) return []
  const byAddress = new Map(settled.map(one => [one.cell.address as string, one]))
  const shapeOf = shapes(byAddress, project)
  return framed.flatMap(one => {
    const { cell, cast } = one
    const wanted = cast.params.aspectRatio
    // What nobody wrote the service may well take from the frame.
    if (typeof wanted !== 'string' || cell.own.lint.includes('aspect-mismatch')) return []
    return frames.flatMap(name => {
      const [ref] = Object.entries(cast.files).find(([at]) => at === `/${name}`)?.[1] ?? []
      const shape = ref && shapeOf(ref)
      const given = entryIn(cell.given, name)
      if (!shape || !given || isAlike(shape.ratio, wanted)) return []
      const message = `${name} ${shape.words}, and ${cell.address} is ${wanted}`
      const ratio = entryIn(cell.given, 'aspectRatio')?.value
      const notes = ratio && [{ message: 'the shape of the video', at: ratio }]
      return [withNotes(warning('aspect-mismatch', given.value, message, shape.hint), notes)]
    })
  })
}

const frames = ['startFrame', 'endFrame']

interface Shape {
  /** Width over height, or the words of the catalog. */
  readonly ratio: number | string
  readonly words: string
  readonly hint: string
}

/** Of a job's file by what it was asked for, of a local file by its pixels; nothing is known of a link. */
function shapes(
  byAddress: ReadonlyMap<string, SettledJob>,
  project: Project,
): (ref: FileRef) => Shape | undefined {
  const measured = new Map<string, Shape | undefined>()
  return ref => {
    if (ref.from === 'url') return undefined
    if (ref.from === 'path') {
      if (!measured.has(ref.path)) measured.set(ref.path, pictureShape(ref.path, project))
      return measured.get(ref.path)
    }
    const maker = byAddress.get(ref.address.replace(/#\d+$/, ''))
    const made = maker && expectOf(maker.model, maker.cast.params).aspectRatio
    if (!maker || made === undefined) return undefined
    const words = `comes from ${maker.cell.address} in ${made}`
    return { ratio: made, words, hint: 'give both the same aspectRatio' }
  }
}

function pictureShape(path: string, project: Project): Shape | undefined {
  const size = project.pixels?.(path)
  if (!size) return undefined
  const words = `is a picture of ${size.width}x${size.height}`
  return {
    ratio: size.width / size.height,
    words,
    hint: 'crop the picture, or choose the aspectRatio nearest to it',
  }
}

/** Cameras and screens round: 1366x768 is meant as 16:9. */
const tolerance = 0.02

function isAlike(ratio: number | string, wanted: string): boolean {
  if (ratio === wanted) return true
  const [width = 0, height = 0] = wanted.split(':').map(Number)
  if (typeof ratio === 'string' || !(width > 0 && height > 0)) return typeof ratio !== 'string'
  return Math.abs(Math.log((ratio * height) / width)) <= Math.log(1 + tolerance)
}
