import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Diagnostic } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { readRegular } from '../disk/open.ts'
import type { GenerateResult, Generation, MadeFile } from '../run/one-shot/generation.ts'
import { type Content, refused, type ToolResult, withText, wrongCall } from './tool.ts'

/** What a call of `service_generate` comes to. */
export function outcome(result: GenerateResult): ToolResult {
  switch (result.got) {
    case 'refused':
      return refused(result.problems)
    case 'damaged':
      return wrongCall(`${result.message}; ${result.hint}`)
    case 'generation': {
      const made = generated(result.generation)
      return result.problems.length === 0 ? made : withText(made, result.problems.map(warned).join('\n'))
    }
  }
}

function warned({ code, message, hint }: Diagnostic): string {
  // The hint is for people at a command line.
  const advice = code === 'left-behind' ? 'service_result fetches what can be had' : hint
  return `warning: ${message}${advice ? `; ${advice}` : ''}`
}

/** What generations came to, as data. */
export const resultsSchema: JsonObject = {
  type: 'object',
  properties: {
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          model: { type: 'string' },
          rehearsal: { type: 'boolean', description: 'placeholders were made, and nothing was paid' },
          paid: { type: 'integer', description: 'requests that could cost money' },
          files: {
            type: 'array',
            items: {
              type: 'object',
              properties: { path: { type: 'string' }, type: { type: 'string' }, bytes: { type: 'integer' } },
              required: ['path', 'type', 'bytes'],
            },
          },
          run: { type: 'string', description: 'its id at the service' },
        },
        required: ['model', 'rehearsal', 'paid', 'files'],
      },
    },
  },
  required: ['results'],
}

function recordOf({ model, rehearsal, paid, files, run }: Generation): JsonObject {
  return {
    model,
    rehearsal,
    paid: rehearsal ? 0 : paid,
    files: files.map(({ path, type, bytes }) => ({ path, type, bytes })),
    ...(run && { run: run.id }),
  }
}

/** The files as links, and small pictures as they are. */
export function generated(generation: Generation): ToolResult {
  const { files, ending, message, hint, run, rehearsal, model } = generation
  const paths = files.map(file => file.path)
  const told = [message, hint, run && `run ${run.id} of ${run.workflow}`].filter(Boolean).join('; ')
  if (ending === 'detached')
    return wrongCall(`${model}: it goes on at the service (${told}); service_result fetches it`)
  if (ending !== 'made')
    return wrongCall(
      [
        `${model}: ${ending}${told && `: ${told}`}`,
        ...paths.map(path => `kept: ${path}`),
        ...(mayBeBilled(generation) ? [onceMore] : []),
      ].join('\n'),
    )
  const mark = rehearsal ? ' (a rehearsal: placeholders, nothing was paid)' : ''
  const links = files.map(({ path, type }): Content => {
    return { type: 'resource_link', uri: pathToFileURL(path).href, name: basename(path), mimeType: type }
  })
  return {
    content: [
      { type: 'text', text: `${model}${mark}: ${message ?? 'made'}\n${paths.join('\n')}` },
      ...links,
      ...files.flatMap(shown),
    ],
    structured: { results: [recordOf(generation)] },
  }
}

const onceMore = 'called again, service_generate orders it, and may pay for it, once more'

function mayBeBilled({ ending, failure, rehearsal }: Generation): boolean {
  if (ending !== 'failed' || rehearsal) return false
  return failure?.why === 'remote' || failure?.why === 'bad-reply' || failure?.why === 'bad-media'
}

// What is larger fills the context of whoever asked.
const largestInline = 512 * 1024

function shown({ path, type, bytes }: MadeFile): Content[] {
  if (!type.startsWith('image/') || bytes > largestInline) return []
  try {
    return [
      {
        type: 'image',
        data: Buffer.from(readRegular(path, { mostBytes: largestInline })).toString('base64'),
        mimeType: type,
      },
    ]
  } catch {
    // Somebody moved it since it was made; the link still says where it was.
    return []
  }
}
