import { createRequire } from 'node:module'
import { programAt } from '../../disk/program.ts'

/** What this machine has to draw and speak with. Nothing is drawn, and no program is started. */
export interface Equipment {
  /** Why pictures cannot be drawn; undefined when they can. */
  readonly pictures: string | undefined
  /** Why there are no letters; undefined when there are. */
  readonly fonts: string | undefined
  /** What speaks: the package, the program, or nothing (then there are tones). */
  readonly speech: 'package' | 'program' | undefined
}

export async function equipment(path: string | undefined): Promise<Equipment> {
  const pictures = await import('./draw/canvas.ts').then(
    () => undefined,
    (cause: unknown) => firstLine(cause),
  )
  const isSpoken = isThere('@echogarden/espeak-ng-emscripten')
  const speech = isSpoken ? 'package' : programAt('espeak-ng', path) === undefined ? undefined : 'program'
  const hasFonts = isThere('@fontsource/inter/files/inter-latin-400-normal.woff2')
  return { pictures, fonts: hasFonts ? undefined : 'the package @fontsource/inter is missing', speech }
}

function isThere(module: string): boolean {
  try {
    createRequire(import.meta.url).resolve(module)
    return true
  } catch {
    return false
  }
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? ''
}
