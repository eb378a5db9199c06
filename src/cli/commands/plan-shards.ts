import { join } from 'node:path'
import { problemRecord } from '../../base/diagnostic.ts'
import { exit, gravestExit } from '../../base/exit.ts'
import { amountText, counted, grouped } from '../../base/measure.ts'
import { type Shard, shardMark, shardText } from '../../base/shard.ts'
import { withCacheAsked } from '../../planning/ask-cache.ts'
import { planShards, type ShardPlan } from '../../verbs/shards/shard-plans.ts'
import { workspaceFrom } from '../flags/plan-options.ts'
import { talkOf } from '../flags/talk.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { planTrouble, writePlan } from '../reports/plan-file.ts'
import type { Trouble } from '../service/service.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { problemsText, troubleText } from '../words/problems.ts'
import { exitOf, type PlanCommandArgs } from './plan.ts'

/** `genrun plan --shards 16`: what each shard would do; with `-o` a saved plan for each, in that folder. */
export async function planAll(args: PlanCommandArgs, around: Surroundings, out: Out): Promise<number> {
  const { shards: of = 1, outputFile: folder, outputFolder: output } = args
  const taken = folder === undefined ? undefined : anyTaken(folder, of, around.cwd)
  if (taken) return refuse(taken, exit.refused, args, out)
  const request = workspaceFrom({ ...args, output }, around)
  const result = await withCacheAsked(request, () =>
    planShards({
      ...request,
      of,
      ...(folder !== undefined && { saveTo: shard => savedAt(folder, shard) }),
    }),
  )
  if (result.got !== 'plans') return tellAgainst(result, args, out)
  const { plans, obstacles, warnings } = result
  const code = gravestExit(plans.map(({ plan }) => exitOf({ plan, obstacles })))
  if (args.json) {
    const problems = [...obstacles, ...warnings].map(problemRecord)
    out.json({ ok: code === exit.ok, exit: code, shards: plans.map(recordOf), problems })
  } else if (talkOf(args) === 'quiet') out.result(sumOf(plans))
  else out.result([...tableOf(plans), sumOf(plans)].join('\n'))
  if (warnings.length > 0) out.talk(problemsText(warnings, out.paint))
  if (obstacles.length > 0)
    out.talk(`${problemsText(obstacles, out.paint)}\na run would stop at this, before it sends anything`)
  return folder === undefined ? code : saveAll(plans, { folder, code, cwd: around.cwd }, out)
}

function savedAt(folder: string, shard: Shard): string {
  return join(folder, `${shardMark(shard)}.json`)
}

function anyTaken(folder: string, of: number, cwd: string): Trouble | undefined {
  for (let nth = 1; nth <= of; nth++) {
    const trouble = planTrouble(savedAt(folder, { nth, of }), cwd)
    if (trouble) return trouble
  }
  return undefined
}

function saveAll(
  plans: readonly ShardPlan[],
  { folder, code, cwd }: { readonly folder: string; readonly code: number; readonly cwd: string },
  out: Out,
): number {
  for (const { shard, saved } of plans) {
    const trouble = saved && writePlan(saved, savedAt(folder, shard), cwd, true)
    if (!trouble) continue
    out.talk(troubleText(trouble, out.paint))
    return exit.damaged
  }
  const first = plans[0]
  const example = join(folder, `${first ? shardMark(first.shard) : ''}.json`)
  out.talk(`saved ${counted(plans.length, 'plan')}; \`genrun apply ${example}\` carries out the first`)
  return code
}

function recordOf({ shard, jobs, plan }: ShardPlan) {
  const { paid, again, cost, caps, counts } = plan
  return {
    shard: shardText(shard),
    name: shardMark(shard),
    jobs,
    paid,
    again,
    counts,
    cost: cost.total,
    caps,
  }
}

function tableOf(plans: readonly ShardPlan[]): string[] {
  const rows = plans.map(({ shard, jobs, plan }) => [
    shardText(shard),
    grouped(jobs),
    grouped(plan.paid),
    costText([plan]),
  ])
  const all = [['shard', 'jobs', 'orders', rows.some(row => row[3] !== '') ? 'cost' : ''], ...rows]
  const widths = [0, 1, 2, 3].map(column => Math.max(...all.map(row => row[column]?.length ?? 0)))
  return all.map(row =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

function sumOf(plans: readonly ShardPlan[]): string {
  const sum = (of: (plan: ShardPlan) => number) => plans.reduce((all, plan) => all + of(plan), 0)
  const cost = costText(plans.map(({ plan }) => plan))
  const orders = counted(
    sum(({ plan }) => plan.paid),
    'order',
  )
  const jobs = counted(
    sum(({ jobs }) => jobs),
    'job',
  )
  return `${counted(plans.length, 'shard')}: ${jobs}, ${orders}${cost === '' ? '' : `, ${cost}`}`
}

/** What is known of it; empty without prices. */
function costText(plans: readonly ShardPlan['plan'][]): string {
  const currency = plans[0]?.cost.currency
  if (currency === undefined) return ''
  const amount = plans.reduce((sum, { cost }) => sum + cost.total.amount, 0)
  const unknown = plans.reduce((sum, { cost }) => sum + cost.total.unknown, 0)
  return `${amountText(amount, currency)}${unknown > 0 ? ` and ${unknown} not known` : ''}`
}
