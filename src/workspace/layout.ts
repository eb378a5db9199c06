import { join, resolve } from 'node:path'
import type { Manifest } from '../manifest/shapes/job.ts'
import type { ProjectPlace } from './read/place.ts'

/** Where one manifest's results and state lie. All absolute. */
export interface Layout {
  readonly output: string
  /** Beside the manifest, so that moving outputs loses nothing. Committed. */
  readonly lock: string
  /** Journal, claim, spool, kept files. Never committed. */
  readonly state: string
  /** Everything here belongs to rehearsals. */
  readonly rehearsal: boolean
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
  }
}

/** Where the lock of a manifest lies. */
export function lockOf({ folder, stem }: ProjectPlace, rehearsal: boolean): string {
  return join(folder, `${stem}${rehearsal ? '.preview' : ''}.lock.json`)
}

/** Where the state of a manifest lies; for whoever has not read the manifest. */
export function stateOf({ folder, stem }: ProjectPlace, rehearsal: boolean): string {
  return join(folder, '.genrun', `${stem}${rehearsal ? '.preview' : ''}`)
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
