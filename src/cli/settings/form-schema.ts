import type { JsonObject } from '../../base/names.ts'
import { isList, type OptionForm } from '../flags/option.ts'

/** What may stand at a setting, for editors. */
export function formSchema(form: OptionForm): JsonObject {
  if (isList(form))
    return { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string', minLength: 1 } }] }
  switch (form.is) {
    case 'switch':
      return { type: 'boolean' }
    case 'amount':
      return { type: 'number', minimum: 0 }
    case 'count':
      return { type: 'integer', minimum: form.least, maximum: form.most }
    case 'size':
      return {
        anyOf: [
          { type: 'string', pattern: '^[0-9.]+ ?[kKmMgGtT][bB]$' },
          { type: 'integer', minimum: 1 },
        ],
      }
    case 'choice':
      return { enum: [...form.values] }
    default:
      return { type: 'string', minLength: 1 }
  }
}
