import type { Worker } from 'node:worker_threads'

/** What a thread answers to its next message. Rejects when the thread ends over it. One question at a time. */
export function askThread<T>(thread: Worker, question: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      thread.off('message', answered).off('error', broke).off('exit', ended)
      finish()
    }
    const answered = (answer: T) => settle(() => resolve(answer))
    const broke = (error: Error) => settle(() => reject(error))
    const ended = () => settle(() => reject(new Error('the thread ended')))
    thread.on('message', answered).on('error', broke).on('exit', ended)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    thread.postMessage(question)
  })
}
