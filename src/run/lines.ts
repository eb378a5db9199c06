import { orderedFrom, type Task } from '../engine/world.ts'
import type { SpoolSink, Wire } from '../wire/http/wire.ts'
import type { Profile } from '../wire/profile/profile.ts'
import { isUsable, ownService, type Spoken, spokenBy } from '../workspace/service/named.ts'
import { nowhere, type Service } from '../workspace/service/service.ts'
import type { Setting } from '../workspace/workspace.ts'

/** The way to one service. */
export interface Line {
  /** By which jobs name it; the usual one when absent. */
  readonly name?: string
  readonly service: Service
  readonly spoken: Spoken
  readonly wire: Wire
}

/** A line to every service that is asked in a run, the usual one first. */
export interface Lines {
  readonly all: readonly [Line, ...Line[]]
  close(): Promise<void>
}

/**
 * Each service has a wire of its own, with its own key, profile and origins: no key, link or upload of one goes to another.
 * Those that no task is for are left alone.
 */
export async function connectAll(setting: Setting, tasks: readonly Task[], spool: SpoolSink): Promise<Lines> {
  const { request, machine } = setting
  const names = new Set(tasks.flatMap(task => orderedFrom(task) ?? []))
  const open = async (service: Service, profile: Profile) => machine.connect(service, spool, profile)
  const usual = await open(request.service, setting.profile)
  const others = await Promise.all(
    [...names].map(async (name): Promise<Line & { readonly wire: Closing }> => {
      const service = serviceCalled(name, request.service)
      const spoken = spokenBy(setting, name)
      return { name, service, spoken, wire: await open(service, spoken.profile) }
    }),
  )
  const first = { service: request.service, spoken: setting, wire: usual }
  return {
    all: [first, ...others],
    close: async () => void (await Promise.all([first, ...others].map(({ wire }) => wire.close()))),
  }
}

type Closing = Wire & { close(): Promise<void> }

/**
 * What is asked for or ordered is known to the plan, which lets nothing else through. What was made elsewhere, and waits behind
 * links or in the spool, needs nobody who knows its service.
 */
export function serviceCalled(name: string, { others = {} }: Service): Service {
  const found = ownService(others, name)
  if (!found || !isUsable(found)) return { baseUrl: nowhere, key: '', rehearsal: false }
  // What the engine and the plan know of it, the wire has other words for.
  const { limits: _limits, profile: _profile, ...service } = found
  return { ...service, rehearsal: false, others }
}
