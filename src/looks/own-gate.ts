import type { Digest } from '../base/names.ts'
import type { LookFinding } from '../base/state.ts'
import { runProgram } from './program.ts'

/** A look of a person's own, or one of a checkout's that they have read: whoever is given each file and says what it is worth. */
export type OwnGate = {
  /** By which `gate` in a manifest names it. */
  readonly name: string
  /** The file of a secret of the person's, absolute: answers that are kept count where it made them. None is kept when absent. */
  readonly secret?: string
} & (
  | {
      /** Absolute. It is started without a shell, without words but the file's path, and without our environment. */
      readonly program: string
      /** Of a program in a checkout, as it was read: it is started as that, or not at all. */
      readonly digest?: Digest
    }
  /** Where the file is sent to: https, or http of this machine. */
  | { readonly url: string }
  /** A checkout's that nobody has read. It is known by its name, and never asked: why. */
  | { readonly barred: string }
)

/** What it is told: a program on its standard input, as one line of JSON. */
export interface GateQuestion {
  /** Absolute. The file has no name of its own yet: `type` says what it is. */
  readonly file: string
  readonly type: string
  readonly digest: string
  readonly job: string
  readonly model: string
  readonly params: object
}

/** What it may take and say. */
export const gateLimits = { seconds: 60, bytes: 64 * 1024 }
/** Nobody reads more of a reason, and it stands in the lock. */
const mostWhy = 300

/** What came of asking: a text that may be an answer, or why there is none. */
export type GateWord = { readonly text: string } | { readonly unseen: string }

/** Starts the program of a gate. Never rejects. */
export async function askProgram(
  program: string,
  question: GateQuestion,
  stop: AbortSignal | undefined,
): Promise<GateWord> {
  const pieces: Uint8Array[] = []
  const ended = await runProgram({
    program,
    words: [question.file],
    input: `${JSON.stringify(question)}\n`,
    outputs: [piece => pieces.push(piece)],
    seconds: gateLimits.seconds,
    mostBytes: gateLimits.bytes,
    stop,
  })
  if (ended.is === 'stopped') return { unseen: 'genrun was stopped' }
  if (ended.is === 'failed') return { unseen: ended.said ? `${ended.why}: ${ended.said}` : ended.why }
  return { text: Buffer.concat(pieces).toString('utf8') }
}

/**
 * What a gate says of a file: nothing where that is good. One that fails, takes too long or says what cannot be read has not
 * looked, which says nothing of the file.
 */
export function findingOf(name: string, word: GateWord): LookFinding | undefined {
  const unseen = (why: string) => ({ look: name, verdict: 'not looked at' as const, why: brief(why) })
  if ('unseen' in word) return unseen(word.unseen)
  const said = answerIn(word.text)
  if (!said) return unseen('it says no `{ "verdict": "ok" | "warn" | "fail" }`')
  const { verdict, score, why } = said
  if (verdict === 'ok') return undefined
  const told = typeof why === 'string' && why.trim() !== '' ? why.trim() : `${name} says ${verdict}`
  return { look: name, verdict, why: brief(typeof score === 'number' ? `${told} (${score})` : told) }
}

interface Answer {
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly score?: unknown
  readonly why?: unknown
}

function answerIn(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('verdict' in value)) return undefined
    const { verdict } = value
    return verdict === 'ok' || verdict === 'warn' || verdict === 'fail' ? { ...value, verdict } : undefined
  } catch {
    return undefined
  }
}

/** A stranger's model may have written it: no control characters reach a terminal. */
function brief(text: string): string {
  return [...text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim()].slice(0, mostWhy).join('')
}
