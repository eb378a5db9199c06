import { basename } from 'node:path'
import { readRegular } from '../../disk/open.ts'

/** In bytes. A package.json has other things to say, and may be long. */
export const longestPackage = 64 * 1024 * 1024

/** Whoever cannot read it finds no section in it. */
export function packageText(path: string): string {
  try {
    return Buffer.from(readRegular(path, { mostBytes: longestPackage })).toString('utf8')
  } catch {
    return ''
  }
}

/** Whether a path is that of a package.json. */
export function isPackage(path: string): boolean {
  return basename(path) === 'package.json'
}

/** A package.json that is none is a matter of whoever needs it. */
export function hasSection(text: string): boolean {
  if (!text.includes('"genrun"')) return false
  try {
    const whole: Partial<Record<string, unknown>> | null = JSON.parse(text)
    return whole?.genrun !== undefined
  } catch {
    return false
  }
}
