import { exit } from '../../base/exit.ts'
import { nearest, offered } from '../../base/nearest.ts'
import { schedulers, shardJobs } from '../../convert/shard-jobs.ts'
import { shardMatrix } from '../../verbs/shards/shard-plans.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import { tellAgainst } from '../summary/against.ts'
import { problemsText, refuseFor } from '../words/problems.ts'

/** `genrun ci-matrix`: the shards of a manifest as a matrix of jobs. */
export function ciMatrix(args: ManifestArgs & Given<'shards'>, around: Surroundings, out: Out): number {
  const of = args.shards
  if (of === undefined) return refuseFor(howMany, out)
  const result = shardMatrix({ ...workspaceFrom(args, around), of })
  if (result.got !== 'matrix') return tellAgainst(result, { json: false }, out)
  if (result.warnings.length > 0) out.talk(problemsText(result.warnings, out.paint))
  out.result(JSON.stringify(result.matrix))
  return exit.ok
}

/** `genrun shards`: one job of another tool for all shards. */
export function shards(
  args: Given<'shards' | 'to'> & { readonly manifest: string },
  _around: Surroundings,
  out: Out,
): number {
  const { shards: of, to: form } = args
  if (of === undefined) return refuseFor(howMany, out)
  const to = schedulers.find(each => each === form)
  if (!to) {
    const near = form === undefined ? undefined : nearest(form, schedulers)
    const message = form === undefined ? 'for whom?' : `there is no job for ${form}`
    const hint = near ? `did you mean --to ${near}?` : `--to: ${offered(schedulers)}`
    return refuseFor({ code: 'usage', message, hint }, out)
  }
  out.result(shardJobs(to, { manifest: args.manifest, of }).trimEnd())
  return exit.ok
}

const howMany: Trouble = {
  code: 'usage',
  message: 'how many shards?',
  hint: 'give --shards, for instance --shards 16',
}
