import { counted } from '../base/measure.ts'
import type { JobReport } from '../wording/report.ts'

/** What was found by looking at a job's files, a line each: `hero.png: blank (fail): it is one color`. */
export function lookLines({ files }: Pick<JobReport, 'files'>): string[] {
  return files.flatMap(({ path, looked }) => {
    if (!looked) return []
    const found = (looked.found ?? []).map(
      ({ look, verdict, why }) => `${path}: ${look} (${verdict})${why === undefined ? '' : `: ${why}`}`,
    )
    return looked.why === undefined ? found : [...found, `${path}: not looked at: ${looked.why}`]
  })
}

/** The looks that found something, each once: `blank, twice`; empty where none did. */
export function lookNamesIn({ files }: Pick<JobReport, 'files'>): string {
  const found = files.flatMap(({ looked }) => looked?.found ?? [])
  return [...new Set(found.flatMap(({ look, verdict }) => (verdict === 'not looked at' ? [] : [look])))].join(
    ', ',
  )
}

/** A look found something that its job calls a failure. */
export function failsItsLooks({ files }: Pick<JobReport, 'files'>): boolean {
  return files.some(({ looked }) => looked?.verdict === 'fail')
}

/** What could not be looked at in this run, in one line: how many files, and why the first was not. Undefined where there is none. */
export function notLookedText(jobs: readonly JobReport[]): string | undefined {
  const came = jobs.filter(({ ending }) => ending === 'made' || ending === 'fetched')
  const missed = came
    .flatMap(({ files }) => files)
    .flatMap(({ path, looked }) => {
      const found = looked?.found?.find(({ verdict }) => verdict === 'not looked at')
      const why = found ? [found.look, found.why].filter(Boolean).join(': ') : looked?.why
      return why === undefined ? [] : [{ path, why }]
    })
  const [first] = missed
  if (!first) return undefined
  const which =
    missed.length === 1 ? first.path : `${counted(missed.length, 'file')}, for instance ${first.path}`
  return `not looked at: ${which} (${first.why})`
}
