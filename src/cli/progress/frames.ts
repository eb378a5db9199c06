import { displayWidth } from '../../base/display.ts'

/**
 * Pictures that replace each other in place. Whoever draws them erases as many lines as it wrote; a terminal that became
 * narrower in between has broken the lines that no longer fit, so that there are more of them to erase.
 */
export interface Frames {
  /** What is to be written for a picture: it begins with the erasing of the one before. `columns` is the width now. */
  next(text: string, columns: number): string
}

export function openFrames(): Frames {
  let widths: readonly number[] = []
  return {
    next(text, columns) {
      const broken = widths.reduce((sum, width) => sum + Math.max(0, Math.ceil(width / columns) - 1), 0)
      widths = text.split('\n').map(line => displayWidth(line.replaceAll(sequence, '')))
      return eraseAndUp.repeat(broken) + text
    },
  }
}

const escape = String.fromCodePoint(27)
const eraseAndUp = `${escape}[2K${escape}[1A`
const sequence = new RegExp(`${escape}\\[[\\d;?]*[A-Za-z]`, 'g')
