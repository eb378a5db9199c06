import { type Kind, kinds } from './kinds.ts'
import { liveAll } from './tally.ts'

// A process of its own: `live-apart.mjs <kind> <first seed> <how many>`; what they came to stands on standard output.
const [kind, first, count] = process.argv.slice(2)
const tally = await liveAll(Number(first), Number(count), kinds[kind as Kind].staging) // by simulate.ts
process.stdout.write(JSON.stringify(tally))
