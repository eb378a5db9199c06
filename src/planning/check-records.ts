import { basename, relative } from 'node:path'
import { counted } from '../base/measure.ts'
import { shellWord } from '../text/shell-word.ts'
import { type AtWork, commandOn } from '../wording/command.ts'
import { readRecords } from '../workspace/records/beside.ts'
import type { FormerName, RunRequest, Workspace } from '../workspace/workspace.ts'
import { type FolderFlags, findFormer, formerName } from './former.ts'
import { findLostBeside, folderText, type LostBeside } from './lost-beside.ts'
import type { Refused } from './make-plan.ts'
import { settingProblem } from './obstacles.ts'
import { unknownResults } from './unknown.ts'
import { unmergedBefore, unmergedProblem } from './unmerged.ts'

type Word = FolderFlags & AtWork & Pick<RunRequest, 'continues'>

/**
 * What keeps a plan from counting on the records: they are those of the manifest under another name, or they are gone and
 * what they knew is there. Reads only. Throws StorageError.
 */
export function recordsAgainst(workspace: Workspace, word: Word, isRebuilding = false): Refused | undefined {
  const unmerged = unmergedProblem(workspace)
  if (unmerged) return { got: 'refused', problems: [unmerged] }
  if (workspace.layout.rehearsal || word.continues !== undefined) return undefined
  const former = findFormer(workspace, word)
  const forgotten = former && unmergedBefore(former, workspace)
  if (forgotten) return { got: 'refused', problems: [forgotten] }
  if (former) return renamed(formerName(former, workspace, word), word)
  // Who names run ids by hand makes the records anew.
  return isRebuilding ? undefined : refusedAsLost(workspace, word)
}

/** What asks whether it is the manifest under another name. */
export function renamed(
  { lock, manifest, isJournal, isTwin }: FormerName,
  { manifest: path }: Pick<AtWork, 'manifest'>,
): Refused {
  const message = `it looks like ${manifest} under another name: that is not there any more, and ${isJournal ? 'its journal' : lock} knows what was bought for it`
  const run = `genrun run ${shellWord(path)}`
  const none = isTwin ? 'leaves that where it is' : 'begins anew'
  const hint = `\`${run} --continue ${shellWord(lock)}\` goes on with what is bought, \`${run} --continue none\` ${none}`
  return {
    got: 'refused',
    problems: [settingProblem({ name: path, value: '' }, 'renamed-manifest', message, hint)],
  }
}

/** Lock and journal know nothing, or only what was adopted since, and the output folder knows more. */
export function refusedAsLost(workspace: Workspace, atWork: AtWork): Refused | undefined {
  const { layout } = workspace
  const read = () => {
    const recorded = readRecords(workspace)
    return 'got' in recorded ? undefined : recorded
  }
  const unknown = unknownResults(workspace, read)
  if (!unknown) {
    const beside = findLostBeside(workspace, read)
    return beside && lostElsewhere(beside, workspace, atWork)
  }
  const { owned, names } = unknown
  const results = counted(owned.length, 'purchase')
  const of = names.length > 0 ? ` of ${names.join(', ')}` : ''
  const lock = basename(layout.lock)
  const where = workspace.machine.disk.look(layout.lock)
    ? `${lock} was made anew without ${owned.length === 1 ? 'it' : 'them'}`
    : `neither the lock ${lock} nor the journal is there`
  const message = `the output folder knows of ${results}${of}, and ${where}`
  const hint = `\`${commandOn(atWork, 'recover')}\` takes up what is bought, and buys nothing`
  return {
    got: 'refused',
    problems: [settingProblem({ name: atWork.manifest, value: '' }, 'lost-records', message, hint)],
  }
}

/** Under its former name the journal is found as well, which may know more. */
function lostElsewhere(beside: LostBeside, { place, layout }: Workspace, atWork: AtWork): Refused {
  const now = basename(place.manifest)
  const [there, here] = [folderText(beside, atWork.cwd), relative(atWork.cwd, layout.output)]
  const results = counted(beside.owned.length, 'purchase')
  const message = `${there} knows of ${results} of ${beside.was}, and neither the lock ${basename(layout.lock)} nor a journal is there`
  const isOwn = beside.was === now
  const stays = isOwn && beside.isShared
  const back = isOwn
    ? `move ${shellWord(there)} to ${shellWord(here)}, and `
    : `call it ${shellWord(beside.was)} again, and `
  const recover = stays
    ? commandOn({ ...atWork, output: beside.folder }, 'recover')
    : `genrun recover ${shellWord(isOwn ? atWork.manifest : beside.was)}`
  const hint = `${stays ? '' : back}\`${recover}\` takes up what is bought; \`genrun run ${shellWord(atWork.manifest)} --continue none\` begins anew`
  return {
    got: 'refused',
    problems: [settingProblem({ name: atWork.manifest, value: '' }, 'lost-records', message, hint)],
  }
}
