import { isAsset, readAsset } from '../../disk/own.ts'
import { vlqNumbers } from './vlq.ts'

/**
 * Which line of `src` a place of the bundle comes from: read when there is a bug to tell, and never before. A source map
 * would be fifty times as large. A place where something can be thrown is known by how many marks (`.`, `(`, `;`) its file has before it;
 * `build.mjs` tells the marks from which another line goes on, as numbers of 5-bit digits like those of source maps.
 */
export interface SourceLines {
  readonly sources: readonly string[]
  /** By the name of the bundle's file. */
  readonly files: readonly string[]
  /** Of each file one number for every line: its marks from the line before on. */
  readonly marks: readonly string[]
  /** Of each file its sources: how many lines come before, and the number of the source; each from the last on. */
  readonly turns: readonly string[]
  /** Of each file one number for every line: how far it is from the last one. */
  readonly lines: readonly string[]
}

/** What `build.mjs` wrote, and where. */
interface Bundle {
  readonly lines: SourceLines
  readonly folder: URL
}

const mark = /[.(;]/g
const frame = /(?:file:\/\/)?[^\s()]*?((?:chunks\/)?[^/\s()]+\.js):(\d+):(\d+)/g

/** A stack, its places told by the lines of our sources where these are known. */
export function inSources(stack: string, bundle = bundleIn(new URL('../', import.meta.url))): string {
  if (!bundle) return stack
  return stack.replaceAll(frame, (whole, file: string, row: string, column: string) => {
    const at = bundle.lines.files.indexOf(file)
    if (at === -1) return whole
    const before = textBefore(readAsset(new URL(file, bundle.folder)).toString(), Number(row), Number(column))
    return placeAfter(bundle.lines, at, before.match(mark)?.length ?? 0) ?? whole
  })
}

/** The first place of ours in a stack, as `src/run/tasks.ts:12`. */
export function ownPlace(stack: string): string | undefined {
  return /\bsrc\/[\w/-]+\.ts:\d+/.exec(inSources(stack))?.[0]
}

export function bundleIn(folder: URL): Bundle | undefined {
  const file = new URL('source-lines.br', folder)
  if (!isAsset(file)) return undefined
  // At once, as nothing more may happen between a bug and its report; and only here, as nobody else needs it.
  const { brotliDecompressSync } = process.getBuiltinModule('node:zlib')
  const lines = JSON.parse(brotliDecompressSync(readAsset(file)).toString()) as SourceLines // by build.mjs
  return { lines, folder }
}

/** Row and column are counted from 1. */
function textBefore(text: string, row: number, column: number): string {
  const rows = text.split('\n').slice(0, row)
  return [...rows.slice(0, -1), rows.at(-1)?.slice(0, column - 1) ?? ''].join('\n')
}

/** The line that goes on after so many marks; undefined where it is none of ours. */
function placeAfter(all: SourceLines, file: number, marks: number): string | undefined {
  const [steps, turns, lines] = [all.marks, all.turns, all.lines].map(each => vlqNumbers(each[file] ?? ''))
  if (!steps || !turns || !lines) return undefined
  let [seen, line, nth] = [0, 0, 0]
  for (const [at, step] of steps.entries()) {
    seen += step
    if (seen > marks) break
    line += lines[at] ?? 0
    nth = at
  }
  let [from, source] = [0, 0]
  for (let at = 0; at < turns.length; at += 2) {
    from += turns[at] ?? 0
    if (from > nth) break
    source += turns[at + 1] ?? 0
  }
  const name = all.sources[source] ?? ''
  return name === '' ? undefined : `${name}:${line + 1}`
}
