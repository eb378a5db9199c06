import { modelIds, models } from '../catalog/index.ts'
import { type ModelInfo, modelInfo } from '../forms/info.ts'

/** The catalog as records, in its own order; with words, the models in whose id, name, family or modes all of them occur. */
export function listModels(words: readonly string[] = []): ModelInfo[] {
  return modelIds
    .map(id => modelInfo(models[id]))
    .filter(info => words.every(word => matches(info, word.toLowerCase())))
}

function matches(info: ModelInfo, word: string): boolean {
  return [info.id, info.name, info.family, ...info.modes].some(text => text.toLowerCase().includes(word))
}
