import { resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { realPathAt } from '../disk/look.ts'
import { isUnchanged, plannedToKeep, recalled } from '../planning/up-to-date/recall.ts'
import { recallWords } from '../planning/up-to-date/words.ts'
import { stateOf } from '../workspace/layout.ts'
import { placeOf } from '../workspace/read/place.ts'
import { fitted } from './io/out.ts'
import { processSinks } from './io/sinks.ts'
import { toolOf } from './io/tool.ts'
import { logLine } from './progress/lines.ts'
import { isWatched } from './progress/open.ts'
import { planText } from './progress/words.ts'
import { unchangedText } from './summary/closing.ts'

/**
 * Answers a run that has nothing to do by the same words as the last time, without reading what they mean. False, and nothing is
 * said, where anything is not as it was: then the long way is gone.
 */
export function isAnswered(manifest: string, words: readonly string[], script: string): boolean {
  // The clock that never goes back is read by a module of its own.
  const begun = systemClock.wall()
  try {
    const cwd = process.cwd()
    const tool = toolOf({ program: { node: process.execPath, script: realPathAt(script) } })
    const place = placeOf(realPathAt(resolve(cwd, manifest)))
    const meant = tool && recallWords(stateOf(place, false), { words, cwd, env: process.env, tool })
    const read = meant ? recalled(place, meant.request) : undefined
    if (!meant || !read || read.memory.globs.length > 0 || !isUnchanged(read, place)) return false
    if (!meant.isQuiet) tell(plannedToKeep(read.memory, systemClock.wall()), begun)
    return true
  } catch {
    return false
  }
}

/** As the views and the summary of a run that looked at everything. Its numbers hold no secret. */
function tell(planned: ReturnType<typeof plannedToKeep>, begun: number): void {
  const { stderr } = processSinks()
  const talk = (text: string) => stderr.write(`${fitted(text, stderr)}\n`)
  if (!isWatched({ stderr, env: process.env })) talk(logLine(planned.at - begun, planText(planned)))
  talk(unchangedText(planned.jobs))
}
