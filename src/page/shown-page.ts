import { display } from '../base/display.ts'
import type { Json, JsonObject } from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'
import { firstTake } from '../plan/picks.ts'
import type { Exhibit } from '../verbs/gallery.ts'
import type { Review } from '../verbs/review.ts'
import type { Ending } from '../wording/report.ts'
import type { Shown, ShownFile, ShownLook, ShownPage, ShownRun, ShownStanding } from './data/shown.ts'

/** What a page of results says of one, before anybody has looked at it. */
function shownResult(exhibit: Exhibit): Shown {
  const { address, take, model, kind, ending, files, missing, altered, prompt, tags, uses, cost, spent } =
    exhibit
  const job = firstTake(address)
  return {
    address,
    job,
    family: job.replace(/\[.*$/, ''),
    take,
    model,
    kind,
    standing: standingOf(ending),
    files: files.map(shownFile),
    ...(missing.length > 0 && { missing }),
    ...(altered.length > 0 && { altered: altered.map(({ path }) => path) }),
    ...(prompt !== undefined && { prompt }),
    ...(exhibit.asked !== undefined && { asked: exhibit.asked }),
    ...(exhibit.outdated && { outdated: exhibit.outdated }),
    params: pairs(exhibit.params),
    defaults: pairs(exhibit.defaults),
    inputs: exhibit.inputs.map(([at, from]) => [at.slice(1), from]),
    uses: uses.map(each => String(each)),
    cell: exhibit.cell ?? {},
    tags,
    ...(exhibit.picked && { picked: true }),
    ...(exhibit.byHand && { byHand: true }),
    ...(exhibit.waits && { waits: exhibit.waits }),
    ...(cost?.is === 'known' && { cost: cost.amount }),
    ...(spent?.credits !== undefined && { credits: spent.credits }),
    place: `${exhibit.file}:${exhibit.line}`,
    ...textsOf(exhibit),
    ...looksOf(files),
    ...(exhibit.purchase && { of: exhibit.purchase }),
    ...(exhibit.orderedAt !== undefined && { orderedAt: exhibit.orderedAt }),
  }
}

function textsOf({ message, hint, accepted = [], unread = [] }: Exhibit): Pick<Shown, 'message' | 'hint'> {
  const said = [message, ...unread, ...accepted.map(each => `accepted: ${each}`)].filter(
    each => each !== undefined,
  )
  return {
    ...(said.length > 0 && { message: display(said.join('; '), 2000) }),
    ...(hint !== undefined && { hint: display(hint, 2000) }),
  }
}

/** Whoever looks at results does not ask which run made them. */
function standingOf(ending: Ending): ShownStanding {
  switch (ending) {
    case 'made':
    case 'kept':
    case 'fetched':
    case 'moved':
      return 'made'
    case 'failed':
    case 'held':
    case 'doubt':
      return ending
    case 'detached':
      return 'under way'
    case 'skipped':
      return 'not made'
  }
}

function looksOf(files: readonly SavedFile[]): Pick<Shown, 'looks'> {
  const looked = files.flatMap(({ looked: each }) => each ?? [])
  if (looked.length === 0) return {}
  const looks = looked.flatMap(({ found = [], why }): ShownLook[] =>
    why === undefined ? [...found] : [...found, { look: 'all', verdict: 'not looked at', why }],
  )
  return {
    looks: looks.map(each => ({ ...each, ...(each.why !== undefined && { why: display(each.why, 500) }) })),
  }
}

function shownFile({ path, digest, type, bytes, width, height, seconds }: SavedFile): ShownFile {
  return {
    key: digest.slice('sha256:'.length),
    path,
    type,
    bytes,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(seconds !== undefined && { seconds }),
  }
}

function pairs(params: JsonObject): [string, string][] {
  return Object.entries(params).map(([name, value]) => [name, valueText(value)])
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The axes of each family, in the order in which the manifest has them. */
function axesOf(exhibits: readonly Exhibit[]): ShownPage['axes'] {
  const axes: { [family: string]: readonly string[] } = {}
  for (const { address, cell } of exhibits)
    if (cell) axes[firstTake(address).replace(/\[.*$/, '')] ??= Object.keys(cell)
  return axes
}

/** All that a page of results shows. */
export function shownPage(review: Review, { can, who }: Pick<ShownPage, 'can' | 'who'>): ShownPage {
  const { report, exhibits, verdicts, currency } = review
  return {
    name: report.name,
    manifest: report.manifest,
    isRehearsal: report.rehearsal,
    ...(currency !== undefined && { currency }),
    axes: axesOf(exhibits),
    results: exhibits.map(shownResult),
    verdicts,
    ...shownRun(review),
    can,
    who,
  }
}

/** A genrun at work, where there is one. */
export function shownRun({
  isAtWork,
  progress,
}: Pick<Review, 'isAtWork' | 'progress'>): Pick<ShownPage, 'run'> {
  if (!isAtWork) return {}
  const { made, left, secondsLeft } = progress ?? {}
  const run: ShownRun = {
    ...(made !== undefined && { made }),
    ...(left !== undefined && { left }),
    ...(secondsLeft !== undefined && { secondsLeft }),
  }
  return { run }
}
