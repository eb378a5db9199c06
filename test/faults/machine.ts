import type { JobAddress } from '../../src/base/names.ts'
import type { Machine } from '../../src/desk/machine.ts'
import type { Disk } from '../../src/store/disk.ts'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'
import type { DiskFaults, Medium } from './medium.ts'
import { readFileBytes, type Service } from './service.ts'
import type { Timeline } from './timeline.ts'
import type { Weather } from './weather.ts'
import { wireOver } from './wire.ts'
import type { Witness } from './witness.ts'

/** Everything that outlives a process. */
export interface Surroundings {
  readonly timeline: Timeline
  readonly chance: Chance
  readonly medium: Medium
  readonly service: Service
  readonly witness: Witness
  readonly countOf: (job: JobAddress) => number
}

/** What one process lives in. */
export interface Circumstances {
  readonly life: Life
  /** Of all processes of this history, from 1. */
  readonly nth: number
  readonly weather: Weather
  readonly diskFaults?: DiskFaults
}

/** The machine that the real desk works on: everything is simulated below these records, and nothing above. */
export function machineFor(around: Surroundings, { life, nth, weather, diskFaults }: Circumstances): Machine {
  const { timeline, medium, chance } = around
  const clock = timeline.clockOf(life)
  const disk = medium.use(life, diskFaults)
  return {
    disk,
    clock,
    random: chance,
    // A boot of its own: the machine was started anew, or the process of that name is certainly gone.
    self: () => ({ host: 'sim', pid: nth, boot: `boot-${nth}`, space: '', start: '' }),
    whyReadOnly: () => undefined,
    connect: (_, spool) => wireOver({ ...around, life, clock, disk, weather }, spool),
    measure: async part => measured(disk, part),
  }
}

function measured(disk: Disk, part: string): Awaited<ReturnType<Machine['measure']>> {
  const isWhole = readFileBytes(Buffer.from(disk.readAll(part))) !== undefined
  if (!isWhole) return { why: 'bad-media', detail: 'it ends in the middle' }
  return { type: 'image/png', extension: 'png', width: 8, height: 8 }
}
