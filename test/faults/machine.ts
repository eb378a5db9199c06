import type { Machine } from '../../src/desk/ground/machine.ts'
import type { Disk } from '../../src/store/disk.ts'
import { holderOf } from './holder.ts'
import type { Life } from './life.ts'
import type { DiskFaults } from './medium.ts'
import type { Scene } from './scene.ts'
import { readFileBytes } from './service.ts'
import type { Weather } from './weather.ts'
import { wireOver } from './wire.ts'

/** What one process lives in. */
export interface Circumstances {
  readonly life: Life
  readonly weather: Weather
  readonly diskFaults?: DiskFaults
  /** It runs on a machine of its own: nobody else can see whether it is alive. */
  readonly isElsewhere?: boolean
}

/** The machine that the real desk works on: everything is simulated below these records, and nothing above. */
export function machineFor(scene: Scene, { life, weather, diskFaults, isElsewhere }: Circumstances): Machine {
  const clock = scene.timeline.clockOf(life)
  const disk = scene.medium.use(life, diskFaults)
  const nth = ++scene.counts.lives
  scene.counts.pids.set(life, nth)
  // Where the last one worked that took the claim, so that it can be seen that it is gone.
  const host = isElsewhere ? `host-${nth}` : (holderOf(scene)?.host ?? 'sim')
  return scene.breakage({
    disk,
    clock,
    random: scene.chance,
    // A boot of its own: the machine was started anew, or the process of that name is certainly gone.
    self: () => ({ host, pid: nth, machine: 'sim', boot: `boot-${nth}`, space: '', start: '' }),
    whyReadOnly: () => undefined,
    connect: (_, spool) => wireOver({ scene, life, clock, disk, weather }, spool),
    measure: async part => measured(disk, part),
  })
}

function measured(disk: Disk, part: string): Awaited<ReturnType<Machine['measure']>> {
  const isWhole = readFileBytes(Buffer.from(disk.readAll(part))) !== undefined
  if (!isWhole) return { why: 'bad-media', detail: 'it ends in the middle' }
  return { type: 'image/png', extension: 'png', width: 8, height: 8 }
}
