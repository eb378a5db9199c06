import { resolve } from 'node:path'
import { problemText } from '../base/diagnostic.ts'
import type { JobAddress } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import { systemRandom } from '../base/random.ts'
import { lineAt, type Span } from '../base/source.ts'
import { realPathAt } from '../disk/look.ts'
import { firstTake } from '../plan/picks.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { writeAtomically } from '../store/files/atomic-write.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { withScalar } from '../text/compose.ts'
import { thisMachine } from '../workspace/machine.ts'
import { type CheckResult, checkFile, checkInstead } from '../workspace/read/check.ts'
import { keysOf } from '../workspace/service/service.ts'

type Manifest = NonNullable<CheckResult['manifest']>
type Job = Manifest['jobs'][number]

export interface PromptEdit {
  readonly address: JobAddress
  /** As it was when somebody began to write: another one is not overwritten. */
  readonly was: string
  readonly prompt: string
}

/** An edit with the whole text of the manifest, as it was and as it is. */
interface ManifestChange {
  readonly edit: PromptEdit
  readonly before: string
  readonly after: string
}

/** Edits of one manifest, which can be taken back. */
export interface PromptEdits {
  /** Gives the id by which it is taken back. */
  keep(change: ManifestChange): string
  /**
   * Writes the manifest as it was, to the byte; why that was not done. Where it was changed since, the prompt alone is what it was, and
   * nothing else is lost; nothing is to be done where it is that already, by a checkout perhaps.
   */
  takeBack(id: string): Promise<string | undefined>
}

/** Whole texts are kept: no more than so many. */
const mostKept = 50

export function openPromptEdits(
  request: WorkspaceRequest,
  write: (edit: PromptEdit) => Promise<PromptResult>,
): PromptEdits {
  const kept = new Map<string, ManifestChange>()
  return {
    keep(change) {
      const id = systemRandom.token()
      kept.set(id, change)
      for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old)
      return id
    },
    async takeBack(id) {
      const change = kept.get(id)
      if (!change) return 'genrun was started anew since, or it is too long ago'
      const { address, was, prompt } = change.edit
      if ((await replaceManifest(request, change.after, change.before)) !== undefined) {
        const result = await write({ address, was: prompt, prompt: was })
        if (result.got === 'refused' && result.now !== was) return result.why
      }
      kept.delete(id)
      return undefined
    },
  }
}

export type PromptResult =
  /** `place`: the line that is another, `tea.yaml:4`. */
  | ({ readonly got: 'edited'; readonly place: string } & ManifestChange)
  /** `now`: the prompt of the manifest, where it is another than it was. */
  | { readonly got: 'refused'; readonly why: string; readonly now?: string }

/**
 * Writes another prompt into a manifest, where that prompt and nothing else is changed by it: comments and layout stay. What it would
 * come to is checked before it is written. Refused where the prompt stands elsewhere, or is made from something. Buys nothing.
 */
export async function editPrompt(request: WorkspaceRequest, edit: PromptEdit): Promise<PromptResult> {
  const tried = tryEdit(request, edit)
  if (tried.got === 'refused') return tried
  const { before, after } = tried
  const unwritten = await replaceManifest(request, before, after)
  return unwritten === undefined ? tried : refused(unwritten)
}

/**
 * Whether a prompt can be edited so, for whoever is about to type: why not, in words with the place, or undefined. Tried with a letter
 * that is another, and not written.
 */
export function whyNoEdit(
  request: WorkspaceRequest,
  { address, was }: Omit<PromptEdit, 'prompt'>,
): string | undefined {
  const tried = tryEdit(request, { address, was, prompt: anotherThan(was) })
  if (tried.got === 'edited') return undefined
  // That it is another by now is shown when it is written.
  return tried.now === undefined ? tried.why : whyNoEdit(request, { address, was: tried.now })
}

/** As long, as some prompts must be no longer. */
function anotherThan(prompt: string): string {
  const letters = [...prompt]
  const last = letters.pop()
  return `${letters.join('')}${last === 'x' ? 'y' : 'x'}`
}

/** What it would come to. */
function tryEdit(request: WorkspaceRequest, edit: PromptEdit): PromptResult {
  const options = { ...request, secrets: keysOf(request.service) }
  const checkedBefore = checkFile(request.manifest, request.cwd, options)
  const before = checkedBefore.manifest
  const first = firstTake(edit.address)
  const job = before?.jobs.find(({ address }) => address === first)
  if (!before) return refused(`the manifest has problems as it is now: ${firstOf(checkedBefore)}`)
  if (!job) return refused(`${first} is no job of the manifest as it is now`)
  const { prompt: now } = job.params
  if (typeof now === 'string' && now !== edit.was)
    return { ...refused(`the manifest has another prompt of ${first} by now`), now }
  const origin = job.written.originOf?.('prompt')
  const at = origin?.at
  if (!at || at.file !== before.file)
    return refused(`its prompt stands in ${at ? placeOf(at) : 'no manifest'}`)
  if (origin.reads.length > 0) return refused(madeOf(origin.reads, at))
  const text = withScalar(before.file.text, at.start, edit.prompt)
  if (text === undefined) return refused(`its prompt is no text of its own at ${placeOf(at)}`)
  const checked = checkInstead(request.manifest, request.cwd, { ...options, text })
  const why = checked.manifest
    ? whyNot(before, checked.manifest, { first, prompt: edit.prompt, at })
    : `with it the manifest has a problem: ${firstOf(checked)}`
  if (why !== undefined) return refused(why)
  return { got: 'edited', place: placeOf(at), edit, before: before.file.text, after: text }
}

/** All that a prompt is made from, each with its place, and where it is put together. */
function madeOf(reads: readonly { readonly name: string; readonly at: Span }[], at: Span): string {
  const all = [...new Set(reads.map(each => `${each.name} (${placeOf(each.at)})`))]
  const [them, they] = all.length > 1 ? ['them', 'they stand'] : ['it', 'it stands']
  return `its prompt is made from ${listed(all)}: edit ${them} there, or the text that ${they} in, at ${placeOf(at)}`
}

function firstOf({ problems }: Pick<CheckResult, 'problems'>): string {
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0]
  return first ? problemText(first) : ''
}

/** The jobs are the same but for that one prompt. */
function whyNot(
  before: Manifest,
  after: Manifest,
  { first, prompt, at }: { readonly first: JobAddress; readonly prompt: string; readonly at: Span },
): string | undefined {
  const [was, is] = [before.jobs.map(textOf), after.jobs.map(textOf)]
  const others = before.jobs.filter(
    ({ address }, nth) => firstTake(address) !== first && was[nth] !== is[nth],
  )
  if (was.length !== is.length) return 'with it the manifest has other jobs'
  if (others.length > 0)
    return `it is the prompt of ${listed(others.slice(0, 3).map(({ address }) => address))} as well: edit it in the manifest, at ${placeOf(at)}`
  const own = after.jobs.filter(({ address }) => firstTake(address) === first)
  return own.every(({ params }) => params.prompt === prompt)
    ? undefined
    : 'what is written there would not be read as it is'
}

function textOf({ address, params, files, output, needs }: Job): string {
  return JSON.stringify([address, params, files, output, needs])
}

/** Why that was not done: whoever edits it at the same time goes before. */
async function replaceManifest(
  { manifest, cwd }: WorkspaceRequest,
  was: string,
  text: string,
): Promise<string | undefined> {
  const { disk } = thisMachine
  const path = realPathAt(resolve(cwd, manifest))
  const isAsItWas = () => disk.readAll(path).toString('utf8') === was
  try {
    const written = isAsItWas() && (await writeAtomically(disk, path, text, { mayReplace: isAsItWas }))
    return written ? undefined : 'the manifest was changed meanwhile: look again'
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return trouble.message
  }
}

function placeOf({ file, start }: Span): string {
  return `${file.name}:${lineAt(file, start)}`
}

function refused(why: string): Extract<PromptResult, { got: 'refused' }> {
  return { got: 'refused', why }
}
