import { builtIn, type Shelf } from '../catalog/shelf.ts'
import { type ModelInfo, modelInfo } from '../forms/info.ts'

/** The catalog as records, in its own order; with words, the models in whose id, name, family or modes all of them occur. */
export function listModels(words: readonly string[] = [], shelf: Shelf = builtIn): ModelInfo[] {
  return shelf.models
    .map(model => modelInfo(model))
    .filter(info => words.every(word => matches(info, word.toLowerCase())))
}

function matches(info: ModelInfo, word: string): boolean {
  return [info.id, info.name, info.family, ...info.modes].some(text => text.toLowerCase().includes(word))
}
