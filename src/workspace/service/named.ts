import { defined } from '../../base/defined.ts'
import { type Checked, type Diagnostic, error, hasErrors, warning } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import type { Model } from '../../catalog/index.ts'
import { modelsAt } from '../../catalog/model-set.ts'
import type { Job, Manifest } from '../../manifest/shapes/job.ts'
import { gwV2 } from '../../wire/profile/gw-v2.ts'
import type { Profile } from '../../wire/profile/profile.ts'
import { openProfile, type ProfileService } from './profile.ts'
import { type NamedService, originOf, type ServiceLimits, type ServiceProblem } from './service.ts'

/** How a service is spoken to, and what its runs are known by beside their ids; no origin where nobody has said where it is. */
export interface Spoken {
  readonly profile: Profile
  readonly origin?: string
  readonly limits?: ServiceLimits
}

/** Those that jobs name, by their names. */
export type SpokenServices = { readonly [name: string]: Spoken }

/** All that is spoken to: the usual service, and those that jobs name. */
export interface AllSpoken extends Spoken {
  readonly services?: SpokenServices | undefined
}

/** How the service of a job, or of a purchase, is spoken to. One that nobody knows is spoken to as the specification has it. */
export function spokenBy(all: AllSpoken, service: string | undefined): Spoken {
  if (service === undefined) return all
  return ownService(all.services ?? {}, service) ?? { profile: gwV2 }
}

/** A name may be what every object has: `tostring`. */
export function ownService<T>(services: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(services, name) ? services[name] : undefined
}

export function isUsable(service: NamedService | ServiceProblem): service is NamedService {
  return !('problem' in service)
}

interface NamedRequest {
  readonly cwd: string
  readonly service?: ProfileService
}

/**
 * Opens the profile of every service that the person has declared. What is wrong with one is told where a job names it; a
 * name that nobody has declared is an error where something may be sent, and a warning where nobody has said who is asked.
 */
export function openNamed(
  { cwd, service }: NamedRequest,
  { jobs }: Pick<Manifest, 'jobs'>,
  own: readonly Model[],
): Checked<SpokenServices> {
  const declared = service?.others ?? {}
  const firsts = new Map<string, Job>()
  for (const job of jobs)
    if (job.service !== undefined && !firsts.has(job.service)) firsts.set(job.service, job)
  const problems: Diagnostic[] = []
  const opened: { [name: string]: Spoken } = {}
  for (const [name, each] of Object.entries(declared)) {
    const user = firsts.get(name)
    if (!isUsable(each)) {
      if (user)
        problems.push(
          error('bad-service', atService(user), `the service ${name}: ${each.problem}`, each.hint),
        )
      continue
    }
    const profile = openProfile(each.profile, cwd, each, modelsAt(own, name))
    if (user) problems.push(...profile.problems)
    if (profile.value) opened[name] = spokenAs(profile.value, each)
  }
  for (const [name, job] of firsts)
    if (ownService(declared, name) === undefined) problems.push(unknown(name, job, service))
  const unnamed = service?.isNone ? jobs.find(job => job.service === undefined) : undefined
  if (unnamed) problems.push(unsaid(unnamed))
  return { value: hasErrors(problems) ? undefined : opened, problems }
}

function spokenAs(profile: Profile, service: NamedService): Spoken {
  const { limits } = service
  return { profile, origin: originOf(service), ...defined({ limits }) }
}

function unknown(name: string, job: Job, service: ProfileService | undefined): Diagnostic {
  const known = Object.keys(service?.others ?? {})
  const near = nearest(name, known)
  const usual = known.length > 0 ? `there ${known.length === 1 ? 'is' : 'are'} ${listed(known)}` : undefined
  const declare = `your own settings (\`genrun settings\` names the file) say where it is: \`services: { ${name}: { baseUrl: …, apiKeyFile: … } }\``
  const hint = near ? `did you mean ${near}` : (usual ?? declare)
  return (service ? error : warning)(
    'unknown-service',
    atService(job),
    `no service is called ${name} here`,
    hint,
  )
}

function unsaid(job: Job): Diagnostic {
  const message = 'this job names no service, and nobody has said which is the usual one'
  const hint = 'name one (`service:`), or set GENRUN_BASE_URL and GENRUN_API_KEY; --local rehearses'
  return error('no-service', job.at, message, hint)
}

/** Where a job, or the defaults, name it; the job where its model does. */
function atService(job: Job) {
  return job.written.locate(['service'])
}
