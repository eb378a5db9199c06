import { type JobAddress, jobAddress, type Pointer, type PurchaseId } from '../../src/base/names.ts'
import type { DonePurchase } from '../../src/base/purchase.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { firstTake, takeWord } from '../../src/plan/picks.ts'
import { workspaceUnderClaim } from '../../src/run/ledger/act-under-claim.ts'
import { type RunResult, runUnderClaim } from '../../src/run/run-under-claim.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { putVerdicts } from '../../src/store/verdicts/put-verdicts.ts'
import { loadPicks } from '../../src/store/verdicts/verdicts-file.ts'
import type { PersonsVerdict } from '../../src/store/verdicts/verdicts-text.ts'
import type { WaitingPick } from '../../src/store/verdicts/waiting-picks.ts'
import { pickPlanned } from '../../src/verbs/pick.ts'
import { verdictsFileOf } from '../../src/workspace/layout.ts'
import type { Machine } from '../../src/workspace/machine.ts'
import { withNames, withPrompt } from './batch.ts'
import { livesUntil } from './life.ts'
import { machineFor } from './machine.ts'
import { settleDoubts } from './owner.ts'
import { playOut } from './process.ts'
import { recordsIn } from './records.ts'
import { account, openScene, place, type Scene, type Staging, workspaceOf } from './scene.ts'
import { readFileBytes } from './service.ts'
import { openTouched } from './touching.ts'
import { fair } from './weather.ts'

/** What a history of jobs that are ordered anew by themselves came to. */
interface RetakingHistory {
  readonly accusations: readonly string[]
  readonly billed: number
  /** Orders beyond the first of what was asked for, which no person ordered. */
  readonly retakes: number
  /** Runs that found a take which a person had decided about. */
  readonly left: number
  /** Picks that were asked for on a page, and waited for a run. */
  readonly asked: number
}

/** What became of one text that jobs ask for, whatever they are called. */
interface Wished {
  /** The most that a job which asks for it has allowed. */
  most: number
  /** Ordered by a person. */
  redone: number
  /** An order of it was in doubt, and a person may have ordered it anew: that is ordered and picked whenever it can be. */
  isAnew: boolean
  /** The result that a person approved or picked last, and nobody has taken back. */
  decided: { readonly id: string; readonly how: 'approved' | 'picked' } | undefined
}

/** That it is looked at at all takes a look by its contents, of which there are none here. */
const gate: NonNullable<Job['gate']> = new Map([
  ['asked', 'fail'],
  ['blank', 'fail'],
])

const model = findModel('fama-imagine-image') as Model // it is in the catalog
const video = findModel('famc-v3') as Model // as well

/** Most of what comes fails its looks: known by its bytes, so that it is the same however often it is looked at. */
function mayBeBroken(machine: Machine, share: number): Machine {
  return {
    ...machine,
    async measure(part, job) {
      const measured = await machine.measure(part, job)
      const { id = '' } = readFileBytes(Buffer.from(machine.disk.readAll(part))) ?? {}
      const nth = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7)
      return nth / 997 < share ? { ...measured, mismatch: 'it is square' } : measured
    },
  }
}

/**
 * Runs of a batch in which jobs are ordered anew until something is good, by people who rename, edit, take back, approve, pick, order
 * another and kill. Orders are counted by their text, which is what was wished, and by nothing that genrun knows of them.
 */
export async function liveRetaking(
  seed: number,
  { log, heeding }: Pick<Staging, 'log' | 'heeding'> = {},
): Promise<RetakingHistory> {
  const share = seed % 5 === 0 ? 0.4 : 0.9
  const scene = openScene(seed, {
    breakage: machine => mayBeBroken(machine, share),
    ...(log && { log }),
    ...(heeding && { heeding }),
  })
  const { chance, batch, service } = scene
  const accusations: string[] = []
  const wishes = new Map<string, Wished>()
  const isChained = seed % 4 === 3
  batch.change([...drawJobs(scene), ...(isChained ? [clipOf(batch.manifest().jobs)] : [])])
  let left = 0
  let asked = 0
  const chosen = new Set<string>()
  const touched = openTouched(scene)
  let redo: JobAddress | undefined

  function wishOf(prompt: string): Wished {
    const known = wishes.get(prompt) ?? { most: 0, redone: 0, isAnew: false, decided: undefined }
    wishes.set(prompt, known)
    return known
  }

  function noteAsked(): void {
    for (const { params, retakes = 0 } of stills()) {
      const wish = wishOf(String(params.prompt))
      wish.most = Math.max(wish.most, retakes)
    }
  }

  const stills = () => batch.manifest().jobs.filter(isStill)
  const clips = () => service.charges.filter(each => each.prompt === steam)
  const ordered = (prompt: string) => service.charges.filter(each => each.prompt === prompt).length

  async function run(diesAt: number | undefined): Promise<void> {
    noteAsked()
    const asked = stills().map(({ params }) => String(params.prompt))
    const before = new Map(asked.map(prompt => [prompt, ordered(prompt)]))
    const isRedo = redo
    if (isRedo) {
      const job = batch.manifest().jobs.find(({ address }) => address === isRedo)
      const wish = job && wishOf(String(job.params.prompt))
      if (wish) wish.redone++
      // Whoever orders another take by hand picks that.
      if (wish?.decided?.how === 'picked') wish.decided = undefined
    }
    const result = await runOnce(scene, {
      ...(isRedo && { redo: isRedo }),
      ...(diesAt !== undefined && { diesAt }),
    })
    if (result && isUnplaced(result)) accusations.push('retakes: it is paid for, and cannot get its name')
    redo = undefined
    for (const each of doneIn(scene))
      if (each.picked && each.byHand && !chosen.has(each.id))
        accusations.push(`retakes: ${each.address} is picked, and nobody chose it`)
    for (const prompt of asked) {
      const wish = wishOf(prompt)
      const count = ordered(prompt)
      if (count > 1 + wish.most + wish.redone)
        accusations.push(
          `retakes: ${prompt} is bought ${count} times, with ${wish.most} retakes and ${wish.redone} by hand`,
        )
      if (!wish.decided || isRedo || wish.isAnew) continue
      left++
      if (count > (before.get(prompt) ?? 0))
        accusations.push(`retakes: ${prompt} is ordered anew past a take that was ${wish.decided.how}`)
      const own = doneIn(scene).find(({ id }) => id === wish.decided?.id)
      // Where a run is killed before it has carried it out, the pick waits on.
      const isOpen = picksWaiting(scene).some(({ of }) => of === wish.decided?.id)
      if (own && !own.aside && wish.decided.how === 'picked' && !own.picked && !isOpen)
        accusations.push(`retakes: the pick of ${own.address} was taken away`)
    }
  }

  async function settle(): Promise<void> {
    for (const each of [...recordsIn(scene).values()].flat())
      if (each.is === 'doubt') wishOf(String(each.recipe.params.prompt)).isAnew = true
    await settleDoubts(scene)
  }

  /** A pick that waits ends with its file. */
  function touch(): void {
    touched.touch()
    const over = new Set(doneIn(scene).flatMap(made => (touched.has(made) ? [made.id] : [])))
    const waiting = new Set<string>(picksWaiting(scene).flatMap(({ of }) => (of && over.has(of) ? [of] : [])))
    for (const wish of wishes.values())
      if (wish.decided?.how === 'picked' && waiting.has(wish.decided.id)) wish.decided = undefined
  }

  const isInDoubt = () => [...recordsIn(scene).values()].flat().some(each => each.is === 'doubt')

  /** Nothing was done since the last run, which came to its end and left no doubt. */
  async function runAgain(isQuiet: boolean): Promise<void> {
    const [before, clipsBefore] = [service.charges.length, clips().length]
    await run(undefined)
    const bought = service.charges.length - before
    if (isQuiet && bought > 0 && clips().length - clipsBefore === bought)
      accusations.push('retakes: a clip is made anew although nothing was done since the last run')
  }

  async function decide(): Promise<void> {
    const jobs = stills()
    const there = doneIn(scene).filter(
      each => !each.aside && jobs.some(job => isOf(job, each)) && each.files.length > 0,
    )
    if (there.length === 0) return
    const made = chance.pick(there)
    const wish = wishOf(String(made.recipe.params.prompt))
    switch (chance.weighed({ approve: 3, 'take back': 2, pick: 3, unpick: 1, ask: 3 })) {
      case 'approve':
        await judge(scene, made, 'approved')
        wish.decided ??= { id: made.id, how: 'approved' }
        break
      case 'take back': {
        if (wish.decided?.how !== 'approved') break
        const own = doneIn(scene).find(({ id }) => id === wish.decided?.id)
        // Whatever was decided about other takes of it goes as well: one word at a time says what stands.
        for (const each of doneIn(scene))
          if (each.recipe.params.prompt === made.recipe.params.prompt) await judge(scene, each, undefined)
        if (own) wish.decided = undefined
        break
      }
      case 'pick':
        chosen.add(made.id)
        if ((await pick(scene, made.address, false)) === 'picked')
          wish.decided = wish.decided?.how === 'approved' ? wish.decided : { id: made.id, how: 'picked' }
        break
      case 'ask':
        // What was altered meanwhile nobody wants.
        if (touched.has(made)) break
        await ask(scene, made)
        chosen.add(made.id)
        asked++
        wish.decided = wish.decided?.how === 'approved' ? wish.decided : { id: made.id, how: 'picked' }
        break
      case 'unpick':
        if ((await pick(scene, made.address, true)) === 'picked' && wish.decided?.how === 'picked')
          wish.decided = undefined
        break
    }
  }

  for (let lives = chance.whole(6, 12); lives > 0; lives--) {
    await run(chance.hits(0.15) ? chance.whole(1, 120) : undefined)
    scene.timeline.pass(30_000)
    if (chance.hits(0.7)) await settle()
    for (let acts = chance.pick([0, 1, 1, 2]); acts > 0; acts--) {
      const what = chance.weighed({
        edit: 2,
        undo: 2,
        rename: 4,
        swap: 3,
        number: 2,
        decide: 5,
        redo: 1,
        touch: 1,
        'put back': 1,
      })
      scene.log(`the user: ${what}`)
      if (what === 'decide') await decide()
      else if (what === 'touch') touch()
      else if (what === 'put back') touched.putBack()
      else if (what === 'redo') {
        redo = chance.pick(stills()).address
        await run(undefined)
      } else change(scene, what)
      // What is asked for no more is decided about no more: it may be put aside, and its pick ends.
      for (const [prompt, wish] of wishes)
        if (
          !batch.manifest().jobs.some(({ params }) => params.prompt === prompt) &&
          wish.decided?.how === 'picked'
        )
          wish.decided = undefined
    }
  }
  touched.putBack()
  service.finishAll()
  for (let nth = 0, isQuiet = false; nth < 6; nth++) {
    await runAgain(isQuiet)
    isQuiet = !isInDoubt()
    await settle()
  }
  const last = service.charges.length
  await run(undefined)
  if (service.charges.length !== last) accusations.push('retakes: it does not come to an end')
  for (const { address, files } of doneIn(scene).filter(({ aside }) => !aside))
    for (const { path, digest } of files) {
      const bytes = scene.medium.read(`${scene.layout.output}/${path}`)
      if (!bytes || digestBytes(bytes) !== digest)
        accusations.push(`retakes: ${path} of ${address} is not what was made`)
    }
  const known = [...recordsIn(scene).values()].flatMap(each => each.slice(-1))
  const paid = known.filter(({ is }) => is === 'done').length
  const due = service.charges.filter(each => !each.isGivenUp).length
  if (paid !== due) accusations.push(`retakes: ${due} are billed, and ${paid} are there`)
  const whats = clips().map(({ what }) => what)
  if (new Set(whats).size < whats.length && !wishOf(steam).isAnew)
    accusations.push('retakes: a clip is bought twice from one file')
  const extra = [...wishes].map(([prompt, { redone }]) => Math.max(0, ordered(prompt) - 1 - redone))
  // What is said of orders beside is about what histories of another kind do.
  accusations.push(...scene.witness.accusations.filter(each => /^(bug|P20)/.test(each)))
  return {
    accusations,
    billed: service.charges.length,
    retakes: extra.reduce((sum, each) => sum + each, 0),
    left,
    asked,
  }
}

function drawJobs({ batch, chance }: Scene): Job[] {
  const [pattern] = batch.manifest().jobs
  if (!pattern) throw new Error('a batch without a job')
  return ['job0', 'job1'].map(name => ({
    ...pattern,
    address: jobAddress(name),
    model,
    mode: chance.pick(['execute', 'submit'] as const),
    params: { prompt: name },
    files: {},
    needs: [],
    output: name,
    count: 1,
    take: 1,
    retries: 0,
    timeoutMs: 300_000,
    gate,
    retakes: chance.whole(0, 3),
  }))
}

/** The prompt of what is made from another job: it is bought whenever that is used with another file. */
const steam = 'steam'

function isStill({ params }: Job): boolean {
  return params.prompt !== steam
}

/** A clip of the first job's file, whichever take is used. */
function clipOf([pattern]: readonly Job[]): Job {
  if (!pattern) throw new Error('a batch without a job')
  return {
    ...pattern,
    address: jobAddress('steam'),
    model: video,
    mode: 'submit',
    params: { prompt: steam },
    files: { ['/startFrame' as Pointer]: [{ from: 'job', address: jobAddress('job0'), nth: 0 }] },
    needs: [jobAddress('job0')],
    output: 'steam',
    count: 1,
    take: 1,
    retries: 0,
    timeoutMs: 300_000,
  }
}

function change({ batch, chance }: Scene, what: 'edit' | 'undo' | 'rename' | 'swap' | 'number'): void {
  const { jobs } = batch.manifest()
  const { address, params } = chance.pick(jobs.filter(isStill))
  switch (what) {
    case 'edit': {
      // No two jobs ask for one text: whose a result is would be a question.
      const [own = ''] = String(params.prompt).split(' ')
      return batch.change(withPrompt(jobs, address, chance.pick([own, `${own} at night`])))
    }
    case 'undo':
      // The first version is another batch.
      return batch.change(batch.versions().slice(1).at(-2) ?? jobs)
    case 'rename': {
      const name = jobAddress(chance.pick(['hero', 'cup', 'pot', 'job0', 'job1']))
      if (jobs.some(each => each.address === name)) return
      return batch.change(withNames(jobs, new Map([[address, name]])))
    }
    case 'swap': {
      const [a, b] = jobs.map(job => job.address)
      if (!a || !b) return
      return batch.change(
        withNames(
          jobs,
          new Map([
            [a, b],
            [b, a],
          ]),
        ),
      )
    }
    case 'number': {
      const retakes = chance.whole(0, 3)
      return batch.change(jobs.map(job => (job.address === address ? { ...job, retakes } : job)))
    }
  }
}

function isOf({ address, params }: Job, made: DonePurchase): boolean {
  return address === firstTake(made.address) && params.prompt === made.recipe.params.prompt
}

function doneIn(scene: Scene): DonePurchase[] {
  const last = [...recordsIn(scene).values()].flatMap(each => each.slice(-1))
  return last.filter((each): each is DonePurchase => each.is === 'done')
}

async function runOnce(
  scene: Scene,
  { redo, diesAt }: { readonly redo?: JobAddress; readonly diesAt?: number },
): Promise<RunResult | undefined> {
  const life = livesUntil({ ...(diesAt !== undefined && { diesAt }) })
  const setting = {
    ...workspaceOf(scene, machineFor(scene, { life, weather: fair })),
    request: {
      manifest: 'sim.yaml',
      cwd: place.folder,
      service: account,
      emit: () => undefined,
      stop: new AbortController().signal,
      ...(redo && { redo: true as const, select: { words: [redo] } }),
    },
  }
  const result = await playOut(
    scene,
    life,
    runUnderClaim(setting, purchases => scene.heeding(purchases, scene.batch.manifest().jobs)),
  )
  const told =
    result?.got === 'report'
      ? result.report.jobs.map(({ address, ending, message }) => [address, ending, message])
      : result
  scene.log('it ends', told)
  return result
}

/** Nothing is wrong with the disk: what a hand has altered is found before anything is paid for or moved. */
function isUnplaced(result: RunResult): boolean {
  if (result.got === 'damaged') return true
  return result.got === 'report' && result.report.jobs.some(({ failure }) => failure?.why === 'unsaved')
}

async function pick(scene: Scene, take: JobAddress, isNone: boolean): Promise<string | undefined> {
  const life = livesUntil()
  const workspace = workspaceOf(scene, machineFor(scene, { life, weather: fair }))
  const words = isNone ? { none: [firstTake(take)] } : { address: takeWord(take) }
  const said = workspaceUnderClaim(workspace, {}, async context => (await pickPlanned(context, words)).got)
  const got = await playOut(scene, life, said)
  scene.log('the user picks', { ...words, got })
  return typeof got === 'string' ? got : got?.got
}

/** On a page whose server ended before it could do it. */
async function ask(scene: Scene, made: DonePurchase): Promise<void> {
  const { who, when, seen, place } = decisionOn(scene, made)
  const wish: WaitingPick = { address: made.address, pick: 'take', who, when, seen, of: made.id }
  scene.log('the user asks for a pick', wish)
  await playOut(scene, place.life, putVerdicts(place, [], [wish]))
}

function picksWaiting(scene: Scene): readonly WaitingPick[] {
  const { disk } = machineFor(scene, { life: livesUntil(), weather: fair })
  return loadPicks(verdictsFileOf(scene.layout), disk)
}

async function judge(scene: Scene, made: DonePurchase, is: 'approved' | undefined): Promise<void> {
  const { who, when, seen, place } = decisionOn(scene, made)
  const verdict: PersonsVerdict = { address: made.address, ...(is && { is }), who, when, seen, of: made.id }
  scene.log('the user decides', verdict)
  await playOut(scene, place.life, putVerdicts(place, [verdict]))
}

/** Who decides about a result now, when, of what, and where it is written down. */
function decisionOn(scene: Scene, { files }: DonePurchase) {
  const life = livesUntil()
  const { disk } = machineFor(scene, { life, weather: fair })
  const names = new Map(
    doneIn(scene).flatMap(({ id, address, aside }) => (aside ? [] : [[id, address] as const])),
  )
  const nameNow = (of: PurchaseId) => names.get(of)
  return {
    who: 'Lead',
    when: `${new Date(scene.timeline.wall()).toISOString().slice(0, 19)}Z`,
    seen: files.map(({ digest }) => digest),
    place: { path: verdictsFileOf(scene.layout), manifest: 'sim.yaml', disk, nameNow, life },
  }
}
