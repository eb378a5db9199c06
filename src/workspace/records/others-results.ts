import { join, resolve } from 'node:path'
import type { Digest } from '../../base/names.ts'
import { foldPath } from '../../base/output-name.ts'
import { paidFiles } from '../../base/purchase.ts'
import { readAllResults } from '../../store/lock/read-results.ts'
import type { ResultsOwner } from '../../store/lock/results-text.ts'
import type { Workspace } from '../workspace.ts'

/** A result that another manifest has in an output folder. */
interface OthersResult {
  readonly digest: Digest
  /** As its index names it: `teapots.yaml`. */
  readonly manifest: string
}

/**
 * What other manifests have in the output folder of this one, by the indexes that lie there: whatever a lock says, which anybody may
 * have written, it is not this one's. Looked for when somebody asks, as hardly any two share a folder. `lineage`: our own.
 */
export function resultsOfOthers(
  workspace: Pick<Workspace, 'layout' | 'place' | 'machine'>,
  lineage: string,
): (path: string) => OthersResult | undefined {
  let known: ReadonlyMap<string, OthersResult> | undefined
  return path => (known ??= readOthers(workspace, lineage)).get(foldPath(path))
}

function readOthers(
  workspace: Pick<Workspace, 'layout' | 'place' | 'machine'>,
  lineage: string,
): ReadonlyMap<string, OthersResult> {
  const { output } = workspace.layout
  const found = new Map<string, OthersResult>()
  for (const { owner, purchases } of readAllResults(output, workspace.machine.disk, lineage)) {
    if (!isOthers(owner, workspace)) continue
    for (const each of purchases.values())
      if (!(each.is === 'done' && each.aside))
        for (const { path, digest } of paidFiles(each))
          found.set(foldPath(path), { digest, manifest: owner.manifest })
  }
  return found
}

/** Of a manifest that is there, and is not this one: seen from where the results lie now; who moved only these has to be found by the name. */
export function isOthers(
  owner: ResultsOwner,
  { layout, place, machine }: Pick<Workspace, 'layout' | 'place' | 'machine'>,
): boolean {
  const theirs = join(resolve(layout.output, owner.folder), owner.manifest)
  return (
    owner.manifest !== '' && theirs !== resolve(place.manifest) && machine.disk.look(theirs) !== undefined
  )
}
