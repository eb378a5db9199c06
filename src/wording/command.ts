import { isAbsolute, relative } from 'node:path'
import { type Shard, shardText } from '../base/shard.ts'
import { shellWord } from '../text/shell-word.ts'

/** What was at work on what: without these words the same verb would speak of something else. */
export interface AtWork {
  /** As it was given, or absolute. */
  readonly manifest: string
  readonly cwd: string
  readonly rehearsal?: boolean
  /** Another output folder than the manifest's, absolute. */
  readonly output?: string
  /** Workers of a fleet were. */
  readonly fleet?: unknown
  /** It was `redo` that was at work. */
  readonly redo?: boolean
  /** It was `generate --lock`, which has none of the flags by which a run orders again. */
  readonly isOfCalls?: boolean
  /** It was a run of this shard. */
  readonly shard?: Shard
}

/** Verbs that settle orders at a service. A rehearsal has none that outlive it, so that they know no `--local`. */
const ofOrders = ['resolve', 'adopt', 'recover'] as const

type Verb =
  | 'accept'
  | 'pick'
  | 'plan'
  | 'prune'
  | 'redo'
  | 'report'
  | 'review'
  | 'run'
  | 'status'
  | (typeof ofOrders)[number]

/**
 * `genrun pick 'tea pots.yaml' 'hero#2' --local`: what a hint names can be pasted into a POSIX shell. What a shard knows, only `run` and
 * `plan` tell of it before it is merged with the rest.
 */
export function commandOn(atWork: AtWork, verb: Verb, ...words: readonly string[]): string {
  const { manifest, cwd, rehearsal, output, shard } = atWork
  const isOfOrders = ofOrders.some(each => each === verb)
  const path = isAbsolute(manifest) ? relative(cwd, manifest) : manifest
  const on = (each: Verb | 'merge', ...more: readonly string[]) => {
    const folder = output === undefined ? [] : folderWords(each, output, cwd)
    return line([each, path, ...more, ...(rehearsal && !isOfOrders ? ['--local'] : []), ...folder])
  }
  if (!shard) return on(verb, ...words)
  const isOfShards = verb === 'run' || verb === 'plan'
  return isOfShards
    ? on(verb, ...words, '--shard', shardText(shard))
    : `${on('merge')} && ${on(verb, ...words)}`
}

/** What stands behind `genrun run` and the verbs that settle orders: `'tea pots.yaml' 'hero#2' -o media`. */
export function wordsOn(
  { manifest, cwd, output }: Pick<AtWork, 'manifest' | 'cwd' | 'output'>,
  ...names: readonly string[]
): string {
  const folder = output === undefined ? [] : folderWords('run', output, cwd)
  return [manifest, ...names, ...folder].map(shellWord).join(' ')
}

/** The same for what was made without a manifest: `genrun result -o media --forget`. */
export function resultCommand(
  { cwd, output }: { readonly cwd: string; readonly output: string },
  ...words: readonly string[]
): string {
  return line(['result', ...words, ...(output === cwd ? [] : folderWords('result', output, cwd))])
}

/** Of `plan` the short flag says where the plan is saved. */
function folderWords(verb: string, output: string, cwd: string): string[] {
  return [verb === 'plan' ? '--output-folder' : '-o', relative(cwd, output) || '.']
}

function line(words: readonly string[]): string {
  return ['genrun', ...words].map(shellWord).join(' ')
}
