import { readCheckoutGates } from '../../workspace/read/gate-trust.ts'
import { rememberDigest, takeForRead } from '../../workspace/read/trust.ts'
import type { AnyArgs } from '../flags/command.ts'
import type { Env } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import { trustList } from './caution.ts'
import type { Settings } from './settle.ts'

/** The profile that counts here, and the gates of the project, are taken for read from now on: their digests stand in the person's own folder. */
export async function trustNamed(
  args: AnyArgs,
  settings: Pick<Settings, 'given' | 'theirGates'>,
  { env, cwd }: { readonly env: Env; readonly cwd: string },
): Promise<Trouble | undefined> {
  const path = args.profile ?? settings.given('profile')
  const list = trustList(env)
  const { theirGates } = settings
  if (typeof path !== 'string' && !theirGates)
    return {
      code: 'usage',
      message: 'there is nothing to trust: no profile and no gates are named here',
      hint: '--profile names a profile, or `profile` in the settings; `gates` there names programs and addresses',
    }
  if (list === undefined) return { code: 'usage', message: 'there is no home folder to remember it in', hint }
  const problem =
    (typeof path === 'string' ? await takeForRead(path, cwd, list) : undefined) ??
    (theirGates && (await rememberDigest(readCheckoutGates(theirGates).digest, list)))
  return problem === undefined ? undefined : { code: 'usage', message: problem, hint }
}

const hint = 'GENRUN_TRUST=sha256:… names its digest as well'
