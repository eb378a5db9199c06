import { error } from '../base/diagnostic.ts'
import type { WireMode } from '../base/state.ts'
import type { FilledEntry } from './filled.ts'
import { type OwnKey, ownKeys } from './shape.ts'
import type { Tell } from './tell.ts'
import { readChoice, readText, readTexts, readTime, readWhole, type Word } from './values.ts'

/** A job's own values, beside its model. */
export interface Own {
  readonly takes: number
  readonly needs: readonly Word[]
  readonly output?: Word
  readonly tags: readonly string[]
  readonly mode?: WireMode
  readonly workflow?: string
  readonly timeoutMs?: number
  readonly retries: number
  /** Codes of warnings to leave out. */
  readonly lint: readonly string[]
}

export function readOwn(entries: ReadonlyMap<OwnKey, FilledEntry>, tell: Tell): Own {
  const read = <T>(key: OwnKey, reader: (entry: FilledEntry) => T): T | undefined => {
    const entry = entries.get(key)
    return entry && reader(entry)
  }
  read('description', entry => readText(entry, tell))
  const output = read('output', entry => readText(entry, tell))
  const mode = read('mode', entry => readChoice(entry, ownKeys.mode.form, tell))
  const workflow = read('workflow', entry => readWorkflow(entry, tell))
  const timeoutMs = read('timeout', entry => readTime(entry, tell))
  return {
    takes: read('takes', entry => readWhole(entry, ownKeys.takes.form, tell)) ?? 1,
    needs: read('needs', entry => readTexts(entry, tell)) ?? [],
    ...(output && { output }),
    tags: [...new Set(read('tags', entry => readTexts(entry, tell))?.map(tag => tag.text))],
    ...(mode && { mode: mode as WireMode }), // One of the words of the key's form.
    ...(workflow !== undefined && { workflow }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    retries: read('retries', entry => readWhole(entry, ownKeys.retries.form, tell)) ?? 0,
    lint: read('lint', entry => readTexts(entry, tell))?.map(code => code.text) ?? [],
  }
}

/** A name in the service's address: its segments must not lead elsewhere. */
function readWorkflow(entry: FilledEntry, tell: Tell): string | undefined {
  const word = readText(entry, tell)
  if (!word) return undefined
  const isSafe = word.text
    .split('/')
    .every(segment => /^[^\s\p{Cc}?#\\]+$/u.test(segment) && !/^\.\.?$/.test(segment))
  if (isSafe) return word.text
  const hint = 'write the name as the service knows it, for instance acme/upscale'
  tell(
    error('bad-value', word.at, '`workflow` is a name without blanks, backslashes, `?`, `#` and `..`', hint),
  )
  return undefined
}
