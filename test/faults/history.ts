import { setMaxListeners } from 'node:events'
import type { JobAddress } from '../../src/base/names.ts'
import type { Decision } from '../../src/base/state.ts'
import { layoutOf } from '../../src/desk/layout.ts'
import type { Machine } from '../../src/desk/machine.ts'
import type { Report, Told } from '../../src/desk/report.ts'
import { type RunResult, runUnderClaim } from '../../src/desk/under-claim.ts'
import { deadlineMs } from '../../src/engine/patience.ts'
import { openJournal } from '../../src/store/journal.ts'
import { stateFolder } from '../../src/store/state-folder.ts'
import { gwV2 } from '../../src/wire/gw-v2.ts'
import { drawBatch, jobOf } from './batch.ts'
import { type Chance, chanceOf } from './chance.ts'
import { judgeEnd, judgeFiles, judgeReport } from './judge.ts'
import { type Life, lifeUntil } from './life.ts'
import { type Circumstances, machineFor, type Surroundings } from './machine.ts'
import { medium } from './medium.ts'
import { openService } from './service.ts'
import { timeline } from './timeline.ts'
import { fair, type Weather, weathers } from './weather.ts'
import { openWitness } from './witness.ts'

/** What one seed came to. */
export interface History {
  readonly seed: number
  readonly jobs: number
  /** Processes, the crashed ones included. */
  readonly lives: number
  readonly crashes: number
  /** Paid requests of which a byte left, and orders that the service accepted. */
  readonly paid: number
  readonly billed: number
  /** Jobs that the user had to decide about. */
  readonly doubts: number
  readonly hangs: number
  /** Everything that must not have happened, in words that begin with the promise's number. */
  readonly accusations: readonly string[]
}

/** Weakens the machine, to see that it is noticed. */
export type Breakage = (machine: Machine) => Machine

const place = { manifest: '/p/sim.yaml', folder: '/p', root: '/p', stem: 'sim' }
const service = { baseUrl: 'https://service.example/gw-v2', key: 'key', rehearsal: false }

/** One batch from its first run to its end, through crashes, lost answers and failing disks. The same for one seed. */
export async function live(seed: number, breakage: Breakage = machine => machine): Promise<History> {
  const play = begin(seed, breakage)
  await play.storm()
  await play.calm()
  return play.end()
}

interface Play {
  /** Lives in which things go wrong. */
  storm(): Promise<void>
  /** Lives in which nothing does any more, and the user decides what is asked. */
  calm(): Promise<void>
  end(): History
}

function begin(seed: number, breakage: Breakage): Play {
  const chance = chanceOf(seed)
  const batch = drawBatch(chance)
  const time = timeline(1_767_225_600_000)
  const around: Surroundings = {
    timeline: time,
    chance,
    medium: medium(),
    service: openService(chance, time.now),
    witness: openWitness(time.now),
    countOf: address => jobOf(batch, address).count,
  }
  around.medium.makeFolder('/p')
  const weather = chance.pick(weathers)
  const layout = layoutOf(place, batch, undefined, false)
  const folders = stateFolder(layout.state)
  const { witness, timeline: clock } = around
  let lives = 0
  let crashes = 0
  let hangs = 0
  const doubts = new Set<JobAddress>()

  interface Plan {
    readonly weather: Weather
    readonly deathAt: number
    readonly diskFailsAt?: number
    readonly failedToo?: boolean
    readonly stopAfterMs?: number
  }

  /** One process; its result, or undefined when it did not live to have one. */
  async function run(plan: Plan): Promise<RunResult | undefined> {
    const life = lifeUntil(plan.deathAt)
    const stop = new AbortController()
    setMaxListeners(0, stop.signal)
    const wish = { failed: plan.failedToo ?? false }
    witness.begins({ failedToo: wish.failed, retriesOf: address => jobOf(batch, address).retries })
    const setting = {
      request: { manifest: 'sim.yaml', cwd: '/p', service, wish, tell, stop: stop.signal },
      manifest: batch,
      place,
      layout,
      folders,
      warnings: [],
      profile: gwV2,
      machine: breakage(machineFor(around, circumstancesOf(life, plan))),
    }
    if (plan.stopAfterMs !== undefined) {
      clock.at(clock.now() + plan.stopAfterMs, () => {
        if (!life.isAlive()) return
        witness.stops()
        stop.abort()
      })
    }
    const result = await finish(life, runUnderClaim(setting))
    judgeFiles(batch, layout.output, around)
    if (result?.got === 'report') judgeReport(result.report, around)
    return result
  }

  function circumstancesOf(life: Life, plan: Plan): Circumstances {
    const { diskFailsAt } = plan
    const onFailure = (_: unknown, path: string) => {
      if (path.startsWith(folders.journal)) witness.journalFails()
    }
    const diskFaults = diskFailsAt && { from: diskFailsAt, only: chance.hits(0.5), onFailure }
    return { life, nth: ++lives, weather: plan.weather, ...(diskFaults && { diskFaults }) }
  }

  function tell(told: Told): void {
    if ((told.event === 'accepted' || told.event === 'resumed') && told.run) witness.tellsId(told.run.id)
  }

  /** Plays until the process has ended or died. */
  async function finish<T>(life: Life, work: Promise<T>): Promise<T | undefined> {
    let outcome: { readonly value: T } | undefined
    let bug: unknown
    work.then(
      value => (outcome = { value }),
      error => (bug ??= error),
    )
    const ending = await clock.play(
      () => !life.isAlive() || outcome !== undefined || bug !== undefined,
      latest(),
    )
    const isAlive = life.isAlive()
    life.kill()
    if (!isAlive) {
      crashes++
      return undefined
    }
    if (ending !== 'over') {
      hangs++
      witness.accuse(
        ending === 'hang' ? 'P20: everybody waits and nobody has a date' : 'P20: it does not end',
      )
    }
    if (bug !== undefined) witness.accuse(`bug: ${bug instanceof Error ? bug.stack : String(bug)}`)
    return outcome?.value
  }

  /** Every job has its deadline, and may wait for those before it. */
  function latest(): number {
    const longest = batch.jobs.reduce(
      (sum, job) => sum + (job.timeoutMs ?? deadlineMs('video')) + 30 * 60_000,
      0,
    )
    return clock.now() + longest
  }

  /** What happens to the machine and its files while no process is there. */
  function between(hasCrashed: boolean): void {
    if (hasCrashed && chance.hits(0.6)) around.medium.cutPower(chance)
    clock.pass(chance.pick([500, 30_000, 7_200_000]))
    if (chance.hits(0.05)) around.medium.drop(layout.lock)
  }

  async function decide(report: Report): Promise<boolean> {
    const open = report.jobs.filter(job => job.ending === 'doubt')
    for (const { address } of open) {
      doubts.add(address)
      await resolve(address)
    }
    return open.length > 0
  }

  /** As `genrun resolve` does: the user has looked at the service and says what is true there. */
  async function resolve(address: JobAddress): Promise<void> {
    const life = lifeUntil(Number.POSITIVE_INFINITY)
    const { disk } = machineFor(around, { life, nth: ++lives, weather: fair })
    const charge = around.service.chargesOf(address).find(each => each.ends === 'well')
    const run = charge && { workflow: jobOf(batch, address).model.id, id: charge.id }
    const decision: Decision = run ? { is: 'adopt', run } : { is: 'rebuy' }
    if (!run) witness.settles(address)
    await finish(
      life,
      openJournal({
        folder: folders.journal,
        lineage: 'user',
        tool: 'sim',
        disk,
        clock: clock.clockOf(life),
      }).then(async opened => {
        if (opened.got === 'damaged') throw new Error(`the journal is damaged: ${opened.why}`)
        await opened.journal.append({ kind: 'RESOLVE', address, decision })
        await opened.journal.close()
      }),
    )
  }

  return {
    async storm() {
      const most = chance.whole(1, 5)
      for (let nth = 0; nth < most; nth++) {
        const result = await run(drawPlan(chance, weather))
        between(result === undefined)
        if (result?.got === 'busy') witness.accuse('P18: the claim of a dead process was not taken over')
      }
    },
    async calm() {
      around.service.finishAll()
      const peace = { weather: fair, deathAt: Number.POSITIVE_INFINITY, failedToo: true }
      for (let nth = 0; nth < 6; nth++) {
        const result = await run(peace)
        if (result?.got !== 'report') {
          witness.accuse(`P3: it does not go on: ${JSON.stringify(result)}`)
          return
        }
        const isDecided = await decide(result.report)
        if (!isDecided && result.report.exit === 0) break
      }
      around.medium.cutPower(chance)
      const before = around.medium.read(layout.lock)
      const last = await run(peace)
      const after = around.medium.read(layout.lock)
      judgeEnd(batch, last, around)
      if (last?.got === 'report' && last.report.requests > 0)
        witness.accuse('P5: an unchanged rerun made a request')
      if (!before || !after?.equals(before)) witness.accuse('P5: an unchanged rerun changed the lock')
    },
    end: () => ({
      seed,
      jobs: batch.jobs.length,
      lives,
      crashes,
      paid: witness.paid(),
      billed: batch.jobs.reduce((sum, job) => sum + around.service.chargesOf(job.address).length, 0),
      doubts: doubts.size,
      hangs,
      accusations: witness.accusations,
    }),
  }
}

function drawPlan(chance: Chance, weather: Weather) {
  const steps = chance.pick([40, 80, 160, 320])
  return {
    weather,
    deathAt: chance.hits(0.75) ? chance.whole(1, steps) : Number.POSITIVE_INFINITY,
    ...(chance.hits(0.12) && { diskFailsAt: chance.whole(1, 90) }),
    ...(chance.hits(0.15) && { failedToo: true }),
    ...(chance.hits(0.12) && { stopAfterMs: chance.pick([10, 60, 500, 5000, 60_000]) }),
  }
}
