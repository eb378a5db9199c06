import { type Diagnostic, error, hasErrors, sortProblems } from '../base/diagnostic.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import { checkManifest } from '../manifest/check.ts'
import type { Manifest } from '../manifest/job.ts'
import type { ProjectPlace } from './place.ts'
import { openProject } from './project.ts'

/** A manifest's verdict. `manifest` is there when nothing is wrong with it beyond warnings. */
export interface CheckResult {
  readonly ok: boolean
  /** Jobs after expansion; 0 when the text does not come that far. */
  readonly jobs: number
  readonly problems: readonly Diagnostic[]
  readonly manifest?: Manifest
  readonly place?: ProjectPlace
}

/** Reads and checks the manifest at `path` (relative to `cwd`). Needs no key and no network; writes nothing. */
export function checkFile(path: string, cwd: string): CheckResult {
  const opened = openProject(path, cwd)
  if (opened.got === 'trouble') return refused(opened.file, opened.code, opened.message, opened.hint)
  const { value, problems } = checkManifest(opened.file, opened.project)
  const sorted = sortProblems(problems)
  const ok = value !== undefined && !hasErrors(sorted)
  return {
    ok,
    jobs: value?.jobs.length ?? 0,
    problems: sorted,
    ...(ok && { manifest: value }),
    place: opened.place,
  }
}

function refused(file: SourceFile, code: string, message: string, hint: string): CheckResult {
  return { ok: false, jobs: 0, problems: [error(code, headOf(file), message, hint)] }
}
