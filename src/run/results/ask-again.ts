import { defined } from '../../base/defined.ts'
import { type Failure, failureMessage } from '../../base/failure.ts'
import { counted } from '../../base/measure.ts'
import type { JobAddress } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { Looked, LookFinding, SavedFile } from '../../base/state.ts'
import { lookNames, meaningOf } from '../../looks/names.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import { digestFileNow } from '../../store/files/digest.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { ifReadable } from '../../store/files/storage-error.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import { type JobFile, lookAgain } from './look-again.ts'
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
interface Unseen extends JobFile {
  readonly name: string
}

/** So many are asked about at a time; a gate that has looked at none of them is left for the next run. */
const atATime = 4

/**
 * That a gate has failed, or was not there, says nothing of a file: the next run asks it again about the results that jobs have, and looks
 * itself where a program was not there. What is found stands in the records as if it had been found when the file came.
 */
export async function askGatesAgain(setting: Setting, recorded: Recorded): Promise<AskedAgain> {
  const { request } = setting
  const files = jobFilesIn(setting, recorded)
  const unseen = unseenIn(files, setting)
  const news = new Map(await lookAgain(files, file => placeOfWhole(file, setting), setting, recorded))
  if (news.size === 0 && unseen.length === 0) return { recorded, failing: new Map() }
  const answered = new Set<Unseen>()
  const gates = new Map((request.gates ?? []).map(gate => [gate.name, gate]))
  for (const [name, gate] of gates)
    await askAbout(
      unseen.filter(each => each.name === name),
      gate,
    )
  const changes = new Set(files.flatMap(({ made, file }) => (news.has(file) ? [made] : [])))
  const changed = new Map([...changes].map(made => [made, withNews(made, news)]))
  const purchases = recorded.purchases.map(each => (each.is === 'done' && changed.get(each)) || each)
  const left = unseen.filter(each => !answered.has(each))
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
        const isNews = made.files.some(file => {
          const before = file.looked?.found ?? []
          return (news.get(file)?.found ?? []).some(found => isGrave(found) && !before.includes(found))
        })
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

function isGrave(found: LookFinding): boolean {
  return found.verdict === 'fail'
}

function withAnswer(looked: Looked | undefined, name: string, answer: LookFinding | undefined): Looked {
  const others = (looked?.found ?? []).filter(({ look }) => look !== name)
  return lookedAs([...others, ...(answer ? [answer] : [])], looked)
}

function withNews(made: DonePurchase, news: ReadonlyMap<SavedFile, Looked>): DonePurchase {
  const files = made.files.map(file => ({ ...file, ...defined({ looked: news.get(file) }) }))
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
  const found = await ask(gate, { file: path, type, digest, job: made.address, model, params }, request.stop)
  if (found?.verdict === 'not looked at') return 'unseen'
  return found && noGraver(found, look => meaningOf(look, job.gate, request.gate))
}

/** Where the very bytes of a file lie under its name. */
function placeOfWhole({ path, bytes, digest }: SavedFile, { layout, machine }: Setting): string | undefined {
  const place = findPlace(machine.disk, layout.output, path)
  if (place === undefined) return undefined
  const there = ifReadable(
    () => machine.disk.look(place)?.bytes === bytes && digestFileNow(machine.disk, place),
  )
  return there === digest ? place : undefined
}

function jobFilesIn({ manifest }: Setting, { purchases, hidden, foreign }: Recorded): JobFile[] {
  const jobs = new Map(manifest.jobs.map(job => [job.address, job]))
  return purchases.flatMap(made => {
    const job = jobs.get(made.address)
    const isOurs = made.is === 'done' && !made.aside && !hidden.has(made.id) && !foreign?.has(made.id)
    return job && isOurs ? made.files.map((file, nth) => ({ made, job, file, nth })) : []
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

function unseenText({ file, name }: Unseen, all: readonly Unseen[]): string {
  const why = file.looked?.found?.find(({ look }) => look === name)?.why
  const which = all.length === 1 ? file.path : `${counted(all.length, 'file')}, for instance ${file.path}`
  return `still not looked at: ${which} (${[name, why].filter(Boolean).join(': ')})`
}
