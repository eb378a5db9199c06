import type { Digest, JobAddress } from '../base/names.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { putVerdicts } from '../store/verdicts/verdicts-file.ts'
import { type PersonsVerdict, readVerdict } from '../store/verdicts/verdicts-text.ts'
import { thisMachine } from '../workspace/machine.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'

/** Where verdicts go, and of what results. */
interface Bench {
  /** The file. */
  readonly path: string
  readonly manifest: string
  /** What is there now, by its address: a verdict is about something that can be seen. */
  readonly shown: ReadonlyMap<JobAddress, readonly Digest[]>
}

type JudgeResult =
  | Damaged
  | {
      readonly got: 'judged'
      readonly verdicts: readonly PersonsVerdict[]
      /** Those that were written down now. */
      readonly given: readonly PersonsVerdict[]
      /** Not written down, and why: their results are others by now, or they are no verdicts. */
      readonly refused: readonly { readonly address: string; readonly why: string }[]
    }

/** Writes verdicts down, beside the lock. Those about files that are not there any more are given back. Buys nothing. */
export async function judge(
  given: readonly unknown[],
  { path, manifest, shown }: Bench,
): Promise<JudgeResult> {
  const verdicts: PersonsVerdict[] = []
  const refused: { address: string; why: string }[] = []
  for (const each of given) {
    const verdict = readVerdict(each)
    const why = verdict ? whyNot(verdict, shown) : 'it is no verdict'
    if (!verdict || why !== undefined) refused.push({ address: verdict?.address ?? '', why: why ?? '' })
    else verdicts.push(verdict)
  }
  try {
    const all = await putVerdicts({ path, manifest, disk: thisMachine.disk }, verdicts)
    return { got: 'judged', verdicts: all, given: verdicts, refused }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

function whyNot({ address, seen }: PersonsVerdict, shown: Bench['shown']): string | undefined {
  const files = shown.get(address)
  if (!files) return `there is no result called ${address}`
  return files.join() === seen.join()
    ? undefined
    : `the files of ${address} are others than those that were seen`
}
