import type { GenerateRequest, GenerateResult } from '../../src/run/one-shot/generation.ts'
import { type CollectRequest, type CollectResult, collect } from '../../src/verbs/collect.ts'
import { generate } from '../../src/verbs/generate.ts'

/** `generate` for somebody who hears what came of it, as every face does. */
export async function generateHeard(request: GenerateRequest): Promise<GenerateResult> {
  const result = await generate(request)
  if (result.got === 'generation') result.told?.()
  return result
}

/** The same of `collect`. */
export async function collectHeard(request: CollectRequest): Promise<CollectResult> {
  const result = await collect(request)
  if (result.got === 'collected') result.told()
  return result
}
