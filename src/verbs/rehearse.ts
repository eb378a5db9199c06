import type { Model } from '../catalog/index.ts'
import type { Service } from '../workspace/service/service.ts'

/** A gateway of our own, there as long as somebody uses it: an idle one would keep the process alive. */
export interface Rehearsal {
  /** The service; each call is answered by one `release`. */
  take(): Promise<Service>
  release(): Promise<void>
}

/** Results stay in memory, and what was fetched goes first: a long rehearsal must not fill the machine. */
export const forRehearsals = { outputs: 'memory', maxStoreBytes: 512 * 1024 ** 2 } as const

interface Open {
  readonly baseUrl: string
  readonly key: string
  add(models: readonly Model[]): void
  close(): Promise<void>
}

/** `remark` hears what a person should know about the files: speech that is only a tone. */
export function openRehearsal(remark: (text: string) => void = () => undefined): Rehearsal {
  let users = 0
  let open: Promise<Open> | undefined
  return {
    async take() {
      users++
      open ??= start(remark)
      const { baseUrl, key, add } = await open
      return { baseUrl, key, rehearsal: true, introduce: add }
    },
    async release() {
      if (--users > 0) return
      const last = open
      open = undefined
      await (await last)?.close()
    },
  }
}

// Canvas and encoders are loaded by whoever rehearses, and by nobody else.
async function start(remark: (text: string) => void): Promise<Open> {
  const { startGateway } = await import('../gateway/server.ts')
  return startGateway({ ...forRehearsals, remark })
}
