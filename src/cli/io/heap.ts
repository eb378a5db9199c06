import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// A run that has fewer never has a heap that anybody would notice.
const manyJobs = 10_000

/**
 * Lets what receives much (`wire/transfer/save.ts`) have what is young collected: of bytes that were received and written, which lie
 * outside the heap, V8 lets twice the room of its young objects stand (32 MiB). Exposed by the first who asks, as hardly any run does.
 */
export function exposeCollector(): void {
  const expose = (options?: NodeJS.GCOptions) => {
    setFlagsFromString('--expose-gc')
    globalThis.gc = runInNewContext('gc') as NodeJS.GCFunction
    return options ? globalThis.gc(options) : globalThis.gc()
  }
  globalThis.gc ??= expose as NodeJS.GCFunction
}

/**
 * Has the heap of a large batch collected now, when what planning left behind is garbage, and from now on when it has grown by three
 * tenths. Left to itself V8 waits until it has grown fourfold, and what 100,000 jobs leave alive is little beside what they leave behind.
 */
export function keepHeapLow(jobs: number): void {
  if (jobs < manyJobs) return
  setFlagsFromString('--heap-growing-percent=30')
  globalThis.gc?.()
}
