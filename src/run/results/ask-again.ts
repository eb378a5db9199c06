import { defined } from '../../base/defined.ts'
import { type Failure, failureMessage } from '../../base/failure.ts'
import { counted } from '../../base/measure.ts'
import type { JobAddress } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { LookFinding, SavedFile } from '../../base/state.ts'
import { lookNames, meaningOf } from '../../looks/names.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { digestFileNow } from '../../store/files/digest.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { ifReadable } from '../../store/files/storage-error.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import { lookedAs, noGraver } from './looking.ts'
import { gateAsker } from './own-gates.ts'
import { oddFailure } from './save.ts'

/** What came of asking gates once more that had not looked. */
export interface AskedAgain {
  readonly recorded: Recorded
  /** What fails by what was found now: by the job that has it. */
  readonly failing: ReadonlyMap<JobAddress, Failure>
  /** Some have not looked yet: why the first has not. */
  readonly unseen?: string
}

/** A file of a result that a gate has not looked at, though its job says that it should. */
interface Unseen {
  readonly made: DonePurchase
  readonly job: Job
  readonly file: SavedFile
  readonly name: string
}

/** By gates that have looked at a file: nothing where that is good. */
type Answers = ReadonlyMap<string, LookFinding | undefined>

/** So many are asked about at a time; a gate that has looked at none of them is left for the next run. */
const atATime = 4

/**
 * That a gate has failed, or was not there, says nothing of a file: the next run asks it again about the results that jobs have. What
 * it finds stands in the records as if it had been found when the file came.
 */
export async function askGatesAgain(setting: Setting, recorded: Recorded): Promise<AskedAgain> {
  const { request } = setting
  const unseen = unseenIn(setting, recorded)
  if (unseen.length === 0) return { recorded, failing: new Map() }
  const gates = new Map((request.gates ?? []).map(gate => [gate.name, gate]))
  const answers = new Map<SavedFile, Answers>()
  const changes = new Set<DonePurchase>()
  for (const [name, gate] of gates)
    await askAbout(
      unseen.filter(each => each.name === name),
      gate,
    )
  const changed = new Map([...changes].map(made => [made, withAnswers(made, answers)]))
  const purchases = recorded.purchases.map(each => (each.is === 'done' && changed.get(each)) || each)
  const left = unseen.filter(({ file, name }) => !answers.get(file)?.has(name))
  return {
    recorded: {
      ...recorded,
      purchases,
      untold: [
        ...recorded.untold.filter(each => each.is !== 'done' || !changed.has(each)),
        ...changed.values(),
      ],
    },
    failing: new Map(
      [...changed].flatMap(([made, { address, files }]) => {
        const isNews = made.files.some(file => [...(answers.get(file)?.values() ?? [])].some(isGrave))
        const failure = isNews ? oddFailure(files) : undefined
        return failure ? [[address, failure] as const] : []
      }),
    ),
    ...(left[0] && { unseen: unseenText(left[0], left) }),
  }

  async function askAbout(all: readonly Unseen[], gate: OwnGate): Promise<void> {
    const ask = askerFor(setting)
    for (let at = 0; at < all.length && !request.stop.aborted; at += atATime) {
      const some = all.slice(at, at + atATime)
      const found = await Promise.all(some.map(each => askOne(each, gate, ask, setting)))
      for (const [nth, { made, file, name }] of some.entries()) {
        const answer = found[nth]
        if (answer === 'unseen') continue
        changes.add(made)
        answers.set(file, new Map(answers.get(file)).set(name, answer))
      }
      if (found.every(answer => answer === 'unseen')) return
    }
  }
}

function isGrave(found: LookFinding | undefined): boolean {
  return found?.verdict === 'fail'
}

function withAnswers(made: DonePurchase, answers: ReadonlyMap<SavedFile, Answers>): DonePurchase {
  const files = made.files.map(file => {
    const its = answers.get(file)
    if (!its) return file
    const others = (file.looked?.found ?? []).filter(({ look }) => !its.has(look))
    const found = [...others, ...[...its.values()].flatMap(answer => answer ?? [])]
    return { ...file, looked: lookedAs(found, file.looked) }
  })
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
  { layout, machine, request }: Setting,
): Promise<LookFinding | undefined | 'unseen'> {
  const { digest, type } = file
  const path = findPlace(machine.disk, layout.output, file.path)
  const isSame =
    path !== undefined &&
    ifReadable(() => machine.disk.look(path)?.bytes === file.bytes && digestFileNow(machine.disk, path)) ===
      digest
  if (!isSame) return 'unseen'
  const { model, params } = made.recipe
  const found = await ask(gate, { file: path, type, digest, job: made.address, model, params }, request.stop)
  if (found?.verdict === 'not looked at') return 'unseen'
  return found && noGraver(found, look => meaningOf(look, job.gate, request.gate))
}

function unseenIn({ manifest, request }: Setting, { purchases, hidden, foreign }: Recorded): Unseen[] {
  const jobs = new Map(manifest.jobs.map(job => [job.address, job]))
  return purchases.flatMap(made => {
    const job = jobs.get(made.address)
    const isOurs = made.is === 'done' && !made.aside && !hidden.has(made.id) && !foreign?.has(made.id)
    if (!job || !isOurs) return []
    return made.files.flatMap(file =>
      (file.looked?.found ?? []).flatMap(({ look: name, verdict }): Unseen[] => {
        const isGate = verdict === 'not looked at' && !lookNames.some(each => each === name)
        return isGate && meaningOf(name, job.gate, request.gate) !== 'off' ? [{ made, job, file, name }] : []
      }),
    )
  })
}

function unseenText({ file, name }: Unseen, all: readonly Unseen[]): string {
  const why = file.looked?.found?.find(({ look }) => look === name)?.why
  const which = all.length === 1 ? file.path : `${counted(all.length, 'file')}, for instance ${file.path}`
  return `still not looked at: ${which} (${[name, why].filter(Boolean).join(': ')})`
}
