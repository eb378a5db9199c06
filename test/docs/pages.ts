import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** A fenced block of a page. */
export interface Block {
  /** The first word behind the fence: `yaml`, `console`. */
  readonly language: string
  /** The second: the file that the block is, beside the others of its page. */
  readonly file: string | undefined
  readonly body: string
  /** Where the body begins in the page. */
  readonly start: number
}

/** Every page of the manual, relative to the root: the README, and Markdown below docs. */
export const pages: readonly string[] = ['README.md', ...below('docs').filter(name => name.endsWith('.md'))]

/** Files below a folder of the project, without what tools have put there. */
function below(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap(name => {
    const path = `${folder}/${name}`
    if (name === 'node_modules' || name === 'dist' || name === 'cache') return []
    return statSync(join(root, path)).isDirectory() ? below(path) : [path]
  })
}

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\S*)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ({ 0: whole, 1: language = '', 2: file, 3: body = '', index }) => ({
      language,
      file,
      body,
      start: index + whole.indexOf('\n') + 1,
    }),
  )
}

/** A page without its blocks of code. */
export function proseOf(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '')
}

/** A heading's name in a link, as forges and the site make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[`*]|\[|\]\([^)]*\)/g, '')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

export function anchorsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
}
