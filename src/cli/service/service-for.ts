import { readKeyFile } from '../../workspace/read/named-file.ts'
import type { ProfileService } from '../../workspace/service/profile.ts'
import { reachFrom, wordsIn } from '../../workspace/service/reach.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import { chooseService, type ServiceChoice } from './service.ts'

/** The service for a command: `ca` is the file of certificate authorities that its line names. */
export function serviceFor(
  { local, ca }: { readonly local: boolean; readonly ca?: string | undefined },
  { env, cwd, trust }: Pick<Surroundings, 'env' | 'cwd' | 'trust'>,
): ServiceChoice {
  const reach = () => {
    const found = reachFrom(trust?.untrusted ? { ...env, GENRUN_ALLOW_HOSTS: '' } : env, ca, cwd)
    return 'code' in found || !trust ? found : { ...found, trust }
  }
  return chooseService(env, local, path => readKeyFile(path, cwd), reach)
}

/** The key, where one can be read: for commands that send nothing, so that nothing shows it. */
export function keyIn({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): string | undefined {
  const path = variable(env, 'GENRUN_API_KEY_FILE')
  const file = path === undefined ? undefined : readKeyFile(path, cwd)
  return variable(env, 'GENRUN_API_KEY') ?? (file?.got === 'text' ? file.text.trim() || undefined : undefined)
}

/** What the environment says about a service, for verbs that need none: against it a profile can be checked. */
export function namedService({
  env,
  trust,
}: Pick<Surroundings, 'env' | 'trust'>): ProfileService | undefined {
  const baseUrl = variable(env, 'GENRUN_BASE_URL')
  if (baseUrl === undefined) return undefined
  const uploadOrigins = wordsIn(variable(env, 'GENRUN_UPLOAD_ORIGINS') ?? '')
  const key = variable(env, 'GENRUN_API_KEY') ?? ''
  return { baseUrl, key, uploadOrigins, ...(trust && { trust: { ...trust, isLooking: true } }) }
}
