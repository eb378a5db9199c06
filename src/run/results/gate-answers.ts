import { createHmac } from 'node:crypto'
import { dirname, join } from 'node:path'
import { type Digest, sha256Digest } from '../../base/names.ts'
import { type Random, systemRandom } from '../../base/random.ts'
import { readTextOn, removeQuietly, writeAtomically } from '../../store/files/atomic-write.ts'
import { type Disk, makeFolders } from '../../store/files/disk.ts'
import { isOthersFolder, refuseForeign } from '../../store/files/state-folder.ts'
import { ifReadable, StorageError } from '../../store/files/storage-error.ts'

/**
 * What gates answered before, in `gates` of a manifest's state: a file an answer, called by the digest of what was looked at and that of the
 * question. Its first line is a seal by a secret of the person's: a checkout that brings answers with it is not believed.
 */
interface GateAnswers {
  /** Undefined where nothing is known. */
  known(answer: Asked): string | undefined
  /** Never rejects: what cannot be kept is asked for again. */
  keep(answer: Asked, text: string): Promise<void>
}

interface Asked {
  /** Of the file. */
  readonly digest: string
  /** Of everything that the answer hangs on. */
  readonly question: Digest
  /** The file of the secret. */
  readonly secret: string
}

export function openGateAnswers(state: string, disk: Disk, random: Random = systemRandom): GateAnswers {
  const folder = answersIn(state)
  return {
    known(asked) {
      return ifReadable(() => {
        const secret = isOthersFolder(disk, folder) ? undefined : secretAt(asked.secret, disk)
        const kept = secret && readTextOn(disk, join(folder, nameOf(asked)))
        if (!kept) return undefined
        const [seal, text] = [kept.slice(0, sealLength), kept.slice(sealLength + 1)]
        return seal === sealOf(asked, text, secret) ? text : undefined
      })
    },
    async keep(asked, text) {
      try {
        const secret = secretAt(asked.secret, disk) ?? (await makeSecret(asked.secret, disk, random))
        refuseForeign(disk, folder)
        await makeFolders(disk, folder, 0o700)
        const kept = `${sealOf(asked, text, secret)}\n${text}`
        await writeAtomically(disk, join(folder, nameOf(asked)), kept, { mode: 0o600 })
      } catch (trouble) {
        if (!(trouble instanceof StorageError)) throw trouble
      }
    },
  }
}

/** Names of answers about files that are not among these any more. Throws StorageError. */
export function answersBeyond(state: string, digests: ReadonlySet<Digest>, disk: Disk): readonly string[] {
  const folder = answersIn(state)
  if (!disk.look(folder) || isOthersFolder(disk, folder)) return []
  return disk.list(folder).filter(name => {
    const digest = answerForm.exec(name)?.[1]
    return digest !== undefined && !digests.has(sha256Digest(digest))
  })
}

export function removeAnswers(state: string, names: readonly string[], disk: Disk): void {
  for (const name of names) removeQuietly(disk, join(answersIn(state), name))
}

function answersIn(state: string): string {
  return join(state, 'gates')
}

const answerForm = /^([0-9a-f]{64})-[0-9a-f]{64}$/

function nameOf({ digest, question }: Asked): string {
  return `${bare(digest)}-${bare(question)}`
}

function bare(digest: string): string {
  return digest.slice('sha256:'.length)
}

const sealLength = 64

function sealOf(asked: Asked, text: string, secret: string): string {
  return createHmac('sha256', secret)
    .update(`${nameOf(asked)}\n${text}`)
    .digest('hex')
}

function secretAt(path: string, disk: Disk): string | undefined {
  return ifReadable(() => readTextOn(disk, path)) || undefined
}

async function makeSecret(path: string, disk: Disk, random: Random): Promise<string> {
  const secret = random.token() + random.token()
  await makeFolders(disk, dirname(path), 0o700)
  await writeAtomically(disk, path, secret, { mode: 0o600 })
  return secret
}
