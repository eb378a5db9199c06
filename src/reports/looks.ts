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
