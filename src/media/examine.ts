import { withFile } from './bytes.ts'
import { type Probed, probe } from './probe.ts'
import { headBytes, sniff } from './sniff.ts'
import { checkStructure } from './structure.ts'

/**
 * Whether a file on disk is whole and usable, and what is in it: its first bytes, its structure to the end, its
 * tracks. Nothing is published that does not pass here. Rejects only when the file cannot be read.
 */
export async function examine(path: string): Promise<Probed> {
  const type = sniff(await withFile(path, async bytes => (await bytes.read(0, headBytes)).slice()))
  if (!type) return { got: 'broken', why: 'it is not a media file' }
  const wrong = await checkStructure(path, type)
  return wrong === undefined ? probe(path) : { got: 'broken', why: wrong }
}
