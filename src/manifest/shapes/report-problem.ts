import type { Diagnostic } from '../../base/diagnostic.ts'

/** Takes note of a problem; checking goes on. */
export type ReportProblem = (problem: Diagnostic) => void
