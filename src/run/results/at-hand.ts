import type { RunId } from '../../base/names.ts'
import type { RunningPurchase, SavedPart } from '../../base/purchase.ts'
import { isUnknownRun } from '../../engine/gates/polls.ts'
import type { Task } from '../../engine/world.ts'
import { digestFile } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import type { Parts } from '../../store/files/parts.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { Wire } from '../../wire/http/wire.ts'

interface Hands {
  readonly tasks: readonly Task[]
  readonly parts: Pick<Parts, 'find'>
  readonly disk: Disk
}

/**
 * A wire that does without its service for a run that this does not know any more, and all of whose files were verified here, and kept
 * from their names (docs/contract.md section 3): by a crash, or by something else that had them.
 */
export function withPartsAtHand<Way extends Pick<Wire, 'read'>>(
  wire: Way,
  underWay: Iterable<RunningPurchase>,
  hands: Hands,
): Way {
  const saved = savedByRun(underWay, hands)
  if (saved.size === 0) return wire
  return {
    ...wire,
    async read(run, signal) {
      const reply = await wire.read(run, signal)
      const isUnknown = reply.got === 'trouble' && isUnknownRun(reply.failure)
      const known = isUnknown ? saved.get(run.id) : undefined
      if (!known || !(await areWhole(known, hands))) return reply
      // Where they came from nobody needs: whoever saves them finds the parts.
      return { got: 'files', files: known.map(({ nth }) => ({ from: 'link', url: `part:${nth}` })) }
    },
  }
}

/** Of those of which as many files are here as the job asks for. */
function savedByRun(
  underWay: Iterable<RunningPurchase>,
  { tasks }: Hands,
): ReadonlyMap<RunId, readonly SavedPart[]> {
  const begun = [...underWay].filter(({ run, saved }) => run && saved.length > 0)
  if (begun.length === 0) return new Map()
  const counts = new Map(tasks.map(({ purchase, job }) => [purchase, job.count]))
  return new Map(
    begun.flatMap(({ id, run, saved }) => (run && saved.length === counts.get(id) ? [[run.id, saved]] : [])),
  )
}

async function areWhole(saved: readonly SavedPart[], { parts, disk }: Hands): Promise<boolean> {
  for (const { part, file } of saved) {
    const path = parts.find(part)
    if (path === undefined || (await digestIfThere(disk, path)) !== file.digest) return false
  }
  return true
}

async function digestIfThere(disk: Disk, path: string) {
  try {
    return await digestFile(disk, path)
  } catch (trouble) {
    if (trouble instanceof StorageError) return undefined
    throw trouble
  }
}
