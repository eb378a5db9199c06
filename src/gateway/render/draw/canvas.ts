import { createRequire } from 'node:module'
import { readAsset } from '../../../disk/own.ts'
import {
  type Canvas,
  createCanvas,
  fontFamilies,
  type Image,
  registerFont,
  type SKRSContext2D,
} from '../../../media/canvas.ts'
import type { ImageFormat } from '../order/request.ts'

/** For whoever draws: text in a font that comes with the package, pictures out. */
export type Pen = SKRSContext2D
export type Drawing = Image | Canvas

/** Something to draw on. */
export interface Sheet {
  readonly canvas: Canvas
  readonly pen: Pen
  readonly width: number
  readonly height: number
}

export function newSheet(width: number, height: number): Sheet {
  registerFonts()
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  // Otherwise the host's language may choose other shapes for a letter.
  pen.lang = 'en'
  pen.textBaseline = 'alphabetic'
  return { canvas, pen, width, height }
}

/** Encodes on a thread of its own. */
export async function encodeImage({ canvas }: Sheet, format: ImageFormat): Promise<Uint8Array> {
  switch (format) {
    case 'png':
      return canvas.encode('png')
    case 'jpeg':
      return canvas.encode('jpeg', 90)
    case 'webp':
      return canvas.encode('webp', 90)
  }
}

export type Weight = 400 | 600

/** A value for `pen.font`. Only fonts that are named are looked into: `others` are asked for what ours has no letters for. */
export function font(pixels: number, weight: Weight, others: readonly string[] = []): string {
  return `${weight} ${pixels}px ${[...subsets.map(family), ...others.map(name => `"${name}"`)].join(', ')}`
}

/** The fonts this machine has. */
export function systemFamilies(): string[] {
  return fontFamilies().filter(name => !name.startsWith(prefix) && !name.includes('"'))
}

const subsets = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'] as const
const prefix = 'genrun-inter-'
let areFontsRegistered = false

/** Each subset under a name of its own: within one name, letters are not looked for in a second file. */
function registerFonts(): void {
  if (areFontsRegistered) return
  areFontsRegistered = true
  const find = createRequire(import.meta.url).resolve
  for (const subset of subsets) {
    for (const weight of [400, 600] satisfies Weight[]) {
      const path = find(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff2`)
      registerFont(readAsset(path), family(subset))
    }
  }
}

function family(subset: (typeof subsets)[number]): string {
  return `${prefix}${subset}`
}
