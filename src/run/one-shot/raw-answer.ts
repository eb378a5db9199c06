import { type Json, type RunId, runId } from '../../base/names.ts'
import type { Disk } from '../../store/files/disk.ts'
import type { Spool } from '../../store/files/spool.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { idsAt } from '../../wire/answers/fields.ts'
import type { Profile } from '../../wire/profile/profile.ts'

const longest = 1_048_576

/** Run ids that stand in answers which prove nothing: what a person would look for in the spool by hand. */
export function idsInAnswer(raws: readonly string[], spool: Spool, profile: Profile, disk: Disk): RunId[] {
  const texts = raws.flatMap(raw => textOf(spool.find(raw), disk) ?? [])
  return [...new Set(texts.flatMap(text => idsIn(text, profile)))]
}

function textOf(path: string | undefined, disk: Disk): string | undefined {
  if (path === undefined || (disk.look(path)?.bytes ?? 0) > longest) return undefined
  try {
    return disk.readAll(path).toString()
  } catch (trouble) {
    // It only helps: what cannot be read is not worth a failure.
    if (trouble instanceof StorageError) return undefined
    throw trouble
  }
}

/** An answer may be cut off or wrapped in something else; then the profile's last words for an id are looked for. */
function idsIn(text: string, { response }: Profile): RunId[] {
  const value = parsed(text)
  if (value !== undefined) return idsAt(value, response.id)
  const names = new Set(response.id.map(place => place.slice(place.lastIndexOf('/') + 1)))
  return [...text.matchAll(/"(\w+)"\s*:\s*"([^"\\]{1,256})"/g)].flatMap(([, name = '', id = '']) =>
    names.has(name) ? (runId(id) ?? []) : [],
  )
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
