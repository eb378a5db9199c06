import { wordTable } from '../../../base/word-table.ts'
import { chanceOf } from '../order/chance.ts'

/** How a text is to be spoken, in the words of eSpeak NG. */
export interface Voice {
  /** A language with a variant of the voice: `de+f3`. */
  readonly name: string
  /** 0 to 99. */
  readonly pitch: number
  /** Words a minute. */
  readonly speed: number
  /** The language that was asked for, where there is no voice for it. */
  readonly unspoken?: string
}

/** The specification's voices, told apart; the names suggest no more than that. */
const speakers: { readonly [voiceId: string]: Speaker } = wordTable({
  eve: { variant: 'f2', pitch: 55, speed: 165 },
  ara: { variant: 'f4', pitch: 68, speed: 178 },
  rex: { variant: 'm3', pitch: 36, speed: 160 },
  sal: { variant: 'm7', pitch: 50, speed: 172 },
  leo: { variant: 'm1', pitch: 24, speed: 150 },
})

interface Speaker {
  readonly variant: string
  readonly pitch: number
  readonly speed: number
}

/** Languages the synthesiser has, most spoken ones. */
const languages = (
  'af am ar as az be bg bn bs ca cmn cs cy da de el en eo es et eu fa fi fr ga gd gl gu he hi hr ht hu hy id is it ja ' +
  'ka kk kn ko ku ky la lt lv mk ml mr ms mt my nb ne nl om or pa pl pt ro ru sd si sk sl sq sr sv sw ta te th tk tr tt ' +
  'uk ur uz vi yue'
).split(' ')

const aliases: { readonly [name: string]: string } = wordTable({
  zh: 'cmn',
  chinese: 'cmn',
  mandarin: 'cmn',
  no: 'nb',
  norwegian: 'nb',
  farsi: 'fa',
  brazilian: 'pt-br',
})

/** By language, words of an accent or a region and the voice that has it. */
const accents: { readonly [language: string]: readonly (readonly [words: RegExp, voice: string])[] } =
  wordTable({
    en: [
      [/scot/, 'en-gb-scotland'],
      [/caribbean|jamaic/, 'en-029'],
      [/brit|english|england|london|received|\bgb\b|\buk\b/, 'en-gb'],
      [/.*/, 'en-us'],
    ],
    es: [[/mexic|latin|americ|argentin|colombi|\bmx\b|\bar\b|\bco\b|419/, 'es-419']],
    fr: [
      [/belg|\bbe\b/, 'fr-be'],
      [/swiss|suisse|switzerland|\bch\b/, 'fr-ch'],
    ],
    pt: [[/brazil|brasil|\bbr\b/, 'pt-br']],
  })

/** The voice for a job's parameters, all of which are free text or a name; English where nothing fits. */
export function voiceFor(voiceId: string, language: string, accent: string): Voice {
  const speaker = Object.hasOwn(speakers, voiceId) ? speakers[voiceId]! : anySpeaker(voiceId)
  const known = languageOf(language)
  const spoken = known ?? 'en'
  const region = `${language} ${accent}`.toLowerCase().replaceAll('_', '-')
  const regional = (accents[spoken] ?? []).find(([words]) => words.test(region.replace(/^en(glish)?\b/, '')))
  return {
    name: `${regional?.[1] ?? spoken}+${speaker.variant}`,
    pitch: speaker.pitch,
    speed: speaker.speed,
    ...(known === undefined && language.trim() !== '' && { unspoken: language.trim() }),
  }
}

/** From a tag (`pt-BR`), an English name (`German`) or the language's own (`Deutsch`). */
function languageOf(text: string): string | undefined {
  const word = text.trim().toLowerCase().replaceAll('_', '-')
  const first = word.split(/[-\s(,]/)[0]!
  for (const candidate of [word, first]) {
    if (Object.hasOwn(aliases, candidate)) return aliases[candidate]!
    if (languages.includes(candidate)) return candidate
    const named = languages.find(code => namesOf(code).includes(candidate))
    if (named) return named
  }
  return undefined
}

function namesOf(code: string): string[] {
  return ['en', code].map(
    inLanguage => new Intl.DisplayNames([inLanguage], { type: 'language' }).of(code)?.toLowerCase() ?? '',
  )
}

function anySpeaker(voiceId: string): Speaker {
  const chance = chanceOf('speaker', voiceId)
  return {
    variant: chance.pick(['f1', 'f3', 'f5', 'm2', 'm4', 'm5']),
    pitch: chance.whole(25, 70),
    speed: chance.whole(150, 180),
  }
}
