import { defined } from '../base/defined.ts'
import type { JsonObject } from '../base/names.ts'
import { builtIn, type ModelSet } from '../catalog/model-set.ts'
import { toolSchema } from '../forms/tool.ts'
import { listModels } from '../verbs/models.ts'
import { priceModel } from '../verbs/price.ts'
import { resultsSchema } from './generated.ts'
import { generateTool, noModel, resultTool } from './making.ts'
import { manifestTools } from './manifest-tools.ts'
import { refused, said, type Tool, wrongCall } from './tool.ts'

const text = { type: 'string' } as const
const oneOf = (name: string, description: string): JsonObject => ({
  type: 'object',
  properties: { [name]: { ...text, description } },
  required: [name],
})

/** The tools of the specification and those around a manifest. */
export const toolsFor = (modelSet: ModelSet = builtIn): readonly Tool[] => [
  {
    name: 'service_generate',
    description: 'Makes images, video, sound or speech and saves the files. It costs money every time.',
    inputSchema: toolSchema(modelSet),
    outputSchema: resultsSchema,
    takesParams: true,
    makes: true,
    carryOut: generateTool,
  },
  {
    name: 'service_result',
    description:
      'Fetches what service_generate paid for and could not save: calls that were cancelled or cut off. Costs nothing.',
    inputSchema: {
      type: 'object',
      properties: { run: { ...text, description: 'the id of one run; all that are open without it' } },
    },
    outputSchema: resultsSchema,
    makes: true,
    carryOut: resultTool,
  },
  {
    name: 'service_models',
    description: 'Lists the models, or those that match all words.',
    inputSchema: {
      type: 'object',
      properties: {
        words: {
          type: 'array',
          items: text,
          description: 'of id, name, family, mode, or image, video, audio, speech',
        },
      },
    },
    outputSchema: {
      type: 'object',
      properties: { models: { type: 'array', items: { type: 'object' } } },
      required: ['models'],
    },
    carryOut({ words }) {
      // Checked against the schema.
      const found = listModels((words ?? []) as string[], modelSet)
      const models = found.map(({ id, name, modes }) => ({ id, name, modes }))
      return { ...said(models), structured: { models } }
    },
  },
  {
    name: 'service_model_info',
    description: 'All parameters of one model, with their values and defaults.',
    inputSchema: oneOf('model', 'its id'),
    outputSchema: {
      type: 'object',
      properties: { id: text, name: text, modes: { type: 'array', items: text } },
      required: ['id', 'name', 'modes'],
    },
    carryOut(args) {
      const info = listModels([], modelSet).find(each => each.id === args.model)
      return info
        ? said(info)
        : wrongCall(`there is no model ${String(args.model)}; service_models lists them`)
    },
  },
  {
    name: 'service_pricing',
    description: 'What a generation costs, by what it is counted; takes what service_generate takes.',
    inputSchema: toolSchema(modelSet),
    outputSchema: {
      type: 'object',
      properties: { model: text, quantities: { type: 'object' }, cost: { type: 'object' } },
      required: ['model', 'quantities', 'cost'],
    },
    takesParams: true,
    carryOut({ model, ...params }, { cwd, prices }) {
      if (typeof model !== 'string') return wrongCall(noModel(model))
      const priced = priceModel({ model, params, cwd, modelSet, ...defined({ prices }) })
      return priced.got === 'price' ? said(priced.price) : refused(priced.problems)
    },
  },
  ...manifestTools,
]
