import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { openDrawer } from '../disk/drawer.ts'
import { bars, peaksIn } from '../page/data/bars.ts'
import { systemDisk } from '../store/files/disk.ts'
import { isOthersFolder } from '../store/files/state-folder.ts'
import type { Decoder } from './decoder.ts'
import { openServed, type ServedFile } from './served.ts'

/** Small pictures of results, each made once. There are none of a file that is not the one with that digest any more. */
export interface Thumbnails {
  /**
   * As WebP, of a clip its first frame. Undefined where none can be made: of a sound, of a file that is damaged or too large; and where
   * all who asked for it are `gone` before it was begun.
   */
  of(key: string, file: ServedFile, gone?: AbortSignal): Promise<Uint8Array | undefined>
  /** Larger ones of no more than so many bytes, made each time; of a clip its first frame. */
  within(key: string, file: ServedFile, mostBytes: number): Promise<Uint8Array | undefined>
  /** How loud a sound is from its beginning to its end, in so many steps from 0 to 1. Undefined of anything else. */
  peaks(key: string, file: ServedFile): Promise<readonly number[] | undefined>
  /** The file itself. */
  whole(key: string, file: ServedFile): Promise<Uint8Array | undefined>
  /** Begins no small picture for a moment, as somebody waits for a large one. */
  rest(): void
}

/** Its longer side, in pixels: a card on a dense screen. */
const longest = 400

/** No picture of a model is larger, and each is held in memory whole. */
const mostBytes = 64 * 1024 * 1024

/** Decoding and encoding have threads of their own; more at once would only fill memory. */
const mostAtOnce = 3

/** Kept in a folder of a manifest's state, where that is genrun's own. Without a decoder there are none of clips. */
export function openThumbnails(
  folder: string,
  needed: (key: string) => boolean,
  decoder?: Decoder,
): Thumbnails {
  const drawer = openDrawer(folder, () => isOwnState(folder))
  drawer.tidy(name => needed(name.slice(0, 64)))
  const { turn, sooner, drop, rest } = turns(mostAtOnce)
  const underWay = new Map<string, Wanted>()
  async function make(key: string, file: ServedFile): Promise<Uint8Array | undefined> {
    const kept = drawer.take(`${key}.webp`)
    if (kept && isWhole(kept)) return kept
    return turn(key, async () => {
      const picture = await pictureOf(key, file)
      const bytes = picture && (await drawn(picture, longest))
      if (bytes) await drawer.put(`${key}.webp`, bytes)
      return bytes
    })
  }
  async function pictureOf(key: string, file: ServedFile): Promise<Uint8Array | undefined> {
    const original = await wholeOf(key, file)
    return original && isClip(file) ? decoder?.firstFrame(original, file.type) : original
  }
  return {
    rest,
    of(key, file, gone) {
      if (!file.type.startsWith('image/') && !(decoder && isClip(file))) return Promise.resolve(undefined)
      // Asked for again, it is in sight again.
      if (underWay.has(key)) sooner(key)
      const wanted = underWay.get(key) ?? {
        made: make(key, file).finally(() => underWay.delete(key)),
        by: 0,
      }
      underWay.set(key, wanted)
      wanted.by++
      const leave = () => --wanted.by === 0 && drop(key)
      gone?.addEventListener('abort', leave, { once: true })
      return wanted.made
    },
    within: (key, file, most) =>
      turn('', async () => {
        const picture = await pictureOf(key, file)
        const { webpWithin } = await import('../gateway/render/draw/small.ts')
        return picture && webpWithin(picture, sides, most)
      }),
    async peaks(key, file) {
      if (!decoder || !file.type.startsWith('audio/')) return undefined
      const kept = drawer.take(`${key}.levels`)
      if (kept?.length === bars) return [...kept].map(each => each / fineness)
      return turn(key, async () => {
        const original = await wholeOf(key, file)
        const samples = original && (await decoder.samples(original, file.type))
        if (!samples) return undefined
        const peaks = peaksIn(samples, bars).map(each => Math.round(each * fineness))
        await drawer.put(`${key}.levels`, Uint8Array.from(peaks))
        return peaks.map(each => each / fineness)
      })
    },
    whole: wholeOf,
  }
}

/** A picture that is being made, or waits for that, and for how many. */
interface Wanted {
  readonly made: Promise<Uint8Array | undefined>
  by: number
}

/** Neither the folder, nor the state that it is of, nor all state is a link or another user's. */
function isOwnState(folder: string): boolean {
  const state = dirname(folder)
  return [dirname(state), state, folder].every(path => !isOthersFolder(systemDisk, path))
}

/** In so many steps a bar is kept. */
const fineness = 250

/** The longer sides that are tried, the largest first. */
const sides = [1600, 1280, 1024, 800, 640, 480, 320, 160]

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function isClip({ type }: ServedFile): boolean {
  return type.startsWith('video/')
}

/** Undefined where the file with that digest is not there, or too large to be held. */
export async function wholeOf(key: string, file: ServedFile): Promise<Uint8Array | undefined> {
  const open = openServed(file)
  if (!open) return undefined
  if (open.bytes > mostBytes) {
    open.close()
    return undefined
  }
  const pieces: Uint8Array[] = []
  for await (const piece of open.pieces(0, open.bytes)) pieces.push(piece)
  const whole = Buffer.concat(pieces)
  return digestOf(whole) === key ? whole : undefined
}

/** Native code is loaded when the first is drawn. */
async function drawn(original: Uint8Array, longest: number): Promise<Uint8Array | undefined> {
  const { smallWebp } = await import('../gateway/render/draw/small.ts')
  return smallWebp(original, longest)
}

/** A power cut may have left it short: its head says how long it should be. */
function isWhole(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return bytes.length > 12 && view.getUint32(4, true) + 8 === bytes.length
}

/** What work waits for. */
interface Turns {
  /** Undefined where it was dropped before it began. */
  readonly turn: <T>(key: string, work: () => Promise<T>) => Promise<T | undefined>
  /** Puts what waits under that key before all else. */
  readonly sooner: (key: string) => void
  /** What waits under that key is not done. */
  readonly drop: (key: string) => void
  /** Begins nothing for a moment. */
  readonly rest: () => void
}

const restMs = 250

/** The newest first: what somebody has scrolled past waits, and what is in sight does not wait for it. */
function turns(most: number): Turns {
  let free = most
  let restingUntil = 0
  let isResting = false
  const waiting: { readonly key: string; readonly go: (isWanted: boolean) => void }[] = []
  function begin(): void {
    while (free > 0 && waiting.length > 0 && !isResting) {
      free--
      waiting.pop()?.go(true)
    }
  }
  async function restOver(): Promise<void> {
    while (systemClock.now() < restingUntil) await systemClock.until(restingUntil)
    isResting = false
    begin()
  }
  return {
    async turn(key, work) {
      const isWanted = await new Promise<boolean>(go => {
        waiting.push({ key, go })
        begin()
      })
      if (!isWanted) return undefined
      try {
        return await work()
      } finally {
        free++
        begin()
      }
    },
    sooner(key) {
      const at = waiting.findLastIndex(each => each.key === key)
      if (at >= 0) waiting.push(...waiting.splice(at, 1))
    },
    drop(key) {
      const at = waiting.findLastIndex(each => each.key === key)
      if (at >= 0) waiting.splice(at, 1)[0]?.go(false)
    },
    rest() {
      restingUntil = systemClock.now() + restMs
      if (isResting) return
      isResting = true
      void restOver()
    },
  }
}
