import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { exactStatAt, nameAt } from '../../disk/look.ts'
import { hearLooks, type LookFor } from '../../disk/looked.ts'
import { readRegular } from '../../disk/open.ts'
import { writeAtomically } from '../../store/files/atomic-write.ts'
import { systemDisk } from '../../store/files/disk.ts'
import { saidWordsOf } from '../../workspace/layout.ts'
import { contentsOf, folderStampOf, isSameStamp, type Stamped, stampOf } from '../../workspace/read/stamp.ts'

/** What a request was called by: the words of a command line, with all that could give them another meaning. */
export interface SaidWords {
  readonly words: readonly string[]
  readonly cwd: string
  /** The whole environment. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Which genrun, who runs it and on what. */
  readonly tool: string
}

/** What words came to, the last time that they were said. */
interface Meant {
  readonly key: string
  /** Of the request: see `requestDigest`. */
  readonly request: string
  readonly isQuiet: boolean
  /** All that was looked at on the way from the words to the request. */
  readonly seen: readonly Seen[]
}

interface Seen extends Pick<Stamped, 'real' | 'is'> {
  readonly path: string
  readonly wanted: LookFor
  /** Of a file's contents. */
  readonly digest?: string
}

/**
 * What these words mean, if they were said before in the same surroundings, and nothing has changed since that decided it: no
 * settings, no key, no folder in which there could be some. Undefined says nothing at all.
 */
export function recallWords(
  state: string,
  words: SaidWords,
): { readonly request: string; readonly isQuiet: boolean } | undefined {
  const text = Buffer.from(readRegular(saidWordsOf(state), { mostBytes: longest })).toString('utf8')
  const end = text.indexOf('\n') + 1
  if (end === 0 || digestOf(text.slice(0, end)) !== text.slice(end, -1)) return undefined
  const meant: Meant & { readonly format?: unknown } = JSON.parse(text.slice(0, end))
  const isKnown = meant.format === format && meant.key === keyOf(words)
  return isKnown && meant.seen.every(isAsItWas) ? meant : undefined
}

/** Hears what is looked at while words are read, so that they need not be read again. */
interface Hearing {
  /** The words have been read: what is looked at from here on does not decide what they mean. */
  end(): void
  /** Writes down what they came to; nothing where something changed so shortly before that another change could look the same. */
  keep(state: string, words: SaidWords, came: Pick<Meant, 'request' | 'isQuiet'>): Promise<void>
}

/** `beganAt`: before anything was read, in milliseconds since 1970. */
export function hearWords(beganAt: number): Hearing {
  const seen = new Map<string, Look>()
  let isLooking = false
  const end = hearLooks((path, wanted) => {
    if (isLooking) return
    isLooking = true
    const full = resolve(path)
    const known = seen.get(full)
    // The first look counts: what is read later is not older.
    if (known?.wanted !== wanted && known?.wanted !== 'names') seen.set(full, lookAt(full, wanted))
    isLooking = false
  })
  return {
    end,
    async keep(state, words, came) {
      const all = [...seen].map(([path, { look, wanted }]) => ({ path, wanted, look }))
      if (all.some(({ look }) => look.changedAt > beganAt - stepMs)) return
      try {
        const found = all.map(({ path, wanted, look: { real, is } }) => {
          return { path, wanted, ...defined({ real, digest: digestAt(path) }), is }
        })
        const meant: Meant = { key: keyOf(words), ...came, seen: found }
        const text = `${JSON.stringify({ format, ...meant })}\n`
        await writeAtomically(systemDisk, saidWordsOf(state), `${text}${digestOf(text)}\n`, { mode: 0o600 })
      } catch {
        // A file is gone by now, or too large, or nothing can be written there: then the words are read again.
      }
    },
  }
}

interface Look {
  readonly wanted: LookFor
  readonly look: Stamped
}

function isAsItWas({ path, wanted, digest, ...before }: Seen): boolean {
  return isSameStamp(before, lookAt(path, wanted).look) && digestAt(path) === digest
}

/** Of a folder only who it belongs to and where it lies, unless its names were asked for: what comes into it says nothing. */
function lookAt(path: string, wanted: LookFor): Look {
  const look = (is: string) => ({ wanted, look: { is, changedAt: 0 } })
  try {
    const name = nameAt(path)
    if (!name) return look('missing')
    const stat = exactStatAt(path)
    if (!stat) return look('leads nowhere')
    if (!stat.isDirectory() || wanted === 'names') return { wanted, look: stampOf(path) }
    return { wanted, look: { ...folderStampOf(path), changedAt: 0 } }
  } catch (cause) {
    return look(cause instanceof Error && 'code' in cause ? String(cause.code) : 'odd')
  }
}

/** Undefined for all but regular files. Throws for one that is long: no settings are. */
function digestAt(path: string): string | undefined {
  const stat = exactStatAt(path)
  if (!stat?.isFile()) return undefined
  if (stat.size > longest) throw new Error(`${path} is long`)
  return contentsOf(path)
}

/** Shells count for themselves by these: they mean nothing to anybody else. */
const ownOfShells = ['_', 'SHLVL', 'OLDPWD']

function keyOf({ words, cwd, env, tool }: SaidWords): string {
  const variables = Object.entries(env).filter(([name]) => !ownOfShells.includes(name))
  const sorted = variables.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return digestOf(JSON.stringify([tool, cwd, words, sorted]))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const format = 1
const stepMs = 2000
const longest = 4 * 1024 * 1024
