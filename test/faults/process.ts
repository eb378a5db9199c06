import { setMaxListeners } from 'node:events'
import type { Told } from '../../src/desk/report.ts'
import type { Setting } from '../../src/desk/setting.ts'
import { type RunResult, runUnderClaim } from '../../src/desk/under-claim.ts'
import { deadlineMs } from '../../src/engine/patience.ts'
import { judgeFiles, judgeResult } from './judge.ts'
import { type Life, lifeUntil } from './life.ts'
import { machineFor } from './machine.ts'
import type { DiskFaults } from './medium.ts'
import { account, place, type Scene } from './scene.ts'
import type { Weather } from './weather.ts'

/** What befalls one process. */
export interface Fortune {
  readonly weather: Weather
  /** The step before which it dies; never when there is none. */
  readonly diesAt?: number
  /** The disk call that fails, and whether all from there on do. */
  readonly diskFails?: Pick<DiskFaults, 'from' | 'only'>
  /** The user orders again what failed. */
  readonly failedToo?: boolean
  /** Milliseconds until the first stop signal. */
  readonly stopsAfter?: number
}

/** One `genrun run`, judged; its result, or undefined when it did not live to have one. */
export async function runProcess(scene: Scene, fortune: Fortune): Promise<RunResult | undefined> {
  const { witness, batch, log } = scene
  const { failedToo = false } = fortune
  const life = lifeUntil(fortune.diesAt)
  witness.begins({ failedToo, retriesOf: address => batch.jobOf(address).retries })
  const setting = settingFor(scene, life, fortune)
  log(`life ${scene.counts.lives}:`, { ...fortune, weather: undefined })
  const result = await playOut(scene, life, runUnderClaim(setting))
  log(result ? 'it ends:' : 'it dies', result && spoken(result))
  judgeFiles(scene)
  if (result) judgeResult(scene, result)
  return result
}

function settingFor(
  scene: Scene,
  life: Life,
  { weather, diskFails, failedToo, stopsAfter }: Fortune,
): Setting {
  const { layout, folders, witness, batch, timeline } = scene
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  if (stopsAfter !== undefined) {
    timeline.at(timeline.now() + stopsAfter, () => {
      if (!life.isAlive()) return
      witness.stops()
      stop.abort()
    })
  }
  const onFailure = (path: string) => {
    if (path.startsWith(folders.journal)) witness.journalFails()
  }
  return {
    request: {
      manifest: 'sim.yaml',
      cwd: place.folder,
      service: account,
      wish: { failed: failedToo ?? false },
      tell: told => {
        if (life.isAlive()) hear(scene, told)
      },
      stop: stop.signal,
    },
    manifest: batch.manifest(),
    place,
    layout,
    folders,
    warnings: [],
    profile: scene.profile,
    machine: machineFor(scene, {
      life,
      weather,
      ...(diskFails && { diskFaults: { ...diskFails, onFailure } }),
    }),
  }
}

function hear({ witness, log }: Scene, told: Told): void {
  log('  tells', told)
  if ((told.event === 'accepted' || told.event === 'resumed') && told.run) witness.tellsId(told.run.id)
  if (told.event === 'settled' && told.state.is === 'done') witness.delivers(told.address)
}

/** Plays until the process has ended or died. */
export async function playOut<T>(scene: Scene, life: Life, work: Promise<T>): Promise<T | undefined> {
  const { timeline, witness, counts } = scene
  let outcome: { readonly value: T } | { readonly bug: unknown } | undefined
  work.then(
    value => (outcome = { value }),
    bug => (outcome = { bug }),
  )
  const ending = await timeline.play(() => !life.isAlive() || outcome !== undefined, latestEnd(scene))
  const hasDied = !life.isAlive()
  life.kill()
  if (hasDied) {
    counts.crashes++
    return undefined
  }
  if (ending !== 'over') {
    counts.hangs++
    witness.accuse(ending === 'hang' ? 'P20: everybody waits and nobody has a date' : 'P20: it does not end')
  }
  if (outcome && 'bug' in outcome) {
    witness.accuse(`bug: ${outcome.bug instanceof Error ? outcome.bug.stack : String(outcome.bug)}`)
    return undefined
  }
  return outcome?.value
}

// Beyond its deadline a job may wait for the answer to a request, and for a few downloads.
const graceMs = 20 * 60_000

/** Every job has its deadline, and may wait for those before it. */
function latestEnd({ batch, timeline }: Scene): number {
  const longest = (sum: number, job: { readonly timeoutMs?: number }) =>
    sum + (job.timeoutMs ?? deadlineMs('video')) + graceMs
  return timeline.now() + batch.manifest().jobs.reduce(longest, 0)
}

/** What a person would hear of a result. */
function spoken(result: RunResult): unknown {
  if (result.got !== 'report') return result
  const { exit, jobs } = result.report
  return { exit, jobs: jobs.map(({ address, ending, message }) => [address, ending, message]) }
}
