import { smallMedia } from '../disk/media.ts'
import { withFile } from './bytes.ts'
import { type OtherKind, otherKind, textKind } from './other-kinds.ts'
import { type Media, probe } from './probe.ts'
import { type MediaType, sniff, sniffedBytes } from './sniff.ts'
import { checkStructure } from './structure.ts'

type Examined =
  | { readonly got: 'media'; readonly media: Media }
  /** `as` is what it begins as; it has a name where that is nothing that genrun takes, and whole as far as anybody knows. */
  | {
      readonly got: 'broken'
      readonly why: string
      readonly as: Pick<MediaType, 'type' | 'extension'> & Partial<Pick<OtherKind, 'name'>>
    }

/**
 * Whether a file on disk is whole and usable, and what is in it: its first bytes, its structure to the end, its
 * tracks. Nothing is published that does not pass here. Rejects only when the file cannot be read.
 */
export async function examine(path: string): Promise<Examined> {
  // A small one is read once, and not by each who looks at it.
  const file = await smallMedia(path, smallBytes)
  const head = await headOf(file)
  const type = sniff(head)
  if (!type) return { got: 'broken', why: 'it is not a media file', as: otherKind(head) ?? textKind(head) }
  const wrong = await checkStructure(file, type)
  if (wrong !== undefined) return { got: 'broken', why: wrong, as: type }
  const probed = await probe(file)
  return probed.got === 'media' ? probed : { ...probed, as: type }
}

const smallBytes = 4 * 1024 * 1024

function headOf(file: string | Uint8Array): Promise<Uint8Array> | Uint8Array {
  if (typeof file !== 'string') return file.subarray(0, sniffedBytes)
  return withFile(file, async bytes => (await bytes.read(0, sniffedBytes)).slice())
}
