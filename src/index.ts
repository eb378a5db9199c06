/**
 * The library's door: `createGenrun`, and the verbs over the same rooms as the command line. Nothing here
 * prints or exits, and only `fromEnv` reads the environment.
 */
export type { Diagnostic, ProblemRecord } from './base/diagnostic.ts'
export { problemRecord } from './base/diagnostic.ts'
export { renderProblem } from './base/excerpt.ts'
export type { Failure } from './base/failure.ts'
export { failureMessage } from './base/failure.ts'
export type { Model, ModelId } from './catalog/index.ts'
export { models } from './catalog/index.ts'
export type { AnyModelId, FileInput, OwnParams, ParamsFor, ParamsOf } from './catalog/params-of.ts'
export type { GenerateOptions, SaveOptions } from './sdk/calls.ts'
export { GenrunError } from './sdk/error.ts'
export { createGenrun } from './sdk/genrun.ts'
export type {
  GenrunOptions,
  OtherService,
  RehearsalOptions,
  ServiceOptions,
  SpendingCaps,
} from './sdk/options.ts'
export { fromEnv } from './sdk/options.ts'
export type { ByteStream, Collected, Generated, GeneratedFile } from './sdk/results.ts'
export type { ManifestRun, RunOptions } from './sdk/run.ts'
export type { Pending, RunLinks, RunLook, SubmittedRun } from './sdk/runs.ts'
export type { Genrun } from './sdk/verbs.ts'
export * from './verbs/index.ts'
