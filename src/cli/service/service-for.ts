import { readKeyFile } from '../../workspace/read/named-file.ts'
import type { ProfileService } from '../../workspace/service/profile.ts'
import { reachFrom, wordsIn } from '../../workspace/service/reach.ts'
import { keysOf, nowhere } from '../../workspace/service/service.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import { namedServices } from './named.ts'
import { chooseService, type ServiceChoice } from './service.ts'

/** The service for a command: `ca` is the file of certificate authorities that its line names. */
export function serviceFor(
  { local, ca }: { readonly local: boolean; readonly ca?: string | undefined },
  around: Pick<Surroundings, 'env' | 'cwd' | 'trust' | 'services'>,
): ServiceChoice {
  const { env, cwd, trust } = around
  const reach = () => {
    const found = reachFrom(trust?.untrusted ? { ...env, GENRUN_ALLOW_HOSTS: '' } : env, ca, cwd)
    return 'code' in found || !trust ? found : { ...found, trust }
  }
  return chooseService(env, local, path => readKeyFile(path, cwd), {
    readReach: reach,
    others: namedServices(around),
  })
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
    ...(looking && { trust: looking }),
    ...(baseUrl === undefined && { isNone: true as const }),
    others: namedServices({ ...around, ...(looking && { trust: looking }) }),
  }
}
