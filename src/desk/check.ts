import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, error, hasErrors, sortProblems } from '../base/diagnostic.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import { checkManifest } from '../manifest/check.ts'
import type { GivenVar } from '../manifest/given-vars.ts'
import type { Manifest, Project } from '../manifest/job.ts'
import type { ProjectPlace } from './place.ts'
import { openProject, placeOf, projectAt } from './project.ts'

/** A manifest's verdict. `manifest` is there when nothing is wrong with it beyond warnings. */
export interface CheckResult {
  readonly ok: boolean
  /** Jobs after expansion; 0 when the text does not come that far. */
  readonly jobs: number
  readonly problems: readonly Diagnostic[]
  readonly manifest?: Manifest
  readonly place?: ProjectPlace
}

interface Surrounded {
  readonly file: SourceFile
  readonly project: Project
  readonly place: ProjectPlace
}

/** Reads and checks the manifest at `path` (relative to `cwd`). `vars` set what it declares. Needs no key and no network. */
export function checkFile(path: string, cwd: string, vars: readonly GivenVar[] = []): CheckResult {
  const opened = openProject(path, cwd)
  if (opened.got === 'trouble') return refused(opened.file, opened.code, opened.message, opened.hint)
  return verdict(opened, vars)
}

/** A manifest that comes from elsewhere, as if it stood in `cwd`. */
export function checkText(file: SourceFile, cwd: string, vars: readonly GivenVar[] = []): CheckResult {
  const place = placeOf(join(realpathSync(cwd), 'stdin.yaml'))
  return verdict({ file, project: projectAt(place, cwd), place }, vars)
}

function verdict({ file, project, place }: Surrounded, vars: readonly GivenVar[]): CheckResult {
  const { value, problems } = checkManifest(file, project, vars)
  const sorted = sortProblems(problems)
  const ok = value !== undefined && !hasErrors(sorted)
  return {
    ok,
    jobs: value?.jobs.length ?? 0,
    problems: sorted,
    ...(ok && { manifest: value }),
    place,
  }
}

function refused(file: SourceFile, code: string, message: string, hint: string): CheckResult {
  return { ok: false, jobs: 0, problems: [error(code, headOf(file), message, hint)] }
}
