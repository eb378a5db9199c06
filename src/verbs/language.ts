import type { JsonObject } from '../base/names.ts'
import { manifestSchema } from '../forms/schemas/manifest-schema.ts'
import { functionUsages } from '../manifest/fill/functions.ts'

/** A key of a manifest or of a job, in one line. */
export interface KeyAbout {
  readonly name: string
  readonly says: string
}

/** The words of manifests as data, for pages about them. */
export interface Language {
  readonly top: readonly KeyAbout[]
  /** A job's own keys, beside the parameters of its model. */
  readonly job: readonly KeyAbout[]
  /** As they are written. */
  readonly functions: readonly string[]
}

/** From the published schema, so that no page can say anything else. */
export function manifestLanguage(): Language {
  const { properties, definitions } = manifestSchema() as unknown as Shape
  return {
    top: keysOf({ ...properties, jobs: { description: 'the jobs: from id to job', ...properties.jobs } }),
    job: keysOf(definitions.job.properties),
    functions: functionUsages,
  }
}

/** As far as it is read here; a test of the schema proves the rest. */
interface Shape {
  readonly properties: { readonly [name: string]: JsonObject }
  readonly definitions: { readonly job: { readonly properties: { readonly [name: string]: JsonObject } } }
}

function keysOf(properties: { readonly [name: string]: JsonObject }): KeyAbout[] {
  return Object.entries(properties)
    .filter(([name]) => name !== '$schema')
    .map(([name, { description }]) => ({ name, says: String(description) }))
}
