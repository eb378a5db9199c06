import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { SavedFile } from '../base/state.ts'
import type { Found } from '../store/files/outputs.ts'
import { findFile } from '../verbs/judge.ts'
import { isSameStamp, type Stamp, stampOf } from '../workspace/read/stamp.ts'

/** Whether files are those that the records call by their digests: each is read when it is shown first, and again when it was touched. */
export interface Proofs {
  of(file: SavedFile, output: string): Promise<Found>
  /** As far as anybody has asked. */
  isAltered(file: Pick<SavedFile, 'path' | 'digest'>): boolean
}

interface Proof {
  readonly stamp: Stamp
  readonly digest: string
  readonly found: Found
}

/** `news`: another file is altered by now than before, or one is as it was made again. */
export function openProofs(clock: Clock, news: () => void): Proofs {
  const proofs = new Map<string, Proof>()
  const underWay = new Map<string, Promise<Found>>()

  async function prove(file: SavedFile, output: string): Promise<Found> {
    const { path, digest } = file
    const place = join(output, path)
    const stamp = stampOf(place)
    const known = proofs.get(path)
    if (known?.digest === digest && isSameStamp(known.stamp, stamp)) return known.found
    const { is: found } = await findFile(file, output)
    // Written to in this very moment it may get other bytes without another date.
    const isOld = clock.wall() - stamp.changedAt > youngMs && isSameStamp(stamp, stampOf(place))
    proofs.set(path, { stamp: isOld ? stamp : { is: 'young' }, digest, found })
    const wasAltered = known?.digest === digest && known.found === 'altered'
    if (wasAltered !== (found === 'altered')) news()
    return found
  }

  return {
    of(file, output) {
      const name = `${file.digest} ${file.path}`
      const known = underWay.get(name)
      if (known) return known
      const work = prove(file, output).finally(() => underWay.delete(name))
      underWay.set(name, work)
      return work
    },
    isAltered({ path, digest }) {
      const known = proofs.get(path)
      return known?.digest === digest && known.found === 'altered'
    },
  }
}

/** Dates on a disk are no finer than that. */
const youngMs = 50
