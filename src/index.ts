/**
 * The library's door: the front desk's verbs over the same rooms as the command line. Nothing here prints, exits or reads
 * the environment.
 */
export type { Diagnostic, ProblemRecord } from './base/diagnostic.ts'
export { problemRecord } from './base/diagnostic.ts'
export { renderProblem } from './base/excerpt.ts'
export type { Failure } from './base/failure.ts'
export { failureMessage } from './base/failure.ts'
export type { Model, ModelId } from './catalog/index.ts'
export { models } from './catalog/index.ts'
export * from './desk/index.ts'
