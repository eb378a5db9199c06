import { defined } from '../../base/defined.ts'
import { readKeyFile } from '../../workspace/read/named-file.ts'
import type { Trust } from '../../workspace/read/trust.ts'
import { reachFrom } from '../../workspace/service/reach.ts'
import type { DeclaredService, NamedService, NamedServices } from '../../workspace/service/service.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { readBaseUrl, readKey, type Trouble } from './service.ts'

type Around = Pick<Surroundings, 'env' | 'cwd' | 'trust' | 'services'>

/**
 * The services that jobs may name, each with its own key, which goes to its own address. What is wrong with one stands in its
 * place: who does not use it has no trouble of it.
 */
export function namedServices(around: Around): NamedServices {
  const { services = [] } = around
  return Object.fromEntries(services.map(each => [each.name, orProblem(namedService(each, around))]))
}

function orProblem(service: NamedService | Trouble): NamedServices[string] {
  return 'code' in service ? { problem: service.message, hint: service.hint } : service
}

function namedService(declared: DeclaredService, { env, cwd, trust }: Around): NamedService | Trouble {
  const { apiKeyFile, apiKeyVariable, profile, limits } = declared
  const address = readBaseUrl(declared.baseUrl, env, '`baseUrl`')
  if ('code' in address) return address
  const source = {
    ...(apiKeyFile !== undefined && { file: apiKeyFile, of: '`apiKeyFile`' }),
    ...defined({ variable: apiKeyVariable }),
  }
  const key = readKey(env, source, path => readKeyFile(path, cwd))
  if ('code' in key) return key
  const reach = reachOf(declared, env, cwd, trust)
  if ('code' in reach) return reach
  return {
    ...reach,
    baseUrl: address.baseUrl,
    key: key.key,
    ...defined({ trust, profile, limits }),
  }
}

/** The way out is the machine's; where files and links may lead is said of each service by itself. */
function reachOf(declared: DeclaredService, env: Around['env'], cwd: string, trust: Trust | undefined) {
  const { uploadOrigins = [], allowHosts = [], keyInQuery = false, ca, pollsPerSecond } = declared
  const own = {
    ...env,
    GENRUN_UPLOAD_ORIGINS: uploadOrigins.join(','),
    GENRUN_KEY_IN_QUERY: String(keyInQuery),
    GENRUN_ALLOW_HOSTS: trust?.untrusted ? '' : allowHosts.join(','),
    GENRUN_POLLS_PER_SECOND: pollsPerSecond === undefined ? undefined : String(pollsPerSecond),
  }
  return reachFrom(own, ca, cwd)
}
