import { dirname, join } from 'node:path'
import { systemRandom } from '../base/random.ts'
import { removeQuietly, writeAtomically } from '../store/files/atomic-write.ts'
import { makeFolders, systemDisk } from '../store/files/disk.ts'
import { keepFromGit, refuseForeign } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'

/** Where a page finds its server, and by what token. */
interface Seat {
  /** Of the server before, where pages may still be open: they ask there. */
  readonly port?: number
  readonly token: string
  /** Remembers the port while the server runs. */
  take(port: number): Promise<void>
  /** The server ended as it should, and no page was open: nobody comes back to it. */
  leave(): void
}

/**
 * The seat of a manifest's review. A server that was killed, or ended before its pages, leaves it as it was, so that the next one has the
 * same address and token, and a page that is still open sends what it has kept. It lies in the state folder, which nobody else can read.
 */
export function openSeat(state: string): Seat {
  const path = join(state, 'review.json')
  const { port, token } = leftIn(path) ?? { port: undefined, token: systemRandom.token() }
  return {
    ...(port !== undefined && { port }),
    token,
    async take(taken) {
      try {
        for (const folder of [dirname(state), state]) refuseForeign(systemDisk, folder)
        await makeFolders(systemDisk, state, 0o700)
        await keepFromGit(systemDisk, dirname(state))
        await writeAtomically(systemDisk, path, `${JSON.stringify({ port: taken, token })}\n`, {
          mode: 0o600,
        })
      } catch (trouble) {
        // Where nothing may be written there is still something to look at.
        if (!(trouble instanceof StorageError)) throw trouble
      }
    },
    leave: () => removeQuietly(systemDisk, path),
  }
}

function leftIn(path: string): { readonly port: number; readonly token: string } | undefined {
  try {
    const { port, token } = JSON.parse(systemDisk.readAll(path).toString()) as Record<string, unknown>
    const isWhole = typeof port === 'number' && typeof token === 'string' && /^[0-9a-f]{32}$/.test(token)
    return isWhole ? { port, token } : undefined
  } catch {
    return undefined
  }
}
