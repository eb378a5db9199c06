import { join } from 'node:path'
import { defined } from '../base/defined.ts'
import type { Diagnostic } from '../base/diagnostic.ts'
import type { JobAddress } from '../base/names.ts'
import { followVerdicts } from '../plan/follow-verdicts.ts'
import { firstTake, type HeededPick, heededPicks } from '../plan/picks.ts'
import { patternOf } from '../plan/request/pattern.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { Seen, WorkspaceRequest } from '../planning/open-workspace.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { unknownAddress } from '../planning/unknown-address.ts'
import type { Found } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { saysSomething } from '../store/verdicts/verdicts-lines.ts'
import { type PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import { endingCounts } from '../wording/report.ts'
import { verdictsFileOf } from '../workspace/layout.ts'
import { thisMachine } from '../workspace/machine.ts'
import { loadDecided } from '../workspace/records/left-verdicts.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'
import { moveVerdicts } from '../workspace/records/take-up-verdicts.ts'
import { type Exhibit, type Gallery, galleryFrom, stepsShown } from './gallery.ts'
import { findFile } from './judge.ts'
import { progressOf, type RunProgress } from './status.ts'

/** All results as they stand, and what was decided about them. */
export interface Review extends Gallery {
  /** Under the addresses that their results have now. */
  readonly verdicts: readonly PersonsVerdict[]
  /** What tells that a verdict was taken back. */
  readonly takenBack: readonly PersonsVerdict[]
  /** Another genrun is at work: what is shown may be more a moment later. */
  readonly isAtWork: boolean
  readonly progress?: RunProgress
  /** What lies beside, and may be about these results or not. */
  readonly unclear: readonly Diagnostic[]
  readonly paths: ReviewPaths
}

/** What a change can be seen by, and where verdicts and small pictures go. All absolute. */
interface ReviewPaths {
  readonly verdicts: string
  /** Other files with verdicts about these results, under a former name. */
  readonly left: readonly string[]
  readonly lock: string
  readonly journal: string
  readonly claim: string
  readonly state: string
  readonly thumbnails: string
}

type ReviewResult = Refused | Damaged | ({ readonly got: 'review' } & Review)

/** Reads manifest, lock, journal, verdicts and disk, without a claim. No key, no request, no write. */
export function reviewOf(request: WorkspaceRequest): ReviewResult {
  const seen = seeManifest(request, { isAsRecorded: true })
  if (seen.got !== 'seen') return seen
  const { workspace, holder } = seen
  const { layout, folders, machine } = workspace
  const path = verdictsFileOf(layout)
  try {
    const written = loadDecided(layout, machine.disk)
    const verdicts = verdictsNow(seen, written.verdicts)
    const waiting = heededPicks(written.picks, seen.recorded.purchases)
    const gallery = galleryFrom(seen, request)
    const waits = waitsIn(waiting, gallery.exhibits)
    const progress = progressOf(seen)
    return {
      got: 'review',
      ...gallery,
      exhibits: gallery.exhibits.map(each => ({ ...each, ...defined({ waits: waits.get(each.address) }) })),
      verdicts: verdicts.filter(saysSomething),
      takenBack: verdicts.filter(each => !saysSomething(each)),
      isAtWork: holder !== undefined,
      unclear: seen.warnings.filter(({ code }) => code === 'left-verdicts'),
      ...(progress && { progress }),
      paths: {
        verdicts: path,
        left: layout.leftVerdicts ?? [],
        lock: layout.lock,
        journal: folders.journal,
        claim: folders.claim,
        state: layout.state,
        thumbnails: join(layout.state, 'thumbnails'),
      },
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** The same for whoever decides: what lies under a former name has its place before that. */
export async function reviewToDecide(request: WorkspaceRequest): Promise<ReviewResult> {
  const review = reviewOf(request)
  if (review.got !== 'review' || review.paths.left.length === 0) return review
  const { verdicts, left } = review.paths
  await moveVerdicts(left, { path: verdicts, manifest: request.manifest, disk: thisMachine.disk })
  return reviewOf(request)
}

/** By the names by which they are shown, which are those that the manifest has by now. */
function waitsIn(
  waiting: readonly HeededPick[],
  exhibits: readonly Exhibit[],
): ReadonlyMap<JobAddress, NonNullable<Exhibit['waits']>> {
  const names = new Map(exhibits.map(({ purchase, address }) => [purchase, address]))
  return new Map(
    waiting.map(({ of, address, pick: { pick } }) => {
      const now = names.get(of) ?? address
      return [pick === 'none' ? firstTake(now) : now, pick]
    }),
  )
}

function verdictsNow(seen: Seen, verdicts: readonly PersonsVerdict[]): PersonsVerdict[] {
  const { workspace, recorded } = seen
  const jobs = workspace.manifest.jobs.map(({ address }) => address)
  const known = followVerdicts(verdicts, jobs, recorded.purchases)
  const shown = stepsShown(seen).map(([{ job }, made]) => [job.address, known.on(job.address, made)] as const)
  const addresses = new Set(shown.map(([address]) => address))
  const others = verdicts.filter(each => !addresses.has(each.address) && !known.hasMoved(each))
  return [...shown.flatMap(([, verdict]) => verdict ?? []), ...others]
}

/** The same, once the files have been read: whoever is sent a picture of one shall see what was made, or that it was altered. */
export async function readThrough(review: Review, only?: ReadonlySet<JobAddress>): Promise<Review> {
  const exhibits: Exhibit[] = []
  for (const exhibit of review.exhibits)
    exhibits.push(only?.has(exhibit.address) === false ? exhibit : await read(exhibit, review.report.output))
  return { ...review, exhibits }
}

async function read(exhibit: Exhibit, output: string): Promise<Exhibit> {
  const found = await Promise.all(exhibit.files.map(file => findFile(file, output)))
  const filesThat = (is: Found) => exhibit.files.filter((_, nth) => found[nth]?.is === is)
  const unread = found.flatMap(({ path, why }) =>
    why === undefined ? [] : [`${path} cannot be read: ${why}`],
  )
  const missing = found.flatMap(({ path, is, why }) => (is === 'missing' && why === undefined ? [path] : []))
  return {
    ...exhibit,
    files: filesThat('same'),
    missing: [...exhibit.missing, ...missing],
    altered: [...exhibit.altered, ...filesThat('altered')],
    ...(unread.length > 0 && { unread }),
  }
}

/** Which results are meant by ids, addresses and globs (`hero`, `hero#2`, `still[*]`), and by what was decided; all, where nothing is said. */
export function shortlistOf(
  { exhibits, verdicts }: Review,
  { words, isApproved }: { readonly words: readonly string[]; readonly isApproved: boolean },
): Refused | { readonly got: 'shortlist'; readonly addresses?: ReadonlySet<JobAddress> } {
  if (words.length === 0 && !isApproved) return { got: 'shortlist' }
  const fits = words.map(word => patternOf(word))
  const unknown = words.filter((_, nth) => !exhibits.some(each => fits[nth]?.(each.address, axesOf(each))))
  if (unknown.length > 0)
    return { got: 'refused', problems: unknown.map(word => unknownAddress(word, exhibits)) }
  const approved = new Map(
    verdicts.flatMap(each => (each.is === 'approved' ? [[each.address, each.seen.join()]] : [])),
  )
  const meant = exhibits.filter(
    each =>
      (fits.length === 0 || fits.some(fit => fit(each.address, axesOf(each)))) &&
      (!isApproved || approved.get(each.address) === each.files.map(({ digest }) => digest).join()),
  )
  return { got: 'shortlist', addresses: new Set(meant.map(({ address }) => address)) }
}

/** What was chosen, and nothing of the others: whoever gets it is to see no more. */
export function chosenOf(review: Review, chosen: ReadonlySet<JobAddress> | undefined): Review {
  if (!chosen) return review
  const { exhibits, report } = review
  const jobs = report.jobs.filter(({ address }) => chosen.has(address))
  return {
    ...review,
    exhibits: exhibits.filter(({ address }) => chosen.has(address)),
    report: { ...report, jobs, counts: endingCounts(jobs) },
  }
}

function axesOf({ cell }: Exhibit): readonly string[] | undefined {
  return cell && Object.keys(cell)
}
