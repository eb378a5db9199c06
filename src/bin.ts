#!/usr/bin/env node
import { basename, dirname, extname } from 'node:path'
import { manifestOfRun } from './cli/io/run-line.ts'
import { version } from './cli/io/version.ts'
import { isThere } from './disk/look.ts'
import { saidWordsOf, stateOf } from './workspace/layout.ts'

const words = process.argv.slice(2)
const manifest = manifestOfRun(words)

// Asked often and by machines: answered before anything else is loaded. The build makes CommonJS modules of this file and of the one
// that answers briefly, and of these alone, as Node takes a fifth of its start more for the first module of the other kind.
if (words[0] === '--version' || words[0] === '-V') say(version())
else if (!isHelp() && (manifest === undefined || !isBrief(manifest))) void import('./cli/start.ts')

/** Help as the build has written it down, where its lines fit. */
function isHelp(): boolean {
  if (words.at(-1) !== '--help' && words.at(-1) !== '-h') return false
  const { stdout } = process
  if (stdout.isTTY && stdout.columns < 80) return false
  const { helpScreens } = require('./cli/help-screens.ts') as typeof import('./cli/help-screens.ts')
  const asked = words.slice(0, -1).join(' ')
  if (!Object.hasOwn(helpScreens, asked)) return false
  say(helpScreens[asked] ?? '')
  return true
}

/** A reader that goes away (EPIPE) has read enough; where the disk takes nothing, the long way says so. */
function say(text: string): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') void import('./cli/start.ts')
  })
  process.stdout.write(`${text}\n`)
}

/** Nothing is loaded for it where nothing is remembered. */
function isBrief(named: string): boolean {
  const place = { folder: dirname(named), stem: basename(named, extname(named)) }
  if (!isThere(saidWordsOf(stateOf(place, false)))) return false
  const { isAnswered } = require('./cli/brief.ts') as typeof import('./cli/brief.ts')
  return isAnswered(named, words, process.argv[1] ?? '')
}
