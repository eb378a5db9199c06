import { defined } from '../../base/defined.ts'
import { type Failure, failureMessage } from '../../base/failure.ts'
import { counted } from '../../base/measure.ts'
import type { JobAddress, PurchaseId } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { Looked, LookFinding, SavedFile } from '../../base/state.ts'
import { lookNames, meaningOf } from '../../looks/names.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import type { Facts } from '../../plan/facts.ts'
import { isJobStep, type Plan, type Step } from '../../plan/shapes/step.ts'
import type { PlannedRun } from '../../planning/make-plan.ts'
import { digestFileNow } from '../../store/files/digest.ts'
import { findKept } from '../../store/files/outputs.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { ifReadable } from '../../store/files/storage-error.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import { type JobFile, lookAgain } from './look-again.ts'
import { lookedAs, noGraver } from './looking.ts'
import { gateAsker } from './own-gates.ts'
import { oddFailure } from './save.ts'

/** A plan, and the records that it is of. */
interface Planned<P> {
  readonly planned: P
  readonly recorded: Recorded
}

/** What came of looking once more at files that had not been looked at, by a plan in which that is known. */
export interface AskedAgain<P> extends Planned<P> {
  /** What fails by what was found now: by the job that has it. */
  readonly failing: ReadonlyMap<JobAddress, Failure>
  /** Some have not been looked at yet: why the first has not. */
  readonly unseen?: string
  /** It was stopped before all were looked at. */
  readonly isCut: boolean
}

/** A file of a result that a gate has not looked at, though its job says that it should. */
interface Unseen extends JobFile {
  readonly name: string
}

/** So many are asked about at a time; a gate that has looked at none of them is left for the next run. */
const atATime = 4

/**
 * That a gate has failed, or was not there, says nothing of a file: the next run asks it again about the results that its jobs have, and
 * looks itself where a program was not there. What is found stands in the records as if it had been found when the file came, and nothing
 * is made from what fails. What is ordered is what the plan says, made before: one take more is a matter of the next.
 */
export async function askGatesAgain<P extends Pick<PlannedRun, 'plan' | 'facts'>>(
  setting: Setting,
  { planned, recorded }: Planned<P>,
): Promise<AskedAgain<P>> {
  const { request } = setting
  const { steps } = planned.plan
  const files = filesOf(steps, recorded)
  const unseen = unseenIn(files, setting)
  const news = new Map(await lookAgain(files, file => placeOfWhole(file, setting), setting, recorded))
  const answered = new Set<Unseen>()
  const gates = new Map((request.gates ?? []).map(gate => [gate.name, gate]))
  for (const [name, gate] of gates)
    await askAbout(
      unseen.filter(each => each.name === name),
      gate,
    )
  const left = unseen.filter(each => !answered.has(each))
  const isCut = request.stop.aborted && left.length > 0
  const told = left[0] && { unseen: unseenText(left[0], left, setting) }
  if (news.size === 0) return { planned, recorded, failing: new Map(), isCut, ...told }
  const seen = new Map(files.flatMap(({ made, file }) => (news.has(file) ? [[made.id, made.files]] : [])))
  const withSeen = (made: DonePurchase) => {
    const of = seen.get(made.id)
    return of ? withNews(made, nth => of[nth] && news.get(of[nth])) : made
  }
  const changed = recorded.purchases.map(each => (each.is === 'done' ? withSeen(each) : each))
  const known = steps.map(step =>
    step.do === 'keep' || step.do === 'adopt' ? { ...step, entry: withSeen(step.entry) } : step,
  )
  const failing = failingIn(known, news, seen)
  return {
    planned: {
      ...planned,
      plan: { ...planned.plan, ...heldBehind(known, failing, planned.facts) },
    },
    recorded: {
      ...recorded,
      purchases: changed,
      untold: [
        ...recorded.untold.filter(({ id }) => !seen.has(id)),
        ...changed.flatMap(each => (each.is === 'done' && seen.has(each.id) ? [each] : [])),
      ],
    },
    failing,
    isCut,
    ...told,
  }

  async function askAbout(all: readonly Unseen[], gate: OwnGate): Promise<void> {
    const ask = askerFor(setting)
    for (let at = 0; at < all.length && !request.stop.aborted; at += atATime) {
      const some = all.slice(at, at + atATime)
      const found = await Promise.all(some.map(each => askOne(each, gate, ask, setting)))
      for (const [nth, each] of some.entries()) {
        const answer = found[nth]
        if (answer === 'unseen') continue
        answered.add(each)
        news.set(each.file, withAnswer(news.get(each.file) ?? each.file.looked, each.name, answer))
      }
      if (found.every(answer => answer === 'unseen')) return
    }
  }
}

/** What fails now, and did not before. */
function failingIn(
  steps: readonly Step[],
  news: ReadonlyMap<SavedFile, Looked>,
  seen: ReadonlyMap<PurchaseId, readonly SavedFile[]>,
): Map<JobAddress, Failure> {
  const failing = new Map<JobAddress, Failure>()
  for (const step of steps) {
    if (step.do !== 'keep' && step.do !== 'adopt') continue
    const isNews = (seen.get(step.entry.id) ?? []).some(file => {
      const before = file.looked?.found ?? []
      return (news.get(file)?.found ?? []).some(found => found.verdict === 'fail' && !before.includes(found))
    })
    const failure = isNews ? oddFailure(step.entry.files) : undefined
    if (failure) failing.set(step.job.address, failure)
  }
  return failing
}

/** Nothing is ordered that is made from what fails, as if that had come with this run; but where a person has decided for it. */
function heldBehind(
  steps: readonly Step[],
  failing: ReadonlyMap<JobAddress, Failure>,
  { verdicts }: Pick<Facts, 'verdicts'>,
): Pick<Plan, 'steps' | 'buys'> {
  const held = new Set<JobAddress>()
  const isMeant = (step: Step) => {
    if (step.do !== 'keep' && step.do !== 'adopt') return false
    const verdict = verdicts && 'on' in verdicts ? verdicts.on(step.job.address, step.entry) : undefined
    return step.entry.byHand === true || verdict?.is === 'approved'
  }
  // What a step needs stands before it.
  const all = steps.map((step): Step => {
    if (isJobStep(step) && failing.has(step.job.address) && !isMeant(step)) held.add(step.job.address)
    if (step.do !== 'buy') return step
    const need = step.job.needs.find(each => held.has(each))
    if (need === undefined) return step
    held.add(step.job.address)
    return { do: 'hold', job: step.job, because: { why: 'needs', address: need } }
  })
  return { steps: all, buys: all.filter(step => step.do === 'buy').length }
}

function withAnswer(looked: Looked | undefined, name: string, answer: LookFinding | undefined): Looked {
  const others = (looked?.found ?? []).filter(({ look }) => look !== name)
  return lookedAs([...others, ...(answer ? [answer] : [])], looked)
}

function withNews(made: DonePurchase, lookedAt: (nth: number) => Looked | undefined): DonePurchase {
  const files = made.files.map((file, nth) => ({ ...file, ...defined({ looked: lookedAt(nth) }) }))
  const { flaw, ...rest } = made
  if (flaw && flaw.why !== 'unlike-asked') return { ...made, files }
  const failure = oddFailure(files)
  return { ...rest, files, ...(failure && { flaw: { why: failure.why, message: failureMessage(failure) } }) }
}

function askerFor({ request: { service }, machine, layout }: Setting) {
  const way = defined({ proxy: service.proxy, ca: service.ca })
  return gateAsker({ ...machine, state: layout.state, way })
}

/** Undefined where that is good. */
async function askOne(
  { made, job, file }: Unseen,
  gate: OwnGate,
  ask: ReturnType<typeof gateAsker>,
  setting: Setting,
): Promise<LookFinding | undefined | 'unseen'> {
  const { request } = setting
  const { digest, type } = file
  const path = placeOfWhole(file, setting)
  if (path === undefined) return 'unseen'
  const { model, params } = made.recipe
  const found = await ask(gate, { file: path, type, digest, job: job.address, model, params }, request.stop)
  if (found?.verdict === 'not looked at') return 'unseen'
  return found && noGraver(found, look => meaningOf(look, job.gate, request.gate))
}

/** Where the very bytes of a file lie: under its name, or put aside. */
function placeOfWhole(file: SavedFile, { layout, folders, machine: { disk } }: Setting): string | undefined {
  const { path, bytes, digest } = file
  const isWhole = (place: string) =>
    ifReadable(() => disk.look(place)?.bytes === bytes && digestFileNow(disk, place)) === digest
  const own = findPlace(disk, layout.output, path)
  if (own !== undefined && isWhole(own)) return own
  const kept = findKept(file, folders.kept, disk)
  return kept !== undefined && isWhole(kept) ? kept : undefined
}

/** Of what the jobs of a plan have. */
function filesOf(steps: readonly Step[], { hidden, foreign }: Recorded): JobFile[] {
  return steps.flatMap(step => {
    if (step.do !== 'keep' && step.do !== 'adopt') return []
    const { job, entry: made } = step
    const isOurs = !hidden.has(made.id) && !foreign?.has(made.id)
    return isOurs ? made.files.map((file, nth) => ({ made, job, file, nth })) : []
  })
}

function unseenIn(files: readonly JobFile[], { request }: Setting): Unseen[] {
  return files.flatMap(each =>
    (each.file.looked?.found ?? []).flatMap(({ look: name, verdict }): Unseen[] => {
      const isGate = verdict === 'not looked at' && !lookNames.some(known => known === name)
      return isGate && meaningOf(name, each.job.gate, request.gate) !== 'off' ? [{ ...each, name }] : []
    }),
  )
}

function unseenText({ file, name }: Unseen, all: readonly Unseen[], setting: Setting): string {
  const said = file.looked?.found?.find(({ look }) => look === name)?.why
  const why = placeOfWhole(file, setting) === undefined ? 'it was altered, or is gone' : said
  const which = all.length === 1 ? file.path : `${counted(all.length, 'file')}, for instance ${file.path}`
  return `still not looked at: ${which} (${[name, why].filter(Boolean).join(': ')})`
}
