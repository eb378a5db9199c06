import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Worker as Reader } from 'tesseract.js'
import type { LookFinding } from '../base/state.ts'
import { readMedia } from '../disk/media.ts'
import { notInstalled } from './lacking.ts'
import { doubledWords, isReadable, missingWords, quotedTexts } from './quoted-words.ts'

// Words in a picture, read by tesseract.js, which who wants them installs beside genrun: nothing of it is loaded before it is asked for,
// and all that it reads are files of these packages.

const packages = ['tesseract.js', '@tesseract.js-data/eng'] as const

/** How to get it. */
export const wordsHint = `npm install ${packages.join(' ')}, beside genrun`

/** Why no words can be read on this machine; undefined where they can. Loads nothing. */
export function whyNoWords(): string | undefined {
  const missing = packages.filter(name => placeOf(name) === undefined)
  if (missing.length === 0) return undefined
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} ${notInstalled}`
}

/** A picture, and the prompt that it was asked by. */
export interface WordSearch {
  readonly path: string
  readonly type: string
  readonly prompt: unknown
  readonly stop: AbortSignal
}

/** Whether the words that a prompt has in quotes are on its picture: nothing where they are, or none were asked for. Never rejects. */
export async function lookForWords({
  path,
  type,
  prompt,
  stop,
}: WordSearch): Promise<LookFinding | undefined> {
  const texts = typeof prompt === 'string' ? quotedTexts(prompt) : []
  const unseen = (why: string) => ({ look: 'words', verdict: 'not looked at' as const, why })
  if (texts.length === 0) return undefined
  if (!type.startsWith('image/')) return unseen('words are looked for in pictures alone')
  const strange = texts.find(text => !isReadable(text))
  if (strange !== undefined) return unseen(`nobody here reads the letters of “${strange}”`)
  const lack = whyNoWords()
  if (lack !== undefined) return unseen(`its words: ${lack}`)
  try {
    const { readablePictures } = await import('../media/readable-pictures.ts')
    const read: string[] = []
    let missing = texts
    for await (const { plain, wide } of readablePictures(await readMedia(path))) {
      if (stop.aborted) return unseen('genrun was stopped')
      read.push(await readWords(plain))
      missing = texts.filter(each => missingWords(each, read).length > 0)
      if (missing.length > 0) continue
      const doubled = doubledWords(texts.join(' '), [...read, await readWords(wide())])
      return doubled.length === 0 ? undefined : warn(`it says ${inQuotes(doubled)}`)
    }
    return warn(`it does not say ${inQuotes(missing.map(each => missingWords(each, read).join(' ')))}`)
  } catch (error) {
    return unseen(`its words: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function warn(why: string): LookFinding {
  return { look: 'words', verdict: 'warn', why }
}

function inQuotes(words: readonly string[]): string {
  return words.map(word => `“${word}”`).join(', ')
}

/** Longer than any picture takes on a busy machine. */
const patienceMs = 60_000
/** Its letters take 100 MB: given back when nobody has asked for a while. */
const idleMs = 10_000

let opened: Promise<Reader> | undefined
let asked = 0
let idle: NodeJS.Timeout | undefined

async function readWords(picture: Buffer): Promise<string> {
  asked++
  clearTimeout(idle)
  let impatient: NodeJS.Timeout | undefined
  try {
    const reader = await (opened ??= openReader())
    hold(reader, true)
    const tooLong = new Promise<never>((_, reject) => {
      impatient = setTimeout(() => reject(new Error('reading took longer than a minute')), patienceMs)
    })
    const { data } = await Promise.race([reader.recognize(picture, {}, { text: true }), tooLong])
    return data.text
  } catch (error) {
    close()
    throw error
  } finally {
    clearTimeout(impatient)
    if (--asked === 0) idle = setTimeout(close, idleMs).unref()
    if (asked === 0 && opened) void opened.then(reader => asked === 0 && hold(reader, false))
  }
}

async function openReader(): Promise<Reader> {
  const { default: tesseract } = await import('tesseract.js')
  const data = placeOf(packages[1]) ?? ''
  // Neither fetched nor kept: the letters are read where their package lies.
  const reader = await tesseract.createWorker('eng', tesseract.OEM.LSTM_ONLY, {
    langPath: join(dirname(data), '4.0.0_best_int'),
    cacheMethod: 'none',
    gzip: true,
  })
  await reader.setParameters({
    tessedit_pageseg_mode: tesseract.PSM.SPARSE_TEXT,
    user_defined_dpi: '150',
    debug_file: '/dev/null',
  })
  return reader
}

function close(): void {
  void opened?.then(reader => reader.terminate()).catch(() => {})
  opened = undefined
}

/** A process ends when nobody waits for words any more. */
function hold(reader: Reader, isNeeded: boolean): void {
  const { worker } = reader as Reader & { readonly worker: { ref(): void; unref(): void } }
  if (isNeeded) worker.ref()
  else worker.unref()
}

function placeOf(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`)
  } catch {
    return undefined
  }
}
