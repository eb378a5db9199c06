import { defined } from '../../base/defined.ts'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import type { Reference, ReferencedFiles, Selector } from '../shapes/filled.ts'
import { type Names, type PathStep, placeText } from './names.ts'

/**
 * `jobs.<id>.output`, `.outputs`, `.outputs[n]`, `.pick` and `.matrix`, between them a cell in brackets:
 * `jobs.still['product=AS-101'].output`.
 */
export function jobReference(steps: readonly PathStep[], at: Span, names: Names): Reference | undefined {
  const [job, ...behind] = steps
  if (!job) return undefined
  if (job.by !== 'name') {
    names.report(error('unknown-name', job.at, 'a job is read by its id', 'write jobs.<id>.output'))
    return undefined
  }
  if (!names.jobs.has(job.name)) {
    names.report(unknownJob(job.name, job.at, names.jobs))
    return undefined
  }
  const selector = selectorOf(behind[0])
  if (selector && 'code' in selector) {
    names.report(selector)
    return undefined
  }
  const files = filesOf(job.name, job, selector ? behind.slice(1) : behind)
  if ('code' in files) {
    names.report(files)
    return undefined
  }
  const { file, start, end } = at
  return {
    kind: 'reference',
    file,
    start,
    end,
    job: job.name,
    jobAt: job.at,
    files,
    ...defined({ selector }),
  }
}

/** A cell chosen in brackets; undefined where a file is named instead. */
function selectorOf(place: PathStep | undefined): Selector | Diagnostic | undefined {
  if (!place) return undefined
  if (place.by === 'all') return { at: place.at, words: ['*'] }
  if (place.by === 'index') return { at: place.at, words: [String(place.index)] }
  if (!place.isBracketed || fileWords.includes(place.name)) return undefined
  return readSelector(place.name, place.at)
}

/** `product=AS-101,ratio=1x1`, `AS-101,*`, `#2`. */
export function readSelector(text: string, at: Span): Selector | Diagnostic {
  const match = /^([^#]*)(?:#(\d+))?$/.exec(text.trim())
  const inner = match?.[1]?.trim() ?? ''
  const take = match?.[2] === undefined ? undefined : Number(match[2])
  const words = inner === '' ? [] : inner.split(',').map(word => word.trim())
  if (!match || words.includes('') || (words.length === 0 && take === undefined)) {
    const hint =
      "write keys or axes with keys: ['AS-101,1x1'], ['product=AS-101'], ['*'] for all, ['#2'] for a take"
    return error('bad-selector', at, 'this chooses no cell', hint)
  }
  return { at, words, ...defined({ take }) }
}

const fileWords = ['output', 'outputs', 'pick', 'matrix']

function filesOf(id: string, job: PathStep, steps: readonly PathStep[]): ReferencedFiles | Diagnostic {
  const [word, nth, beyond] = steps
  if (!word) {
    const hint = `write ${jobPath(id)}.output for its file`
    return error('unknown-name', job.at, `${id} is a job and no value`, hint)
  }
  if (word.by !== 'name' || !fileWords.includes(word.name)) return unknownProperty(word)
  const excess = word.name === 'outputs' ? beyond : nth
  if (excess) return takenOutOfFile(id, word.name, excess)
  if (word.name === 'output') return { which: 'output' }
  if (word.name === 'pick') return { which: 'pick' }
  if (word.name === 'matrix') return { which: 'matrix' }
  if (!nth) return { which: 'all' }
  if (nth.by === 'index' && Number.isInteger(nth.index) && nth.index >= 0)
    return { which: 'nth', nth: nth.index, at: nth.at }
  const hint = `write ${jobPath(id)}.outputs[0] for the first, ${jobPath(id)}.outputs for all`
  return error('bad-index', nth.at, '`outputs` takes a whole number from 0', hint)
}

function takenOutOfFile(id: string, word: string, excess: PathStep): Diagnostic {
  if (word === 'matrix') return error('unknown-name', excess.at, '`matrix` of a job is taken as a whole')
  const isChoice = word === 'output' && excess.by === 'index'
  const hint = isChoice
    ? `write ${jobPath(id)}.outputs[0] to choose one of several`
    : `write ${jobPath(id)}.output`
  return error('unknown-name', excess.at, 'nothing can be taken out of a file', hint)
}

function unknownProperty(step: PathStep): Diagnostic {
  const name = step.by === 'name' ? step.name : undefined
  const near = name && nearest(name, fileWords)
  const hint = near
    ? `did you mean ${near}`
    : 'a job has `output`, its one file, `outputs`, all of them, and `pick`, the one a person chose'
  const message = name ? `a job has no \`${placeText(step)}\`` : 'a job has files, and nothing else to read'
  return error('unknown-name', step.at, message, hint)
}

/** How a job is written in an expression. */
export function jobPath(id: string): string {
  return /^[A-Za-z_][\w-]*$/.test(id) ? `jobs.${id}` : `jobs['${id}']`
}

/** Those of its cells that a reference chooses: `jobs.still['place=harbour']`. */
export function cellsPath({ job, selector }: Pick<Reference, 'job' | 'selector'>): string {
  if (!selector) return jobPath(job)
  const take = selector.take === undefined ? '' : `#${selector.take}`
  return `${jobPath(job)}['${selector.words.join(',').replaceAll("'", "''")}${take}']`
}

export function unknownJob(id: string, at: Span, jobs: ReadonlySet<string>): Diagnostic {
  const near = nearestJob(id, jobs)
  const some = [...jobs].slice(0, 8)
  const there =
    some.length === 0
      ? undefined
      : `there ${jobs.size === 1 ? 'is' : 'are'} ${jobs.size > 8 ? `${some.join(', ')} …` : listed(some)}`
  return error('unknown-job', at, `there is no job ${id}`, near ? `did you mean ${near}` : there)
}

const guesses = new WeakMap<ReadonlySet<string>, Map<string, string | undefined>>()

/** A job renamed is missed by thousands: each name is looked for once, and only so many names at all. */
function nearestJob(id: string, jobs: ReadonlySet<string>): string | undefined {
  const known = guesses.get(jobs) ?? new Map<string, string | undefined>()
  guesses.set(jobs, known)
  if (!known.has(id) && known.size < mostGuesses) known.set(id, nearest(id, jobs))
  return known.get(id)
}

const mostGuesses = 50
