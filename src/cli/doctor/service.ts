import { type Checked, hasErrors } from '../../base/diagnostic.ts'
import { counted } from '../../base/measure.ts'
import { lineAt } from '../../base/source.ts'
import type { Model } from '../../catalog/index.ts'
import { askService, type ServiceSeen } from '../../verbs/ask-service.ts'
import { openProfile } from '../../workspace/service/profile.ts'
import type { NamedServices } from '../../workspace/service/service.ts'
import type { Given } from '../flags/given.ts'
import type { ServiceChoice } from '../service/service.ts'
import type { Settings } from '../settings/settle.ts'
import { bad, type Finding, good, odd } from './finding.ts'

/** What the settings come to. */
export function settingsFindings({ problems, files, isWrong }: Settings): Finding[] {
  const read = files.length > 0 ? `read: ${files.join(', ')}` : 'no file; everything as built in'
  if (problems.length === 0) return [good('settings', read)]
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0]
  const says = first === undefined ? '' : `${first.at.file.name}: ${first.message}`
  const hint = '`genrun settings` shows every problem with its line'
  return [isWrong ? bad('settings', says, hint) : odd('settings', says, hint)]
}

/** The models that the settings name, if they name any. */
export function catalogFindings({ value, problems }: Checked<readonly Model[]>): Finding[] {
  const wrong = problems.find(({ severity }) => severity === 'error')
  if (!wrong)
    return value?.length
      ? [good('catalog', counted(value.length, 'model of your own', 'models of your own'))]
      : []
  const { name } = wrong.at.file
  return [
    bad(
      'catalog',
      `${name}:${lineAt(wrong.at.file, wrong.at.start)}: ${wrong.message}`,
      wrong.hint ?? '`catalog` of the settings names it',
    ),
  ]
}

/** The key, the address, the profile, and whether the service answers. Nothing is paid, and the key is not shown. */
export async function serviceFindings(
  choice: ServiceChoice,
  args: Given<'profile' | 'offline'>,
  around: Around,
): Promise<readonly Finding[]> {
  if (choice.use === 'nothing') {
    const { message, hint = '`genrun settings` shows what is set' } = choice.trouble
    return [bad('service', message, hint)]
  }
  const service =
    choice.use === 'service' && !choice.isNone
      ? { ...choice.reach, baseUrl: choice.baseUrl, key: choice.key, rehearsal: false }
      : undefined
  const { cwd, own } = around
  const profile = openProfile(args.profile, cwd, service, own)
  const named = args.profile ?? 'gw-v2, the built-in one'
  const inProfile =
    profile.value && !hasErrors(profile.problems)
      ? good('profile', named)
      : bad(
          'profile',
          `${named}: ${profile.problems[0]?.message ?? 'wrong'}`,
          'mend the file; a run shows the line',
        )
  if (!service && choice.use === 'service')
    return [good('service', 'no usual one; jobs name theirs'), inProfile]
  if (!service) {
    const hint = 'set GENRUN_BASE_URL and GENRUN_API_KEY_FILE to make the real files'
    return [odd('service', 'none is set, so runs rehearse', hint), inProfile]
  }
  const findings: Finding[] = [good('key', 'there is one; it is not shown'), inProfile]
  for (const warning of choice.use === 'service' ? choice.warnings : [])
    findings.push(odd('key-file', warning, 'until then others can spend your money'))
  if (args.offline)
    findings.push(odd('service', `${service.baseUrl} was not asked`, 'leave --offline away to ask it'))
  else if (profile.value)
    findings.push(seenFinding(await askService(service, profile.value), service.baseUrl))
  return findings
}

/** Where one stands, and the models that the settings declare: profiles speak of their parameters. */
interface Around {
  readonly cwd: string
  readonly own: readonly Model[]
}

/** The services that jobs may name, each by itself. Nothing is paid, and no key leaves for another address. */
export async function namedFindings(
  services: NamedServices,
  args: Given<'offline'>,
  { cwd, own }: Around,
): Promise<readonly Finding[]> {
  const found = Object.entries(services).map(async ([name, service]): Promise<Finding> => {
    const kind = `service-${name}`
    if ('problem' in service) return bad(kind, service.problem, service.hint ?? '`genrun settings` shows it')
    const opened = openProfile(service.profile, cwd, service, own)
    if (!opened.value) {
      const first = opened.problems[0]?.message ?? 'it is wrong'
      return bad(kind, `its profile: ${first}`, 'mend the file; a run shows the line')
    }
    if (args.offline) return odd(kind, `${service.baseUrl} was not asked`, 'leave --offline away to ask it')
    const { limits: _limits, profile: _profile, ...asked } = service
    return {
      ...seenFinding(await askService({ ...asked, rehearsal: false }, opened.value), service.baseUrl),
      check: kind,
    }
  })
  return Promise.all(found)
}

function seenFinding(seen: ServiceSeen, baseUrl: string): Finding {
  switch (seen.is) {
    case 'answers':
      return good('service', `${baseUrl} answers as the service does, and takes the key for reading`)
    case 'unauthorized':
      return bad(
        'service',
        `${baseUrl} does not take the key: ${seen.detail}`,
        'get a key in the account settings of the service',
      )
    case 'unclear':
      return odd(
        'service',
        `whether ${baseUrl} is the service could not be told: ${seen.detail}`,
        'check the address: host, path and gw-v2 at its end; no paid request was made to find out',
      )
    case 'odd':
      return bad(
        'service',
        `${baseUrl} answers oddly: ${seen.detail}`,
        'check the address; another service may need a profile',
      )
    case 'unreachable':
      return bad(
        'service',
        `${baseUrl} cannot be reached: ${seen.detail}`,
        'check the address, the network and HTTPS_PROXY',
      )
  }
}
