import { defined } from '../../base/defined.ts'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { holderOf } from '../../base/redact.ts'
import { declaredOn, type ModelSet, narrowedTo } from '../../catalog/model-set.ts'
import type { Prices } from '../../forms/cost.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Refused } from '../../planning/make-plan.ts'
import type { Profile } from '../../wire/profile/profile.ts'
import { owner } from '../../workspace/read/place.ts'
import { asServed, rehearsed } from '../../workspace/service/profile.ts'
import { keysOf } from '../../workspace/service/service.ts'
import { openTerms } from '../../workspace/service/terms.ts'
import type { RunRequest, Setting } from '../../workspace/workspace.ts'
import type { GenerateRequest } from './generation.ts'
import type { Workspaces } from './own-folder.ts'
import { judgeAsk } from './single-job.ts'

/** A job that nothing speaks against, and what it is ordered by. */
interface Readied {
  readonly got: 'ready'
  readonly job: Job
  readonly profile: Profile
  readonly prices?: Prices
  readonly warnings: readonly Diagnostic[]
}

/** Checks one job with all that it names. Nothing is sent or written. `output`: its name, as a manifest would have it. */
export function readySingle(request: Omit<GenerateRequest, 'name'>, output: string): Readied | Refused {
  const { service, ...unasked } = request
  const { ask } = unasked
  const modelSet = unasked.modelSet && modelsFor(unasked.modelSet, service)
  const { value: job, problems } = judgeAsk(ask, output, { ...request, ...defined({ modelSet }) })
  const own = modelSet ? declaredOn(modelSet) : []
  const terms = openTerms(service.rehearsal ? unasked : request, own, 'base_url')
  const warnings = [...problems, ...terms.problems]
  const lost = job && whyNotHere(job, service)
  if (!job || !terms.value || lost)
    return { got: 'refused', problems: [...warnings, ...(lost ? [lost] : [])] }
  const isLeak = !service.rehearsal && holderOf(keysOf(service))(job.params)
  if (isLeak) return { got: 'refused', problems: [...warnings, keyInCall(ask)] }
  if (service.rehearsal) service.introduce?.([job.model])
  return { got: 'ready', job, warnings, ...terms.value }
}

/** A rehearsal asks none of the services: there the first that has a model is as good as the next. */
function modelsFor(modelSet: ModelSet, { rehearsal, name }: GenerateRequest['service']): ModelSet {
  return rehearsal ? modelSet : narrowedTo(modelSet, name)
}

/** A single order goes to one service: to that of its model, where the catalog names one. */
function whyNotHere({ model, at }: Job, service: GenerateRequest['service']): Diagnostic | undefined {
  if (service.rehearsal) return undefined
  const own = model.service
  if (own !== undefined && own !== service.name) {
    const message = `${model.id} is a model of the service ${own}, and another one is asked`
    return error('bad-service', at, message, `name it: --service ${own}`)
  }
  if (!service.isNone) return undefined
  const hint = 'name one of yours (--service), or set GENRUN_BASE_URL and GENRUN_API_KEY'
  return error('no-service', at, 'nobody has said which service is asked', hint)
}

function keyInCall({ at }: GenerateRequest['ask']): Diagnostic {
  const hint = 'take it out: what is ordered is sent, and kept where others read it'
  return error('key-in-manifest', at, 'the call holds the key of the service', hint)
}

type Asked = Pick<GenerateRequest, 'cwd' | 'service' | 'mode' | 'verify' | 'emit' | 'stop'> &
  Pick<RunRequest, 'caps' | 'budget' | 'takeClaim'>

/** A run of a manifest with this one job, which stands in no file. `name` is what the manifest is called in a report. */
export function singleSetting(
  request: Asked,
  { job, profile, ...found }: Omit<Readied, 'got'>,
  { name = owner, ...workspaces }: Workspaces & { readonly name?: string },
): Setting {
  const { cwd, service, caps, budget, verify, takeClaim } = request
  const { stop = new AbortController().signal, emit = () => undefined } = request
  const { rehearsal } = service
  const manifest = { name: owner, file: job.at.file, output: '.', limits: {}, jobs: [job] }
  // What the call says itself goes before what the profile says of the model.
  const heeded = request.mode === undefined ? profile : { ...profile, mode: [] }
  return {
    ...found,
    ...workspaces,
    request: {
      manifest: name,
      cwd,
      service,
      isOfCalls: true,
      emit,
      stop,
      ...defined({ caps, budget, verify }),
      ...(takeClaim && { takeClaim }),
    },
    manifest: asServed({ manifest, profile: heeded }, rehearsal).manifest,
    profile: rehearsal ? rehearsed(profile) : profile,
  }
}

/** The setting with its job as it was made ready since. */
export function withJob({ manifest, ...setting }: Setting, job: Job): Setting {
  return { ...setting, manifest: { ...manifest, jobs: [job] } }
}

/** Its only job. */
export function jobIn({ manifest }: Setting): Job {
  const [job] = manifest.jobs
  if (!job) throw new Error('a single job that is none')
  return job
}
