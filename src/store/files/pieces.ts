import { setImmediate } from 'node:timers/promises'

/** Lines that are too many to be one text, a megabyte or so at a time. */
export function* inPieces(lines: Iterable<string>): Generator<string, void> {
  let piece = ''
  for (const line of lines) {
    piece += `${line}\n`
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

const pieceLength = 1_000_000

/** Work on each piece, with room for others between two: all of it may take half a second. */
export async function eachInTurn<Piece>(
  pieces: Iterable<Piece>,
  work: (piece: Piece) => void,
): Promise<void> {
  let isFirst = true
  for (const piece of pieces) {
    if (!isFirst) await setImmediate()
    isFirst = false
    work(piece)
  }
}
