import PQueue from 'p-queue'

/** Where work waits for room. A slot is held while the work goes on. Higher priority goes first. */
export interface Slots {
  /** Requests in flight. */
  execute<T>(priority: number, work: () => Promise<T>): Promise<T>
  /** Runs alive at the service, from submission to the end of polling. */
  submit<T>(priority: number, work: () => Promise<T>): Promise<T>
  download<T>(work: () => Promise<T>): Promise<T>
}

export interface SlotLimits {
  readonly execute: number
  readonly submit: number
  readonly download: number
}

export const usualLimits: SlotLimits = { execute: 4, submit: 8, download: 6 }

// No queue is given a timeout, an interval or a signal: paid work is never dropped by its queue.
export function openSlots(limits: SlotLimits): Slots {
  const execute = new PQueue({ concurrency: limits.execute })
  const submit = new PQueue({ concurrency: limits.submit })
  const download = new PQueue({ concurrency: limits.download })
  return {
    execute: (priority, work) => execute.add(work, { priority }),
    submit: (priority, work) => submit.add(work, { priority }),
    download: work => download.add(work),
  }
}
