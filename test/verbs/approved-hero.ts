import { jobAddress } from '../../src/base/names.ts'
import { readLock } from '../../src/store/lock/lock.ts'
import type { PersonsVerdict } from '../../src/store/verdicts/verdicts-text.ts'

/** A job with two takes that somebody has to approve. */
export const heroManifest = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A red teapot
    takes: 2
    require: approved
`

/** What is made from it, for the end of that manifest. */
export const clipOfHero = `  edit:
    model: famb-character
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
`

/** That the result of an address in a lock is approved. */
export function approvalIn(
  lock: string,
  address: string,
  more: Partial<PersonsVerdict> = {},
): PersonsVerdict {
  const reading = readLock(lock)
  const jobs = reading.got === 'lock' ? reading.lock.jobs : []
  const made = jobs.find(each => each.address === address)
  if (made?.is !== 'done') throw new Error(`${address} is not there`)
  const seen = made.files.map(({ digest }) => digest)
  const when = '2026-03-01T09:30:00Z'
  return { address: jobAddress(address), is: 'approved', who: 'Ann', when, seen, of: made.id, ...more }
}
