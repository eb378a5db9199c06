import type { ClipFacts, MediaFacts, SoundFigures, Surface } from './facts.ts'
import { hashDistance } from './hash.ts'
import type { LookName } from './names.ts'

/** What a look finds odd of one file. */
interface Finding {
  readonly look: LookName
  /** For a person, of the file: `it is one color`. */
  readonly why: string
}

// Below these lies what a person sees as nothing. Each was held against planted defects and good files: test/bench/looks.mjs.
const oneColor = 6
const nearBlack = 24
const blackClip = 0.95
const frozenShare = 0.9
/** An encoder in a hurry makes a picture that stands still sharper for most of a second. */
const settledShare = 0.7
const frozenSeconds = 1
const silentBelow = -60
const clippedShare = 0.0005
/** The RMS of a sine at full scale: what is louder has flat tops, also where an encoder has bent them a little. In dBFS, with half of one to spare. */
const fullSine = -2.5
const highestPeak = 1
const loudest = -7
const quietest = -38
const longestSilence = 1.5

/** What is odd about one file by itself. Pure. */
export function judgeFile(facts: MediaFacts): Finding[] {
  switch (facts.of) {
    case 'picture':
      return surfaceFindings(facts)
    case 'clip':
      return [...clipFindings(facts), ...(facts.sound ? soundFindings(facts.sound, 'its sound') : [])]
    case 'sound':
      return soundFindings(facts, 'it')
  }
}

/** The gravest of those that say the same: a black picture is one color, too. */
function surfaceFindings({ spread, bright, bars }: Surface): Finding[] {
  if (bright <= nearBlack) return [{ look: 'dark', why: 'it is near black' }]
  if (spread <= oneColor) return [{ look: 'blank', why: 'it is one color' }]
  if (!bars) return []
  const percent = bars.shares.map(share => `${Math.round(share * 100)} %`)
  return [{ look: 'letterbox', why: `it has black bars at ${bars.along} (${percent.join(' and ')})` }]
}

function clipFindings(clip: ClipFacts): Finding[] {
  if (clip.black >= blackClip) return [{ look: 'dark', why: 'all of it is near black' }]
  const surface = surfaceFindings(clip)
  if (surface.some(({ look }) => look === 'blank')) return surface
  const stillSeconds = clip.still * clip.seconds
  const isLong = clip.still >= frozenShare || (clip.still >= settledShare && clip.seconds - stillSeconds < 1)
  const isFrozen = isLong && stillSeconds >= frozenSeconds
  const percent = Math.round(clip.still * 100)
  return [
    ...surface,
    ...(isFrozen ? [{ look: 'frozen' as const, why: `nothing moves in ${percent} % of it` }] : []),
  ]
}

function soundFindings(sound: SoundFigures, it: string): Finding[] {
  const { seconds, loudness, peak = Number.NEGATIVE_INFINITY, clipped, loudest: level, lead, tail } = sound
  // Where nothing is heard both are the whole of it; each is rounded to a tenth.
  const isUnheard = lead + tail > seconds + 0.1
  if (level === undefined || level < silentBelow || isUnheard)
    return [{ look: 'silent', why: `${it} is silent` }]
  const found: Finding[] = []
  if (clipped >= clippedShare || level > fullSine)
    found.push({ look: 'clipping', why: `${it} is cut off at full scale` })
  else if (peak > highestPeak) found.push({ look: 'clipping', why: `${it} peaks at ${peak} dBTP` })
  if (loudness !== undefined && (loudness > loudest || loudness < quietest))
    found.push({ look: 'loudness', why: `${it} has ${loudness} LUFS` })
  if (lead >= longestSilence) found.push({ look: 'silence', why: `${it} begins with ${lead} s of silence` })
  if (tail >= longestSilence) found.push({ look: 'silence', why: `${it} ends with ${tail} s of silence` })
  return found
}

/** What a file shows, as hashes; none of a sound, nor of what has nothing on it, which is no picture of anything. */
export function shownBy(facts: MediaFacts): readonly string[] {
  if (facts.of === 'sound' || facts.spread <= oneColor || facts.bright <= nearBlack) return []
  return facts.of === 'picture' ? [facts.hash] : facts.hashes
}

/** So many of 256 bits differ between two encodings of one picture; two pictures differ in far more. Of a clip another frame may be met. */
const sameBits = { picture: 10, clip: 24 }

/** Whether two files show the same, by their hashes. */
export function areAlike(one: readonly string[], other: readonly string[]): boolean {
  const most = one.length === 1 ? sameBits.picture : sameBits.clip
  return (
    one.length > 0 &&
    one.length === other.length &&
    one.every((hash, at) => hashDistance(hash, other[at] ?? '') <= most)
  )
}

/** Speech: its seconds, and the characters that are spoken. */
export interface Speech {
  readonly seconds: number
  readonly characters: number
}

const fewestCharacters = 20
const fewestOthers = 5
const usualPace = 2

/**
 * What is odd about the pace of speech, beside others of its model and language: half or twice as many seconds a character as their
 * median. Undefined where nothing is, or too little is known.
 */
export function paceOf(spoken: Speech, others: readonly Speech[]): string | undefined {
  const isLong = ({ characters, seconds }: Speech) => characters >= fewestCharacters && seconds > 0
  const known = others
    .filter(isLong)
    .map(rateOf)
    .toSorted((a, b) => a - b)
  const median = known[Math.floor(known.length / 2)]
  if (!isLong(spoken) || median === undefined || known.length < fewestOthers) return undefined
  const times = rateOf(spoken) / median
  if (times < usualPace && times > 1 / usualPace) return undefined
  const seconds = (rate: number) => `${rate.toFixed(2)} s`
  return `it takes ${seconds(rateOf(spoken))} a character, where others take ${seconds(median)}`
}

function rateOf({ seconds, characters }: Speech): number {
  return seconds / characters
}
