import type { Out } from '../io/out.ts'
import { isActions, type Surroundings } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import type { ReportFiles, Reports } from './reports.ts'

/** Reports of a run for other programs, by the files they go to. */
export function isAnyAsked({ events, junitFile, sarifFile, summaryFile }: ReportFiles): boolean {
  return [events, junitFile, sarifFile, summaryFile].some(path => path !== undefined)
}

/** Nobody else wants to know. */
const silentReports: Reports = { ownsStdout: false, record: () => undefined, end: ({ exit }) => exit }

/** The reports that are asked for; their code is loaded only when there are any. */
export async function openChosen(
  choices: ReportFiles,
  around: Surroundings,
  out: Out,
): Promise<Reports | Trouble> {
  if (!isAnyAsked(choices) && !isActions(around.env)) return silentReports
  return (await import('./reports.ts')).openReports(choices, around, out)
}
