import { resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { readShard } from '../../base/shard.ts'
import { bucketText, folderAddress, readSharedPlace } from '../../base/shared-place.ts'
import { accessFrom } from '../../bucket/access.ts'
import { bucketCache } from '../../bucket/bucket-cache.ts'
import type { PublishTo } from '../../bucket/publish.ts'
import type { WorkspaceRequest } from '../../planning/open-workspace.ts'
import { reachFrom } from '../../workspace/service/reach.ts'
import type { RunRequest } from '../../workspace/workspace.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import { namedService } from '../service/service-for.ts'
import type { Given } from './given.ts'
import { varsFrom } from './vars.ts'

type Around = Pick<Surroundings, 'cwd' | 'env' | 'trust' | 'gates'>

/** Which jobs, at what cost, from which cache: the same words for plans and runs, each where its command has it. */
export type PlanArgs = Partial<
  Given<
    | 'vars'
    | 'tags'
    | 'models'
    | 'changed'
    | 'limit'
    | 'failed'
    | 'rebuy'
    | 'resubmit'
    | 'profile'
    | 'prices'
    | 'maxPaid'
    | 'maxCost'
    | 'execute'
    | 'submit'
    | 'maxUseless'
    | 'maxFailures'
    | 'failFast'
    | 'cache'
    | 'cacheReadOnly'
    | 'cacheSize'
    | 'ca'
    | 'publish'
    | 'mark'
    | 'rebuyGuard'
    | 'outputs'
    | 'catalog'
    | 'strict'
    | 'continues'
    | 'verify'
    | 'gate'
    | 'shard'
  >
> & { readonly jobs?: readonly string[] }

/** What the command line wants, as the verbs take it. */
export function planOptionsFrom(
  args: PlanArgs,
  around: Around,
): Pick<
  WorkspaceRequest,
  | 'vars'
  | 'outputs'
  | 'catalog'
  | 'strict'
  | 'choices'
  | 'select'
  | 'caps'
  | 'profile'
  | 'prices'
  | 'cache'
  | 'rebuyGuard'
  | 'continues'
  | 'shard'
  | 'gates'
  | 'limits'
> &
  Pick<RunRequest, 'verify' | 'gate' | 'publish' | 'store'> {
  const { env } = around
  const { jobs = [], vars = [], tags = [], models = [], catalog = [] } = args
  const { changed = false, failed = false, rebuy = false, resubmit = false } = args
  const { limit, maxPaid, maxCost, maxUseless, profile, prices, cache, cacheSize, rebuyGuard } = args
  const shard = args.shard === undefined ? undefined : readShard(args.shard)
  const { execute, submit } = args
  const maxFailures = args.failFast ? 1 : args.maxFailures
  const limits = defined({ execute, submit, useless: maxUseless, failures: maxFailures })
  return {
    vars: varsFrom(vars, env),
    choices: { failed, rebuy, resubmit },
    select: { words: jobs, tags, models, failed, resubmit, changed, ...defined({ limit }) },
    caps: defined({ maxPaid, maxCost }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...defined({ outputs: args.outputs }),
    ...(catalog.length > 0 && { catalog }),
    ...(args.strict && { strict: true }),
    ...defined({
      continues: args.continues,
      rebuyGuard,
      verify: args.verify,
      gate: args.gate,
      gates: around.gates,
      profile,
      prices,
      shard,
      store: variable(env, 'GENRUN_STORE'),
    }),
    ...(args.publish !== undefined && { publish: publishFrom(args.publish, args, around) }),
    ...(cache !== undefined && { cache: cacheFrom(cache, { ...args, maxBytes: cacheSize }, around) }),
  }
}

function cacheFrom(
  text: string,
  { cacheReadOnly: readOnly = false, ca, maxBytes }: PlanArgs & { readonly maxBytes: number | undefined },
  around: Around,
): NonNullable<WorkspaceRequest['cache']> {
  const place = readSharedPlace(text)
  if (place?.is === 'bucket') return bucketCache(place, { ...wayToBucket(around, ca), readOnly })
  return { folder: resolve(around.cwd, place?.folder ?? text), readOnly, ...defined({ maxBytes }) }
}

/** What sends files is loaded by whoever sends some. */
function publishFrom(text: string, { ca, mark: marks = false }: PlanArgs, around: Around): PublishTo {
  const place = readSharedPlace(text)
  if (place?.is === 'bucket') {
    const way = wayToBucket(around, ca)
    const open: PublishTo['open'] = async tools => {
      const { publishToBucket } = await import('../../bucket/publish.ts')
      return publishToBucket(place, way).open(tools)
    }
    return { place: bucketText(place), marks, open }
  }
  const folder = resolve(around.cwd, place?.folder ?? text)
  const open: PublishTo['open'] = async tools => {
    const { publishToFolder } = await import('../../bucket/publish.ts')
    return publishToFolder(folder).open(tools)
  }
  return { place: folderAddress(folder), marks, open }
}

function wayToBucket({ cwd, env }: Around, ca: string | undefined) {
  const reach = reachFrom(env, ca, cwd)
  return 'code' in reach ? { access: reach, way: {} } : { access: accessFrom(env), way: reach }
}

/** What a command about a manifest was given. */
export type ManifestArgs = PlanArgs &
  Partial<Given<'output' | 'local'>> & {
    readonly manifest: string
  }

/** The request of a verb that sends nothing. */
export function workspaceFrom(args: ManifestArgs, around: Around): WorkspaceRequest {
  const service = namedService(around)
  return {
    manifest: args.manifest,
    cwd: around.cwd,
    rehearsal: args.local ?? false,
    ...defined({ service }),
    ...(args.output !== undefined && { output: resolve(around.cwd, args.output) }),
    ...planOptionsFrom(args, around),
  }
}
