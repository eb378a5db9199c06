import { type OutputKind, outputKind } from '../../src/catalog/index.ts'
import type { Disk } from '../../src/store/files/disk.ts'
import type { Machine } from '../../src/workspace/machine.ts'
import { openServicePolls } from '../../src/workspace/service/service-polls.ts'
import { holderOf } from './holder.ts'
import { judgeLock } from './judge.ts'
import type { Life } from './life.ts'
import type { DiskFaults } from './medium.ts'
import { refuge, type Scene } from './scene.ts'
import { isOdd, readFileBytes } from './service.ts'
import type { Weather } from './weather.ts'
import { wireOver } from './wire.ts'

/** What one process lives in. */
interface Circumstances {
  readonly life: Life
  readonly weather: Weather
  readonly diskFaults?: DiskFaults
  /** It runs on a machine of its own: nobody else can see whether it is alive. */
  readonly isElsewhere?: boolean
  /** Nobody's process: the judge looks on. */
  readonly isOnlooker?: boolean
}

/** The machine that the real verbs work on: everything is simulated below these records, and nothing above. */
export function machineFor(
  scene: Scene,
  { life, weather, diskFaults, isElsewhere, isOnlooker }: Circumstances,
): Machine {
  const clock = scene.timeline.clockOf(life)
  const disk = watchingLocks(scene, scene.medium.use(life, diskFaults))
  const nth = isOnlooker ? 0 : ++scene.counts.lives
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
    connect: async (_, spool) =>
      wireOver({ scene, life, clock, disk, weather, origin: scene.present.origin }, spool),
    refuge,
    polls: openServicePolls(clock),
    measure: async (part, { model }) => measured(disk, part, outputKind(model)),
  })
}

/** Every lock that gets its name is looked at. */
function watchingLocks(scene: Scene, disk: Disk): Disk {
  return {
    ...disk,
    rename(from, to) {
      disk.rename(from, to)
      if (to === scene.layout.lock) judgeLock(scene)
    },
  }
}

function measured(disk: Disk, part: string, kind: OutputKind): Awaited<ReturnType<Machine['measure']>> {
  const made = readFileBytes(Buffer.from(disk.readAll(part)))
  if (!made) return { unusual: 'it ends in the middle', type: 'image/png', extension: 'png', proof: 'none' }
  if (isOdd(made)) return { unusual: 'it is TIFF', type: 'image/tiff', extension: 'tiff', proof: 'this' }
  const [type, extension] = kind === 'video' ? ['video/mp4', 'mp4'] : ['image/png', 'png']
  return { type, extension, width: 8, height: 8 }
}
