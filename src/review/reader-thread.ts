import { Worker } from 'node:worker_threads'
import { isAsset } from '../disk/own.ts'
import { askThread } from '../gateway/render/ask-thread.ts'
import { answerBy, openReader, type ReaderOptions, type ReaderQuestion, type ReviewReader } from './reader.ts'

/** A bug is thrown on this side. */
export type ReaderAnswer = { readonly done: unknown } | { readonly bug: unknown }

/** A reader whose work keeps nobody waiting but those who ask for it, one after the other. */
interface AsideReader extends ReviewReader {
  /** Begins nothing more, and ends what only reads; what writes is waited for. */
  close(): Promise<void>
}

/**
 * On a thread of its own, so that the server goes on answering. What is read is never read in the middle of a pick of this server's:
 * its claim would be taken for another genrun's.
 */
export function openReaderAside(options: ReaderOptions): AsideReader {
  const file = workerFile()
  const { ask, close } = file && canCross(options) ? onThread(file, options) : here(options)
  let last: Promise<unknown> = Promise.resolve()
  let writing: Promise<unknown> | undefined
  let isClosed = false
  const inTurn = <T>(question: ReaderQuestion): Promise<T> => {
    const begin = () => {
      if (isClosed) throw new Error('the reader is closed')
      const work = ask(question)
      if ('pickWaiting' in question || 'edit' in question) writing = work
      return work
    }
    const next = last.then(begin, begin)
    last = next
    return next as Promise<T> // what it was asked for
  }
  return {
    look: look => inTurn({ look }),
    quote: quote => inTurn({ quote }),
    pickWaiting: () => inTurn({ pickWaiting: true }),
    edit: edit => inTurn({ edit }),
    whyNoEdit: edit => inTurn({ whyNoEdit: edit }),
    async close() {
      isClosed = true
      await Promise.allSettled([writing])
      await close()
    },
  }
}

interface Place {
  readonly ask: (question: ReaderQuestion) => Promise<unknown>
  close(): Promise<void>
}

function here(options: ReaderOptions): Place {
  const reader = openReader(options)
  return { ask: question => answerBy(reader, question), close: async () => {} }
}

function onThread(file: URL, options: ReaderOptions): Place {
  let thread: Worker | undefined
  const begin = () => {
    const begun = new Worker(file, { workerData: options })
    // Whoever waits for an answer hears of both.
    begun.on('error', () => {}).once('exit', () => (thread = undefined))
    return begun
  }
  return {
    async ask(question) {
      const answer = await askThread<ReaderAnswer>((thread ??= begin()), question)
      if ('bug' in answer) throw answer.bug
      return answer.done
    },
    close: async () => void (await thread?.terminate()),
  }
}

/** A request may have functions in it: those of a bucket, say. */
function canCross(options: ReaderOptions): boolean {
  try {
    structuredClone(options)
    return true
  } catch {
    return false
  }
}

/** Undefined when run from the sources, which a thread could not read on every Node that is supported. */
function workerFile(): URL | undefined {
  const place = new URL('../review/worker.js', import.meta.url)
  return isAsset(place) ? place : undefined
}
