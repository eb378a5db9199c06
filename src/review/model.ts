import type { Clock } from '../base/clock.ts'
import { display } from '../base/display.ts'
import type { Digest, JobAddress } from '../base/names.ts'
import { statAt } from '../disk/look.ts'
import type { Shown, ShownChange, ShownPage } from '../page/client/shown.ts'
import { shownPage, shownRun } from '../page/shown-page.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import type { PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import type { ServedFile } from '../thumbnails/served.ts'
import { type Review, reviewOf } from '../verbs/review.ts'
import { watchedFiles } from '../workspace/read/watched.ts'

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
  /** Reads everything anew, now. */
  refresh(): void
  /** Hears of every change until the returned function is called. */
  listen(hear: (change: ShownChange) => void): () => void
  close(): void
}

/** What it stands on. */
interface ModelMeans {
  readonly request: WorkspaceRequest
  readonly first: Review
  readonly clock: Clock
  readonly can: ShownPage['can']
  readonly who: string
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string
}

const lookEveryMs = 700

/** While a genrun is at work, a crash of it shows in nothing but its silence. */
const atWorkMs = 5000

/** Looks again and again at what the page stands on, and reads it anew when something is another. */
export function openModel(means: ModelMeans): ReviewModel {
  const { request, clock, first } = means
  const listeners = new Set<(change: ShownChange) => void>()
  const over = new AbortController()
  let now = seenOf(first, means)
  let watched = watchedFiles(request.manifest, request.cwd, { ...(request.vars && { vars: request.vars }) })
  let print = fingerprint()
  let trouble: string | undefined
  let writes = 0
  let isFreshAt = clock.now()

  function fingerprint(): string {
    const { paths } = now.review
    const places = [paths.lock, paths.journal, paths.claim, paths.verdicts, first.report.output]
    return [watched.fingerprint(), ...places.map(stateAt)].join('\n')
  }

  function refresh(): void {
    const before = writes
    const result = reviewOf(request)
    // Whatever changes while it is read is seen the next time.
    watched = watchedFiles(request.manifest, request.cwd, { ...(request.vars && { vars: request.vars }) })
    isFreshAt = clock.now()
    if (result.got !== 'review') {
      const said = result.got === 'refused' ? (result.problems[0]?.message ?? '') : result.message
      trouble = display(said, 1000)
      return tell({ ...shownRun(now.review), trouble })
    }
    const next = seenOf(result, means)
    const found = changeBetween(now, next)
    const change = found && { ...found, writes: before }
    now = next
    if (change || trouble !== undefined) tell({ ...change, ...shownRun(result) })
    trouble = undefined
  }

  function tell(change: ShownChange): void {
    for (const hear of listeners) hear(change)
  }

  async function watch(): Promise<void> {
    let waitMs = lookEveryMs
    while (!over.signal.aborted) {
      await clock.until(clock.now() + waitMs, over.signal)
      if (over.signal.aborted) return
      const seen = fingerprint()
      const isDue = now.review.isAtWork && clock.now() - isFreshAt > atWorkMs
      if (seen === print && !isDue) continue
      const began = clock.now()
      print = seen
      refresh()
      print = fingerprintUnless(seen)
      // A large manifest takes a second to read: the page must not be the only thing that this machine does.
      waitMs = Math.max(lookEveryMs, 3 * (clock.now() - began))
    }
  }

  /** Of other files where the manifest reads others by now; what changed meanwhile stays to be seen. */
  function fingerprintUnless(before: string): string {
    const after = fingerprint()
    return after.split('\n').length === before.split('\n').length ? before : after
  }

  void watch()
  return {
    get review() {
      return now.review
    },
    json: () => now.json(),
    first: () => firstOf(now.page),
    file: key => now.files.get(key),
    get judged() {
      return now.judged
    },
    wrote(given, all) {
      now = withVerdicts(now, all, means)
      tell({ given, writes: ++writes, ...shownRun(now.review) })
      return writes
    },
    refresh,
    listen(hear) {
      listeners.add(hear)
      return () => listeners.delete(hear)
    },
    close: () => over.abort(),
  }
}

interface Seen {
  readonly review: Review
  readonly page: ShownPage
  readonly texts: ReadonlyMap<string, string>
  readonly results: ReadonlyMap<string, Shown>
  readonly verdicts: string
  readonly run: string
  readonly files: ReadonlyMap<string, ServedFile>
  readonly judged: ReadonlyMap<JobAddress, readonly Digest[]>
  json(): string
}

function seenOf(review: Review, { can, who, redact }: ModelMeans): Seen {
  const page = JSON.parse(redact(JSON.stringify(shownPage(review, { can, who })))) as ShownPage // as it was
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
    page,
    texts: new Map(page.results.map(each => [each.address, JSON.stringify(each)])),
    results: new Map(page.results.map(each => [each.address, each])),
    verdicts: JSON.stringify(page.verdicts),
    run: JSON.stringify(page.run),
    files,
    judged,
    json: once(() => JSON.stringify(page)),
  }
}

/** Nothing else is another by it, and nothing else is read. */
function withVerdicts(seen: Seen, all: readonly PersonsVerdict[], { redact }: ModelMeans): Seen {
  const text = redact(JSON.stringify(all))
  const page = { ...seen.page, verdicts: JSON.parse(text) as ShownPage['verdicts'] } // as it was
  const review = { ...seen.review, verdicts: all }
  return { ...seen, review, page, verdicts: text, json: once(() => JSON.stringify(page)) }
}

/** More than fits on most screens; where it does not, the rest comes a moment later. */
const firstResults = 60

function firstOf(page: ShownPage): ShownPage {
  const results = page.results.slice(0, firstResults)
  const addresses = new Set(results.map(({ address }) => address))
  const verdicts = page.verdicts.filter(({ address }) => addresses.has(address))
  return { ...page, results, verdicts, of: page.results.length }
}

function once(make: () => string): () => string {
  let made: string | undefined
  return () => (made ??= make())
}

/** Undefined where nothing that is shown is another. */
function changeBetween(before: Seen, after: Seen): ShownChange | undefined {
  const results = [...after.results.values()].filter(
    ({ address }) => before.texts.get(address) !== after.texts.get(address),
  )
  const [was, is] = [before, after].map(({ texts }) => [...texts.keys()])
  const isSameOrder = was?.join('\n') === is?.join('\n')
  const areVerdicts = before.verdicts !== after.verdicts
  if (results.length === 0 && isSameOrder && !areVerdicts && before.run === after.run) return undefined
  return {
    ...(results.length > 0 && { results }),
    ...(!isSameOrder && is && { order: is }),
    ...(areVerdicts && { verdicts: after.review.verdicts }),
  }
}

function stateAt(path: string): string {
  try {
    const stat = statAt(path)
    return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : 'missing'
  } catch {
    return 'unreadable'
  }
}
