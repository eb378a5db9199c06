import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { RunRef } from '../../base/state.ts'
import { outputKind } from '../../catalog/index.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { settingProblem } from '../../planning/obstacles.ts'
import { workflowOf } from '../../wire/profile/profile.ts'
import type { JobReport, Report } from '../../wording/report.ts'
import { given } from '../../workspace/service/profile.ts'
import type { Setting } from '../../workspace/workspace.ts'
import type { RunResult } from '../run-under-claim.ts'
import type { GenerateResult, Generation } from './generation.ts'

interface Around extends Setting {
  /** When the work began, by the machine's clock. */
  readonly began: number
  /** What to do next about this end, when there is something certain to say. */
  readonly hintFor: (line: JobReport) => string | undefined
  /** The run by which the lock had the job before. */
  readonly known?: RunRef
}

/** What a run of one job comes to, as `generate` tells it. */
export function generationOf(result: RunResult, job: Job, around: Around): GenerateResult {
  switch (result.got) {
    case 'refused':
    case 'damaged':
      return result
    case 'busy': {
      const { message, hint } = result
      return {
        got: 'refused',
        problems: [settingProblem({ name: 'lock', value: around.layout.lock }, 'busy', message, hint)],
      }
    }
    case 'report': {
      const line = result.report.jobs.find(each => each.address === job.address)
      if (!line) throw new Error('the job is not in the report')
      const generation = generationIn(line, result.report, job, around)
      return { got: 'generation', generation, problems: result.problems }
    }
  }
}

function generationIn(
  line: JobReport,
  { output, paid, requests, cost, rehearsal, exit }: Report,
  job: Job,
  { profile, machine, began, hintFor, known }: Around,
): Generation {
  const { ending, files, failure, message, run } = line
  const hint = hintFor(line)
  const again = ending === 'kept' || ending === 'fetched' ? ending : undefined
  const workflow = job.workflow ?? workflowOf(profile, job.model.id, given(job))
  const ordered = run ? { workflow, id: run } : again && known
  return {
    model: job.model.id,
    kind: outputKind(job.model),
    ending: endingOf(ending),
    files: files.map(file => ({ ...file, path: join(output, file.path) })),
    ...defined({ failure, message, hint, run: ordered }),
    seconds: (machine.clock.now() - began) / 1000,
    paid,
    requests,
    ...(cost?.credits !== undefined && { credits: cost.credits }),
    rehearsal,
    ...defined({ again }),
    exit,
  }
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
