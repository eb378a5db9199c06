import type { JsonObject } from '../../base/names.ts'
import { lookMeanings, lookNames } from '../../looks/names.ts'

/** What several places of the manifest's schema share. */
export const free = { '^x-': true }
export const expression = { $ref: '#/definitions/expression' }
export const texts = { type: 'array', items: { type: 'string' } }
export const wholeOrExpression = (minimum: number, maximum: number) => ({
  anyOf: [{ type: 'integer', minimum, maximum }, expression],
})
export const silencedCodes = {
  description: 'codes of warnings to leave out',
  anyOf: [{ type: 'string' }, texts],
}

/** What it means when fewer files come than were ordered; also among the defaults. */
export const shortDelivery: JsonObject = {
  description:
    'when fewer files come than were ordered: count the job as failed (the default), take them, or order what is missing',
  anyOf: [{ enum: ['fail', 'accept', 'top-up'] }, expression],
}

/** The word of one look. */
export const gateWord: JsonObject = { anyOf: [{ enum: [...lookMeanings] }, expression] }

const ofGate = { $ref: '#/definitions/gateWord' }

/** What it means that what came looks broken; also among the defaults. */
export const gateKey: JsonObject = {
  description:
    'what it means that what came looks broken: one word for all looks, or by look, also of your own settings (`gates`); `all` is of the others',
  anyOf: [
    ofGate,
    {
      type: 'object',
      properties: {
        ...Object.fromEntries(['all', ...lookNames].map(name => [name, ofGate])),
        retakes: {
          description:
            'how often the job is ordered anew, one take a run, while all that came of it fails its looks; each costs money. When none is left, 0 from the start, nothing is made from what failed until a person approves it',
          ...wholeOrExpression(0, 10),
        },
      },
      additionalProperties: ofGate,
    },
  ],
}

/** Where a job is ordered; also among the defaults. */
export const service: JsonObject = {
  description: 'the service that does it, by its name in your own settings (`services`)',
  anyOf: [{ type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' }, expression],
}

/** A path inside a folder: not of the disk's root, a drive or a home, and not out of the folder again. */
export const insidePath = '^(?!/|~|[A-Za-z]:)(?!(?:.*/)?\\.\\.(?:/|$))[^\\\\]*$'

/** The id of a model may hold slashes. */
export function definitionOf(id: string): JsonObject {
  return { $ref: `#/definitions/${encodeURIComponent(id.replaceAll('~', '~0').replaceAll('/', '~1'))}` }
}
