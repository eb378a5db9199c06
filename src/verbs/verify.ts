import { join, relative } from 'node:path'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { JobAddress } from '../base/names.ts'
import { type DonePurchase, paidFiles } from '../base/purchase.ts'
import { headOf, type SourceFile, type Span, spanOf } from '../base/source.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { reasonText } from '../plan/shapes/reasons.ts'
import { askedOf } from '../plan/shapes/share.ts'
import { isJobStep, type Step } from '../plan/shapes/step.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { Seen, WorkspaceRequest } from '../planning/open-workspace.ts'
import { holdText } from '../planning/plan-record.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { verifySaved } from '../store/files/outputs.ts'
import { isStorageError, StorageError } from '../store/files/storage-error.ts'
import { placedResults } from '../workspace/records/known.ts'
import { resultsOfOthers } from '../workspace/records/others-results.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'

/** How a result can differ from what the manifest asks for. */
export const drifts = ['stale', 'missing', 'altered', 'untracked'] as const

export type Drift = (typeof drifts)[number]

export type VerifyResult =
  | Refused
  | Damaged
  | {
      readonly got: 'verdict'
      /** One problem for everything that differs; the code is the kind of drift. */
      readonly problems: readonly Diagnostic[]
      readonly counts: { readonly [drift in Drift]: number }
      /** What differs and is no reason to complain. */
      readonly allowed: { readonly [drift in Drift]: number }
      /** Jobs whose files were compared with the lock, byte by byte. */
      readonly jobs: number
      readonly files: number
      /** What is bought and known, and nothing in the manifest asks for by now: no disagreement. */
      readonly unasked: readonly JobAddress[]
      /** Those of them that come back when the edit is taken back: they count among what is kept aside. */
      readonly former: readonly JobAddress[]
      /** Made from something else than is asked for, and a person took it for that: no disagreement either. */
      readonly accepted: readonly { readonly address: JobAddress; readonly because: readonly string[] }[]
      /** Each job once, in order, and what no job of the manifest is to blame for. */
      readonly compared: { readonly jobs: readonly ComparedJob[]; readonly others: readonly Diagnostic[] }
    }

interface ComparedJob {
  readonly address: JobAddress
  readonly model: string
  /** What is complained about. */
  readonly problems: readonly Diagnostic[]
  /** How it differs all the same. */
  readonly allowed?: string
}

interface VerifyRequest extends WorkspaceRequest {
  /** Kinds that are no reason to complain. */
  readonly allow?: readonly Drift[]
}

/**
 * Whether manifest, inputs, lock and files agree. `stale`: another result is asked for than was made, or none was made;
 * `missing`: a locked file is gone; `altered`: it has other bytes; `untracked`: nobody knows where a file comes from. What
 * was bought for a job that left the manifest is in nobody's way: it is told, and agrees.
 * Needs no key and no network, and writes nothing.
 */
export async function verifyManifest(request: VerifyRequest): Promise<VerifyResult> {
  const seen = seeManifest(request, { isAsRecorded: true })
  if (seen.got !== 'seen') return seen
  try {
    const files = await fileProblems(seen)
    const told = [...staleProblems(seen, request.cwd), ...files.problems]
    const untracked = untrackedProblems(seen)
    const found = [...told.map(({ problem }) => problem), ...untracked]
    const unasked = seen.planned.plan.steps.filter(isUnasked)
    const isAllowed = ({ code }: Diagnostic) => request.allow?.some(drift => drift === code) === true
    const problems = found.filter(problem => !isAllowed(problem))
    return {
      got: 'verdict',
      problems,
      counts: countsOf(problems),
      allowed: countsOf(found.filter(isAllowed)),
      compared: comparedBy(plannedJobs(seen.planned), { told, untracked }, isAllowed),
      jobs: plannedJobs(seen.planned).length,
      files: files.compared,
      accepted: seen.planned.plan.steps.flatMap(step =>
        step.do === 'keep' && step.accepted
          ? [{ address: step.job.address, because: step.accepted.map(reasonText) }]
          : [],
      ),
      unasked: unasked.map(({ address }) => address),
      former: unasked.flatMap(({ isFormer, address }) => (isFormer ? [address] : [])),
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** A problem of one job, or of an address that no job has any more. */
interface Told {
  readonly address: JobAddress
  readonly problem: Diagnostic
}

function comparedBy(
  planned: readonly Job[],
  { told, untracked }: { readonly told: readonly Told[]; readonly untracked: readonly Diagnostic[] },
  isAllowed: (problem: Diagnostic) => boolean,
): (VerifyResult & { got: 'verdict' })['compared'] {
  const jobs = new Map(planned.map(job => [job.address, job]))
  const of = new Map<JobAddress, Diagnostic[]>()
  for (const { address, problem } of told) of.set(address, [...(of.get(address) ?? []), problem])
  const jobless = told.flatMap(({ address, problem }) => (jobs.has(address) ? [] : [problem]))
  const isComplaint = (problem: Diagnostic) => !isAllowed(problem)
  return {
    jobs: [...jobs.values()].map(({ address, model }) => {
      const found = of.get(address) ?? []
      const allowed = found.filter(isAllowed).map(({ message }) => message)
      return {
        address,
        model: model.id,
        problems: found.filter(isComplaint),
        ...(allowed.length > 0 && { allowed: allowed.join('; ') }),
      }
    }),
    others: [...jobless, ...untracked].filter(isComplaint),
  }
}

function countsOf(problems: readonly Diagnostic[]): { readonly [drift in Drift]: number } {
  const count = (drift: Drift) => problems.filter(problem => problem.code === drift).length
  return {
    stale: count('stale'),
    missing: count('missing'),
    altered: count('altered'),
    untracked: count('untracked'),
  }
}

function staleProblems({ planned, recorded, workspace }: Seen, cwd: string): Told[] {
  const name = relative(cwd, workspace.layout.lock) || workspace.layout.lock
  const lock: SourceFile = { name, text: recorded.lockText ?? '' }
  const placed = placedNow({ planned, recorded })
  return planned.plan.steps.flatMap(step => {
    const why = staleText(step, placed)
    if (why === undefined) return []
    const [address, at] = isJobStep(step)
      ? [step.job.address, step.job.at]
      : [step.address, lineIn(lock, step.address)]
    return [{ address, problem: error('stale', at, why) }]
  })
}

/** Where the lock names an address; its head when only the journal does. */
function lineIn(lock: SourceFile, address: JobAddress): Span {
  const text = `"address":${JSON.stringify(address)}`
  const start = lock.text.indexOf(text)
  return start < 0 ? headOf(lock) : spanOf(lock, start, start + text.length)
}

function staleText(step: Step, placed: ReturnType<typeof placedResults>): string | undefined {
  switch (step.do) {
    case 'keep':
    // Paid for by an edit that was taken back: it is kept, and is nobody's.
    case 'aside':
      return undefined
    case 'buy':
      return `${step.job.address} is not what the manifest asks for: ${step.because.map(reasonText).join('; ')}`
    case 'fetch':
      // Its files are gone: that is told where files are compared, unless another result has the job's names by now.
      return placed.get(step.job.address)?.id === step.entry.id
        ? undefined
        : `${step.job.address} is paid for, and its files are not here; a run fetches them`
    case 'restore':
      // Made, and only its files are gone: that too is told there.
      if (placed.has(step.job.address)) return undefined
      return `${step.job.address} is not made yet here; the cache has it`
    case 'adopt':
      return `${step.job.address} is locked under another name; a run moves it`
    case 'resume':
      return `${step.job.address} is paid for and not finished`
    case 'hold':
      return step.because.why === 'files-gone'
        ? undefined
        : `${step.job.address} is not made: ${holdText(step.because)}`
    case 'doubt':
      return `${step.job.address} is in doubt: ${step.purchase.detail}`
    case 'drop':
      if (isUnasked(step)) return undefined
      return `${step.address} is in doubt, ${step.isBeside ? 'beside what it has' : 'and no longer what the manifest asks for'}`
  }
}

/** What is in doubt waits for a decision, whoever asks for it. */
function isUnasked(step: Step): step is Step & { do: 'drop' } {
  return step.do === 'drop' && step.purchase.is !== 'doubt'
}

/** What jobs keep, before what another lock gave the same address: that may stand in the journal alone. */
function placedNow({ planned, recorded }: Pick<Seen, 'planned' | 'recorded'>): Map<JobAddress, DonePurchase> {
  const kept = planned.plan.steps.flatMap(step =>
    step.do === 'keep' ? [[step.job.address, step.entry] as const] : [],
  )
  return new Map([...placedResults(recorded.purchases), ...kept])
}

/** A take that is not asked for any more stands beside the others, and is in nobody's way. */
function plannedJobs({ plan }: Seen['planned']): Job[] {
  return plan.steps.flatMap(step => (isJobStep(step) ? [step.job] : []))
}

async function fileProblems(seen: Seen): Promise<{ problems: Told[]; compared: number }> {
  const { workspace, planned } = seen
  const steps = new Map(planned.plan.steps.filter(isJobStep).map(step => [step.job.address, step]))
  const problems: Told[] = []
  let compared = 0
  for (const entry of placedNow(seen).values()) {
    const step = steps.get(entry.address)
    if (!step) continue
    const { job } = step
    const { address } = entry
    // Beyond these nobody asks for any, and what is gone for good the plan does without.
    const asked = step.do === 'keep' ? askedOf(job) : entry.files.length
    const tell = (code: Drift, message: string) =>
      problems.push({ address, problem: error(code, job.at, message) })
    for (const [nth, file] of entry.files.entries()) {
      compared++
      const found = await verifySaved(file, workspace.layout.output, workspace.machine.disk)
      if (found === 'missing' && nth < asked) tell('missing', `${file.path} of ${address} is gone`)
      if (found === 'altered') tell('altered', `${file.path} of ${address} was altered since it was made`)
    }
  }
  return { problems, compared }
}

/** Files of the output folder that neither a lock entry names nor the results of another manifest. What genrun itself puts beside them is left out. */
function untrackedProblems({ workspace, recorded, planned }: Seen): Diagnostic[] {
  const { layout, machine } = workspace
  const placed = placedNow({ planned, recorded })
  const known = new Set(
    recorded.purchases.flatMap(each => {
      const isPlaced = each.is === 'failed' || placed.get(each.address)?.id === each.id
      return isPlaced ? paidFiles(each).map(file => file.path) : []
    }),
  )
  const found: string[] = []
  const open: string[] = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of namesIn(join(layout.output, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (path === '.genrun' || path === 'report.html' || path === '.gitignore') continue
      const seen = machine.disk.look(join(layout.output, path))
      if (seen?.is === 'folder') open.push(path)
      else if (!known.has(path)) found.push(path)
    }
  }
  const othersAt = resultsOfOthers(workspace, recorded.lock.lineage)
  return found
    .filter(path => othersAt(path) === undefined)
    .map(untracked)
    .toSorted((a, b) => a.message.localeCompare(b.message, 'en'))

  function namesIn(path: string): string[] {
    try {
      return machine.disk.list(path)
    } catch (trouble) {
      if (isStorageError(trouble, 'ENOENT')) return []
      throw trouble
    }
  }
}

function untracked(path: string): Diagnostic {
  return error(
    'untracked',
    headOf({ name: path, text: '' }),
    `${path} is in the output folder and not in the lock`,
  )
}
