import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { busy } from '../../desk/carry/busy.ts'
import type { OpenOrder } from '../../desk/open-orders.ts'
import { type StatusRecord, statusOf } from '../../desk/status.ts'
import { tellAgainst } from '../against.ts'
import type { StatusAsked } from '../line/recovery-asked.ts'
import type { Out } from '../world/out.ts'
import type { Surroundings } from '../world/surroundings.ts'

/** `genrun status`: what earlier runs left open. It is an answer, so that it ends well whatever is open. */
export function status(asked: StatusAsked, around: Surroundings, out: Out): number {
  const result = statusOf({ manifest: asked.manifest, cwd: around.cwd, catalog: asked.catalog ?? [] })
  if (result.got !== 'status') return tellAgainst(result, asked, out)
  const record = result.status
  if (asked.json) out.json(record)
  else for (const order of record.open) out.result(linesOf(order).join('\n'))
  if (record.holder) out.talk(display(busy(record.holder).message))
  out.talk(countText(record))
  return exit.ok
}

function countText({ jobs, done, toBuy, open }: StatusRecord): string {
  const count = (is: OpenOrder['is']) => open.filter(order => order.is === is).length
  const parts = [
    done > 0 && `${done} done`,
    ...(['doubt', 'under-way', 'failed', 'held'] as const).map(
      is => count(is) > 0 && `${count(is)} ${words[is]}`,
    ),
    toBuy > 0 && `${toBuy} to order`,
  ].filter(Boolean)
  return `${counted(jobs, 'job')}: ${parts.join(', ') || 'nothing open'}`
}

const words = {
  doubt: 'in doubt',
  'under-way': 'paid for and not fetched',
  failed: 'failed',
  held: 'held',
} as const

function linesOf(order: OpenOrder): string[] {
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
    `  the next run ${next}`,
    ...(remedy ? [`  ${remedy}`] : []),
  ].map(line => display(line, 500))
}
