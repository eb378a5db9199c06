/** A piece of a prompt: whether its siblings say it, too. */
interface Piece {
  readonly text: string
  readonly differs: boolean
}

/**
 * A prompt in pieces: what some of its siblings do not say stands by itself. Words are compared, whatever their case; the spaces
 * between two that differ go along.
 */
export function piecesOf(prompt: string, siblings: readonly string[]): Piece[] {
  const others = siblings.filter(each => each !== prompt)
  if (others.length === 0) return [{ text: prompt, differs: false }]
  const known = others.map(each => new Set(wordsIn(each)))
  const parts = prompt.split(/(\s+)/).filter(part => part !== '')
  const flags = parts.map(part => (isSpace(part) ? undefined : !known.every(words => words.has(bare(part)))))
  const pieces: { text: string; differs: boolean }[] = []
  for (const [nth, part] of parts.entries()) {
    const differs = flags[nth] ?? (flags[nth - 1] === true && flags[nth + 1] === true)
    const last = pieces.at(-1)
    if (last && last.differs === differs) last.text += part
    else pieces.push({ text: part, differs })
  }
  return pieces
}

function wordsIn(text: string): string[] {
  return text.split(/\s+/).filter(Boolean).map(bare)
}

/** Without what a sentence puts around a word. */
function bare(word: string): string {
  const found = word.toLowerCase().replaceAll(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, '')
  return found === '' ? word : found
}

function isSpace(part: string): boolean {
  return /^\s/.test(part)
}
