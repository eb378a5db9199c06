import type { Failure } from '../base/failure.ts'
import type { Digest } from '../base/names.ts'
import { digestBytes } from '../store/files/digest.ts'
import type { Disk } from '../store/files/disk.ts'
import { storageErrorOf } from '../store/files/storage-error.ts'

/** A whole input with its digest; `within`: the folder that it has to lie in, whoever swaps it. */
export function readInput(
  disk: Disk,
  path: string,
  name: string,
  within: string | undefined,
): { readonly bytes: Uint8Array; readonly digest: Digest } | Failure {
  try {
    const bytes = disk.readAll(path, within)
    return { bytes, digest: digestBytes(bytes) }
  } catch (cause) {
    return { why: 'bad-input', path: name, detail: storageErrorOf(path, 'read', cause).detail }
  }
}
