import { defined } from '../base/defined.ts'
import type { JobAddress } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import type { SavedFile } from '../base/state.ts'
import { addressNow, type ShownFiles, shownNames } from '../plan/follow-verdicts.ts'
import { type Found, verifySaved } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { putVerdicts } from '../store/verdicts/put-verdicts.ts'
import { type PersonsVerdict, readVerdict } from '../store/verdicts/verdicts-text.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import { alteredHint } from '../wording/hints.ts'
import { thisMachine } from '../workspace/machine.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'

/** Where verdicts go, and of what results. */
interface Bench {
  /** The file. */
  readonly path: string
  readonly manifest: string
  /** What is there now, by its address: a verdict is about something that can be seen. */
  readonly shown: ReadonlyMap<JobAddress, ShownFiles>
  /** How the files of a result are found that `shown` has: they are read. */
  readonly find: (address: JobAddress) => Promise<readonly FoundFile[]>
  /** What is to be picked along with them, by what became of them: it is written down in one go. */
  readonly picks?: (judged: Judged) => readonly WaitingPick[]
}

/** What became of verdicts that were given. */
interface Judged {
  /** The addresses that results have now, by those that they had when they were seen. */
  readonly renamed: ReadonlyMap<string, JobAddress>
  /** Not written down, and why: their results are others by now, or they are no verdicts. */
  readonly refused: readonly RefusedVerdict[]
}

export interface FoundFile {
  readonly path: string
  readonly is: Found
  /** Why it cannot be read, where it may be there. */
  readonly why?: string
}

/** By its name and its purchase as it was given. */
interface RefusedVerdict {
  readonly address: string
  readonly of?: string
  readonly why: string
}

export type JudgeResult =
  | Damaged
  | (Judged & {
      readonly got: 'judged'
      readonly verdicts: readonly PersonsVerdict[]
      /** Those that were written down now. */
      readonly given: readonly PersonsVerdict[]
    })

/**
 * Writes verdicts down, beside the lock. Those about files that are not there any more, or are not what was made, are given back.
 * Buys nothing.
 */
export async function judge(
  given: readonly unknown[],
  { path, manifest, shown, find, picks = () => [] }: Bench,
): Promise<JudgeResult> {
  const verdicts: PersonsVerdict[] = []
  const refused: RefusedVerdict[] = []
  const renamed = new Map<string, JobAddress>()
  const nameNow = addressNow(shown)
  for (const each of given) {
    const read = readVerdict(each)
    const verdict = read && aboutShown({ ...read, address: nameNow(read) }, shown)
    if (read && verdict && read.address !== verdict.address) renamed.set(read.address, verdict.address)
    const why = verdict ? await whyNot(verdict, shown, find) : 'it is no verdict'
    if (!verdict || why !== undefined)
      refused.push({ address: addressIn(each), ...defined({ of: read?.of }), why: why ?? '' })
    else verdicts.push(verdict)
  }
  try {
    const all = await putVerdicts(
      { path, manifest, disk: thisMachine.disk, nameNow: shownNames(shown) },
      verdicts,
      picks({ renamed, refused }),
    )
    return { got: 'judged', verdicts: all, given: verdicts, renamed, refused }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** As it was given, be it no verdict: whoever gave several hears which one that is. */
function addressIn(given: unknown): string {
  const named = typeof given === 'object' && given !== null && 'address' in given ? given.address : undefined
  return typeof named === 'string' ? named : ''
}

/** Reads a file, and whatever keeps it from being read, nobody can see it. */
export async function findFile(file: SavedFile, output: string): Promise<FoundFile> {
  const { path } = file
  try {
    return { path, is: await verifySaved(file, output) }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return { path, is: 'missing', why: trouble.detail }
  }
}

/** What is decided about is what is shown, whatever the page or the file knew of it. */
function aboutShown(verdict: PersonsVerdict, shown: Bench['shown']): PersonsVerdict {
  return { ...verdict, ...defined({ of: shown.get(verdict.address)?.of }) }
}

async function whyNot(
  { address, seen }: PersonsVerdict,
  shown: Bench['shown'],
  find: Bench['find'],
): Promise<string | undefined> {
  const files = shown.get(address)
  if (!files) return `there are no files of ${address}`
  // Whatever was seen, it may be what was put in the place of the result.
  const found = await find(address)
  const pathsThat = (is: Found) => found.flatMap(each => (each.is === is ? [each.path] : []))
  const [altered, missing] = [pathsThat('altered'), pathsThat('missing')]
  if (altered.length > 0) return alteredText(address, altered)
  if (missing.length > 0)
    return `${listed(missing)} of ${address} ${missing.length === 1 ? 'is' : 'are'} gone`
  return files.seen.join() === seen.join()
    ? undefined
    : `the files of ${address} are others than those that were seen`
}

/** `hero was altered since it was made (hero.png): put back …`. */
function alteredText(address: JobAddress, paths: readonly string[]): string {
  return `${address} was altered since it was made (${listed(paths)}): ${alteredHint}`
}
