import { resolve } from 'node:path'
import type { WorkspaceRequest } from '../../planning/see-plan.ts'
import type { RunRequest } from '../../workspace/setting.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedService } from '../service/service-for.ts'
import type { SelectionArgs } from './selection-args.ts'
import { varsFrom } from './vars.ts'

type Around = Pick<Surroundings, 'cwd' | 'env'>

interface Further {
  readonly failed?: boolean
  readonly rebuy?: boolean
}

/** What the command line wants, in the desk's words. */
export function planOptionsFrom(
  asked: SelectionArgs,
  { failed = false, rebuy = false }: Further,
  { cwd, env }: Around,
): Pick<
  WorkspaceRequest,
  | 'vars'
  | 'outputs'
  | 'catalog'
  | 'strict'
  | 'wish'
  | 'select'
  | 'caps'
  | 'profile'
  | 'prices'
  | 'cache'
  | 'rebuyGuard'
  | 'continues'
> &
  Pick<RunRequest, 'verify'> {
  const {
    selectors,
    tags,
    models,
    changed,
    profile,
    prices,
    maxPaid,
    maxCost,
    cache,
    cacheReadOnly,
    cacheBytes,
    rebuyGuard,
    catalog,
  } = asked
  return {
    vars: varsFrom(asked.vars, env),
    wish: { failed, rebuy },
    select: { words: selectors, tags, models, failed, changed },
    caps: { ...(maxPaid !== undefined && { maxPaid }), ...(maxCost !== undefined && { maxCost }) },
    ...(asked.outputs !== undefined && { outputs: asked.outputs }),
    ...(catalog && { catalog }),
    ...(asked.strict && { strict: true }),
    ...(asked.continues !== undefined && { continues: asked.continues }),
    ...(rebuyGuard !== undefined && { rebuyGuard }),
    ...(asked.verify && { verify: asked.verify }),
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
  asked: {
    readonly manifest: string
    readonly output: string | undefined
    readonly local: boolean
    readonly selection: SelectionArgs
  },
  around: Around,
  further: Further = {},
): WorkspaceRequest {
  const service = namedService(around.env)
  return {
    manifest: asked.manifest,
    cwd: around.cwd,
    rehearsal: asked.local,
    ...(service && { service }),
    ...(asked.output !== undefined && { output: resolve(around.cwd, asked.output) }),
    ...planOptionsFrom(asked.selection, further, around),
  }
}
