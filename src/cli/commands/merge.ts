import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { listed } from '../../base/nearest.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Twice } from '../../verbs/shards/join-records.ts'
import { type MergeRecord, mergeShards } from '../../verbs/shards/merge.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

/** `genrun merge`: the records of all shards become one with those of the manifest. Nothing is bought. */
export async function merge(
  args: ManifestArgs & Given<'takeClaim' | 'json'>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const { takeClaim } = args
  const result = await mergeShards({ ...workspaceFrom(args, around), takeClaim })
  if (result.got !== 'merged') return tellAgainst(result, args, out)
  const { record } = result
  if (args.json) {
    out.json({ ok: true, exit: exit.ok, ...record })
    return exit.ok
  }
  for (const each of record.takenOver) out.talk(display(each, 300))
  for (const each of record.twice) out.talk(display(`bought apart: ${twiceText(each)}; all of them are kept`))
  for (const shard of record.left)
    out.talk(`shard ${shard}: another machine claimed it; its records stay for what may come, so merge again`)
  out.result(mergedText(record))
  const local = args.local ? ' --local' : ''
  if (record.owed) {
    const jobs = counted(record.owed, 'job is', 'jobs are')
    const recover = `genrun recover ${shellWord(args.manifest)}${local}`
    out.talk(
      `${jobs} paid for, or made from what is, and not in these records: \`${recover}\` takes up what is bought, for nothing`,
    )
  }
  if (record.open) {
    const run = `genrun run ${shellWord(args.manifest)}${local}`
    out.talk(`${counted(record.open, 'order is', 'orders are')} still to be made: \`${run}\`, or its shards`)
  }
  return exit.ok
}

function mergedText({ merged, news }: MergeRecord): string {
  if (merged.length === 0) return 'there are no shards to merge'
  const purchases = merged.reduce((sum, shard) => sum + shard.purchases, 0)
  const known = news === 0 ? 'all known before' : `${news} of them new to the lock`
  return `merged ${counted(merged.length, 'shard')} with ${counted(purchases, 'purchase')}, ${known}`
}

function twiceText({ bought }: Twice): string {
  return listed(
    bought.map(({ address, by }) => `${address} (${by})`),
    'and',
  )
}
