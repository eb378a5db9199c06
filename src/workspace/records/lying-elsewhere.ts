import { relative, sep } from 'node:path'
import type { Plan, Step } from '../../plan/step.ts'
import { savedFinder } from '../../store/files/outputs.ts'
import type { Recorded, Workspace } from '../workspace.ts'

/** Results that lie in a folder of an earlier run, and are gone from the one that they belong into now. */
export interface LyingElsewhere {
  /** As it is told: from the manifest's folder where it lies there, else absolute. */
  readonly folder: string
  readonly jobs: number
}

/** The folder that has the most of what this plan misses, by names and sizes. Looks, and opens nothing. */
export function lyingElsewhere(
  { steps }: Plan,
  { outputs = [], purchases }: Pick<Recorded, 'outputs' | 'purchases'>,
  { layout, place, machine: { disk } }: Pick<Workspace, 'layout' | 'place' | 'machine'>,
): LyingElsewhere | undefined {
  const others = outputs.filter(folder => folder !== layout.output)
  const missing = others.length > 0 ? steps.flatMap(step => filesMissed(step, purchases)) : []
  const found = others.map(folder => {
    const find = savedFinder(folder, disk)
    const jobs = missing.filter(files => files.every(file => find(file) === 'same')).length
    return { folder: told(folder, place.folder), jobs }
  })
  const [most] = found.toSorted((a, b) => b.jobs - a.jobs)
  return most && most.jobs > 0 ? most : undefined
}

function filesMissed(step: Step, purchases: Recorded['purchases']) {
  if (step.do === 'fetch') return [step.entry.files]
  const isHeld = step.do === 'hold' && step.because.why === 'files-gone'
  // What is paid for once more is told as well, and before all.
  const isRebuy =
    step.do === 'buy' && step.because.some(each => each.why === 'asked' && each.word === '--rebuy')
  if (!isHeld && !isRebuy) return []
  const { address } = step.job
  const made = purchases.findLast(each => each.is === 'done' && each.address === address)
  return made?.is === 'done' ? [made.files] : []
}

function told(folder: string, from: string): string {
  const path = relative(from, folder)
  return path.startsWith(`..${sep}`) ? folder : path || '.'
}
