import { font, type Pen, type Weight } from './canvas.ts'
import { legible } from './legible.ts'

/** Text set in lines. Sizes in pixels. */
export interface SetText {
  readonly lines: readonly string[]
  readonly size: number
  readonly lineHeight: number
  readonly weight: Weight
  /** Fonts of the machine that it needs beside ours. */
  readonly families: readonly string[]
  readonly height: number
}

interface Room {
  readonly width: number
  readonly height: number
  /** Type sizes; the largest at which all of the text fits is taken, and at the smallest the rest is cut off. */
  readonly largest: number
  readonly smallest: number
  readonly weight: Weight
}

/** Longer texts would be cut anyway; this keeps 15,000 characters from being measured. */
const readableCharacters = 1500
const leading = 1.28

/** Sets text as large as the room allows. */
export function fitText(pen: Pen, text: string, room: Room): SetText {
  const { text: shown, families } = legible(pen, readable(text))
  const words = measuredWords(pen, shown, font(measuredAt, room.weight, families))
  const setText = (lines: readonly Line[], size: number) =>
    setLines(lines, { size, families, weight: room.weight })
  const smallest = Math.max(1, Math.floor(room.smallest))
  for (let size = Math.max(smallest, Math.floor(room.largest)); size > smallest; size = smaller(size)) {
    const lines = wrapped(words, room.width / size)
    if (lines.length * size * leading <= room.height) return setText(lines, size)
  }
  const lines = wrapped(words, room.width / smallest)
  const fitting = Math.max(1, Math.floor(room.height / (smallest * leading)))
  return setText(lines.length > fitting ? cutAfter(lines, fitting) : lines, smallest)
}

/** Draws with the top left corner of the first line at x, y. */
export function drawText(pen: Pen, text: SetText, x: number, y: number): void {
  pen.font = font(text.size, text.weight, text.families)
  for (const [k, line] of text.lines.entries()) {
    pen.fillText(line, x, y + k * text.lineHeight + text.size * 0.98)
  }
}

type Type = Pick<SetText, 'size' | 'weight' | 'families'>

function setLines(lines: readonly Line[], type: Type): SetText {
  const lineHeight = type.size * leading
  return { ...type, lines: lines.map(line => line.text), lineHeight, height: lines.length * lineHeight }
}

function smaller(size: number): number {
  return Math.min(size - 1, Math.floor(size * 0.94))
}

/** Widths are in units of the type size, so that words are measured once for all sizes. */
interface Word {
  readonly text: string
  readonly width: number
}
type Line = Word

const measuredAt = 100
/** Advances grow almost, not quite, in step with the size. */
const tolerance = 1.01

/** In one line, without what cannot be seen, and no longer than anybody reads. */
export function readable(text: string): string {
  const characters = Array.from(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim())
  if (characters.length <= readableCharacters) return characters.join('')
  return `${characters.slice(0, readableCharacters).join('')} …`
}

function measuredWords(pen: Pen, text: string, type: string): { words: Word[]; space: number } {
  pen.font = type
  const width = (of: string) => (pen.measureText(of).width / measuredAt) * tolerance
  return { words: text.split(' ').map(word => ({ text: word, width: width(word) })), space: width(' ') }
}

function wrapped({ words, space }: { words: readonly Word[]; space: number }, width: number): Line[] {
  const lines: Line[] = []
  for (const word of words.flatMap(each => broken(each, width))) {
    const last = lines.at(-1)
    if (last !== undefined && last.width + space + word.width <= width) {
      lines[lines.length - 1] = { text: `${last.text} ${word.text}`, width: last.width + space + word.width }
    } else {
      lines.push(word)
    }
  }
  return lines
}

/** A word wider than a line (a link, a script without spaces) in pieces, taking its letters as equally wide. */
function broken(word: Word, width: number): Word[] {
  if (word.width <= width) return [word]
  const letters = Array.from(word.text)
  const perLetter = word.width / letters.length
  const perLine = Math.max(1, Math.floor((width / perLetter) * 0.9))
  const pieces: Word[] = []
  for (let at = 0; at < letters.length; at += perLine) {
    const piece = letters.slice(at, at + perLine)
    pieces.push({ text: piece.join(''), width: perLetter * piece.length })
  }
  return pieces
}

function cutAfter(lines: readonly Line[], count: number): Line[] {
  const last = lines[count - 1]!
  const shortened = last.text.replace(/[\s.,;:]*\S{0,3}$/u, '')
  return [...lines.slice(0, count - 1), { ...last, text: `${shortened}…` }]
}
