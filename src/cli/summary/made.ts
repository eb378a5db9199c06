import { join, relative } from 'node:path'
import { display } from '../../base/display.ts'
import { bytesText, counted, secondsText } from '../../base/measure.ts'
import type { SavedFile } from '../../base/state.ts'
import type { Report } from '../../wording/report.ts'
import type { Colours } from '../io/colour.ts'

const mostFilesOnScreen = 30

interface Onlooker {
  readonly cwd: string
  readonly gallery: string
}

/** The paths of the files that this run brought to disk, relative to `cwd`, one a line: what a script reads. */
export function madePaths(report: Report, cwd: string): string[] {
  return madeFiles(report).map(file => shownPath(report, file, cwd))
}

/** The same for a person at a terminal: with their measures, and not without end. `gallery` is a command that shows all. */
export function madeTable(report: Report, { cwd, gallery }: Onlooker, paint: Colours): string[] {
  const files = madeFiles(report)
  const rows = files
    .slice(0, mostFilesOnScreen)
    .map(file => [shownPath(report, file, cwd), measures(file)] as const)
  const width = Math.max(0, ...rows.map(([path]) => path.length))
  const lines = rows.map(([path, said]) => `  ${path.padEnd(width)}  ${paint.dim(said)}`)
  const hidden = files.length - rows.length
  if (hidden === 0) return lines
  const rest = `… and ${counted(hidden, 'more file')} in ${folderOf(report, cwd)}`
  return [...lines, `  ${rest}; \`${display(gallery)}\` makes a page of them`]
}

/** What this run brought to disk. */
export function madeFiles(report: Report): SavedFile[] {
  return report.jobs
    .filter(({ ending }) => ending === 'made' || ending === 'fetched' || ending === 'moved')
    .flatMap(job => job.files)
}

/** A file of the report from where the user stands. */
export function shownPath(report: Report, file: SavedFile, cwd: string): string {
  return display(relative(cwd, join(report.output, file.path)))
}

/** The output folder as it is reached from `cwd`. */
export function folderOf(report: Report, cwd: string): string {
  return display(relative(cwd, report.output) || '.')
}

/** `1024×1024, 212 kB`, `5.0 s, 1280×720, 1.2 MB`. */
function measures({ width, height, seconds, bytes }: SavedFile): string {
  const parts = [
    seconds !== undefined && secondsText(seconds),
    width !== undefined && height !== undefined && `${width}x${height}`,
    bytesText(bytes),
  ]
  return parts.filter(Boolean).join(', ')
}
