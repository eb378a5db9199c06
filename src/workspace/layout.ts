import { basename, join, resolve } from 'node:path'
import { type Shard, shardMark } from '../base/shard.ts'
import type { Manifest } from '../manifest/shapes/job.ts'
import type { ProjectPlace } from './read/place.ts'

/** Where one manifest's results and state lie. All absolute. */
export interface Layout {
  readonly output: string
  /** Where results go if no other folder is given on the line; only where one is. */
  readonly usualOutput?: string
  /** Beside the manifest, so that moving outputs loses nothing. Committed. */
  readonly lock: string
  /** Journal, claim, spool, kept files. Never committed. */
  readonly state: string
  /** Where the verdicts lie, when that is under the manifest's former name. Absent: beside the lock. */
  readonly verdicts?: string
  /** Verdicts that an earlier genrun left under a name that the manifest had before, and that nobody has moved yet: read as well. */
  readonly leftVerdicts?: readonly string[]
  /** Everything here belongs to rehearsals. */
  readonly rehearsal: boolean
  /** Of a manifest: by which its lock and state, and those of its shards, have their names. Absent for single jobs. */
  readonly family?: RecordNames
}

/** The whole of a manifest, or one of its shards. */
export interface RecordNames extends Pick<ProjectPlace, 'folder' | 'stem' | 'shard'> {
  /** The manifest's file name. */
  readonly manifest: string
}

/** `output` is absolute. A rehearsal has everything of its own: its placeholders can never enter the real lock. */
export function layoutOf(
  place: ProjectPlace,
  manifest: Manifest,
  output: string | undefined,
  rehearsal: boolean,
): Layout {
  const mark = rehearsal ? '.preview' : ''
  const folder = output ?? resolve(place.folder, manifest.output)
  return {
    output: `${folder}${mark}`,
    lock: lockOf(place, rehearsal),
    state: stateOf(place, rehearsal),
    rehearsal,
    family: familyOf(place),
  }
}

function familyOf({ folder, stem, manifest, shard }: ProjectPlace): RecordNames {
  return { folder, stem, manifest: basename(manifest), ...(shard && { shard }) }
}

/** The same for the whole, or for another shard of the same manifest. */
export function layoutBeside(layout: Layout, family: RecordNames, shard: Shard | undefined): Layout {
  const { folder, stem, manifest } = family
  const place = { folder, stem, ...(shard && { shard }) }
  const { output, rehearsal } = layout
  return {
    output,
    rehearsal,
    lock: lockOf(place, rehearsal),
    state: stateOf(place, rehearsal),
    family: { ...place, manifest },
  }
}

type Named = Pick<ProjectPlace, 'folder' | 'stem' | 'shard'>

/** Where the lock of a manifest lies. */
export function lockOf(place: Named, rehearsal: boolean): string {
  return join(place.folder, `${nameOf(place, rehearsal)}.lock.json`)
}

/** Where the verdicts on its results lie: beside the lock, and committed with it. Those of shards stand with those of the whole. */
export function verdictsFileOf({ lock, family, rehearsal, verdicts }: Layout): string {
  if (verdicts !== undefined) return verdicts
  const whole = family ? lockOf({ folder: family.folder, stem: family.stem }, rehearsal) : lock
  return verdictsBeside(whole)
}

/** Where the verdicts of a whole manifest lie, by the path of its lock. */
export function verdictsBeside(lock: string): string {
  return lock.replace(/\.lock\.json$/, '.review.json')
}

/** Where the state of a manifest lies; for whoever has not read the manifest. */
export function stateOf(place: Named, rehearsal: boolean): string {
  return join(place.folder, '.genrun', nameOf(place, rehearsal))
}

/** Where it is remembered what the words of a run came to that had nothing to do. */
export function saidWordsOf(state: string): string {
  return join(state, 'words')
}

/** `teapots`, `teapots.3-of-16`, `teapots.preview`. */
function nameOf({ stem, shard }: Named, rehearsal: boolean): string {
  return `${stem}${shard ? `.${shardMark(shard)}` : ''}${rehearsal ? '.preview' : ''}`
}

/** Where results go without a folder on the line, if one is given there and is another. */
export function usualOutput(
  layout: Layout,
  place: ProjectPlace,
  manifest: Manifest,
  { output, ...asked }: Parameters<typeof absolute>[0],
): Pick<Layout, 'usualOutput'> {
  if (output === undefined) return {}
  const usual = layoutOf(place, manifest, absolute(asked, manifest), layout.rehearsal).output
  return usual === layout.output ? {} : { usualOutput: usual }
}

/** Where its results may have an index: the manifest's usual folder is one, whatever folder is given. */
export function outputsOf({ output, usualOutput }: Layout): readonly string[] {
  return usualOutput === undefined ? [output] : [usualOutput, output]
}

/** The output folder that was asked for, if one was: the very one, or one of its own in the settings' folder. */
export function absolute(
  { cwd, output, outputs }: { readonly cwd: string; readonly output?: string; readonly outputs?: string },
  { name, outputAt }: Pick<Manifest, 'name' | 'outputAt'>,
): string | undefined {
  if (output !== undefined) return resolve(cwd, output)
  // What the manifest says itself goes before what is usual in the project.
  return outputs === undefined || outputAt ? undefined : resolve(cwd, outputs, name)
}

/** Where it is noted that workers of a fleet may be at work on a manifest. */
export function fleetMarkOf({ state }: Pick<Layout, 'state'>): string {
  return join(state, 'fleet.json')
}
