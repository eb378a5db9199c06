/**
 * Foreign text made harmless for a terminal or a log: control, escape, bidi and zero-width characters are shown as
 * escapes (`\u{1b}`), line ends included, and the length is capped. docs/contract.md section 5.
 */
export function display(text: string, longest = 2000): string {
  const shown = text.replace(dangerous, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
  if (shown.length <= longest) return shown
  return `${shown.slice(0, longest)}…`
}

/** How many terminal columns a displayed text takes. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) {
    if (/\p{Mn}|\p{Me}/u.test(character)) continue
    width += wide.test(character) ? 2 : 1
  }
  return width
}

/** The text cut to a number of terminal columns, with an ellipsis where something was left out. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let shown = ''
  let width = 0
  for (const character of text) {
    const next = width + displayWidth(character)
    if (next > columns - 1) break
    shown += character
    width = next
  }
  return `${shown}…`
}

/** Text for HTML and XML, in elements and in quoted attributes. */
export function markup(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** JSON in which every character that could harm a terminal is escaped as JSON escapes it: it is shown as it is, and still JSON. */
export function jsonText(value: unknown, indent: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(dangerousInJson, character =>
    Array.from({ length: character.length }, (_, nth) => unicodeEscape(character.charCodeAt(nth))).join(''),
  )
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

// Cc: controls with escape; Cf: bidi, zero-width and byte-order marks; Cs: lone surrogates; Zl, Zp: line separators.
// A tab is a control too: it would move text under another column. U+200D joins emoji and stays.
const dangerous = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

// The line feeds between the lines are ours: inside a text JSON has escaped them.
const dangerousInJson = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

// East Asian wide and full-width blocks, and pictographs.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
