import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import type { Profile } from '../../wire/profile/profile.ts'
import { isInCheckout, isTrusted, type Named, type Trust, trustDigest } from '../read/trust.ts'
import { profileSays } from './profile-says.ts'

/** Why a profile of the checkout is not followed: what it says about money is the word of whoever wrote it. */
export function profileProblem(named: Named, profile: Profile, trust: Trust): Diagnostic | undefined {
  const isTheirs = trust.isTheirProfile || (trust.untrusted && isInCheckout(named))
  if (!isTheirs || isTrusted(named, trust)) return undefined
  const said = profileSays(profile).filter(({ key }) => !isHarmless(key))
  if (said.length === 0) return undefined
  const texts = said.slice(0, 3).map(({ key, says }) => `\`${key}\` ${says}`)
  const more = said.length > texts.length ? '; …' : ''
  const message = `the project's own profile says what is ordered or billed: ${texts.join('; ')}${more}`
  const hint = trust.untrusted
    ? `whoever has read it names it: GENRUN_TRUST=${trustDigest(named.file)}`
    : `read it; --trust takes it as it is now, and in CI GENRUN_TRUST=${trustDigest(named.file)}`
  return (trust.isLooking ? warning : error)('untrusted-profile', headOf(named.file), message, hint)
}

/** The rest says how answers are read, which costs nothing. A file that is sent is a request with the key, wherever it leads. */
function isHarmless(key: string): boolean {
  return key === 'mode' || key.startsWith('source') || key === 'request.files' || key.startsWith('response.')
}
