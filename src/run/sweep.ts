import { basename } from 'node:path'
import type { Purchase } from '../base/purchase.ts'
import type { Spool } from '../store/files/spool.ts'
import { type Gatekeepers, gate } from './gate.ts'

/**
 * Takes away spooled answers that nothing depends on any more: those of orders that are done, refused or accepted. What a
 * doubt received stays, an id may be inside. Nothing goes after a stop (an answer may be on its way), without the claim, or
 * when what was received may not be in the journal; nor while of an order in doubt nothing is known to have come: a process
 * that was paused, and lost its claim, may have it there and not have told yet.
 */
export function sweepSpool(spool: Spool, purchases: Iterable<Purchase>, keepers: Gatekeepers): void {
  const all = [...purchases]
  const isAwaited = all.some(each => each.is === 'doubt' && each.raws.length === 0)
  if (isAwaited || gate(keepers)) return
  const needed = new Set(all.flatMap(spooledBy).map(path => basename(path)))
  spool.remove(spool.list().filter(path => !needed.has(basename(path))))
}

function spooledBy(purchase: Purchase): readonly string[] {
  switch (purchase.is) {
    case 'doubt':
      return purchase.raws
    case 'under-way':
      return (purchase.files ?? []).flatMap(file => (file.from === 'spool' ? [file.path] : []))
    case 'open':
    case 'done':
    case 'failed':
      return []
  }
}
