import { readFile, stat } from 'node:fs/promises'
import { withFile } from './bytes.ts'
import { type Probed, probe } from './probe.ts'
import { headBytes, sniff } from './sniff.ts'
import { checkStructure } from './structure.ts'

/**
 * Whether a file on disk is whole and usable, and what is in it: its first bytes, its structure to the end, its
 * tracks. Nothing is published that does not pass here. Rejects only when the file cannot be read.
 */
export async function examine(path: string): Promise<Probed> {
  // A small one is read once, and not by each who looks at it.
  const file = (await stat(path)).size <= smallBytes ? await readFile(path) : path
  const type = sniff(await headOf(file))
  if (!type) return { got: 'broken', why: 'it is not a media file' }
  const wrong = await checkStructure(file, type)
  return wrong === undefined ? probe(file) : { got: 'broken', why: wrong }
}

const smallBytes = 4 * 1024 * 1024

function headOf(file: string | Uint8Array): Promise<Uint8Array> | Uint8Array {
  if (typeof file !== 'string') return file.subarray(0, headBytes)
  return withFile(file, async bytes => (await bytes.read(0, headBytes)).slice())
}
