import { resolve } from 'node:path'
import type { WorkspaceRequest } from '../../planning/open-workspace.ts'
import type { RunRequest } from '../../workspace/workspace.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedService } from '../service/service-for.ts'
import type { SelectionArgs } from './selection-args.ts'
import { varsFrom } from './vars.ts'

type Around = Pick<Surroundings, 'cwd' | 'env' | 'trust'>

interface Further {
  readonly failed?: boolean
  readonly rebuy?: boolean
}

/** What the command line wants, as the verbs take it. */
export function planOptionsFrom(
  args: SelectionArgs,
  { failed = false, rebuy = false }: Further,
  { cwd, env }: Around,
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
> &
  Pick<RunRequest, 'verify' | 'limits'> {
  const {
    selectors,
    tags,
    models,
    changed,
    limit,
    profile,
    prices,
    maxPaid,
    maxCost,
    maxUseless,
    maxFailures,
    cache,
    cacheReadOnly,
    cacheBytes,
    rebuyGuard,
    catalog,
  } = args
  return {
    vars: varsFrom(args.vars, env),
    choices: { failed, rebuy },
    select: { words: selectors, tags, models, failed, changed, ...(limit !== undefined && { limit }) },
    caps: { ...(maxPaid !== undefined && { maxPaid }), ...(maxCost !== undefined && { maxCost }) },
    ...((maxUseless !== undefined || maxFailures !== undefined) && {
      limits: { useless: maxUseless, failures: maxFailures },
    }),
    ...(args.outputs !== undefined && { outputs: args.outputs }),
    ...(catalog && { catalog }),
    ...(args.strict && { strict: true }),
    ...(args.continues !== undefined && { continues: args.continues }),
    ...(rebuyGuard !== undefined && { rebuyGuard }),
    ...(args.verify && { verify: args.verify }),
    ...(profile !== undefined && { profile }),
    ...(prices !== undefined && { prices }),
    ...(cache !== undefined && {
      cache: {
        folder: resolve(cwd, cache),
        readOnly: cacheReadOnly,
        ...(cacheBytes !== undefined && { maxBytes: cacheBytes }),
      },
    }),
  }
}

/** The request of a verb that sends nothing. */
export function workspaceFrom(
  args: {
    readonly manifest: string
    readonly output: string | undefined
    readonly local: boolean
    readonly selection: SelectionArgs
  },
  around: Around,
  further: Further = {},
): WorkspaceRequest {
  const service = namedService(around)
  return {
    manifest: args.manifest,
    cwd: around.cwd,
    rehearsal: args.local,
    ...(service && { service }),
    ...(args.output !== undefined && { output: resolve(around.cwd, args.output) }),
    ...planOptionsFrom(args.selection, further, around),
  }
}
