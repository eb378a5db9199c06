import { defined } from '../../base/defined.ts'
import { type JobAddress, type PurchaseId, restStart } from '../../base/names.ts'
import type { Purchase } from '../../base/purchase.ts'
import type { Looked, LookFinding, SavedFile } from '../../base/state.ts'
import { areAlike, judgeFile, paceOf, type Speech, shownBy } from '../../looks/judge.ts'
import type { LookResult } from '../../looks/look-at.ts'
import { type LookMeaning, lookNames, meaningOf } from '../../looks/names.ts'
import type { GateQuestion, OwnGate } from '../../looks/own-gate.ts'
import type { WordSearch } from '../../looks/words.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { firstTake } from '../../plan/picks.ts'
import { restBase } from '../../plan/shapes/share.ts'
import { takeOf } from '../../plan/takes.ts'

/** What files are looked at with, and beside. */
export interface Looking {
  /** What the command line or the settings say of jobs that say nothing; nothing is looked at when absent. */
  readonly usual?: LookMeaning | undefined
  readonly look: (path: string, stop: AbortSignal) => Promise<LookResult>
  /** Looks of the person's own. */
  readonly gates?: readonly OwnGate[]
  /** What a gate says of a file: nothing where that is good. Never rejects. */
  readonly ask: (gate: OwnGate, question: GateQuestion, stop: AbortSignal) => Promise<LookFinding | undefined>
  /** Whether words that a prompt has in quotes are on its picture: nothing where they are. Never rejects. */
  readonly words: (shown: WordSearch) => Promise<LookFinding | undefined>
  readonly siblings: Siblings
}

/** What else there is to hold a file against; grows. A file may come twice: it is held against those before it of its order. */
interface Siblings {
  /** The file of another take, or before it of the same, that shows the same: by its number, as names change with every pick. */
  alike(job: Job, place: Place, shows: readonly string[]): string | undefined
  /** Of the same model and language. */
  spoken(job: Job, place: Place): readonly Speech[]
  add(job: Job, place: Place, file: SavedFile): void
}

/** Where a file stands among all that were bought. */
interface Place {
  readonly purchase: PurchaseId
  readonly nth: number
}

/** A file that came whole, before it has its name. */
interface Came {
  readonly job: Job
  readonly place: Place
  readonly part: string
  readonly file: Pick<SavedFile, 'digest' | 'type'>
  readonly stop: AbortSignal
  /** How it differs from what was asked. */
  readonly unlike: LookFinding | undefined
}

/**
 * Looks at a file, and says how what is found counts; undefined where nobody asks for it. That it could not be looked at says nothing
 * of the file, which is paid for and kept.
 */
export async function lookedAt(came: Came, looking: Looking): Promise<Looked | undefined> {
  const { job, unlike } = came
  const means = (look: string) => meaningOf(look, job.gate, looking.usual)
  const own = (looking.gates ?? []).filter(({ name }) => means(name) !== 'off')
  const isLooked = lookNames.some(look => !['asked', 'words'].includes(look) && means(look) !== 'off')
  const isRead = means('words') !== 'off'
  if (!isLooked && !isRead && own.length === 0) return undefined
  const asked = [
    ...own.map(gate => askedOf(gate, came, looking.ask)),
    ...(isRead ? [wordsOf(came, looking, means)] : []),
  ]
  const said = (await Promise.all(asked)).flatMap(found => (found ? [noGraver(found, means)] : []))
  const first = [...(unlike ? [unlike] : []), ...said]
  return isLooked ? builtInLooks(came, looking, means, first) : asLooked(first)
}

/** What a look means for a job. */
export type LookMeanings = (look: string) => LookMeaning

function askedOf(gate: OwnGate, { job, part, file, stop }: Came, ask: Looking['ask']) {
  const { address, model, params } = job
  return ask(gate, { file: part, ...file, job: address, model: model.id, params }, stop)
}

/** Nothing where all words are there, or none were asked for. */
export async function wordsOf(
  { job, part, file, stop }: Omit<Came, 'unlike'>,
  { words }: Pick<Looking, 'words'>,
  means: LookMeanings,
): Promise<LookFinding | undefined> {
  const found = await words({ path: part, type: file.type, prompt: job.params.prompt, stop })
  return found?.verdict === 'warn' && means('words') === 'fail'
    ? { ...found, verdict: 'fail' as const }
    : found
}

/** A gate finds nothing graver than the job lets it. */
export function noGraver(found: LookFinding, means: LookMeanings): LookFinding {
  return found.verdict === 'fail' && means(found.look) !== 'fail' ? { ...found, verdict: 'warn' } : found
}

/** What came of looking, with other findings than before. */
export function lookedAs(found: readonly LookFinding[], before: Looked | undefined): Looked {
  const { why, shows } = before ?? {}
  const verdict = gravest(found, why === undefined ? 'ok' : 'not looked at')
  return { ...asLooked(found), verdict, ...defined({ why, shows }) }
}

function asLooked(found: readonly LookFinding[]): Looked {
  return { verdict: gravest(found, 'ok'), ...(found.length > 0 && { found }) }
}

/** What is seen by looks of our own, beside what was asked of others before. */
export async function builtInLooks(
  { job, place, part, stop }: Omit<Came, 'unlike' | 'file'>,
  looking: Pick<Looking, 'look' | 'siblings'>,
  means: LookMeanings,
  asked: readonly LookFinding[],
): Promise<Looked> {
  const seen = await looking.look(part, stop)
  if (seen.got === 'nothing')
    return { ...asLooked(asked), verdict: gravest(asked, 'not looked at'), why: seen.why }
  const { facts } = seen
  const shows = shownBy(facts)
  const same = looking.siblings.alike(job, place, shows)
  const pace = facts.of === 'sound' && spokenBy(job, facts.seconds)
  const slow = pace && paceOf(pace, looking.siblings.spoken(job, place))
  const odd = [
    ...judgeFile(facts),
    ...(same === undefined ? [] : [{ look: 'twice', why: `it shows the same as ${same}` }]),
    ...(slow ? [{ look: 'pace', why: slow }] : []),
  ].flatMap(({ look, why }): LookFinding[] => {
    const verdict = means(look)
    return verdict === 'off' ? [] : [{ look, verdict, why }]
  })
  const found = [...asked, ...odd]
  return { ...asLooked(found), ...(shows.length > 0 && { shows }) }
}

function gravest(found: readonly LookFinding[], otherwise: Looked['verdict']): Looked['verdict'] {
  const order = ['fail', 'warn', 'not looked at'] as const
  return order.find(verdict => found.some(each => each.verdict === verdict)) ?? otherwise
}

/** Of everything that a manifest has, read when it is first asked for: what is put aside is nobody's take any more. */
export function openSiblings(purchases: () => Iterable<Purchase>): Siblings {
  const shown = new Map<JobAddress, Placed<Shown>>()
  const spoken = new Map<string, Placed<Speech>>()
  let isRead = false
  function note(address: JobAddress, told: Told, place: Place, file: SavedFile): void {
    put(shown, firstTake(address), { place, value: { address, nth: place.nth, file } })
    const { seconds } = file
    if (seconds !== undefined)
      put(spoken, voiceOf(told), { place, value: { seconds, characters: lengthOf(told.params) } })
  }
  function read(): void {
    if (isRead) return
    isRead = true
    for (const purchase of purchases()) {
      if (purchase.is !== 'done' || purchase.aside) continue
      for (const [nth, file] of purchase.files.entries())
        note(purchase.address, purchase.recipe, { purchase: purchase.id, nth }, file)
    }
  }
  return {
    alike({ address }, place, shows) {
      read()
      const all = others(shown.get(firstTake(address)), place)
      const same = all.find(({ file: { looked } }) => areAlike(looked?.shows ?? [], shows))
      return same && numbered(same, address, all)
    },
    spoken(job, place) {
      read()
      return others(spoken.get(voiceOf(toldOf(job))), place)
    },
    add(job, place, file) {
      // Where nobody has asked for anything yet, nothing is held either: whoever asks first reads all.
      if (isRead) note(job.address, toldOf(job), place, file)
    },
  }
}

/** By purchase, and by the place in it. */
type Placed<Value> = Map<PurchaseId, Value[]>

interface Shown extends Pick<Place, 'nth'> {
  readonly address: JobAddress
  readonly file: SavedFile
}

function numbered({ address, nth }: Shown, own: JobAddress, all: readonly Shown[]): string {
  const takeNamed = restBase(address)
  const file = `file ${restStart(address) + nth + 1}`
  if (takeNamed === restBase(own)) return `${file} of the same take`
  const isAlone = all.filter(each => restBase(each.address) === takeNamed).length === 1
  return `${isAlone ? '' : `${file} of `}take ${takeOf(takeNamed)}`
}

function others<Value>(all: Placed<Value> | undefined, { purchase, nth }: Place): Value[] {
  return [...(all ?? [])].flatMap(([id, values]) => (id === purchase ? values.slice(0, nth) : values))
}

function put<Key, Value>(
  all: Map<Key, Placed<Value>>,
  key: Key,
  { place, value }: { readonly place: Place; readonly value: Value },
): void {
  const placed = all.get(key) ?? new Map<PurchaseId, Value[]>()
  all.set(key, placed)
  placed.set(place.purchase, [...(placed.get(place.purchase) ?? []).slice(0, place.nth), value])
}

interface Told {
  readonly model: string
  readonly params: Job['params']
}

function voiceOf({ model, params }: Told): string {
  return `${model} ${String(params.language ?? '')}`
}

/** In characters as a reader counts them: code points. */
function lengthOf({ prompt }: Job['params']): number {
  return typeof prompt === 'string' ? [...prompt].length : 0
}

function spokenBy({ model, params }: Job, seconds: number): Speech | undefined {
  return model.inputType === 'tts' ? { seconds, characters: lengthOf(params) } : undefined
}

function toldOf({ model, params }: Job): Told {
  return { model: model.id, params }
}
