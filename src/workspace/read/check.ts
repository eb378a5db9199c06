import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import { type Code, type Diagnostic, error, hasErrors, sortProblems } from '../../base/diagnostic.ts'
import { finderOf, holderOf } from '../../base/redact.ts'
import { headOf, lineAt, type SourceFile, spanOf } from '../../base/source.ts'
import { realPathAt } from '../../disk/look.ts'
import { checkManifest } from '../../manifest/check.ts'
import type { GivenVar } from '../../manifest/read/given-vars.ts'
import type { Manifest, Project } from '../../manifest/shapes/job.ts'
import { ownModels } from './model-set.ts'
import { type NoteTaker, noting } from './noting.ts'
import { type ProjectPlace, placeOf } from './place.ts'
import { openProject, projectAt } from './project.ts'

/** A manifest's verdict. `manifest` is there when nothing is wrong with it beyond warnings. */
export interface CheckResult {
  readonly ok: boolean
  /** Jobs after expansion, as many as could be counted; 0 when the text does not come that far. */
  readonly jobs: number
  readonly problems: readonly Diagnostic[]
  readonly manifest?: Manifest
  readonly place?: ProjectPlace
}

/** What a check may be told beside the manifest. */
export interface CheckOptions {
  /** Values for variables that the manifest declares. */
  readonly vars?: readonly GivenVar[]
  /** Files that declare models, beside those that the manifest names. Relative to `cwd`. */
  readonly catalog?: readonly string[]
  /** Warnings count as errors. */
  readonly strict?: boolean
  /** Keys of services: a manifest that holds one is refused, as its prompts are sent and stand in the lock. */
  readonly secrets?: readonly string[]
  /** Looks of the person's own. */
  readonly gates?: readonly { readonly name: string }[]
  /** It is read to show what is there, and nothing is looked at: it may name looks that somebody else's settings declare. */
  readonly isForShow?: boolean
  /** For what orders nothing: an input that is not there is told, and nothing counts as made from it. */
  readonly mayLackInputs?: boolean
}

interface Surrounded {
  readonly file: SourceFile
  readonly project: Project
  readonly place: ProjectPlace
}

/** Reads and checks the manifest at `path` (relative to `cwd`). Needs no key and no network. `seen` hears what it looks at. */
export function checkFile(
  path: string,
  cwd: string,
  { seen, ...options }: CheckOptions & { readonly seen?: NoteTaker | undefined } = {},
): CheckResult {
  const opened = openProject(path, cwd)
  if (opened.got === 'trouble') return refused(opened.file, opened.code, opened.message, opened.hint)
  const { project, place } = opened
  return verdict({ ...opened, project: seen ? noting(project, place, seen) : project }, cwd, options)
}

/** The manifest at `path` as it would be with another text; nothing is written. */
export function checkInstead(
  path: string,
  cwd: string,
  { text, ...options }: CheckOptions & { readonly text: string },
): CheckResult {
  const opened = openProject(path, cwd)
  if (opened.got === 'trouble') return refused(opened.file, opened.code, opened.message, opened.hint)
  return verdict({ ...opened, file: { ...opened.file, text } }, cwd, options)
}

/** A manifest that comes from elsewhere, as if it stood in `cwd`. */
export function checkText(file: SourceFile, cwd: string, options: CheckOptions = {}): CheckResult {
  const place = placeOf(join(realPathAt(cwd), 'stdin.yaml'))
  return verdict({ file, project: projectAt(place, cwd), place }, cwd, options)
}

function verdict({ file, place, ...on }: Surrounded, cwd: string, options: CheckOptions): CheckResult {
  const { vars, strict, catalog = [], secrets = [], gates = [], isForShow, mayLackInputs } = options
  const project = mayLackInputs ? { ...on.project, mayLackInputs } : on.project
  const own = ownModels(catalog, cwd)
  const { value, problems, count } = checkManifest(file, project, {
    ...defined({ vars, strict }),
    models: own.value ?? [],
    gates: { names: gates.map(({ name }) => name), ...(isForShow && { isForShow }) },
  })
  const leaks = secrets.flatMap(secret => leaksOf(secret, file, value))
  const sorted = sortProblems([...own.problems, ...problems, ...leaks])
  const ok = value !== undefined && !hasErrors(sorted)
  return { ok, jobs: count, problems: sorted, ...(ok && { manifest: value }), place }
}

/** Texts that hold the key, and jobs that put it together; neither is shown. */
function leaksOf(secret: string, file: SourceFile, manifest: Manifest | undefined): Diagnostic[] {
  const [find, holds] = [finderOf(secret), holderOf([secret])]
  const { sources = [], catalogs = [], jobs = [] } = manifest ?? {}
  const texts = [file, ...sources, ...catalogs].flatMap(each => {
    const at = find(each.text)
    return at === undefined ? [] : leak(each, at, `line ${lineAt(each, at)}`)
  })
  if (texts.length > 0) return texts
  const job = jobs.find(({ params }) => holds(params))
  return job ? [leak(job.at.file, job.at.start, job.address)] : []
}

/** It points at the place, in a text of which nothing can be read. */
function leak({ name, text }: SourceFile, at: number, where: string): Diagnostic {
  const blank = { name, text: text.slice(0, at).replaceAll(/[^\r\n]/gu, ' ') }
  const hint = 'remove it and get a new one: what is ordered is sent, kept in the lock, and read by others'
  return error('key-in-manifest', spanOf(blank, at, at), `${where} holds the key of the service`, hint)
}

function refused(file: SourceFile, code: Code, message: string, hint: string): CheckResult {
  return { ok: false, jobs: 0, problems: [error(code, headOf(file), message, hint)] }
}
