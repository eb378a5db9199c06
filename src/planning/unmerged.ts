import { basename } from 'node:path'
import type { Diagnostic } from '../base/diagnostic.ts'
import { shellWord } from '../text/shell-word.ts'
import { shardsText, unmergedShards } from '../workspace/records/beside.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { settingProblem } from './obstacles.ts'

/**
 * What is said of the whole manifest is not true, and what it buys may be bought already, while shards of it have records of their
 * own. Reads only. Throws StorageError.
 */
export function unmergedProblem(workspace: Workspace): Diagnostic | undefined {
  const unmerged = unmergedShards(workspace)
  if (unmerged.length === 0) return undefined
  const { manifest, place } = workspace
  const message =
    unmerged.length === 1
      ? `shard ${shardsText(unmerged)} of it has a lock or a state of its own`
      : `shards ${shardsText(unmerged)} of it have locks or states of their own`
  const name = shellWord(manifest.file.name)
  const local = workspace.layout.rehearsal ? ' --local' : ''
  const hint = `\`genrun merge ${name}${local}\` makes them one with the rest, and buys nothing`
  return settingProblem(
    { name: 'manifest', value: basename(place.manifest) },
    'unmerged-shards',
    message,
    hint,
  )
}
