import { parentPort, workerData } from 'node:worker_threads'
import { answerBy, openReader, type ReaderOptions, type ReaderQuestion } from './reader.ts'
import type { ReaderAnswer } from './reader-thread.ts'

// The thread's side of `reader-thread.ts`: one question at a time.

const reader = openReader(workerData as ReaderOptions) // as it was sent

parentPort?.on('message', (question: ReaderQuestion) => void answer(question))

async function answer(question: ReaderQuestion): Promise<void> {
  const answered: ReaderAnswer = await answerBy(reader, question).then(
    done => ({ done }),
    (bug: unknown) => ({ bug }),
  )
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(answered)
}
