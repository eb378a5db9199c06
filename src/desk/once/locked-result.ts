import { join, relative, sep } from 'node:path'
import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import type { RunRef } from '../../base/state.ts'
import { outputKind } from '../../catalog/index.ts'
import type { Job } from '../../manifest/job.ts'
import { verifySaved } from '../../store/outputs.ts'
import { workflowOf } from '../../wire/profile.ts'
import type { RunResult } from '../carry/under-claim.ts'
import { settingProblem } from '../draw/obstacles.ts'
import type { Setting } from '../ground/setting.ts'
import type { JobReport, Report } from '../telling/report.ts'
import type { GenerateResult, Generation } from './generation.ts'

interface Around extends Setting {
  readonly seconds: number
  /** The run by which the lock had the job before. */
  readonly known?: RunRef
}

/** What a run of one job comes to, as `generate` tells it. */
export function lockedGeneration(result: RunResult, job: Job, setting: Around): GenerateResult {
  switch (result.got) {
    case 'refused':
    case 'damaged':
      return result
    case 'busy': {
      const { message, hint } = result
      return {
        got: 'refused',
        problems: [settingProblem('lock', setting.layout.lock, 'busy', message, hint)],
      }
    }
    case 'report': {
      const line = result.report.jobs.find(each => each.address === job.address)
      if (!line) throw new Error('the job is not in the report')
      const generation = generationIn(line, result.report, job, setting)
      return { got: 'generation', generation, problems: result.problems }
    }
  }
}

function generationIn(
  { ending, files, failure, message, run }: JobReport,
  { output, paid, requests, cost, rehearsal, exit }: Report,
  { model, params }: Job,
  { profile, seconds, known }: Around,
): Generation {
  const hint = hintFor(ending)
  const again = ending === 'kept' || ending === 'fetched' ? ending : undefined
  const ordered = run && { workflow: workflowOf(profile, model.id, params), id: run }
  const runNow = ordered ?? (again && known)
  return {
    model: model.id,
    kind: outputKind(model),
    ending: endingOf(ending),
    files: files.map(file => ({ ...file, path: join(output, file.path) })),
    ...(failure && { failure }),
    ...(message !== undefined && { message }),
    ...(hint !== undefined && { hint }),
    ...(runNow && { run: runNow }),
    seconds,
    paid,
    requests,
    ...(cost?.credits !== undefined && { credits: cost.credits }),
    rehearsal,
    ...(again && { again }),
    exit,
  }
}

type Told = Extract<GenerateResult, { got: 'generation' }>

/** Tells of files that were altered. A plan looks at sizes; here are few files, and they are read. Rejects with StorageTrouble. */
export async function withAltered(told: Told, { layout, machine }: Setting): Promise<Told> {
  const { generation, problems } = told
  if (generation.again !== 'kept') return told
  const altered: Diagnostic[] = []
  for (const { path, ...file } of generation.files) {
    const saved = { ...file, path: relative(layout.output, path).split(sep).join('/') }
    if ((await verifySaved(saved, layout.output, machine.disk)) === 'same') continue
    const at = headOf({ name: saved.path, text: '' })
    const hint = 'move it away, and the same call gets it again without paying where the service still has it'
    altered.push(warning('altered', at, 'it was altered since it was made, and is left alone', hint))
  }
  return { ...told, problems: [...problems, ...altered] }
}

function endingOf(ending: JobReport['ending']): Generation['ending'] {
  switch (ending) {
    case 'kept':
    case 'fetched':
    case 'moved':
      return 'made'
    case 'held':
      return 'skipped'
    default:
      return ending
  }
}

function hintFor(ending: JobReport['ending']): string | undefined {
  switch (ending) {
    case 'held':
    case 'doubt':
      return 'what may have been paid is not ordered again under this name; another name orders it anew'
    case 'detached':
      return 'it is paid for: the same call with the same lock fetches it'
    default:
      return undefined
  }
}
