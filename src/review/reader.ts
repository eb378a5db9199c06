import { defined } from '../base/defined.ts'
import { problemText } from '../base/diagnostic.ts'
import { statAt } from '../disk/look.ts'
import type { ShownPage } from '../page/data/shown.ts'
import { shownPage } from '../page/shown-page.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { pickWaiting } from '../verbs/pick.ts'
import { type Quote, quoteOf } from '../verbs/quote.ts'
import { type Review, reviewOf } from '../verbs/review.ts'
import { type Watched, watchedFiles } from '../workspace/read/watched.ts'
import type { Busy } from '../workspace/records/busy.ts'
import type { Damaged } from '../workspace/records/recorded.ts'
import { editPrompt, type PromptEdit, type PromptResult, whyNoEdit } from './edit-prompt.ts'
import { openFilesWatch } from './files-watch.ts'

/** The work of a review that takes seconds of a large manifest. */
export interface ReviewReader {
  /** Reads everything anew where something that the page stands on is another than when it was read last, or where that is wanted. */
  look(isWanted: boolean): Promise<ReadResult>
  /** Carries out the picks that wait. */
  pickWaiting(): Promise<PickEnd>
  /** What an order would buy, with its amount. Sends nothing. */
  quote(words: OrderWords): Promise<QuoteEnd>
  /** Writes another prompt into the manifest. */
  edit(edit: PromptEdit): Promise<PromptResult>
  /** Why another prompt could not be written there; undefined where it can. */
  whyNoEdit(edit: EditedPrompt): Promise<string | undefined>
}

type EditedPrompt = Omit<PromptEdit, 'prompt'>

export type ReadResult =
  | { readonly got: 'same' }
  | { readonly got: 'trouble'; readonly trouble: string }
  /** `touched`: files of results, by their paths, that are others than before by size, date or inode, or are new. */
  | ({ readonly got: 'reading'; readonly touched: readonly string[] } & Reading)

/** All that a page shows. */
export interface Reading {
  readonly review: Review
  readonly head: PageHead
  /** Each as JSON, by its address: texts are soon compared, and sent as they are. */
  readonly results: readonly (readonly [address: string, text: string])[]
}

/** Of the page what is about no single result. */
export type PageHead = Omit<ShownPage, 'results' | 'verdicts' | 'run'>

type PickEnd =
  /** `isNews`: some were picked, or are over; `refused`: why some were not, and are over; `later`: why some wait for a run. */
  | {
      readonly got: 'picked'
      readonly isNews: boolean
      readonly refused: readonly string[]
      readonly later: readonly string[]
    }
  | { readonly got: 'busy' | 'damaged' | 'refused'; readonly message: string }

/** What a run is told of what it is to buy. */
export type OrderWords = Pick<WorkspaceRequest, 'redo' | 'select'>

/** Plain, so that a thread can hand it on. */
type QuoteEnd =
  | { readonly got: 'quote'; readonly quote: Quote }
  | { readonly got: 'damaged' | 'refused'; readonly message: string }

export type ReaderQuestion =
  | { readonly look: boolean }
  | { readonly pickWaiting: true }
  | { readonly quote: OrderWords }
  | { readonly edit: PromptEdit }
  | { readonly whyNoEdit: EditedPrompt }

/** What can be handed to a thread. */
export interface ReaderOptions {
  readonly request: WorkspaceRequest
  /** Where changes are looked for at first. */
  readonly paths: Review['paths']
  readonly output: string
  readonly about: Pick<ShownPage, 'can' | 'who'>
}

export function openReader({ request, about, output, ...first }: ReaderOptions): ReviewReader {
  let { paths } = first
  let watched: Watched | undefined
  let print: string | undefined
  const files = openFilesWatch()

  function fingerprint(): string {
    const places = [paths.lock, paths.journal, paths.claim, paths.verdicts, output]
    return [watched?.fingerprint() ?? '', ...places.map(stateAt)].join('\n')
  }

  function watchedNow(): Watched {
    const { manifest, cwd, vars, prices, profile } = request
    // An amount that stands open is another once its prices are.
    const others = [prices, profile].filter(path => path !== undefined)
    return watchedFiles(manifest, cwd, { ...defined({ vars }), others })
  }

  function readAnew(): ReadResult {
    const result = reviewOf(request)
    // Whatever changes while it is read is seen the next time.
    watched = watchedNow()
    if (result.got === 'review') {
      ;({ paths } = result)
      return { got: 'reading', ...readingOf(result, about), touched: files.follow(result) }
    }
    const trouble =
      result.got === 'refused' ? result.problems.slice(0, 1).map(problemText)[0] : result.message
    return { got: 'trouble', trouble: trouble ?? '' }
  }

  /** Of other files where the manifest reads others by now; what changed meanwhile stays to be seen. */
  function fingerprintUnless(before: string): string {
    const after = fingerprint()
    return after.split('\n').length === before.split('\n').length ? before : after
  }

  return {
    async look(isWanted) {
      watched ??= watchedNow()
      const seen = fingerprint()
      const areTouched = files.look()
      if (seen === print && !areTouched && !isWanted) return { got: 'same' }
      const looked = readAnew()
      print = fingerprintUnless(seen)
      return looked
    },
    async pickWaiting() {
      const result = await pickWaiting(request)
      if (result.got !== 'picked') return { got: result.got, message: inWords(result) }
      const { picked, later, refused } = result
      return {
        got: 'picked',
        isNews: picked.length + refused.length > 0,
        refused: refused.map(({ problems }) => problems.map(problemText).join('; ')),
        later: later.map(({ why }) => why),
      }
    },
    async quote(words) {
      const result = quoteOf({ ...request, ...words })
      return result.got === 'quote' ? result : { got: result.got, message: inWords(result) }
    },
    edit: edit => editPrompt(request, edit),
    whyNoEdit: async edit => whyNoEdit(request, edit),
  }
}

export function answerBy(reader: ReviewReader, question: ReaderQuestion): Promise<unknown> {
  if ('look' in question) return reader.look(question.look)
  if ('pickWaiting' in question) return reader.pickWaiting()
  if ('quote' in question) return reader.quote(question.quote)
  return 'edit' in question ? reader.edit(question.edit) : reader.whyNoEdit(question.whyNoEdit)
}

/** What a problem points at is too much for a thread to hand on. */
function inWords(result: Refused | Busy | Damaged): string {
  return result.got === 'refused' ? result.problems.map(problemText).join('; ') : result.message
}

export function readingOf(review: Review, about: ReaderOptions['about']): Reading {
  const { results, verdicts: _, run: __, ...head } = shownPage(review, about)
  return { review, head, results: results.map(each => [each.address, JSON.stringify(each)]) }
}

function stateAt(path: string): string {
  try {
    const stat = statAt(path)
    return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : 'missing'
  } catch {
    return 'unreadable'
  }
}
