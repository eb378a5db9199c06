import { heededPicks, unheededPicks } from '../../plan/picks.ts'
import type { Disk } from '../../store/files/disk.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { loadPicks } from '../../store/verdicts/verdicts-file.ts'
import type { WaitingPick } from '../../store/verdicts/waiting-picks.ts'
import type { Recorded, Workspace } from '../workspace.ts'
import { loadDecided } from './left-verdicts.ts'

/** Picks that were asked for on a page, and that nobody has carried out yet, by the path of the verdicts. Those that cannot be read nobody carries out. */
export function waitingPicks(path: string, disk: Disk): readonly WaitingPick[] {
  return readable(() => loadPicks(path, disk))
}

function readable(load: () => readonly WaitingPick[]): readonly WaitingPick[] {
  try {
    return load()
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return []
  }
}

/** What is recorded, with the picks that wait of it: a plan counts them, and a run begins with carrying them out. */
export function withWaitingPicks(
  recorded: Recorded,
  { layout, machine }: Pick<Workspace, 'layout' | 'machine'>,
): Recorded {
  const { purchases, foreign } = recorded
  const waiting = readable(() => loadDecided(layout, machine.disk).picks)
  if (waiting.length === 0) return recorded
  const picks = heededPicks(waiting, purchases, id => foreign?.has(id) === true)
  return { ...recorded, picks, unmet: unheededPicks(waiting, picks) }
}
