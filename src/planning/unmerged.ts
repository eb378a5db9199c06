import { basename, dirname, extname } from 'node:path'
import type { Diagnostic } from '../base/diagnostic.ts'
import { shellWord } from '../text/shell-word.ts'
import { layoutBeside } from '../workspace/layout.ts'
import { shardsText, unmergedShards } from '../workspace/records/beside.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Former } from './former.ts'
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

/** The same for a manifest under its former name: its shards would be forgotten, and bought again. Throws StorageError. */
export function unmergedBefore(former: Former, { layout, machine }: Workspace): Diagnostic | undefined {
  const { manifest } = former.lock
  const names = { folder: dirname(former.path), stem: basename(manifest, extname(manifest)), manifest }
  const unmerged = unmergedShards({ layout: layoutBeside(layout, names, undefined), machine })
  if (unmerged.length === 0) return undefined
  const message = `it looks like ${manifest} under another name, of which shards have locks or states of their own: ${shardsText(unmerged)}`
  const hint = `give it its old name back, then \`genrun merge ${shellWord(manifest)}\`, and rename it after that`
  return settingProblem({ name: 'manifest', value: manifest }, 'unmerged-shards', message, hint)
}
