import { error } from '../../base/diagnostic.ts'
import { isServiceName, serviceNameForm } from '../../base/names.ts'
import type { WireMode } from '../../base/state.ts'
import type { GatePolicy, OwnLooks } from '../../looks/names.ts'
import { entryIn } from '../../text/tree.ts'
import type { FilledEntry } from '../shapes/filled.ts'
import type { ShortDelivery } from '../shapes/job.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readGate, readRetakes } from './gate.ts'
import { type OwnKey, ownEntry, ownKeys } from './shape.ts'
import { readChoice, readText, readTexts, readTime, readWhole, type Word } from './values.ts'

/** A job's own values, beside its model and its output, which is another in each cell. */
export interface OwnValues {
  readonly takes: number
  readonly needs: readonly Word[]
  readonly tags: readonly string[]
  readonly mode: WireMode | undefined
  readonly workflow: string | undefined
  readonly service: string | undefined
  readonly timeoutMs: number | undefined
  readonly retries: number
  readonly shortDelivery: ShortDelivery | undefined
  readonly isApprovalRequired: boolean
  readonly gate: GatePolicy | undefined
  readonly retakes: number | undefined
  /** Codes of warnings to leave out. */
  readonly lint: readonly string[]
}

interface Gates {
  readonly own?: OwnLooks | undefined
  /** What defaults say where the job has words of its own: it counts for the looks that these do not mean. */
  readonly usual?: FilledEntry | undefined
}

export function readOwn(
  entries: readonly FilledEntry[],
  report: ReportProblem,
  gates: Gates = {},
): OwnValues {
  const read = <T>(key: OwnKey, reader: (entry: FilledEntry) => T): T | undefined => {
    const entry = ownEntry(entries, key)
    return entry && reader(entry)
  }
  read('description', entry => readText(entry, report))
  const mode = read('mode', entry => readChoice(entry, ownKeys.mode.form, report))
  const workflow = read('workflow', entry => readWorkflow(entry, report))
  const service = read('service', entry => readService(entry, report))
  const shortDelivery = read('shortDelivery', entry => readChoice(entry, ownKeys.shortDelivery.form, report))
  const required = read('require', entry => readChoice(entry, ownKeys.require.form, report))
  const timeoutMs = read('timeout', entry => readTime(entry, report))
  return {
    takes: read('takes', entry => readWhole(entry, ownKeys.takes.form, report)) ?? 1,
    needs: read('needs', entry => readTexts(entry, report)) ?? none,
    tags: read('tags', entry => eachOnce(readTags(entry, report))) ?? none,
    mode: mode as WireMode | undefined, // One of the words of the key's form.
    workflow,
    service,
    timeoutMs,
    retries: read('retries', entry => readWhole(entry, ownKeys.retries.form, report)) ?? 0,
    shortDelivery: shortDelivery as ShortDelivery | undefined, // One of the words of the key's form.
    isApprovalRequired: required !== undefined,
    gate: read('gate', entry => withUsualGate(readGate(entry, report, gates.own), gates, report)),
    retakes: read('gate', entry => retakesOf(entry, gates.usual, report)),
    lint: read('lint', entry => eachOnce(readTexts(entry, report))) ?? none,
  }
}

function withUsualGate(policy: GatePolicy, { own, usual }: Gates, report: ReportProblem): GatePolicy {
  if (!usual || policy.has('all')) return policy
  return new Map([...readGate(usual, report, own), ...policy])
}

/** Whoever says a word for all looks says all there is to say. */
function retakesOf(
  entry: FilledEntry,
  usual: FilledEntry | undefined,
  report: ReportProblem,
): number | undefined {
  const own = readRetakes(entry, report)
  const isForAll = entry.value.kind !== 'map' || entryIn(entry.value.entries, 'all') !== undefined
  return own ?? (usual && !isForAll ? readRetakes(usual, report) : undefined)
}

// One for all jobs: there may be a hundred thousand of them.
const none: readonly never[] = []

function eachOnce(words: readonly Word[]): readonly string[] {
  return [...new Set(words.map(word => word.text))]
}

/** `shop, web` is one text to YAML, and hardly ever meant as one tag. */
function readTags(entry: FilledEntry, report: ReportProblem): Word[] {
  const words = readTexts(entry, report)
  const several = words.find(({ text }) => text.includes(','))
  if (!several) return words
  const parts = several.text.split(',').map(part => part.trim())
  const hint = `several tags are a list: \`tags: [${parts.filter(Boolean).join(', ')}]\``
  report(error('bad-value', several.at, 'a tag has no comma in it', hint))
  return words
}

/** A name in the service's address: its segments must not lead elsewhere. */
function readWorkflow(entry: FilledEntry, report: ReportProblem): string | undefined {
  const word = readText(entry, report)
  if (!word) return undefined
  const isSafe = word.text
    .split('/')
    .every(segment => /^[^\s\p{Cc}?#\\]+$/u.test(segment) && !/^\.\.?$/.test(segment))
  if (isSafe) return word.text
  const hint = 'write the name as the service knows it, for instance acme/upscale'
  report(
    error('bad-value', word.at, '`workflow` is a name without blanks, backslashes, `?`, `#` and `..`', hint),
  )
  return undefined
}

/** What names of services look like, in settings, manifests and catalogs. */
function readService(entry: FilledEntry, report: ReportProblem): string | undefined {
  const word = readText(entry, report)
  if (!word || isServiceName(word.text)) return word?.text
  const hint = 'your own settings say where it is: `services: { studio: { baseUrl: … } }`'
  report(error('bad-value', word.at, `\`service\` is ${serviceNameForm}`, hint))
  return undefined
}
