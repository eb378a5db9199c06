/** The front desk: one function per verb. It returns records; it never prints, exits or reads the environment. */
export type { CheckResult } from './check.ts'
export { checkFile } from './check.ts'
export { listModels } from './models.ts'
export type { Ending, Event, JobReport, Planned, Report, Told } from './report.ts'
export type { RunResult } from './run.ts'
export { runManifest } from './run.ts'
export type { Service } from './service.ts'
export type { RunRequest } from './setting.ts'
