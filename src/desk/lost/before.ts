import { basename } from 'node:path'
import { counted } from '../../base/measure.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import type { Busy } from '../carry/busy.ts'
import type { Refused } from '../draw/draw.ts'
import { settingProblem } from '../draw/obstacles.ts'
import { damaged } from '../ground/ground.ts'
import { type Damaged, readRecorded } from '../ground/recorded.ts'
import type { FormerName, Ground, RunRequest } from '../ground/setting.ts'
import { type AtWork, commandOn, quoted } from '../telling/command.ts'
import { type Asked, findFormer, formerAsked, formerName } from './former.ts'
import { goOnWith } from './go-on.ts'
import { isOwned, matchesAmong, readProofs } from './proofs.ts'

type Word = Asked & AtWork & Pick<RunRequest, 'continues'>

/**
 * What keeps a plan from counting on the records: they are those of the manifest under another name, or they are gone and
 * what they knew is there. Reads only. Throws StorageTrouble.
 */
export function recordsAgainst(ground: Ground, word: Word, isRebuilding = false): Refused | undefined {
  if (ground.layout.rehearsal || word.continues !== undefined) return undefined
  const former = findFormer(ground, word)
  if (former) return renamed(formerName(former, ground, word))
  // Who names run ids by hand makes the records anew.
  return isRebuilding ? undefined : lostRecords(ground, word)
}

/**
 * Before a run: takes over what belongs to the manifest's former name, where that is asked for or a person says so.
 * Undefined when the run may begin.
 */
export async function settleRecords(
  ground: Ground,
  request: RunRequest,
): Promise<Refused | Damaged | Busy | undefined> {
  const { continues, confirmFormer } = request
  if (ground.layout.rehearsal || continues === 'none') return undefined
  try {
    if (continues !== undefined) {
      const former = formerAsked(ground, { ...request, continues })
      if (former.got === 'refused') return former
      return former.got === 'former' ? await goOnWith(former.former, ground) : undefined
    }
    const former = findFormer(ground, request)
    if (!former) return lostRecords(ground, request)
    const name = formerName(former, ground, request)
    const isMeant = (await confirmFormer?.(name)) === true && !request.stop.aborted
    return isMeant ? await goOnWith(former, ground) : renamed(name)
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

function renamed({ lock, manifest, now }: FormerName): Refused {
  const message = `it looks like ${manifest} under another name: that is not there any more, and ${lock} knows what was bought for it`
  const run = `genrun run ${quoted(now)}`
  const hint = `\`${run} --continue ${quoted(lock)}\` goes on with what is bought, \`${run} --continue none\` begins anew`
  return { got: 'refused', problems: [settingProblem('manifest', now, 'renamed-manifest', message, hint)] }
}

/** Neither lock nor journal knows anything, and the output folder does. */
function lostRecords(ground: Ground, atWork: AtWork): Refused | undefined {
  const { layout, place, machine } = ground
  if (machine.disk.look(layout.lock)) return undefined
  const recorded = readRecorded(ground)
  if ('got' in recorded || recorded.purchases.length > 0) return undefined
  const { taken, names } = readProofs(ground)
  const owned = taken.flatMap(({ purchases }) => [...purchases.values()].filter(isOwned))
  if (owned.length === 0 || (names.length > 0 && matchesAmong(owned, ground) === 0)) return undefined
  const results = counted(owned.length, 'purchase')
  const of = names.length > 0 ? ` of ${names.join(', ')}` : ''
  const message = `the output folder knows of ${results}${of}, and neither the lock ${basename(layout.lock)} nor the journal is there`
  const hint = `\`${commandOn(atWork, 'recover')}\` takes up what is bought, and buys nothing`
  const name = basename(place.manifest)
  return { got: 'refused', problems: [settingProblem('manifest', name, 'lost-records', message, hint)] }
}
