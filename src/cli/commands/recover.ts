import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { listed } from '../../base/nearest.ts'
import {
  type FoundPurchase,
  type RecoverRecord,
  type RecoverResult,
  recoverManifest,
} from '../../verbs/recover.ts'
import { rescuedText } from '../../wording/remarks.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import { watchSignals } from '../io/signals.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { canAsk, confirm } from '../words/confirm.ts'
import { troubleText } from '../words/problems.ts'

/** `genrun recover`: shows what it found, and takes nothing up that nobody has said yes to. */
export async function recover(
  args: ManifestArgs & Given<'yes' | 'json'>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const workspace = workspaceFrom(args, around)
  const result = await recoverManifest({ ...workspace, isConfirmed: args.yes })
  if (result.got !== 'recovered') return tellAgainst(result, args, out)
  const { isDone, record } = result
  const code = isDone || isNothing(record) ? exit.ok : exit.refused
  if (args.json) out.json({ ok: code === exit.ok, exit: code, isDone, ...record })
  else tellFound(record, out)
  const mayAsk = code === exit.refused && !args.json && canAsk(around)
  if (!mayAsk || !(await isConfirmed(around, out))) return tellEnd(result, out)
  const done = await recoverManifest({ ...workspace, isConfirmed: true })
  return done.got === 'recovered' ? tellEnd(done, out) : tellAgainst(done, args, out)
}

type Recovered = RecoverResult & { got: 'recovered' }

function isNothing({ found, damage, former }: RecoverRecord): boolean {
  return found.length === 0 && damage === undefined && former === undefined
}

async function isConfirmed(around: Surroundings, out: Out): Promise<boolean> {
  const stop = watchSignals(around, () => undefined)
  try {
    return await confirm('take them up? [y/N] ', around, out, stop.signal)
  } finally {
    stop.close()
  }
}

function tellEnd({ isDone, record }: Recovered, out: Out): number {
  if (isNothing(record)) {
    out.talk(nothingText(record))
    return exit.ok
  }
  if (!isDone) {
    const hint = '--yes takes them up'
    out.talk(troubleText({ code: 'unconfirmed', message: 'nothing is written yet', hint }, out.paint))
    return exit.refused
  }
  if (record.moved !== undefined) out.talk(display(`the damaged lock is kept as ${record.moved}`))
  const all = record.found.length + savedOutside(record)
  const isMoveOnly = all === 0 && record.former !== undefined
  const what = isMoveOnly ? `what there was of ${record.former}` : counted(all, 'purchase')
  out.talk(display(`taken up: ${what}; nothing was bought`))
  return exit.ok
}

function nothingText(record: RecoverRecord): string {
  if (savedOutside(record) > 0)
    return 'there is nothing more to recover: the next run writes what was found there into lock and journal'
  const { known, unknown, unread, rescued } = record
  const isAllKnown = known > 0 && [...unknown, ...unread, ...rescued].length === 0
  return `there is nothing to recover${isAllKnown ? ': lock and journal know all of it' : ''}`
}

/** So many orders are known only by locks that were saved outside the project, and are used. */
function savedOutside({ rescued }: RecoverRecord): number {
  return rescued.reduce((sum, each) => sum + (each.isOurs ? each.purchases.length : 0), 0)
}

function tellFound(record: RecoverRecord, out: Out): void {
  const { found, unknown, names, former, damage, unread, newer, rescued } = record
  for (const each of found) out.result(lineOf(each))
  if (former !== undefined)
    out.talk(
      display(`it was ${former}, which is not there any more: journal and files of that name go along`),
    )
  if (damage !== undefined) out.talk(display(damage))
  // Of one of another lineage is found what the manifest asks for now, and nothing else.
  for (const each of rescued) if (each.isOurs) out.talk(display(rescuedText(each), 500))
  for (const line of unread)
    out.talk(display(`${line} cannot be read: what it still tells is held, and not bought by itself`))
  for (const index of newer)
    out.talk(display(`a newer genrun wrote ${index}: only what this one can read of it counts`))
  const others = names.filter(each => each !== former)
  if (others.length > 0) out.talk(display(`it was made by ${listed(others)}, which is not there any more`))
  if (found.length > 0) out.talk(countText(found))
  if (unknown.length > 0) {
    const more = unknown.length - mostNames
    const names = [...unknown.slice(0, mostNames), ...(more > 0 ? [counted(more, 'other')] : [])]
    out.talk(display(`${counted(unknown.length, 'file')} that nothing tells of: ${listed(names)}`, 300))
  }
}

const mostNames = 5

function lineOf({ is, address, files, run }: FoundPurchase): string {
  const known = run === undefined ? '' : `run ${run}`
  const it = files.length === 1 ? 'it is' : 'they are'
  const of = {
    done: files.join(', '),
    aside: `kept aside: ${files.join(', ')}`,
    altered: `altered since: ${files.join(', ')}; left as ${it}${known === '' ? '' : `; once ${it} moved away, ${known} can bring what was made again`}`,
    gone: known === '' ? 'its files are gone' : `its files are gone; ${known} can bring them again`,
    'under-way': `paid for and not fetched, ${known}`,
    doubt: 'in doubt',
    failed: known === '' ? 'failed' : `failed, ${known}`,
  }
  return display(`${address}: ${of[is]}`, 500)
}

function countText(found: readonly FoundPurchase[]): string {
  const count = (...states: readonly FoundPurchase['is'][]) =>
    found.filter(({ is }) => states.includes(is)).length
  const whole = count('done', 'aside')
  const parts = [
    whole > 0 && `${counted(whole, 'result')} with files`,
    count('under-way') > 0 && `${counted(count('under-way'), 'run')} under way`,
    count('altered') > 0 && `${count('altered')} whose files were altered`,
    count('gone') > 0 && `${count('gone')} whose files are gone`,
    count('doubt') > 0 && `${count('doubt')} in doubt`,
    count('failed') > 0 && `${count('failed')} failed`,
  ]
  return `found: ${parts.filter(Boolean).join(', ')}`
}
