import { hasErrors } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { builtIn, type ModelSet } from '../catalog/model-set.ts'
import { toolSchema } from '../forms/tool.ts'
import { listModels } from '../verbs/models.ts'
import { priceModel } from '../verbs/price.ts'
import { checkFile } from '../workspace/read/check.ts'
import { placeUnder } from '../workspace/read/place-under.ts'
import { generateTool, noModel, resultTool, runTool } from './making.ts'
import { refused, said, type Tool, wrong } from './tool.ts'

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
    carryOut: ({ words }) =>
      // Checked against the schema.
      said(
        listModels((words ?? []) as string[], modelSet).map(({ id, name, modes }) => ({ id, name, modes })),
      ),
  },
  {
    name: 'service_model_info',
    description: 'All parameters of one model, with their values and defaults.',
    inputSchema: oneOf('model', 'its id'),
    carryOut(args) {
      const info = listModels([], modelSet).find(each => each.id === args.model)
      return info ? said(info) : wrong(`there is no model ${String(args.model)}; service_models lists them`)
    },
  },
  {
    name: 'service_pricing',
    description: 'What a generation costs, by what it is counted; takes what service_generate takes.',
    inputSchema: toolSchema(modelSet),
    takesParams: true,
    carryOut({ model, ...params }, { cwd, prices }) {
      if (typeof model !== 'string') return wrong(noModel(model))
      const priced = priceModel({ model, params, cwd, modelSet, ...(prices !== undefined && { prices }) })
      return priced.got === 'price' ? said(priced.price) : refused(priced.problems)
    },
  },
  {
    name: 'service_validate',
    description: 'Checks a manifest (YAML): every problem with its line. Costs nothing.',
    inputSchema: oneOf('manifest', 'its path, in the folder of this server or below'),
    carryOut({ manifest }, { cwd, catalog = [] }) {
      const path = placeUnder(cwd, String(manifest))
      if (path.got === 'outside') return wrong(path.message)
      const { jobs, problems } = checkFile(String(manifest), cwd, { catalog })
      return hasErrors(problems)
        ? refused(problems)
        : said({ ok: true, jobs, warnings: problems.map(each => each.message) })
    },
  },
  {
    name: 'service_run',
    description: 'Makes what a manifest describes and is not made yet. Nothing is paid for twice.',
    inputSchema: oneOf('manifest', 'its path, in the folder of this server or below'),
    makes: true,
    carryOut: runTool,
  },
]
