import { purchaseId } from '../../base/names.ts'
import { type JournalRecord, journalFormat } from '../../base/purchase.ts'
import { isCount, isRecord, readFile, readFlaw, readRecipe, readRun } from '../lock/lock-entry.ts'

type Form = (value: unknown) => boolean

const text: Form = value => typeof value === 'string'
const name: Form = value => typeof value === 'string' && value !== ''
const id: Form = value => typeof value === 'string' && purchaseId(value) !== undefined
const maybe =
  (form: Form): Form =>
  value =>
    value === undefined || form(value)
const list =
  (form: Form): Form =>
  value =>
    Array.isArray(value) && value.every(form)
const members = (forms: { readonly [member: string]: Form }): Form => {
  const all = Object.entries(forms)
  return value => isRecord(value) && all.every(([member, form]) => form(value[member]))
}
const oneOf =
  (member: string, forms: { readonly [word: string]: Form }): Form =>
  value => {
    const word = isRecord(value) ? value[member] : undefined
    return typeof word === 'string' && Object.hasOwn(forms, word) && forms[word]?.(value) === true
  }

const run: Form = value => readRun(value) !== null
const file: Form = value => readFile(value) !== undefined
const recipe: Form = value => typeof readRecipe(value) !== 'string'
const flaw: Form = value => readFlaw(value) !== null
const remote = oneOf('from', { link: members({ url: text }), spool: members({ path: text }) })
const beginning = members({ resource: text, etag: text, bytes: isCount, total: maybe(isCount), sha256: text })

const because: Form = value => failure(value)
const numbers = ['status', 'asked', 'got', 'seconds', 'failures']
/** A reason that a later genrun has is told like any other; what is in it is text and numbers. */
const failure: Form = value => {
  if (!isRecord(value) || typeof value.why !== 'string') return false
  if (value.why === 'closed' && !because(value.because)) return false
  const known = ['detail', 'workflow', 'origin', 'path', 'run', 'address']
  return (
    known.every(member => maybe(text)(value[member])) &&
    numbers.every(member => maybe(isCount)(value[member]))
  )
}

const saved = members({ nth: isCount, file, part: text, flaw: maybe(failure) })
const part = members({ nth: isCount, part: text, beginning })

const order = { id, address: name, recipe, acceptedAs: maybe(recipe), credits: maybe(isCount) }
const record = oneOf('is', {
  open: members(order),
  doubt: members({ ...order, detail: text, since: maybe(isCount), raws: list(text) }),
  'under-way': members({
    ...order,
    run: maybe(run),
    acceptedAt: maybe(isCount),
    files: maybe(list(remote)),
    saved: list(saved),
    parts: list(part),
  }),
  done: members({ ...order, files: list(file), run: maybe(run), flaw: maybe(flaw) }),
  failed: members({ ...order, flaw, run: maybe(run), files: maybe(list(file)) }),
})

const decision = oneOf('is', { adopt: members({ run }), over: () => true, abandon: () => true })
const bought = (forms: { readonly [member: string]: Form }) => members({ purchase: id, ...forms })
const told = { credits: maybe(isCount) }

const forms: { readonly [Kind in JournalRecord['kind']]: Form } = {
  OPEN: members({
    format: value => value === journalFormat,
    lineage: text,
    lock: maybe(text),
    tool: maybe(text),
  }),
  INTENT: bought({
    attempt: text,
    address: name,
    recipe,
    mode: maybe(text),
    request: maybe(text),
    workflow: maybe(text),
    origin: maybe(text),
  }),
  SENDING: bought({ attempt: text }),
  NOTSENT: bought({ attempt: text }),
  REFUSED: bought({ attempt: text, detail: text }),
  DOUBT: bought({ attempt: text, detail: text, raw: maybe(text) }),
  ACCEPTED: bought({ attempt: text, run }),
  RESULT: bought({ files: list(remote), run: maybe(run), ...told }),
  PART: bought({ nth: isCount, part: text, beginning }),
  SAVED: bought({ nth: isCount, file, part: text, flaw: maybe(failure) }),
  DONE: bought({ files: list(file), run: maybe(run), flaw: maybe(failure), ...told }),
  FAILED: bought({ failure, run: maybe(run), files: maybe(list(file)), ...told }),
  STANDS: bought({ record }),
  RESOLVE: bought({ decision }),
  REDO: members({ takes: list(name) }),
  LOCK: members({ lock: text }),
  CLOSE: members({ lock: maybe(text), skipped: maybe(list(name)) }),
}

/**
 * Whether it is a record as genrun writes them. The chain tells that nobody altered one by accident; a journal that somebody committed
 * has a chain that is right, too, and whatever they liked in it.
 */
export function isEntry(value: unknown): value is JournalRecord & { readonly at: number } {
  if (!isRecord(value)) return false
  const { kind, at } = value
  // Beyond it there is no date.
  if (typeof at !== 'number' || Math.abs(at) > 8.64e15) return false
  return typeof kind === 'string' && Object.hasOwn(forms, kind) && forms[kind as JournalRecord['kind']](value)
}
