import type { Service } from './service.ts'

/** A gateway of our own, there as long as somebody uses it: an idle one would keep the process alive. */
export interface Rehearsal {
  /** The service; each call is answered by one `release`. */
  take(): Promise<Service>
  release(): Promise<void>
}

interface Open {
  readonly baseUrl: string
  readonly key: string
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
      const { baseUrl, key } = await open
      return { baseUrl, key, rehearsal: true }
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
  return startGateway({ outputs: 'memory', remark })
}
