import { basename, dirname, extname, join } from 'node:path'
import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import type { Purchase } from '../../base/purchase.ts'
import { headOf } from '../../base/source.ts'
import { readTextOn } from '../../store/files/atomic-write.ts'
import type { Disk } from '../../store/files/disk.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { loadAll } from '../../store/verdicts/verdicts-file.ts'
import { readVerdicts, type Verdicts } from '../../store/verdicts/verdicts-text.ts'
import { shellWord } from '../../text/shell-word.ts'
import { type Layout, verdictsFileOf } from '../layout.ts'
import type { Workspace } from '../workspace.ts'

/** Files of verdicts beside a manifest that an earlier genrun left under a name which no manifest and no lock has any more. */
interface LeftVerdicts {
  /** They name purchases of this manifest's records: it had that name. Absolute paths. */
  readonly own: readonly string[]
  /** They are about files like this manifest's, and name no purchase that is known here. */
  readonly unclear: readonly Diagnostic[]
}

/** Finds them by what is recorded. Reads only; what cannot be read is nobody's. */
export function findLeftVerdicts(
  { layout, place, machine: { disk } }: Pick<Workspace, 'layout' | 'place' | 'machine'>,
  purchases: readonly Purchase[],
): LeftVerdicts {
  const [own, unclear]: [string[], Diagnostic[]] = [[], []]
  // A rehearsal is never gone on with under another name.
  if (layout.rehearsal || purchases.length === 0) return { own, unclear }
  const ids = new Set(purchases.map(({ id }) => id))
  const made = new Set(purchases.flatMap(each => (each.is === 'done' ? [seenAs(each.files)] : [])))
  for (const { path, verdicts } of orphansBeside(verdictsFileOf(layout), disk)) {
    const said = [...verdicts.verdicts, ...(verdicts.picks ?? [])]
    if (said.some(({ of }) => of !== undefined && ids.has(of))) own.push(path)
    else if (said.some(({ seen }) => seen.length > 0 && made.has(seen.join())))
      unclear.push(unclearText(path, verdicts.manifest, place.manifest))
  }
  return { own, unclear }
}

/**
 * All that was decided about a manifest's results, and the picks that wait, also under a name that it had before: whoever heeds them
 * takes the latest about each result. Throws StorageError.
 */
export function loadDecided(layout: Layout, disk: Disk): Required<Pick<Verdicts, 'verdicts' | 'picks'>> {
  const all = [verdictsFileOf(layout), ...(layout.leftVerdicts ?? [])].map(path => loadAll(path, disk))
  return {
    verdicts: all.flatMap(({ verdicts }) => verdicts),
    picks: all.flatMap(({ picks = [] }) => picks),
  }
}

/** Those in the same folder whose manifest is gone, and its lock as well: what has a lock goes along with that. */
function* orphansBeside(
  path: string,
  disk: Disk,
): Generator<{ readonly path: string; readonly verdicts: Verdicts }> {
  const folder = dirname(path)
  for (const name of namesIn(folder, disk)) {
    const [, stem] = /^(.+)\.review\.json$/.exec(name) ?? []
    if (stem === undefined || stem.endsWith('.preview') || name === basename(path)) continue
    const isThere = [...endings, '.lock.json'].some(ending => disk.look(join(folder, `${stem}${ending}`)))
    if (isThere) continue
    const reading = readVerdicts(readTextOn(disk, join(folder, name)) ?? '')
    if (reading.got !== 'verdicts') continue
    const { manifest } = reading.verdicts
    // One that somebody copied or renamed by hand tells whose it is.
    const isOf = basename(manifest) === manifest && basename(manifest, extname(manifest)) === stem
    if (isOf) yield { path: join(folder, name), verdicts: reading.verdicts }
  }
}

const endings = ['.yaml', '.yml', '.json']

/** None where nobody may look. */
function namesIn(folder: string, disk: Disk): readonly string[] {
  try {
    return disk.list(folder).toSorted()
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return []
  }
}

function seenAs(files: readonly { readonly digest: string }[]): string {
  return files.map(({ digest }) => digest).join()
}

function unclearText(path: string, was: string, manifest: string): Diagnostic {
  const name = basename(path)
  const now = basename(manifest)
  const message = `it is about results of ${was}, which is not there any more, and some look like those of ${now}: whether that is ${now} under its former name nothing tells`
  const hint = `if it is, \`genrun review ${shellWord(now)} --take ${shellWord(name)}\` takes what it says; if not, move it away`
  return warning('left-verdicts', headOf({ name, text: '' }), message, hint)
}
