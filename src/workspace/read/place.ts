import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import type { Shard } from '../../base/shard.ts'
import { asFarAsSeen, isThere, realPathAt } from '../../disk/look.ts'

/** Where a manifest and what belongs to it lie. All absolute. */
export interface ProjectPlace {
  readonly manifest: string
  /** The manifest's folder: what its relative paths count from. */
  readonly folder: string
  /** No file outside is read as input: the nearest folder above with `.git` or a genrun configuration, else `folder`. */
  readonly root: string
  /** File name without extension: names the lock and the state. */
  readonly stem: string
  /** Of a run of one shard, which has lock and state of its own. */
  readonly shard?: Shard
}

/** `manifest` is its path, absolute and without links. */
export function placeOf(manifest: string): ProjectPlace {
  const folder = dirname(manifest)
  return { manifest, folder, root: rootAbove(folder), stem: basename(manifest, extname(manifest)) }
}

function rootAbove(folder: string): string {
  for (let here = folder; ; here = dirname(here)) {
    if (isProjectRoot(here)) return here
    if (dirname(here) === here) return folder
  }
}

/** Whether something in it says that a project begins here. */
export function isProjectRoot(folder: string): boolean {
  return markers.some(marker => isThere(join(folder, marker)))
}

/** Where one stands: a home folder that is a repository itself is no part of a checkout in it. */
export function repositoryAround(cwd: string): string {
  for (let here = cwd; ; here = dirname(here)) {
    if (isThere(join(here, '.git'))) return here
    if (dirname(here) === here) return cwd
  }
}

/** The outermost folder around a file that says that a project begins there, so that its parts may share. */
export function projectAround(full: string): string | undefined {
  let found: string | undefined
  for (let here = dirname(full); ; here = dirname(here)) {
    if (isProjectRoot(here)) found = here
    if (dirname(here) === here) return found
  }
}

/** Whether what lies side by side in a folder may belong together: not in the system's own, nor where all that is temporary lies. */
export function isOneWork(folder: string): boolean {
  const temporary = [tmpdir(), asFarAsSeen(() => realPathAt(tmpdir()))]
  return dirname(folder) !== folder && !temporary.includes(folder)
}

/** The names of a project's settings, where they have a file of their own. The first counts. */
export const settingsFiles: readonly string[] = [
  ...['yaml', 'yml', 'json'].map(ending => `genrun.config.${ending}`),
  ...['.genrunrc', '.config/genrunrc'].flatMap(name =>
    ['', '.yaml', '.yml', '.json'].map(ending => `${name}${ending}`),
  ),
]

const markers = ['.git', ...settingsFiles]

/** Of single jobs. Stands in a lock where others name their manifest: neither is ever taken for the other. */
export const owner = 'genrun generate'

/** The folder that inputs lie in. A file that a person names for a single job is theirs to send, wherever it lies. */
export function inputRoot({ root, stem }: ProjectPlace): string | undefined {
  return stem === owner ? undefined : root
}
