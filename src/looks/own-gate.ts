import type { LookFinding } from '../base/state.ts'
import { runProgram } from './program.ts'

/** A look of a person's own, from their own settings: a program that is given each file and says what it is worth. */
export interface OwnGate {
  /** By which `gate` in a manifest names it. */
  readonly name: string
  /** Absolute. It is started without a shell, without words but the file's path, and without our environment. */
  readonly program: string
}

/** What it is told on its standard input, as one line of JSON. */
interface GateQuestion {
  /** Absolute. The file has no name of its own yet: `type` says what it is. */
  readonly file: string
  readonly type: string
  readonly digest: string
  readonly job: string
  readonly model: string
  readonly params: object
}

const seconds = 60
const mostBytes = 64 * 1024
/** Nobody reads more of a reason, and it stands in the lock. */
const mostWhy = 300

/**
 * What it says of a file: nothing where that is good. Never rejects: a gate that fails, takes too long or says what cannot be read
 * has not looked, which says nothing of the file.
 */
export async function askOwnGate(
  { name, program }: OwnGate,
  question: GateQuestion,
  stop: AbortSignal | undefined,
): Promise<LookFinding | undefined> {
  const pieces: Uint8Array[] = []
  const ended = await runProgram({
    program,
    words: [question.file],
    input: `${JSON.stringify(question)}\n`,
    outputs: [piece => pieces.push(piece)],
    seconds,
    mostBytes,
    stop,
  })
  const unseen = (why: string) => ({ look: name, verdict: 'not looked at' as const, why: brief(why) })
  if (ended.is === 'stopped') return unseen('genrun was stopped')
  if (ended.is === 'failed') return unseen(ended.said ? `${ended.why}: ${ended.said}` : ended.why)
  const said = answerIn(Buffer.concat(pieces).toString('utf8'))
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
