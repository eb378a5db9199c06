import type { JobAddress } from '../../src/base/names.ts'
import type { Layout } from '../../src/desk/ground/layout.ts'
import { layoutOf } from '../../src/desk/ground/layout.ts'
import type { Machine } from '../../src/desk/ground/machine.ts'
import type { Service as Account } from '../../src/desk/ground/service.ts'
import { type StateFolder, stateFolder } from '../../src/store/state-folder.ts'
import { gwV2 } from '../../src/wire/gw-v2.ts'
import type { Profile } from '../../src/wire/profile.ts'
import { type Batch, drawBatch } from './batch.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Life } from './life.ts'
import { type Medium, medium } from './medium.ts'
import { openService, type Service } from './service.ts'
import { type Timeline, timeline } from './timeline.ts'
import { type Weather, weathers } from './weather.ts'
import { openWitness, type Witness } from './witness.ts'

/** Everything that outlives a process: one seed's world. */
export interface Scene {
  readonly seed: number
  readonly chance: Chance
  readonly timeline: Timeline
  readonly medium: Medium
  readonly service: Service
  readonly witness: Witness
  readonly batch: Batch
  readonly layout: Layout
  readonly folders: StateFolder
  readonly weather: Weather
  readonly breakage: Breakage
  readonly profile: Profile
  /** For whoever replays a seed. */
  readonly log: (line: string, about?: unknown) => void
  readonly counts: {
    lives: number
    crashes: number
    hangs: number
    diskTroubles: number
    /** Processes that were paused and went on. */
    woken: number
    resumed: number
    /** How often the user threw the journal away. */
    forgotten: number
    readonly pids: WeakMap<Life, number>
    readonly doubts: Set<JobAddress>
  }
}

/** What a history is about, beyond its seed. */
export interface Staging {
  /** Weakens the machine, to see that it is noticed. */
  readonly breakage?: Breakage
  /**
   * `honoured`: the service answers a second request with the same idempotency key with the first one's run, as long as
   * the key lives. `trusted`: and the profile says so.
   */
  readonly keys?: 'honoured' | 'trusted'
  readonly log?: (line: string) => void
}

export type Breakage = (machine: Machine) => Machine

export const place = { manifest: '/p/sim.yaml', folder: '/p', root: '/p', stem: 'sim' }
export const account: Account = {
  baseUrl: 'https://service.example/gw-v2',
  key: 'key',
  rehearsal: false,
}

const start = Date.UTC(2026, 0, 1)

// Longer than most histories, shorter than some.
const keyLifeMs = 6 * 3_600_000

const trusting: Profile = {
  ...gwV2,
  idempotency: { header: 'Idempotency-Key', honoured: true, ttlMs: keyLifeMs },
}

export function openScene(seed: number, staging: Staging): Scene {
  const { breakage = machine => machine, keys, log } = staging
  const keysLiveMs = keys ? keyLifeMs : 0
  const chance = chanceOf(seed)
  const time = timeline(start)
  const batch = drawBatch(chance)
  const disk = medium()
  disk.makeFolder(place.folder)
  const layout = layoutOf(place, batch.manifest(), undefined, false)
  return {
    seed,
    chance,
    timeline: time,
    medium: disk,
    service: openService(chance, time.now, keysLiveMs),
    witness: openWitness(time.now, keysLiveMs),
    batch,
    layout,
    folders: stateFolder(layout.state),
    weather: chance.pick(weathers),
    breakage,
    profile: keys === 'trusted' ? trusting : gwV2,
    log(line, about) {
      // Most histories are told to nobody.
      if (!log) return
      const date = String(time.now() - start).padStart(10)
      log(`${date} ${line} ${about === undefined ? '' : JSON.stringify(about)}`.trimEnd())
    },
    counts: {
      lives: 0,
      crashes: 0,
      hangs: 0,
      diskTroubles: 0,
      woken: 0,
      resumed: 0,
      forgotten: 0,
      pids: new WeakMap(),
      doubts: new Set(),
    },
  }
}
