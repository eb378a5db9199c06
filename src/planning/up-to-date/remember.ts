import { dirname, join } from 'node:path'
import { defined } from '../../base/defined.ts'
import { exit } from '../../base/exit.ts'
import type { SavedFile } from '../../base/state.ts'
import { lackedReader, lacksProgram } from '../../looks/lacking.ts'
import type { Plan } from '../../plan/shapes/step.ts'
import { writeAtomically } from '../../store/files/atomic-write.ts'
import type { Report } from '../../wording/report.ts'
import { verdictsFileOf } from '../../workspace/layout.ts'
import type { Notes } from '../../workspace/read/notes.ts'
import { contentsOf, folderStampOf, foundDigest } from '../../workspace/read/stamp.ts'
import type { Setting } from '../../workspace/workspace.ts'
import { cannotUseUpToDateMark, requestDigest } from './key.ts'
import { type Memory, memoryPath, type RememberedFile, type RememberedOutput, writeMemory } from './memory.ts'

/** What a run found, and whether anything was said that must be said again. */
interface Findings {
  readonly plan: Plan
  readonly report: Report
  readonly remarks: readonly string[]
}

/**
 * Writes down that there is nothing to do, if that is all there is to say: every job kept as it is, and no problem,
 * remark or flaw. Call it under the claim.
 */
export async function rememberNothing(setting: Setting, findings: Findings): Promise<void> {
  const { request, layout, machine, notes } = setting
  if (!notes || cannotUseUpToDateMark(request) || !isNothing(setting, findings) || notes.isYoung()) return
  try {
    const text = writeMemory(memoryOf(setting, notes, findings), outputsOf(findings.plan))
    await writeAtomically(machine.disk, memoryPath(layout.state), text, {
      mode: 0o600,
      random: machine.random,
    })
  } catch {
    // A text is gone by now, or the disk is full: then it is not remembered. The run has said all that there is to say.
  }
}

function isNothing({ warnings }: Setting, { plan, report, remarks }: Findings): boolean {
  const isAllKept = plan.steps.every(
    step => step.do === 'keep' && !step.altered && !step.outdated && !step.entry.files.some(isToLookAt),
  )
  const isSilent =
    warnings.length === 0 &&
    remarks.length === 0 &&
    report.damage === undefined &&
    report.unshared === undefined
  return (
    isAllKept && isSilent && report.exit === exit.ok && report.jobs.every(job => !job.message && !job.failure)
  )
}

/** The program or package that it needs may be there the next time. */
function isToLookAt({ looked }: SavedFile): boolean {
  return looked !== undefined && (lacksProgram(looked) || lackedReader(looked) !== undefined)
}

function memoryOf(setting: Setting, notes: Notes, { report }: Findings): Memory {
  const { request, place, layout, folders, prices } = setting
  const used = [layout.output, dirname(layout.state), layout.state, folders.claim, folders.kept]
  return {
    key: requestDigest(request),
    root: place.root,
    output: layout.output,
    jobs: report.jobs.length,
    ...(prices && { currency: prices.currency }),
    files: [...notes.files].map(([path, { stamp, isText }]): RememberedFile => {
      const { real, is } = stamp
      const digest = isText && real !== undefined ? { digest: contentsOf(path) } : {}
      return { path, ...defined({ real }), is, ...digest }
    }),
    folders: used.map(path => ({ path, ...folderStampOf(path) })),
    globs: [...notes.globs].map(([pattern, found]) => ({ pattern, found: foundDigest(found) })),
  }
}

/** The files of a plan in which every job is kept, as the lock has them. */
function outputsOf({ steps }: Plan): RememberedOutput[] {
  const files = steps.flatMap(step => (step.do === 'keep' ? step.entry.files : []))
  return files.map(({ path, bytes }) => {
    const at = path.lastIndexOf('/')
    return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1), bytes }
  })
}

/** Notes the records of a manifest before they are read. */
export function noteRecords(notes: Notes, { layout, folders }: Pick<Setting, 'layout' | 'folders'>): void {
  notes.text(layout.lock)
  // Picks that wait stand there.
  notes.file(verdictsFileOf(layout))
  notes.folder(folders.journal)
  notes.folder(folders.spool)
  notes.file(join(dirname(layout.state), '.gitignore'))
}
