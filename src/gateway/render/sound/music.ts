import { setImmediate as breathe } from 'node:timers/promises'
import type { Chance } from '../order/chance.ts'

/** Stereo samples between -1 and 1. */
export interface Sound {
  readonly rate: number
  readonly left: Float32Array
  readonly right: Float32Array
}

interface Score {
  /** Length in samples. */
  readonly length: number
  readonly rate: number
  /** Samples from beat to beat. */
  readonly beat: number
  /** Whether the end leads back to the beginning: what rings on at the end is heard at the start. */
  readonly isLoop: boolean
}

/** Chords, bass, a figure above them, drums and breath: which of them, in which key and how, is left to chance. */
export async function composeMusic(chance: Chance, score: Score): Promise<Sound> {
  const sound = {
    rate: score.rate,
    left: new Float32Array(score.length),
    right: new Float32Array(score.length),
  }
  const band = { sound, isLoop: score.isLoop }
  const song = plan(chance)
  const beats = Math.ceil(score.length / score.beat)
  for (let beat = 0; beat < beats; beat++) {
    playBeat(band, song, chance, { beat, at: Math.round(beat * score.beat), length: score.beat })
    if (beat % 4 === 3) await breathe()
  }
  if (!score.isLoop) fadeOut(sound)
  return sound
}

interface Band {
  readonly sound: Sound
  readonly isLoop: boolean
}

interface Song {
  /** In hertz. */
  readonly key: number
  /** Semitones above the key, chord by chord. */
  readonly chords: readonly (readonly number[])[]
  readonly figure: readonly number[]
  readonly plays: ReadonlySet<string>
}

const progressions = [
  [0, 9, 5, 7],
  [0, 5, 9, 7],
  [0, 7, 9, 5],
  [0, 4, 5, 7],
] as const

function plan(chance: Chance): Song {
  const isMinor = chance.next() < 0.5
  const chords = chance.pick(progressions).map(root => {
    const isMinorChord = isMinor ? root === 0 || root === 5 : root === 9 || root === 4
    return [root, root + (isMinorChord ? 3 : 4), root + 7]
  })
  const parts = chance.shuffle(['figure', 'drums', 'bass', 'breath'])
  return {
    key: 220 * 2 ** (chance.whole(-7, 4) / 12),
    chords,
    figure: chance.shuffle([0, 1, 2, 1, 2, 0, 2, 1]),
    plays: new Set(['chord', ...parts.slice(0, chance.whole(2, 4))]),
  }
}

interface Beat {
  readonly beat: number
  readonly at: number
  /** In samples. */
  readonly length: number
}

/** A chord lasts two beats. */
function playBeat(band: Band, song: Song, chance: Chance, { beat, at, length }: Beat): void {
  const chord = song.chords[(beat >> 1) % song.chords.length]!
  const pitch = (semitones: number, octave: number) => song.key * 2 ** (semitones / 12 + octave)
  if (beat % 2 === 0) {
    for (const [k, note] of chord.entries()) {
      play(band, {
        at,
        length: length * 2.4,
        pitch: pitch(note, 0),
        loud: 0.11,
        side: k - 1,
        attack: length * 0.4,
      })
    }
  }
  if (song.plays.has('bass')) {
    play(band, { at, length: length * 0.9, pitch: pitch(chord[0]!, -2), loud: 0.26, side: 0, attack: 200 })
  }
  if (song.plays.has('figure')) {
    for (const half of [0, 1]) {
      const note = chord[song.figure[(beat * 2 + half) % song.figure.length]!]!
      const start = at + (half * length) / 2
      play(band, {
        at: start,
        length: length * 0.8,
        pitch: pitch(note, 1),
        loud: 0.12,
        side: half - 0.5,
        attack: 60,
      })
    }
  }
  if (song.plays.has('drums')) {
    if (beat % 2 === 0) play(band, { at, length: length * 0.4, pitch: 55, loud: 0.4, side: 0, attack: 40 })
    hiss(band, chance, { at: at + length / 2, length: length * 0.12, loud: 0.1, dull: 0.1 })
  }
  if (song.plays.has('breath') && beat % 4 === 0) {
    hiss(band, chance, { at, length: length * 4, loud: 0.5, dull: 0.96 })
  }
}

interface Note {
  readonly at: number
  readonly length: number
  readonly pitch: number
  readonly loud: number
  /** -1 left, 1 right. */
  readonly side: number
  /** Samples until it is at its loudest. */
  readonly attack: number
}

/** A tone with a softer octave above it, that swells, dies away and ends at zero. */
function play({ sound, isLoop }: Band, { at, length, pitch, loud, side, attack }: Note): void {
  const step = (2 * Math.PI * pitch) / sound.rate
  const [turn, turnAbove] = [2 * Math.cos(step), 2 * Math.cos(2 * step)]
  let [now, before, above, aboveBefore] = [0, -Math.sin(step), 0, -Math.sin(2 * step)]
  const [toLeft, toRight] = [loud * (1 - side * 0.4), loud * (1 + side * 0.4)]
  const size = sound.left.length
  for (let k = 0; k < length; k++) {
    const place = isLoop ? (Math.round(at) + k) % size : Math.round(at) + k
    if (place >= size) return
    const rest = 1 - k / length
    const value = (now + 0.3 * above) * Math.min(1, k / attack) * rest * rest
    sound.left[place]! += value * toLeft
    sound.right[place]! += value * toRight
    // A sine by recurrence: sin(n+1) = 2 cos(step) sin(n) - sin(n-1).
    ;[now, before] = [turn * now - before, now]
    ;[above, aboveBefore] = [turnAbove * above - aboveBefore, above]
  }
}

/** Noise that swells and falls, the duller the nearer `dull` is to 1. */
function hiss(
  { sound, isLoop }: Band,
  chance: Chance,
  { at, length, loud, dull }: { at: number; length: number; loud: number; dull: number },
): void {
  const size = sound.left.length
  let [left, right] = [0, 0]
  for (let k = 0; k < length; k++) {
    const place = isLoop ? (Math.round(at) + k) % size : Math.round(at) + k
    if (place >= size) return
    left = left * dull + (chance.next() - 0.5) * (1 - dull)
    right = right * dull + (chance.next() - 0.5) * (1 - dull)
    const share = k / length
    const swell = 4 * share * (1 - share)
    sound.left[place]! += left * loud * swell
    sound.right[place]! += right * loud * swell
  }
}

function fadeOut({ left, right, rate }: Sound): void {
  const length = Math.min(left.length, Math.round(rate * 0.4))
  for (let k = 0; k < length; k++) {
    left[left.length - 1 - k]! *= k / length
    right[right.length - 1 - k]! *= k / length
  }
}
