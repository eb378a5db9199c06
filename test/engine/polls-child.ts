import { setMaxListeners } from 'node:events'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/random.ts'
import { openPolls } from '../../src/engine/gates/polls.ts'
import { openSharedTurns } from '../../src/store/claim/shared-turns.ts'

// A process with some runs that are due all the time: prints the date of each question, for so many seconds after the
// line that tells it to begin.
const [folder = '', runs = '1', seconds = '1'] = process.argv.slice(2)
const shared = openSharedTurns({
  folder,
  origin: 'https://service.example',
  wall: () => Date.now(),
  token: systemRandom.token(),
})
const polls = openPolls({ clock: systemClock, shared })
process.stdout.write('ready\n')
await new Promise(resolve => process.stdin.once('data', resolve))
const stop = AbortSignal.timeout(Number(seconds) * 1000)
setMaxListeners(0, stop)
await Promise.all(
  Array.from({ length: Number(runs) }, async () => {
    const who = {}
    for (;;) {
      await polls.turn({ who, since: systemClock.now() }, stop)
      if (stop.aborted) break
      process.stdout.write(`${Date.now()}\n`)
      polls.answered('well', who)
    }
    polls.leave(who)
  }),
)
process.exit(0)
