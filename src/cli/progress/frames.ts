import { displayWidth } from '../../base/display.ts'

/**
 * Pictures that replace each other in place. Whoever draws them erases as many lines as it wrote; a terminal that became
 * narrower in between has broken the lines that no longer fit, so that there are more of them to erase.
 */
interface Frames {
  /** What is to be written for a picture: it begins with the erasing of the one before. `columns` is the width now. */
  next(text: string, columns: number): string
  /** What is to be written for a line that stays above the picture, which is drawn anew below it. */
  above(line: string, columns: number): string
}

export function openFrames(): Frames {
  let lines: readonly string[] = ['']
  const brokenBy = (columns: number) =>
    lines
      .map(line => displayWidth(line.replaceAll(sequence, '')))
      .reduce((sum, width) => sum + Math.max(0, Math.ceil(width / columns) - 1), 0)
  return {
    next(text, columns) {
      const broken = brokenBy(columns)
      lines = text.replace(erasing, '').split('\n')
      return eraseAndUp.repeat(broken) + text
    },
    above(line, columns) {
      const erased = eraseAndUp.repeat(brokenBy(columns) + lines.length - 1) + eraseToLeft
      return `${erased}${line}\n${lines.join('\n')}`
    },
  }
}

const escape = String.fromCodePoint(27)
const eraseLine = `${escape}[2K`
const eraseAndUp = `${eraseLine}${escape}[1A`
const eraseToLeft = `${eraseLine}${escape}[G`
const sequence = new RegExp(`${escape}\\[[\\d;?]*[A-Za-z]`, 'g')
/** What erases the picture before. */
const erasing = new RegExp(`^(?:${escape}\\[(?:2K|1A|G))+`)
