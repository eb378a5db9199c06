/** A piece of a prompt: whether its siblings say it, too. */
interface Piece {
  readonly text: string
  readonly differs: boolean
}

/**
 * A prompt in pieces: what some of its siblings do not say stands by itself. Words are compared, whatever their case, and then what
 * stands before and behind them: of `"seen"` beside `seen` the quotes differ, of `linen,` beside `linen:` the comma. That a sentence
 * ends there is no difference. The spaces between two that differ go along.
 */
export function piecesOf(prompt: string, siblings: readonly string[]): Piece[] {
  const others = siblings.filter(each => each !== prompt)
  if (others.length === 0) return [{ text: prompt, differs: false }]
  const known = others.map(formsIn)
  const parts = prompt
    .split(/(\s+)/)
    .flatMap(part => (/^\s/.test(part) ? [{ text: part }] : judged(part, known)))
  const pieces: { text: string; differs: boolean }[] = []
  for (const [nth, { text, differs: own }] of parts.entries()) {
    const differs = own ?? (parts[nth - 1]?.differs === true && parts[nth + 1]?.differs === true)
    const last = pieces.at(-1)
    if (last && last.differs === differs) last.text += text
    else pieces.push({ text, differs })
  }
  return pieces
}

/** A word with what a sentence puts around it. */
interface Form {
  readonly before: string
  readonly word: string
  readonly after: string
}

type Forms = ReadonlyMap<string, readonly Form[]>

function formsIn(text: string): Forms {
  const forms = new Map<string, Form[]>()
  for (const each of text.split(/\s+/).filter(Boolean).map(formOf)) {
    const word = each.word.toLowerCase()
    forms.set(word, [...(forms.get(word) ?? []), each])
  }
  return forms
}

function formOf(text: string): Form {
  const [, before = '', word = '', after = ''] = /^([\p{P}\p{S}]*)(.*?)([\p{P}\p{S}]*)$/su.exec(text) ?? []
  return word === '' ? { before: '', word: text, after: '' } : { before, word, after }
}

function judged(
  text: string,
  known: readonly Forms[],
): { readonly text: string; readonly differs?: boolean }[] {
  const { before, word, after } = formOf(text)
  const forms = known.map(each => each.get(word.toLowerCase()) ?? [])
  if (forms.some(({ length }) => length === 0)) return text === '' ? [] : [{ text, differs: true }]
  const parts = [
    { text: before, differs: !forms.every(all => all.some(each => each.before === before)) },
    { text: word, differs: false },
    { text: after, differs: !forms.every(all => all.some(each => isSameEnd(each.after, after))) },
  ]
  return parts.filter(part => part.text !== '')
}

/** The same, or the same where it goes on. */
function isSameEnd(one: string, other: string): boolean {
  const [bareOne, bareOther] = [one, other].map(each => each.replace(/[.,;。、，]+$/u, ''))
  return one === other || (bareOne === bareOther && (one === bareOne || other === bareOther))
}
