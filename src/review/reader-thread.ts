import { Worker } from 'node:worker_threads'
import { isAsset } from '../disk/own.ts'
import { askThread } from '../gateway/render/ask-thread.ts'
import {
  openReader,
  type PickEnd,
  type PickWords,
  type ReaderOptions,
  type ReadResult,
  type ReviewReader,
} from './reader.ts'

export type ReaderQuestion = { readonly look: boolean } | { readonly pick: PickWords }

/** A bug is thrown on this side. */
export type ReaderAnswer = { readonly done: ReadResult | PickEnd } | { readonly bug: unknown }

/** A reader whose work keeps nobody waiting but those who ask for it, one after the other. */
interface AsideReader extends ReviewReader {
  /** Ends what is read at present; a pick has to be waited for before. */
  close(): Promise<void>
}

/**
 * On a thread of its own, so that the server goes on answering. What is read is never read in the middle of a pick of this server's:
 * its claim would be taken for another genrun's.
 */
export function openReaderAside(options: ReaderOptions): AsideReader {
  const file = workerFile()
  const { reader, close } = file && canCross(options) ? onThread(file, options) : here(options)
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work)
    last = next
    return next
  }
  return {
    look: isWanted => inTurn(() => reader.look(isWanted)),
    pick: words => inTurn(() => reader.pick(words)),
    close,
  }
}

interface Place {
  readonly reader: ReviewReader
  close(): Promise<void>
}

function here(options: ReaderOptions): Place {
  return { reader: openReader(options), close: async () => {} }
}

function onThread(file: URL, options: ReaderOptions): Place {
  let thread: Worker | undefined
  let isClosed = false
  const begin = () => {
    const begun = new Worker(file, { workerData: options })
    // Whoever waits for an answer hears of both.
    begun.on('error', () => {}).once('exit', () => (thread = undefined))
    return begun
  }
  const ask = async <T>(question: ReaderQuestion): Promise<T> => {
    if (isClosed) throw new Error('the reader is closed')
    const answer = await askThread<ReaderAnswer>((thread ??= begin()), question)
    if ('bug' in answer) throw answer.bug
    return answer.done as T // what it was asked for
  }
  return {
    reader: { look: look => ask<ReadResult>({ look }), pick: pick => ask<PickEnd>({ pick }) },
    async close() {
      isClosed = true
      await thread?.terminate()
    },
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
