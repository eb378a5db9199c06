import { join, relative } from 'node:path'
import { openParts, type Parts } from '../../store/files/parts.ts'
import { ownFolder } from '../../store/files/safe-path.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { Machine } from '../../workspace/machine.ts'

/** Where this run on a manifest puts its files together. */
export function partsOf({ output, state }: Layout, { random, disk }: Machine): Parts {
  return openParts({
    folder: join(output, ownFolder),
    // Relative, so that a project that was moved finds what it left.
    owner: relative(output, state),
    token: random.token(),
    disk,
  })
}
