import { dirname, resolve } from 'node:path'
import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import { headOf, type SourceFile } from '../../base/source.ts'
import { realPathAt } from '../../disk/look.ts'
import { isBelow } from '../../disk/open.ts'
import { writeAtomically } from '../../store/files/atomic-write.ts'
import { digestBytes } from '../../store/files/digest.ts'
import { makeFolders, systemDisk } from '../../store/files/disk.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { readGuarded } from './guarded.ts'
import { projectAround, repositoryAround } from './place.ts'

/** What of a checkout its reader believes (docs/security.md). Absent on a service: a program named every file itself. */
export interface Trust {
  /** Digests of files that a person has read and takes as they are: `sha256:…`. */
  readonly digests: readonly string[]
  /** Nobody but the checkout has named the profile. */
  readonly isTheirProfile?: true
  /** Everything in the checkout may be a stranger's: what lies in it is believed by its digest alone. */
  readonly untrusted?: true
  /** Nobody watches, and nobody has said that the checkout is their own (in CI): its catalogs make no order cheaper. */
  readonly isUnwatched?: true
  /** Nothing is ordered: it is told, and stands in nobody's way. */
  readonly isLooking?: true
}

/** A file whose contents decide about money, and who has a say in them. */
export interface Named {
  readonly file: SourceFile
  /** As it was named, from `cwd`. */
  readonly path: string
  readonly cwd: string
}

/** Why the prices of a checkout count for nothing: by them a cap on the cost would hold what its author likes. */
export function pricesProblem(named: Named, trust: Trust): Diagnostic | undefined {
  if (!trust.untrusted || !isInCheckout(named) || isTrusted(named, trust)) return undefined
  const message =
    'prices of this checkout count for nothing here: with them it would say itself what it costs'
  const hint = `whoever has read them names them: GENRUN_TRUST=${trustDigest(named.file)}`
  return warning('untrusted-prices', headOf(named.file), message, hint)
}

/** Whether a price beside a model may be a stranger's: it can make an order dearer then, and nothing else. */
export function isDoubtedPrice(named: Named, trust: Trust): boolean {
  if (!(trust.untrusted ?? trust.isUnwatched) || isTrusted(named, trust)) return false
  try {
    return isInCheckout(named)
  } catch {
    return true // Whatever cannot be found out is the checkout's.
  }
}

/** In the one where one stands, or in any other: a manifest may be named from elsewhere, and what lies beside it with it. */
export function isInCheckout({ path, cwd }: Named): boolean {
  const real = realPathAt(resolve(cwd, path))
  return isBelow(real, realPathAt(repositoryAround(cwd))) || projectAround(real) !== undefined
}

export function isTrusted({ file }: Named, { digests }: Trust): boolean {
  return digests.includes(trustDigest(file))
}

/** By which a person names a file that they have read. */
export function trustDigest({ text }: Pick<SourceFile, 'text'>): string {
  return digestBytes(text)
}

/** What was taken for read before, as known hosts are: a digest a line of `list`. What cannot be read is believed by nobody. */
export function trustedBefore(list: string): readonly string[] {
  try {
    if (!systemDisk.look(list)) return []
    const lines = systemDisk.readAll(list).toString('utf8').split('\n')
    return lines.filter(line => /^sha256:[0-9a-f]{64}$/.test(line))
  } catch (trouble) {
    if (trouble instanceof StorageError) return []
    throw trouble
  }
}

/** Takes a file for read from now on, as it is. Resolves with why it cannot be. */
export async function takeForRead(path: string, cwd: string, list: string): Promise<string | undefined> {
  const full = resolve(cwd, path)
  const read = readGuarded(full, cwd, longest)
  if ('problem' in read) return `${path} cannot be read: ${read.problem}`
  return rememberDigest(trustDigest(read), list)
}

/** The same of what is no file. Resolves with why it cannot be remembered. */
export async function rememberDigest(digest: string, list: string): Promise<string | undefined> {
  const known = trustedBefore(list)
  const lines = [...new Set([...known, digest])].map(each => `${each}\n`)
  if (lines.length === known.length) return undefined
  try {
    await makeFolders(systemDisk, dirname(list), 0o700)
    await writeAtomically(systemDisk, list, lines.join(''), { mode: 0o600 })
    return undefined
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return `it cannot be remembered: ${trouble.message}`
  }
}

const longest = 1024 * 1024
