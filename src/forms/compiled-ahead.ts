import type { ValidateFunction } from './compile.ts'

/**
 * Validators of built-in models, by their ids. The build puts into this place what ajv writes for all of them, as compiling one
 * takes longer than most of what is asked of it; from the sources each is compiled when its first job appears.
 */
export const compiledAhead: { readonly [id: string]: ValidateFunction | undefined } = {}
