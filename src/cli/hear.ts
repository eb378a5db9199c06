import { resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { realPathAt } from '../disk/look.ts'
import { requestDigest } from '../planning/up-to-date/key.ts'
import { hearWords, type SaidWords } from '../planning/up-to-date/words.ts'
import { stateOf } from '../workspace/layout.ts'
import { placeOf } from '../workspace/read/place.ts'
import { hasSpoken } from './io/sinks.ts'
import type { HeardWords, Surroundings } from './io/surroundings.ts'
import { toolOf } from './io/tool.ts'

/** Listens from here on to how the words of this process are read; nothing is remembered of what was told about them. */
export function heardWords(words: readonly string[], { cwd, env, program }: Surroundings): HeardWords {
  const hearing = hearWords(systemClock.wall())
  return {
    end: hearing.end,
    async unchanged(request, isQuiet) {
      const tool = toolOf({ ...(program && { program }) })
      if (tool === undefined || hasSpoken()) return
      const said: SaidWords = { words, cwd, env, tool }
      const place = placeOf(realPathAt(resolve(cwd, request.manifest)))
      const came = { request: requestDigest(request), isQuiet }
      await hearing.keep(stateOf(place, false), said, came)
    },
  }
}
