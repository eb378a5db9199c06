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

/**
 * Whether there is a section, or may be: one that is no JSON and has our name in it. A byte order mark is read over. Any other that is
 * no JSON is a matter of whoever needs it.
 */
export function sectionIn(text: string): 'none' | 'there' | 'unread' {
  if (!text.includes('"genrun"')) return 'none'
  try {
    const whole: Partial<Record<string, unknown>> | null = JSON.parse(text.replace(/^\ufeff/, ''))
    return whole?.genrun === undefined ? 'none' : 'there'
  } catch {
    return 'unread'
  }
}
