import { wordTable } from '../base/word-table.ts'

/**
 * The texts that a prompt puts in quotes, which are words that a picture shall show: "…", “…”, „…“, «…», ‘…’ and '…'. One may as well be an
 * apostrophe, or inches: it opens no text behind a letter or a digit.
 */
export function quotedTexts(prompt: string): readonly string[] {
  const texts = [...prompt.matchAll(quoted)].map(
    found => found.slice(1).find(each => each !== undefined) ?? '',
  )
  return [...new Set(texts.map(text => text.replaceAll(/\s+/gu, ' ').trim()))].filter(
    text => wordsIn(text).length > 0,
  )
}

const quoted =
  /(?<![\p{L}\p{N}])"(?=\S)([^"]+)"|[“„]([^“”„]+)[“”]|[«»]([^«»]+)[«»]|(?<![\p{L}\p{N}])‘((?:[^‘’]|’(?=\p{L}))+)’|(?<![\p{L}\p{N}])'(?=[\p{L}\p{N}])((?:[^'\n]|'(?=\p{L})){1,60})(?<!\s)'(?![\p{L}\p{N}])/gu

/** Whether the letters of a text are those that the reader knows. */
export function isReadable(text: string): boolean {
  return [...text.normalize('NFKD')].every(
    letter => !/\p{L}/u.test(letter) || /\p{Script=Latin}/u.test(letter),
  )
}

/** Of the words of `text` those that stand nowhere in what was read. */
export function missingWords(text: string, read: readonly string[]): readonly string[] {
  const lines = read.flatMap(each => each.split('\n')).map(line => wordsIn(line))
  const seen = new Set(lines.flat().map(shapeOf))
  // A word that was read in pieces, or together with the next one.
  const joined = lines.map(words => shapeOf(words.join('')))
  return wordsIn(text).filter(word => {
    const shape = shapeOf(word)
    return !seen.has(shape) && !(shape.length >= longEnough && joined.some(line => line.includes(shape)))
  })
}

/**
 * Words that were read as those of `text` with a letter more of one that stands there: `OPPEN` for `OPEN`. Whoever reads such a word
 * otherwise has taken two letters for one.
 */
export function doubledWords(text: string, read: readonly string[]): readonly string[] {
  const wanted = wordsIn(text).map(shapeOf)
  const found = read.flatMap(wordsIn).filter(word => {
    const shape = shapeOf(word)
    // A line at the edge of a sign is read as a letter.
    const isRight =
      wanted.includes(shape) || wanted.includes(shapeOf(word.replaceAll(/^[|\]]+|[|\]]+$/gu, '')))
    return !isRight && wanted.some(each => shape.length > each.length && onceEach(shape) === onceEach(each))
  })
  return [...new Set(found)]
}

/** One of each letters that stand beside each other and are equal. */
function onceEach(shape: string): string {
  return shape.replaceAll(/(.)\1+/gu, '$1')
}

/** So many letters are not part of other words by chance. */
const longEnough = 4

function wordsIn(text: string): string[] {
  return (
    text
      .match(/[\p{L}\p{M}\p{N}|\]$]+(?:['’-][\p{L}\p{N}]+)*/gu)
      ?.filter(word => /[\p{L}\p{N}]/u.test(word)) ?? []
  )
}

/** What no reader tells apart for certain is one: case, accents, and letters that look alike. */
function shapeOf(word: string): string {
  const letters = word
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/\p{M}|['’-]/gu, '')
  return [...letters].map(letter => alike[letter] ?? letter).join('')
}

const alike = wordTable<string>({
  I: '1',
  L: '1',
  '|': '1',
  ']': '1',
  O: '0',
  Q: '0',
  S: '5',
  $: '5',
  B: '8',
  Z: '2',
  G: '6',
})
