import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import type { Purchase } from '../../base/purchase.ts'
import type { OpenOrder } from '../../verbs/orders/open-orders.ts'
import { type StatusRecord, statusOf } from '../../verbs/status.ts'
import { quoted } from '../../wording/command.ts'
import { isOnlyRehearsed } from '../../workspace/only-rehearsed.ts'
import { busy } from '../../workspace/records/busy.ts'
import { workspaceFrom } from '../flags/plan-options.ts'
import type { StatusArgs } from '../flags/recovery-args.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

/** `genrun status`: what earlier runs left open. It is an answer, so that it ends well whatever is open. */
export function status(args: StatusArgs, around: Surroundings, out: Out): number {
  const result = statusOf(workspaceFrom({ ...args, local: false }, around))
  if (result.got !== 'status') return tellAgainst(result, args, out)
  const record = result.status
  if (args.json) out.json(record)
  else
    for (const line of [...record.open.map(order => linesOf(order, record)), ...asideLines(record)])
      out.result(line.join('\n'))
  const bulk = bulkRemedy(record)
  if (bulk !== undefined && !args.json) out.talk(display(bulk))
  if (record.holder) out.talk(display(busy(record.holder).message))
  out.talk(countText(record))
  if (isOnlyRehearsed(args.manifest, around.cwd))
    out.talk('note: a rehearsal was made, and its placeholders are not counted: nothing is bought yet')
  return exit.ok
}

/** What was paid for and is nobody's now, and what another lineage owes. */
function asideLines({ aside, owedElsewhere, foreign }: StatusRecord): string[][] {
  return [
    ...owedElsewhere.map(({ message, hint }) => [message, ...(hint === undefined ? [] : [`  ${hint}`])]),
    ...aside.map(({ address, prompt, files }) => [
      `${address}: paid for and kept aside${prompt === undefined ? '' : `: ${prompt}`}`,
      ...files.map(file => `  ${file}`),
      '  it gets its name back when the manifest asks for it again',
    ]),
    ...foreign.map(({ folder, lineage, owes }) => [
      `state of another lineage (${lineage.slice(0, 8)}) in ${folder}: nothing of it is used`,
      ...owes.map(each => `  ${each.address}: ${owedText(each)}`),
    ]),
  ].map(lines => lines.map(line => display(line, 500)))
}

function owedText(purchase: Purchase): string {
  const run = 'run' in purchase && purchase.run ? `, run ${purchase.run.id}` : ''
  return purchase.is === 'doubt' ? 'in doubt' : `paid for and not fetched${run}`
}

/** What settles several doubts at once: nobody should have to write a line for each of five hundred. */
function bulkRemedy({ manifest, open }: StatusRecord): string | undefined {
  const doubts = open.filter(({ is }) => is === 'doubt').length
  if (doubts < 2) return undefined
  return `all ${doubts} at once: genrun resolve ${quoted(manifest)} --all-doubts --resubmit, or --abandon`
}

function countText({ jobs, done, toBuy, open, owedElsewhere }: StatusRecord): string {
  const count = (is: OpenOrder['is']) => open.filter(order => order.is === is).length
  const parts = [
    owedElsewhere.length > 0 && `${owedElsewhere.length} paid for elsewhere`,
    done > 0 && `${done} done`,
    ...(['doubt', 'under-way', 'missing', 'failed', 'held'] as const).map(
      is => count(is) > 0 && `${count(is)} ${words[is]}`,
    ),
    toBuy > 0 && `${toBuy} to order`,
  ].filter(Boolean)
  return `${counted(jobs, 'job')}: ${parts.join(', ') || 'nothing open'}`
}

const words = {
  doubt: 'in doubt',
  'under-way': 'paid for and not fetched',
  missing: 'made, and its files are gone',
  failed: 'failed',
  refused: 'refused, nothing was billed',
  held: 'held',
} as const

function linesOf(order: OpenOrder, { isOfCalls }: StatusRecord): string[] {
  const { address, is, detail, since, run, workflow, ids, next, remedy } = order
  const facts = [
    words[is],
    since !== undefined && `since ${new Date(since).toISOString()}`,
    run && `run ${run}`,
    workflow && `workflow ${workflow}`,
  ].filter(Boolean)
  return [
    `${address}: ${facts.join(', ')}`,
    ...(detail ? [`  ${detail}`] : []),
    ...ids.map(id => `  the answer holds the id ${id}`),
    `  ${isOfCalls ? 'the same call' : 'the next run'} ${next}`,
    ...(remedy ? [`  ${remedy}`] : []),
  ].map(line => display(line, 500))
}
