import { mediaTypes } from '../sniff.ts'
import { latin1, originPieces, type Piece } from './pieces.ts'
import { sourceType } from './xmp.ts'

/** What a file says of where it came from. */
interface OriginSeen {
  /** A C2PA manifest is in it: found, and by nobody verified. */
  readonly isSigned: boolean
  /** It says that a trained algorithm made it. */
  readonly isMarked: boolean
}

/** Looks for signatures and marks. Nothing of a type that has no known place for them. */
export function originIn(bytes: Uint8Array, type: string): OriginSeen {
  const pieces = originPieces(bytes, type) ?? []
  return {
    isSigned: pieces.some(piece => isSignature(piece, type)),
    isMarked: pieces.some(piece => xmpIn(piece, type)?.includes(sourceType) === true),
  }
}

/** Where C2PA 2.1 (appendix A.3) has the manifest store put, by the format. */
function isSignature({ name, body }: Piece, type: string): boolean {
  switch (type) {
    case mediaTypes.png.type:
      return name === 'caBX'
    case mediaTypes.jpeg.type:
      return name === 'APP11' && latin1(body.subarray(0, 2)) === 'JP' && latin1(body).includes('c2pa')
    case mediaTypes.webp.type:
    case mediaTypes.wav.type:
      return name === 'C2PA'
    case mediaTypes.mp3.type:
      return name === 'GEOB' && latin1(body).includes('c2pa')
    default:
      return name === 'uuid' && latin1(body.subarray(0, 16)) === c2paBox
  }
}

const c2paBox = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex').toString('latin1')
export const xmpBox = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex').toString('latin1')
export const xmpKeyword = 'XML:com.adobe.xmp\0'
export const xmpSegment = 'http://ns.adobe.com/xap/1.0/\0'
export const xmpFrame = 'XMP\0'

/** The XMP packet in a piece (XMP specification, part 3); undefined where there is none, or one that is packed. */
export function xmpIn(piece: Piece, type: string): string | undefined {
  const { name, body } = piece
  switch (type) {
    case mediaTypes.png.type:
      return name === 'iTXt' ? after(body, `${xmpKeyword}\0\0\0\0`) : undefined
    case mediaTypes.jpeg.type:
      return name === 'APP1' ? after(body, xmpSegment) : undefined
    case mediaTypes.webp.type:
      return name === 'XMP ' ? after(body, '') : undefined
    case mediaTypes.wav.type:
      return name === '_PMX' ? after(body, '') : undefined
    case mediaTypes.mp3.type:
      return name === 'PRIV' ? after(body, xmpFrame) : undefined
    default:
      return name === 'uuid' ? after(body, xmpBox) : undefined
  }
}

function after(body: Uint8Array, head: string): string | undefined {
  if (latin1(body.subarray(0, head.length)) !== head) return undefined
  return Buffer.from(body.buffer, body.byteOffset + head.length, body.byteLength - head.length).toString()
}
