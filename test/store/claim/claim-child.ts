import { createInterface } from 'node:readline'
import { type Claim, takeClaim } from '../../../src/store/claim/claim.ts'

// A process that does what it is told, line by line, and answers each line with one.
const folder = process.argv[2] ?? ''
let claim: Claim | undefined
for await (const word of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await obey(word)))

async function obey(word: string): Promise<unknown> {
  if (word === 'mine') return claim?.isMine() ?? false
  if (word === 'release') return claim?.release()
  const taken = await takeClaim(folder, { force: word === 'force' })
  if (taken.got === 'busy') return taken
  claim = taken.claim
  return { got: 'claim' }
}
