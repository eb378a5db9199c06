import { defined } from '../../base/defined.ts'
import { listed } from '../../base/nearest.ts'
import { type ModelSet, modelAt } from '../../catalog/model-set.ts'
import { readKeyFile } from '../../workspace/read/named-file.ts'
import type { ProfileService } from '../../workspace/service/profile.ts'
import { isOn, reachFrom, wordsIn } from '../../workspace/service/reach.ts'
import { keysOf, type NamedServices, nowhere } from '../../workspace/service/service.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import { namedServices } from './named.ts'
import { chooseService, type ServiceChoice, type Trouble } from './service.ts'

/** The service for a command: `ca` is the file of certificate authorities that its line names. */
export function serviceFor(
  {
    local,
    ca,
    service,
  }: { readonly local: boolean; readonly ca?: string | undefined; readonly service?: string | undefined },
  around: Pick<Surroundings, 'env' | 'cwd' | 'trust' | 'services'>,
): ServiceChoice {
  const { env, cwd, trust } = around
  if (service !== undefined && !local) return serviceCalled(service, namedServices(around))
  const reach = () => {
    const found = reachFrom(trust?.untrusted ? { ...env, GENRUN_ALLOW_HOSTS: '' } : env, ca, cwd)
    return 'code' in found || !trust ? found : { ...found, trust }
  }
  return chooseService(env, local, path => readKeyFile(path, cwd), {
    readReach: reach,
    others: namedServices(around),
  })
}

/** One of the person's own, for a single order or question. */
function serviceCalled(name: string, others: NamedServices): ServiceChoice {
  const found = Object.hasOwn(others, name) ? others[name] : undefined
  if (!found) {
    const message = `no service is called ${name} here`
    const hint = 'your own settings declare them under `services`; `genrun settings` shows them'
    return { use: 'nothing', trouble: { code: 'unknown-service', message, hint } }
  }
  if ('problem' in found) {
    const message = `the service ${name}: ${found.problem}`
    return { use: 'nothing', trouble: { code: 'bad-service', message, hint: found.hint } }
  }
  const { baseUrl, key, profile, limits: _, ...reach } = found
  return {
    use: 'service',
    baseUrl,
    key,
    warnings: [],
    reach,
    others,
    name,
    ...defined({ profile }),
  }
}

/** Why nobody can tell which service is meant by a model that several have; undefined where it is clear. */
export function whichService(
  modelSet: ModelSet,
  model: string | undefined,
  service: string | undefined,
): Trouble | undefined {
  const declared = model === undefined ? [] : modelSet.all(model)
  if (declared.length < 2 || modelAt(declared, service)) return undefined
  const has = declared.flatMap(each => each.service ?? [])
  const message =
    service === undefined
      ? `${model} is a model of ${listed(has)}`
      : `the service ${service} has no model ${model}; ${listed(has)} have`
  return { code: 'unknown-service', message, hint: `say which of them is asked: --service ${has[0]}` }
}

/** How it speaks: a service that was named has its own profile, or the built-in one, whatever the usual one has. */
export function profileAt(
  choice: ServiceChoice,
  { profile }: { readonly profile?: string | undefined },
): { readonly profile?: string } {
  const own = choice.use === 'service' && choice.name !== undefined ? choice.profile : profile
  return own === undefined ? {} : { profile: own }
}

/** Every key that can be read: for commands that send nothing, so that nothing shows one. */
export function keysIn(around: Pick<Surroundings, 'env' | 'cwd' | 'services'>): readonly string[] {
  return keysOf({ key: keyIn(around) ?? '', others: namedServices(around) })
}

function keyIn({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): string | undefined {
  const path = variable(env, 'GENRUN_API_KEY_FILE')
  const file = path === undefined ? undefined : readKeyFile(path, cwd)
  return variable(env, 'GENRUN_API_KEY') ?? (file?.got === 'text' ? file.text.trim() || undefined : undefined)
}

/** What is known of the services, for verbs that ask none: against it a profile can be checked. */
export function namedService(
  around: Pick<Surroundings, 'env' | 'cwd' | 'trust' | 'services'>,
): ProfileService | undefined {
  const { env, trust, services = [] } = around
  const baseUrl = variable(env, 'GENRUN_BASE_URL')
  if (baseUrl === undefined && services.length === 0) return undefined
  const uploadOrigins = wordsIn(variable(env, 'GENRUN_UPLOAD_ORIGINS') ?? '')
  const key = variable(env, 'GENRUN_API_KEY') ?? ''
  const looking = trust && { ...trust, isLooking: true as const }
  return {
    baseUrl: baseUrl ?? nowhere,
    key,
    uploadOrigins,
    keyInQuery: isOn(variable(env, 'GENRUN_KEY_IN_QUERY')),
    ...defined({ trust: looking }),
    ...(baseUrl === undefined && { isNone: true as const }),
    others: namedServices({ ...around, ...defined({ trust: looking }) }),
  }
}
