import { defined } from '../base/defined.ts'
import type { ModelId } from '../catalog/index.ts'
import { type FollowRequest, followRun, lookAtRun, type RunHandle } from '../run/one-shot/follow.ts'
import type { Rehearsal } from '../verbs/rehearse.ts'
import type { Service } from '../workspace/service/service.ts'
import type { SaveOptions } from './calls.ts'
import { GenrunError } from './error.ts'
import { type Generated, generatedOf } from './results.ts'

/** A run at the service that goes on by itself. Plain data: it may be kept in a file or a database. */
export interface SubmittedRun<Id extends string = ModelId> extends RunHandle {
  readonly model: Id
}

/** A run that is not done: how far it is, from 0 to 1, and how long the service asks to wait, where it says so. */
export interface Pending {
  readonly is: 'pending'
  /** From 0 to 1. */
  readonly progress?: number | undefined
  /** Milliseconds. */
  readonly waitMs?: number | undefined
}

/** How a run stands. */
export type RunLook = Pending | { readonly is: 'made'; readonly result: Generated }

/** The service's own links to what a run made. They are signed and expire; nothing is saved or checked. */
export type RunLinks = Pending | { readonly is: 'made'; readonly links: readonly string[] }

/** The verbs for runs that are ordered: none of them pays. */
interface Runs {
  look(run: RunHandle, given?: SaveOptions): Promise<RunLook>
  links(run: RunHandle, given?: Pick<SaveOptions, 'signal'>): Promise<RunLinks>
  wait(run: RunHandle, given?: SaveOptions): Promise<Generated>
  /** Keeps a rehearsal's gateway, on which its run lives, until somebody has waited for the run. */
  hold(run: Pick<RunHandle, 'id'>): Promise<void>
}

interface Workspace {
  readonly served: <T>(work: (service: Service) => Promise<T>) => Promise<T>
  readonly requestOf: (given?: SaveOptions) => Omit<FollowRequest, 'run' | 'service'>
  /** Undefined where the service is a real one. */
  readonly rehearsal: Rehearsal | undefined
}

export function orderedRuns({ served, requestOf, rehearsal }: Workspace): Runs {
  const held = new Set<string>()

  async function lookAt(run: RunHandle, given?: SaveOptions): Promise<Pending | Ready> {
    const look = await served(service => lookAtRun({ ...requestOf(given), run, service }))
    switch (look.got) {
      case 'ready':
        return { is: 'ready', links: look.links }
      case 'pending':
        return pendingOf(look)
      case 'failed':
      case 'trouble':
        throw new GenrunError(look.message, { code: 'failed' })
    }
  }

  async function wait(run: RunHandle, given?: SaveOptions): Promise<Generated> {
    try {
      return await served(async service =>
        generatedOf(await followRun({ ...requestOf(given), run, service })),
      )
    } finally {
      if (held.delete(run.id)) await rehearsal?.release()
    }
  }

  return {
    wait,
    async look(run, given) {
      const look = await lookAt(run, given)
      return look.is === 'pending' ? look : { is: 'made', result: await wait(run, given) }
    },
    async links(run, given) {
      const look = await lookAt(run, given)
      return look.is === 'pending' ? look : { is: 'made', links: look.links }
    },
    async hold({ id }) {
      if (!rehearsal || held.has(id)) return
      held.add(id)
      await rehearsal.take()
    },
  }
}

interface Ready {
  readonly is: 'ready'
  readonly links: readonly string[]
}

function pendingOf({ progress, waitMs }: Omit<Pending, 'is'>): Pending {
  return {
    is: 'pending',
    ...defined({ progress, waitMs }),
  }
}
