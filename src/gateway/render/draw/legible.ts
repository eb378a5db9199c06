import { font, type Pen, systemFamilies } from './canvas.ts'

/** A text that can be drawn, and the machine's fonts it needs beside the one that comes with the package. */
interface Legible {
  readonly text: string
  readonly families: readonly string[]
}

/**
 * What can be drawn of a text: letters our font lacks by a font of the machine, where one has them; the others are told
 * rather than drawn as boxes: `早上好` is `[Han ×3]`, `🐶` is `[emoji 1F436]`.
 */
export function legible(pen: Pen, text: string): Legible {
  const families = new Set<string>()
  const isDrawable = (character: string): boolean => {
    const family = familyOf(pen, character)
    if (family) families.add(family)
    return family !== undefined
  }
  const foreign = foreignIn(text, isDrawable)
  return { text: foreign.size === 0 ? text : told(text, foreign), families: [...families] }
}

/** What a person should know about a text that cannot be drawn as it is; undefined where it can. */
export function illegibleWarning(pen: Pen, text: string): string | undefined {
  const foreign = foreignIn(text, character => familyOf(pen, character) !== undefined)
  const names = scriptsIn([...foreign])
  if (names.length === 0) return undefined
  return `no font of this machine has ${names.join(', ')}, so pictures tell such letters in brackets; install one that has`
}

// What the subsets of our font cover; anything else is measured.
const isPlain = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\u0020-\u007e\s]$/u

const found = new Map<string, string | undefined>()

/** Empty for our own font, undefined when no font has the character. */
function familyOf(pen: Pen, character: string): string | undefined {
  if (found.has(character)) return found.get(character)
  // What had the letter before will most likely have this one, too.
  const likely = new Set(['', ...[...found.values()].filter(each => each !== undefined)])
  const has = (each: string) => hasGlyph(pen, character, each)
  const family = [...likely].find(has) ?? systemFamilies().find(each => !likely.has(each) && has(each))
  found.set(character, family)
  return family
}

/** A character that a font lacks is drawn as the box of a character that no font has. */
function hasGlyph(pen: Pen, character: string, family: string): boolean {
  pen.font = font(100, 400, family === '' ? [] : [family])
  return !isInvisible.test(character) && measured(pen, character) !== measured(pen, nobodys)
}

const nobodys = '\u{10fffd}'
const isInvisible = /^[\p{Cn}\p{Co}\p{Cs}]$/u

function measured(pen: Pen, character: string): string {
  const { width, actualBoundingBoxAscent, actualBoundingBoxDescent, actualBoundingBoxRight } =
    pen.measureText(character)
  return [width, actualBoundingBoxAscent, actualBoundingBoxDescent, actualBoundingBoxRight].join()
}

function foreignIn(text: string, isDrawable: (character: string) => boolean): ReadonlySet<string> {
  return new Set([...text].filter(character => !isPlain.test(character) && !isDrawable(character)))
}

/** Stretches of such characters, with the blanks inside them, become a word of our own. */
function told(text: string, foreign: ReadonlySet<string>): string {
  const one = `[${[...foreign].map(character => `\\u{${hex(character)}}`).join('')}]`
  const stretches = new RegExp(`${one}(?:\\s*${one})*`, 'gu')
  const words = text.replaceAll(stretches, stretch => ` [${nameOf([...stretch.replaceAll(/\s/g, '')])}] `)
  return words.replaceAll(/\s+/g, ' ').trim()
}

function nameOf(stretch: readonly string[]): string {
  const pictures = stretch.filter(character => /\p{Extended_Pictographic}/u.test(character))
  if (pictures.length > 0 && pictures.length <= mostNamed) return `emoji ${pictures.map(hex).join(' ')}`
  const names = scriptsIn(stretch)
  const name = pictures.length > 0 ? 'emoji' : names.join(', ') || 'signs'
  return `${name} ×${stretch.length}`
}

const mostNamed = 3

function scriptsIn(characters: readonly string[]): string[] {
  return scripts.filter(name => characters.some(character => scriptOf[name]?.test(character)))
}

const scripts = (
  'Han Hiragana Katakana Hangul Bopomofo Arabic Hebrew Devanagari Bengali Gujarati Gurmukhi Tamil Telugu Kannada ' +
  'Malayalam Sinhala Thai Lao Khmer Myanmar Tibetan Georgian Armenian Ethiopic Mongolian Cherokee'
).split(' ')
const scriptOf = Object.fromEntries(scripts.map(name => [name, new RegExp(`\\p{Script=${name}}`, 'u')]))

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
}
