import { relative, sep } from 'node:path'
import type { Plan, Step } from '../../plan/shapes/step.ts'
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
  const missed = others.length > 0 ? steps.filter(isMissed) : []
  if (missed.length === 0) return undefined
  const made = new Map(purchases.flatMap(each => (each.is === 'done' ? [[each.address, each.files]] : [])))
  const missing = missed.flatMap(step => {
    const files = step.do === 'fetch' ? step.entry.files : made.get(step.job.address)
    return files ? [files] : []
  })
  const found = others.map(folder => {
    const find = savedFinder(folder, disk)
    const jobs = missing.filter(files => files.every(file => find(file) === 'same')).length
    return { folder: told(folder, place.folder), jobs }
  })
  const [most] = found.toSorted((a, b) => b.jobs - a.jobs)
  return most && most.jobs > 0 ? most : undefined
}

/** What is paid for once more is told as well, and before all. */
function isMissed(step: Step): step is Step & { do: 'fetch' | 'hold' | 'buy' } {
  if (step.do === 'hold') return step.because.why === 'files-gone'
  if (step.do !== 'buy') return step.do === 'fetch'
  return step.because.some(each => each.why === 'asked' && each.word === '--rebuy')
}

function told(folder: string, from: string): string {
  const path = relative(from, folder)
  return path.startsWith(`..${sep}`) ? folder : path || '.'
}
