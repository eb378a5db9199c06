import { join } from 'node:path'
import type { Json } from '../../base/names.ts'
import type { Holder } from '../../store/claim/process.ts'
import { writeAtomically } from '../../store/files/atomic-write.ts'
import { makeFolders } from '../../store/files/disk.ts'
import type { Machine } from '../../workspace/machine.ts'

/** What is written down beside the journal of one job without a manifest, before anything is sent. */
interface OrderNote {
  /** The files' name inside the output folder, without ending. */
  readonly name: string
  readonly model: string
  /** Whether the name was asked for, or is a new one each time. */
  readonly named: boolean
  readonly rehearsal: boolean
  /** The call that ordered it, where that is known: the same call goes on with it while it is owed. */
  readonly asked?: string
}

/** The note as it stands in the folder. */
export interface SignedNote extends OrderNote {
  readonly by: Holder
  /** In milliseconds since 1970. */
  readonly since: number
}

const fileName = 'order.json'

/** Makes the state folder with its note, which is durable then. Rejects with StorageError. */
export async function writeNote(
  state: string,
  note: OrderNote,
  { disk, clock, self }: Pick<Machine, 'disk' | 'clock' | 'self'>,
): Promise<void> {
  const signed: SignedNote = { ...note, by: self(), since: clock.wall() }
  await makeFolders(disk, state, 0o700)
  await writeAtomically(disk, join(state, fileName), JSON.stringify(signed), { mode: 0o600 })
}

/** Undefined where there is none. Throws StorageError. */
export function readNote(
  state: string,
  { disk }: Pick<Machine, 'disk'>,
): SignedNote | 'unreadable' | undefined {
  const path = join(state, fileName)
  const seen = disk.look(path)
  if (seen?.is !== 'file') return seen && 'unreadable'
  try {
    const value: Json = JSON.parse(disk.readAll(path).toString())
    return isNote(value) ? value : 'unreadable'
  } catch (trouble) {
    if (trouble instanceof SyntaxError) return 'unreadable'
    throw trouble
  }
}

function isNote(value: unknown): value is SignedNote {
  const note = value as Partial<SignedNote> | null // each member is looked at
  return (
    typeof note === 'object' &&
    typeof note?.name === 'string' &&
    typeof note.model === 'string' &&
    typeof note.since === 'number' &&
    typeof note.by === 'object'
  )
}
