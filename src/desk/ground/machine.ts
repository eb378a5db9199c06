import { accessSync, constants } from 'node:fs'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type Random, systemRandom } from '../../base/random.ts'
import { type Disk, systemDisk } from '../../store/disk.ts'
import { type Holder, thisProcess } from '../../store/process.ts'
import { type StorageTrouble, troubleOf } from '../../store/trouble.ts'
import { createWire } from '../../wire/client.ts'
import type { Profile } from '../../wire/profile.ts'
import type { SpoolSink, Wire } from '../../wire/wire.ts'
import { type Measure, measure } from '../carry/measure.ts'
import type { Service } from './service.ts'

/** What a run stands on: disk, time, chance, and the way to the service. A simulation makes its own. */
export interface Machine {
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
  /** Who asks for the claim. */
  readonly self: () => Holder
  /** Why nothing can be written into a folder that is there. */
  readonly whyReadOnly: (folder: string) => StorageTrouble | undefined
  readonly connect: (
    service: Service,
    spool: SpoolSink,
    profile: Profile,
  ) => Wire & { close(): Promise<void> }
  readonly measure: Measure
}

export const thisMachine: Machine = {
  disk: systemDisk,
  clock: systemClock,
  random: systemRandom,
  self: thisProcess,
  whyReadOnly,
  connect: (service, spool, profile) => createWire({ ...service, profile, spool, clock: systemClock }),
  measure,
}

function whyReadOnly(folder: string): StorageTrouble | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (cause) {
    return troubleOf(folder, 'write', cause)
  }
}
