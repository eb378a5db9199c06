import { type Model, outputKind } from '../catalog/index.ts'
import { builtIn, type ModelSet } from '../catalog/model-set.ts'
import { type ModelInfo, modelInfo } from '../forms/info.ts'

/** The catalog as records, in its own order; with words, the models that are found under all of them: see `searchWords`. */
export function listModels(words: readonly string[] = [], modelSet: ModelSet = builtIn): ModelInfo[] {
  return modelSet.models
    .filter(model => words.every(word => isFoundUnder(model, word.toLowerCase())))
    .map(model => modelInfo(model))
}

/** What a model is found under: id, name, family, modes, and what it makes (`image`, `video`, `audio`, `speech`). */
export function searchWords(model: Model): string[] {
  const { id, name, family, modes } = model
  const makes = [outputKind(model), ...(modes.includes('tts') ? ['speech'] : [])]
  return [id, name, family, ...modes, ...makes]
}

function isFoundUnder(model: Model, word: string): boolean {
  return searchWords(model).some(text => text.toLowerCase().includes(word))
}
