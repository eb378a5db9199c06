import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { mustBeWritable } from '../disk/look.ts'
import { type Holder, thisProcess } from '../store/claim/process.ts'
import { openSharedTurns } from '../store/claim/shared-turns.ts'
import { type Disk, systemDisk } from '../store/files/disk.ts'
import { type StorageError, storageErrorOf } from '../store/files/storage-error.ts'
import type { SpoolSink, Wire } from '../wire/http/wire.ts'
import type { Profile } from '../wire/profile/profile.ts'
import { type Measure, measure } from './measure.ts'
import { keysOf, type Service } from './service/service.ts'
import { openServicePolls, type ServicePolls } from './service/service-polls.ts'

/** What a run stands on: disk, time, chance, and the way to the service. A simulation makes its own. */
export interface Machine {
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
  /** Who asks for the claim. */
  readonly self: () => Holder
  /** Why nothing can be written into a folder that is there. */
  readonly whyReadOnly: (folder: string) => StorageError | undefined
  readonly connect: (
    service: Service,
    spool: SpoolSink,
    profile: Profile,
  ) => Promise<Wire & { close(): Promise<void> }>
  /** Who may ask a service for results now. */
  readonly polls: ServicePolls
  readonly measure: Measure
  /** Leaves a small file as a download would; why that cannot be done there. Without it nothing is tried. */
  readonly tryPart?: (path: string) => Promise<Failure | undefined>
  /** Has something done when the process ends before its work does; gives what takes that back. */
  readonly atExit?: (last: () => void) => () => void
  /** A folder outside the project, for what must not be lost when the project takes it no more. Absolute. */
  readonly refuge?: string
}

export const thisMachine: Machine = {
  disk: systemDisk,
  clock: systemClock,
  random: systemRandom,
  self: thisProcess,
  whyReadOnly,
  connect,
  polls: openServicePolls(systemClock, origin =>
    openSharedTurns({ folder: turnsFolder(), origin, wall: systemClock.wall, token: systemRandom.token() }),
  ),
  measure,
  // As what sends: only a run that buys tries.
  tryPart: async path => (await import('../wire/transfer/part.ts')).tryPart(path),
  atExit,
  refuge: join(tmpdir(), `genrun-rescued-${userNumber()}`),
}

/** HTTP is half of all code, and most commands send nothing: it is loaded by the one that does. */
async function connect(service: Service, spool: SpoolSink, profile: Profile) {
  const { createWire } = await import('../wire/client.ts')
  return createWire({ ...service, secrets: keysOf(service), profile, spool, clock: systemClock })
}

/** Processes of different projects ask the same service: what they share lies outside of all of them. */
function turnsFolder(): string {
  return join(tmpdir(), `genrun-${userNumber()}`)
}

/** By the number alone: in a container that runs as somebody else the user has no name, and asking for it is an error. */
function userNumber(): string {
  return String(process.getuid?.() ?? 'user')
}

function atExit(last: () => void): () => void {
  process.once('exit', last)
  return () => void process.off('exit', last)
}

function whyReadOnly(folder: string): StorageError | undefined {
  try {
    mustBeWritable(folder)
    return undefined
  } catch (cause) {
    return storageErrorOf(folder, 'write', cause)
  }
}
