import { dirname, resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { type Checked, type Diagnostic, error, hasErrors, sortProblems } from '../../base/diagnostic.ts'
import { jobAddress } from '../../base/names.ts'
import { nearest } from '../../base/nearest.ts'
import { spanOf } from '../../base/source.ts'
import type { WireMode } from '../../base/state.ts'
import { type Model, usualMode } from '../../catalog/index.ts'
import { builtIn, type ModelSet } from '../../catalog/model-set.ts'
import { realPathAt } from '../../disk/look.ts'
import { expectOf } from '../../forms/expect.ts'
import { givingHint } from '../../forms/wording.ts'
import type { Cell } from '../../manifest/expand/expand.ts'
import { readOwn } from '../../manifest/read/own.ts'
import { isNothing } from '../../manifest/read/values.ts'
import { checkInputs } from '../../manifest/resolve/inputs.ts'
import { type CastParams, castParams } from '../../manifest/resolve/params.ts'
import { descend, keySpan } from '../../manifest/resolve/placing.ts'
import type { InputLook, Job } from '../../manifest/shapes/job.ts'
import { sniffedBytes } from '../../media/sniff.ts'
import { entryIn } from '../../text/tree.ts'
import { lookAt } from '../../workspace/read/look.ts'
import type { JobAsk } from './ask.ts'

interface SingleRules {
  /** What relative paths count from. */
  readonly cwd: string
  /** Only files below this folder are read: for callers that are not the user. Absolute. */
  readonly within?: string
  /** Warnings count as errors. */
  readonly strict?: boolean
  /** The models there are; the built-in ones when it is absent. */
  readonly modelSet?: ModelSet
  /** `unread`: whether input files are there is for later. */
  readonly files?: 'unread'
  /** What is required may be missing: for prices. */
  readonly isPartial?: true
  readonly mode?: WireMode
  readonly workflow?: string
  readonly timeoutMs?: number
}

/** Checks one job that stands in no manifest, as strictly as one that does. Reads the heads of its inputs. */
export function judgeAsk(ask: JobAsk, output: string, rules: SingleRules): Checked<Job> {
  const { modelSet = builtIn } = rules
  const model = ask.model && modelSet.find(ask.model.id)
  if (!model) return { value: undefined, problems: [noModel(ask, modelSet)] }
  const problems: Diagnostic[] = []
  const emit = (problem: Diagnostic) => {
    if (rules.isPartial && problem.code === 'missing-param') return
    // There is one job, and nobody has to be told which.
    const notes = problem.notes?.filter(note => note.at !== ask.at)
    const said = ask.isFlags ? byFlag(problem, model) : problem
    problems.push({ ...said, ...defined({ notes }), ...(rules.strict && { severity: 'error' }) })
  }
  const cell = cellOf(ask, model, output)
  const cast = castParams(cell, model, { families: new Map(), modelSet, report: emit })
  const looks = { look: (path: string) => look(path, ask, rules) }
  const locals = rules.files === 'unread' ? [] : cast.locals
  for (const problem of checkInputs(locals, { ...looks, ...noProject })) emit(withoutManifest(problem, rules))
  const found = sortProblems(problems)
  return {
    value: hasErrors(found) ? undefined : jobOf({ cell, model, cast }, output, rules),
    problems: found,
  }
}

/** What is missing on a command line is given by its flag. */
function byFlag(problem: Diagnostic, model: Model): Diagnostic {
  if (problem.code !== 'missing-param') return problem
  const missing = Object.entries(model.params).find(([name]) => problem.hint === givingHint(model, name))
  if (!missing) return problem
  const [, { flag, type }] = missing
  return { ...problem, hint: `give ${type === 'file' ? 'a path or a link' : 'it'} with \`${flag}\`` }
}

// One job reads no tables and no folders.
const noProject = { read: () => ({ is: 'missing' }) as const, glob: () => [] }

function noModel({ model, at }: JobAsk, modelSet: ModelSet): Diagnostic {
  if (!model) return error('missing-model', at, 'no model is given', '`genrun models` lists them')
  const near = nearest(model.id, modelSet.ids)
  const hint = near ? `did you mean ${near}` : '`genrun models` lists them'
  return error('unknown-model', model.at, `there is no model ${model.id}`, hint)
}

function cellOf({ params, at }: JobAsk, model: Model, output: string): Cell {
  return {
    // Everything that is given lies inside the job: nothing comes from anchors or variables.
    draft: { id: output, at, body: spanOf(at.file, 0, at.file.text.length), own: [], params: [] },
    address: jobAddress(output),
    place: { axes: [], at: [] },
    model,
    own: readOwn([], () => undefined),
    output: undefined,
    ownEntries: [],
    given: params,
    makes: undefined,
    usual: undefined,
  }
}

interface JudgedCell {
  readonly cell: Cell
  readonly model: Model
  readonly cast: CastParams
}

function jobOf({ cell, model, cast }: JudgedCell, output: string, rules: SingleRules): Job {
  return {
    address: cell.address,
    model,
    mode: rules.mode ?? usualMode(model),
    params: cast.params,
    files: cast.files,
    needs: [],
    output,
    count: expectOf(model, cast.params).count,
    take: 1,
    tags: [],
    ...defined({ workflow: rules.workflow, timeoutMs: rules.timeoutMs }),
    retries: 0,
    at: cell.draft.at,
    written: {
      locate(path, part = 'value') {
        const entry = entryIn(cell.given, String(path[0]))
        if (!entry) return cell.draft.at
        const node = descend(entry.value, path.slice(1))
        return part === 'key' || isNothing(node) ? keySpan(entry, path) : node
      },
    },
  }
}

function look(path: string, { inline }: JobAsk, { cwd, within }: SingleRules): InputLook {
  const bytes = inline.get(path)
  if (bytes) return { is: 'file', bytes: bytes.byteLength, head: bytes.subarray(0, sniffedBytes) }
  const place = { manifest: '', folder: cwd, stem: '' }
  return lookAt(path, { ...place, root: within === undefined ? ownFolder(resolve(cwd, path)) : real(within) })
}

// A file that the user names is the user's to send, wherever it lies.
function ownFolder(path: string): string {
  return dirname(real(path))
}

function real(path: string): string {
  try {
    return realPathAt(path)
  } catch {
    return path
  }
}

function withoutManifest(problem: Diagnostic, { within }: SingleRules): Diagnostic {
  if (problem.code === 'missing-file')
    return { ...problem, hint: 'a path is read from the current folder on' }
  if (problem.code !== 'outside-file' || within === undefined) return problem
  return { ...problem, hint: 'only files below the current folder are read here' }
}
