import { parentPort, workerData } from 'node:worker_threads'
import { openReader, type ReaderOptions } from './reader.ts'
import type { ReaderAnswer, ReaderQuestion } from './reader-thread.ts'

// The thread's side of `reader-thread.ts`: one question at a time.

const reader = openReader(workerData as ReaderOptions) // as it was sent

parentPort?.on('message', (question: ReaderQuestion) => void answer(question))

async function answer(question: ReaderQuestion): Promise<void> {
  const work = 'pick' in question ? reader.pick(question.pick) : reader.look(question.look)
  const answered: ReaderAnswer = await work.then(
    done => ({ done }),
    (bug: unknown) => ({ bug }),
  )
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(answered)
}
