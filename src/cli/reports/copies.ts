import { join } from 'node:path'
import { display } from '../../base/display.ts'
import { nameAt, statAt } from '../../disk/look.ts'
import { readRegular } from '../../disk/open.ts'
import { replaceFile, tryFolderOf, writeNewFile } from '../../disk/write.ts'
import { withMark } from '../../media/origin/mark.ts'
import { type AuditRow, boughtBytes, copyOf } from '../../verbs/audit.ts'
import { unwrittenReason } from '../../workspace/read/guarded.ts'
import type { Surroundings } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import type { AuditRecord } from '../words/audit-table.ts'
import { whyBehindLink, whyOurs } from './file.ts'

/** What became of one copy: `marked`, or why its bytes are those of the result. */
interface Copied {
  readonly path: string
  readonly mark: 'marked' | 'marked-before' | 'signed' | 'says-otherwise' | 'no-place'
}

interface CopiedRows {
  readonly rows: readonly (readonly [AuditRow, AuditRecord])[]
  /** Placeholders, which nobody has bought. */
  readonly rehearsal: boolean
}

/**
 * Writes copies for others into a folder: each with the mark of what a trained algorithm made, where its format has a place for that,
 * and with its record beside it, which is about the copy and names what it was made from. The results themselves stay byte for byte as they were bought: their digests are what the lock, the
 * cache and the verdicts know them by. Nothing is replaced but records of ours.
 */
export function writeCopies(
  folder: string,
  { rows, rehearsal }: CopiedRows,
  { cwd }: Pick<Surroundings, 'cwd'>,
): readonly Copied[] | Trouble {
  const copies: Copied[] = []
  for (const [{ file, path }, record] of rows) {
    if (path === undefined) continue
    const to = join(folder, file.path)
    const beside = `${to}.json`
    let at = to
    try {
      const bytes = boughtBytes(path, file)
      const marked = withMark(bytes, file.type)
      const why = whyOurs(to, cwd) ?? whyBehindLink(to, cwd)
      if (why) throw new Error(why)
      at = beside
      if (!isRecordOfOurs(beside)) throw new Error('a file that genrun did not write is there already')
      at = to
      tryFolderOf(to)
      const copy = marked.got === 'marked' ? marked.bytes : bytes
      copyTo(to, copy)
      const mark = marked.got === 'marked' ? 'marked' : marked.why
      at = beside
      recordTo(beside, { ...record, ...copyOf(file, copy), mark, ...(rehearsal && { rehearsal }) })
      copies.push({ path: to, mark })
    } catch (cause) {
      const hint = 'name another folder with --copies'
      return { code: 'unsaved-report', message: `${display(at)}: ${unwrittenReason(cause)}`, hint }
    }
  }
  return copies
}

function copyTo(path: string, bytes: Uint8Array): void {
  try {
    writeNewFile(path, bytes)
  } catch (cause) {
    if (!isThereAlready(cause)) throw cause
    const isSame =
      statAt(path)?.size === bytes.length &&
      Buffer.compare(readRegular(path, { mostBytes: bytes.length }), bytes) === 0
    if (!isSame) throw new Error('another file is there already', { cause })
  }
}

const recordHead = '{\n  "genrunRecord": 1,'

function recordTo(path: string, record: AuditRecord & { readonly mark: string }): void {
  const text = `${JSON.stringify({ genrunRecord: 1, ...record }, null, 2)}\n`
  try {
    writeNewFile(path, text)
  } catch (cause) {
    if (!isThereAlready(cause)) throw cause
    replaceFile(path, text)
  }
}

/** Nothing is there, or a record of an earlier time. */
function isRecordOfOurs(path: string): boolean {
  if (!nameAt(path)) return true
  return Buffer.from(readRegular(path, { mostBytes: mostRecord }))
    .toString()
    .startsWith(recordHead)
}

const mostRecord = 16 * 1024 * 1024

function isThereAlready(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
}
