import { trustedKey } from './breakages.ts'
import { allCaught } from './caught.ts'
import { throughFailingDisks } from './failing-disk.ts'
import type { Staging } from './scene.ts'
import { liveAll } from './tally.ts'

/** What `apart.ts` asks for: all that it gives and gets is JSON. */
const lives = {
  all: (first: number, count: number, staging: Staging) => liveAll(first, count, staging),
  // One after the other: a process is quick only when it has lived for some seconds.
  controls: async (most: number) => ({
    caught: await allCaught(most),
    trusted: await liveAll(1, 500, trustedKey),
    gone: await liveAll(1, 200, { gone: 0.3 }),
  }),
  failingDisks: async (batches: number) => ({
    once: await throughFailingDisks('once', batches),
    on: await throughFailingDisks('on', batches),
    full: await throughFailingDisks('full', batches),
  }),
}

export type Lives = typeof lives

// Millions of errors are thrown and caught, and nobody reads where from: see `liveAll`.
Error.stackTraceLimit = 0
const [name, given] = process.argv.slice(2)
const live = lives[name as keyof Lives] as (...given: unknown[]) => Promise<unknown> // as its types say there
process.stdout.write(JSON.stringify(await live(...JSON.parse(given ?? '[]'))))
