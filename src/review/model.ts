import type { Clock } from '../base/clock.ts'
import { display } from '../base/display.ts'
import type { Digest, JobAddress } from '../base/names.ts'
import type { Shown, ShownChange, ShownPage, ShownVerdict } from '../page/client/shown.ts'
import { shownRun } from '../page/shown-page.ts'
import type { PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import type { ServedFile } from '../thumbnails/served.ts'
import type { Review } from '../verbs/review.ts'
import type { PageHead, Reading, ReviewReader } from './reader.ts'

/** What a page shows, kept true while somebody looks at it. */
export interface ReviewModel {
  readonly review: Review
  /** The whole page's data as JSON. */
  json(): string
  /** What of it is in sight before anybody has scrolled. */
  first(): ShownPage
  file(key: string): ServedFile | undefined
  /** What can be judged: the digests of each result's files. */
  readonly judged: ReadonlyMap<JobAddress, readonly Digest[]>
  /** These were written down, and all of them stand there now: gives how often that was. */
  wrote(given: readonly PersonsVerdict[], all: readonly PersonsVerdict[]): number
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
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string
}

const lookEveryMs = 700

/** While a genrun is at work, a crash of it shows in nothing but its silence. */
const atWorkMs = 5000

/** Looks again and again at what the page stands on, and takes over what is another. */
export function openModel({ look: lookAside, first, clock, redact }: ModelMeans): ReviewModel {
  const listeners = new Set<(change: ShownChange) => void>()
  const over = new AbortController()
  let now = seenOf(first, redact)
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
    const read = seenOf(looked, redact)
    // What was written down meanwhile is newer than what was read.
    const next = writes === before ? read : withVerdicts(read, now.review.verdicts, redact)
    const found = changeBetween(now, next)
    const change = found && { ...found, writes: before }
    now = next
    if (change || trouble !== undefined) tell({ ...change, ...shownRun(next.review) })
    trouble = undefined
  }

  function tell(change: ShownChange): void {
    for (const hear of listeners) hear(change)
  }

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
    json: () => jsonOf(now, writes),
    first: () => firstOf(now),
    file: key => now.files.get(key),
    get judged() {
      return now.judged
    },
    wrote(given, all) {
      now = withVerdicts(now, all, redact)
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
  readonly files: ReadonlyMap<string, ServedFile>
  readonly judged: ReadonlyMap<JobAddress, readonly Digest[]>
}

type Redact = ModelMeans['redact']

function seenOf({ review, head, results }: Reading, redact: Redact): Seen {
  const files = new Map<string, ServedFile>()
  const judged = new Map<JobAddress, readonly Digest[]>()
  const { output } = review.report
  for (const { address, files: made } of review.exhibits) {
    for (const { digest, path, type } of made)
      files.set(digest.slice('sha256:'.length), { output, path, type })
    if (made.length > 0)
      judged.set(
        address,
        made.map(({ digest }) => digest),
      )
  }
  return {
    review,
    head: redacted(head, redact),
    texts: new Map(results.map(([address, text]) => [address, redact(text)])),
    verdicts: redacted(review.verdicts, redact),
    files,
    judged,
  }
}

/** Nothing else is another by it, and nothing else is read. */
function withVerdicts(seen: Seen, all: readonly PersonsVerdict[], redact: Redact): Seen {
  return { ...seen, review: { ...seen.review, verdicts: all }, verdicts: redacted(all, redact) }
}

function redacted<T>(value: T, redact: Redact): T {
  return JSON.parse(redact(JSON.stringify(value))) as T // as it was
}

function jsonOf({ review, head, texts, verdicts }: Seen, writes: number): string {
  const rest = JSON.stringify({ ...head, ...shownRun(review), verdicts, writes })
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
