import { readKeyFile } from '../../workspace/read/named-file.ts'
import type { ProfileService } from '../../workspace/service/profile.ts'
import { reachFrom, wordsIn } from '../../workspace/service/reach.ts'
import { type Env, type Surroundings, variable } from '../io/surroundings.ts'
import { chooseService, type ServiceChoice } from './service.ts'

/** The service for a command: `ca` is the file of certificate authorities that its line names. */
export function serviceFor(
  { local, ca }: { readonly local: boolean; readonly ca?: string | undefined },
  { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>,
): ServiceChoice {
  const reach = () => reachFrom(env, ca, cwd)
  return chooseService(env, local, path => readKeyFile(path, cwd), reach)
}

/** What the environment says about a service, for verbs that need none: against it a profile can be checked. */
export function namedService(env: Env): ProfileService | undefined {
  const baseUrl = variable(env, 'GENRUN_BASE_URL')
  if (baseUrl === undefined) return undefined
  const uploadOrigins = wordsIn(variable(env, 'GENRUN_UPLOAD_ORIGINS') ?? '')
  return { baseUrl, key: variable(env, 'GENRUN_API_KEY') ?? '', uploadOrigins }
}
