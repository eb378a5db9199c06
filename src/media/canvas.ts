import { createRequire } from 'node:module'
import type * as Package from '@napi-rs/canvas'

export type { Canvas, Image, SKRSContext2D } from '@napi-rs/canvas'

const variable = 'DISABLE_SYSTEM_FONTS_LOAD'

/**
 * The one door to @napi-rs/canvas. By itself it reads every font of the machine when it is loaded, a tenth of a second for some,
 * half a second for a thousand: here none, until somebody asks for their names.
 */
const { GlobalFonts, ...drawing } = withoutFonts(
  () => createRequire(import.meta.url)('@napi-rs/canvas') as Loaded, // as it declares itself
)

export const { createCanvas, loadImage } = drawing

/** With what it calls when it is loaded, and does not declare. */
type Loaded = typeof Package & { readonly GlobalFonts: { loadSystemFonts(): void } }

/** A font that comes with a package, under a name of its own. */
export function registerFont(bytes: Uint8Array, name: string): void {
  GlobalFonts.register(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), name)
}

/** The names of all fonts, those of the machine among them. */
export function fontFamilies(): string[] {
  if (!areRead) GlobalFonts.loadSystemFonts()
  areRead = true
  return GlobalFonts.families.map(each => each.family)
}

let areRead = false

/** It looks at this variable, and at nothing else, while it is loaded. */
function withoutFonts<T>(load: () => T): T {
  const { env } = process
  const before = env[variable]
  env[variable] = '1'
  try {
    return load()
  } finally {
    if (before === undefined) delete env[variable]
    else env[variable] = before
  }
}
