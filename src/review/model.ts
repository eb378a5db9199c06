import type { Clock } from '../base/clock.ts'
import { defined } from '../base/defined.ts'
import { display } from '../base/display.ts'
import type { JobAddress } from '../base/names.ts'
import type { Random } from '../base/random.ts'
import type { SavedFile } from '../base/state.ts'
import type { Shown, ShownChange, ShownPage, ShownVerdict } from '../page/data/shown.ts'
import { shownRun } from '../page/shown-page.ts'
import type { ShownFiles } from '../plan/follow-verdicts.ts'
import { saysSomething } from '../store/verdicts/verdicts-lines.ts'
import { type PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import type { ServedFile } from '../thumbnails/served.ts'
import type { Exhibit } from '../verbs/gallery.ts'
import type { FoundFile } from '../verbs/judge.ts'
import type { Review } from '../verbs/review.ts'
import { openProofs, type Proofs } from './proofs.ts'
import type { PageHead, Reading, ReviewReader } from './reader.ts'

/** What a page shows, kept true while somebody looks at it. */
export interface ReviewModel {
  readonly review: Review
  /** The whole page's data as JSON. */
  json(): string
  /** What of it is in sight before anybody has scrolled. */
  first(): ShownPage
  /** After which change that is, for a page that asks whether it has missed one. No two servers have one in common. */
  serial(): string
  /** Where files with that digest should be: several results may have the same. */
  files(key: string): readonly ServedFile[]
  /** The one of them that has that digest indeed. It is read when nobody has read it since it was touched last. */
  proven(key: string): Promise<ServedFile | undefined>
  /** The same for what is shown already by its small picture: one after the other, the newest first, for nobody who waits. */
  proveAside(key: string): void
  /** How the files of a result are found, which are read just so. */
  find(address: JobAddress): Promise<readonly FoundFile[]>
  /** What can be judged: the digests of each result's files, and what was bought. */
  readonly judged: ReadonlyMap<JobAddress, ShownFiles>
  /** These were written down: gives how often that was. */
  wrote(given: readonly PersonsVerdict[]): number
  /** Reads everything anew. */
  refresh(): Promise<void>
  /** Reads what is another by now, if anything is. */
  renew(): Promise<void>
  /** Hears of every change until the returned function is called. */
  listen(hear: (change: ShownChange) => void): () => void
  close(): void
}

/** What it stands on. */
interface ModelMeans {
  readonly look: ReviewReader['look']
  readonly first: Reading
  readonly clock: Clock
  readonly random: Random
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string
}

const lookEveryMs = 700

/** While a genrun is at work, a crash of it shows in nothing but its silence. */
const atWorkMs = 5000

/** What is found to be altered is told together. */
const newsMs = 100

/** Looks again and again at what the page stands on, and takes over what is another. */
export function openModel({ look: lookAside, first, clock, random, redact }: ModelMeans): ReviewModel {
  const listeners = new Set<(change: ShownChange) => void>()
  const over = new AbortController()
  const proofs = openProofs(clock, () => void tellAltered())
  const shownOf = (reading: Reading) => seenOf(reading, redact, proofs.isAltered)
  let reading = first
  let now = shownOf(first)
  const server = random.token()
  let changes = 0
  let trouble: string | undefined
  let writes = 0
  let isFreshAt = clock.now()

  async function look(isWanted: boolean): Promise<void> {
    const before = writes
    const looked = await lookAside(isWanted).catch((bug: unknown) => {
      // Nobody waits for what a page that is closed would have shown.
      if (!over.signal.aborted) throw bug
    })
    if (!looked || looked.got === 'same' || over.signal.aborted) return
    isFreshAt = clock.now()
    if (looked.got === 'trouble') {
      trouble = display(looked.trouble, 1000)
      return tell({ ...shownRun(now.review), trouble })
    }
    reading = looked
    const read = shownOf(looked)
    // What was written down meanwhile is newer than what was read.
    const next = writes === before ? read : withVerdicts(read, now.review.verdicts, redact)
    const isOver = trouble !== undefined
    trouble = undefined
    show(next, before, isOver)
    void proveAll(looked.touched, looked)
  }

  /** `writes`: how often verdicts had been written down when it was read. */
  function show(next: Seen, writes: number, isWanted: boolean): void {
    const found = changeBetween(now, next)
    const change = found && { ...found, writes }
    now = next
    if (change || isWanted) tell({ ...change, ...shownRun(next.review) })
  }

  /** The same but for what is altered. */
  let isTelling = false
  async function tellAltered(): Promise<void> {
    if (isTelling) return
    isTelling = true
    await clock.until(clock.now() + newsMs, over.signal)
    isTelling = false
    if (over.signal.aborted) return
    // A pick may have given it another name meanwhile.
    await look(false)
    show(withVerdicts(shownOf(reading), now.review.verdicts, redact), writes, false)
  }

  async function proveAll(touched: readonly string[], { review }: Reading): Promise<void> {
    const isTouched = new Set(touched)
    for (const { files } of isTouched.size > 0 ? review.exhibits : [])
      for (const file of files) {
        if (over.signal.aborted) return
        if (isTouched.has(file.path)) await proofs.of(file, review.report.output)
      }
  }

  async function proven(key: string): Promise<ServedFile | undefined> {
    const output = outputOf(now)
    const all = now.files.get(key) ?? []
    const found = await Promise.all(all.map(file => proofs.of(file, output)))
    const file = all[found.indexOf('same')]
    return file && { output, path: file.path, type: file.type }
  }

  // Whoever scrolls through thousands has none of them wait for reading.
  const aside: string[] = []
  let isProving = false
  async function proveThoseAside(): Promise<void> {
    isProving = true
    for (let key = aside.pop(); key !== undefined && !over.signal.aborted; key = aside.pop())
      await proven(key)
    isProving = false
  }

  function tell(change: ShownChange): void {
    changes++
    for (const hear of listeners) hear(change)
  }

  const serial = () => `${server}.${changes}`

  async function watch(): Promise<void> {
    // What has changed since it was read first, nobody knows.
    let isWanted = true
    while (!over.signal.aborted) {
      const began = clock.now()
      await look(isWanted)
      // A large manifest takes a second to read: the page must not be the only thing that this machine does.
      await clock.until(clock.now() + Math.max(lookEveryMs, 3 * (clock.now() - began)), over.signal)
      isWanted = now.review.isAtWork && clock.now() - isFreshAt > atWorkMs
    }
  }

  void watch()
  return {
    get review() {
      return now.review
    },
    json: () => jsonOf(now, { writes, serial: serial(), ...defined({ trouble }) }),
    first: () => firstOf(now),
    serial,
    files: key => (now.files.get(key) ?? []).map(({ path, type }) => ({ output: outputOf(now), path, type })),
    proven,
    proveAside(key) {
      aside.push(key)
      if (!isProving) void proveThoseAside()
    },
    async find(address) {
      const exhibit = now.exhibits.get(address)
      const found = (exhibit?.files ?? []).map(async file => ({
        path: file.path,
        is: await proofs.of(file, outputOf(now)),
      }))
      const altered = (exhibit?.altered ?? []).map(({ path }) => ({ path, is: 'altered' as const }))
      const missing = (exhibit?.missing ?? []).map(path => ({ path, is: 'missing' as const }))
      return [...(await Promise.all(found)), ...altered, ...missing]
    },
    get judged() {
      return now.judged
    },
    wrote(given) {
      // What others wrote meanwhile is read as any change is.
      const about = new Set(given.map(({ address }) => address))
      const others = now.review.verdicts.filter(({ address }) => !about.has(address))
      now = withVerdicts(now, [...others, ...given.filter(saysSomething)], redact)
      tell({ given, writes: ++writes, ...shownRun(now.review) })
      return writes
    },
    refresh: () => look(true),
    renew: () => look(false),
    listen(hear) {
      listeners.add(hear)
      return () => listeners.delete(hear)
    },
    close: () => over.abort(),
  }
}

/** Without secrets, but for the review itself. */
interface Seen {
  readonly review: Review
  readonly head: PageHead
  /** Results as JSON. */
  readonly texts: ReadonlyMap<string, string>
  readonly verdicts: readonly ShownVerdict[]
  readonly exhibits: ReadonlyMap<JobAddress, Exhibit>
  /** By the digest, in hexadecimal. */
  readonly files: ReadonlyMap<string, readonly SavedFile[]>
  readonly judged: ReadonlyMap<JobAddress, ShownFiles>
}

type Redact = ModelMeans['redact']

function seenOf({ review, head, results }: Reading, redact: Redact, isAltered: Proofs['isAltered']): Seen {
  const files = new Map<string, SavedFile[]>()
  const judged = new Map<JobAddress, ShownFiles>()
  const altered = new Map<string, readonly string[]>()
  for (const { address, files: made, altered: others, purchase } of review.exhibits) {
    for (const file of made) {
      const key = file.digest.slice('sha256:'.length)
      files.set(key, [...(files.get(key) ?? []), file])
    }
    const read = made.filter(isAltered)
    if (read.length > 0)
      altered.set(
        address,
        read.map(({ path }) => path),
      )
    if (made.length + others.length > 0 || purchase)
      judged.set(address, { seen: made.map(({ digest }) => digest), of: purchase })
  }
  return {
    review,
    head: redacted(head, redact),
    texts: new Map(
      results.map(([address, text]) => [address, redact(withoutAltered(text, altered.get(address)))]),
    ),
    verdicts: verdictsShown(review.verdicts, redact),
    exhibits: new Map(review.exhibits.map(each => [each.address, each])),
    files,
    judged,
  }
}

/** What was read, and is another file than the records know, is shown as that and not as the result. */
function withoutAltered(text: string, altered: readonly string[] | undefined): string {
  if (!altered) return text
  const result = shownIn(text)
  const files = result.files.filter(({ path }) => !altered.includes(path))
  return JSON.stringify({ ...result, files, altered: [...(result.altered ?? []), ...altered] })
}

function outputOf({ review }: Seen): string {
  return review.report.output
}

/** Nothing else is another by it, and nothing else is read. */
function withVerdicts(seen: Seen, all: readonly PersonsVerdict[], redact: Redact): Seen {
  return { ...seen, review: { ...seen.review, verdicts: all }, verdicts: verdictsShown(all, redact) }
}

/** In one order always, so that nothing counts as another by that. */
function verdictsShown(all: readonly PersonsVerdict[], redact: Redact): ShownVerdict[] {
  return redacted(
    all.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
    redact,
  )
}

function redacted<T>(value: T, redact: Redact): T {
  return JSON.parse(redact(JSON.stringify(value))) as T // as it was
}

function jsonOf(
  { review, head, texts, verdicts }: Seen,
  more: Pick<ShownPage, 'writes' | 'serial' | 'trouble'>,
): string {
  const rest = JSON.stringify({ ...head, ...shownRun(review), verdicts, ...more })
  return `{"results":[${[...texts.values()].join()}],${rest.slice(1)}`
}

/** More than fits on most screens; where it does not, the rest comes a moment later. */
const firstResults = 60

function firstOf({ review, head, texts, verdicts }: Seen): ShownPage {
  const first = new Map([...texts].slice(0, firstResults))
  return {
    ...head,
    ...shownRun(review),
    results: [...first.values()].map(shownIn),
    verdicts: verdicts.filter(({ address }) => first.has(address)),
    of: texts.size,
  }
}

function shownIn(text: string): Shown {
  return JSON.parse(text) as Shown // as it was written
}

/** Undefined where nothing that is shown is another. */
function changeBetween(before: Seen, after: Seen): ShownChange | undefined {
  const texts = [...after.texts].filter(([address, text]) => before.texts.get(address) !== text)
  const order = [...after.texts.keys()]
  const isSameOrder = [...before.texts.keys()].join('\n') === order.join('\n')
  const areVerdicts = isAnother(before.verdicts, after.verdicts)
  const isRun = isAnother(shownRun(before.review), shownRun(after.review))
  if (texts.length === 0 && isSameOrder && !areVerdicts && !isRun) return undefined
  return {
    ...(texts.length > 0 && { results: texts.map(([, text]) => shownIn(text)) }),
    ...(!isSameOrder && { order }),
    ...(areVerdicts && { verdicts: after.verdicts }),
  }
}

function isAnother(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}
