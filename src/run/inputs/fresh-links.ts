import type { Clock } from '../../base/clock.ts'
import { isLink } from '../../base/link.ts'
import type { Digest } from '../../base/names.ts'
import type { RemoteFile, RunRef, SavedFile } from '../../base/state.ts'
import type { Wire } from '../../wire/http/wire.ts'

/**
 * The service's own links to what it has made, for jobs that are made from it: nothing has to travel twice. Links are
 * signed and expire, so that only young ones are given; they are never written down.
 */
export interface FreshLinks {
  /** What a job has brought, in order. */
  remember(files: readonly RemoteFile[], saved: readonly SavedFile[]): void
  /** The link to a file of these bytes, if it is young. */
  young(digest: Digest): string | undefined
  /** Reads the result of a run once more, which is free, for the link to one of its files. */
  again(run: RunRef, nth: number): Promise<string | undefined>
}

/** Services let links live for an hour and more; the shortest that are known, some ten minutes. */
const usualLifeMs = 10 * 60_000

/** `lifeMs`: how long the service lets its links live. Young is what has half of that before it: the service has to fetch it yet. */
export function openFreshLinks(
  wire: Pick<Wire, 'read'>,
  clock: Pick<Clock, 'wall'>,
  stop: AbortSignal,
  lifeMs = usualLifeMs,
): FreshLinks {
  const links = new Map<Digest, { readonly url: string; readonly at: number }>()
  return {
    remember(files, saved) {
      for (const [nth, { digest }] of saved.entries()) {
        const url = linkOf(files[nth])
        if (url !== undefined) links.set(digest, { url, at: clock.wall() })
      }
    },
    young(digest) {
      const link = links.get(digest)
      // By the wall clock, which goes on while a machine sleeps; one that was set back tells no age.
      const ageMs = link ? clock.wall() - link.at : -1
      return ageMs >= 0 && ageMs <= lifeMs / 2 ? link?.url : undefined
    },
    async again(run, nth) {
      const reply = await wire.read(run, stop)
      return reply.got === 'files' ? linkOf(reply.files[nth]) : undefined
    },
  }
}

/** A link that a service can follow: whole, and of a length that a request can carry. */
function linkOf(file: RemoteFile | undefined): string | undefined {
  if (file?.from !== 'link' || !isLink(file.url)) return undefined
  return file.url.length <= 8192 ? file.url : undefined
}
