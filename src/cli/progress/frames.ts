import { displayWidth } from '../../base/display.ts'

/**
 * Pictures that replace each other in place. The cursor stands on the line below the last one, and as many lines are erased as
 * were written; a terminal that became narrower in between has broken those that no longer fit, so that there are more.
 */
interface Frames {
  /** What is to be written for a picture; nothing when it is there already. `columns` is the width now. */
  next(picture: string, columns: number): string
  /** What is to be written for a line that stays above the picture, which is drawn anew below it. */
  above(line: string, columns: number): string
  /** What takes the picture away. */
  clear(columns: number): string
}

export function openFrames(): Frames {
  let shown = ''
  let width = 0
  const erased = (columns: number) => {
    const rows = shown.split('\n').slice(0, -1)
    const heights = rows.map(row => Math.ceil(displayWidth(row.replaceAll(sequence, '')) / columns))
    return eraseAndUp.repeat(heights.reduce((sum, height) => sum + Math.max(1, height), 0)) + eraseToLeft
  }
  function show(text: string, columns: number): string {
    const written = erased(columns) + text
    shown = text
    width = columns
    return written
  }
  return {
    next: (picture, columns) =>
      shown === `${picture}\n` && width === columns ? '' : show(`${picture}\n`, columns),
    above: (line, columns) => `${erased(columns)}${line}\n${shown}`,
    clear: columns => show('', columns),
  }
}

const escape = String.fromCodePoint(27)
const eraseLine = `${escape}[2K`
const eraseAndUp = `${eraseLine}${escape}[1A`
const eraseToLeft = `${eraseLine}${escape}[G`
const sequence = new RegExp(`${escape}\\[[\\d;?]*[A-Za-z]`, 'g')
