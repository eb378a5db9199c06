import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { isAsset } from '../../disk/own.ts'
import { askThread } from './ask-thread.ts'
import type { RenderedFile, RenderRequest } from './order/request.ts'
import type { Rendered } from './worker.ts'

/** Renders on threads of its own, so that the server goes on answering and every core can help. */
export interface Pool {
  render(request: RenderRequest): Promise<RenderedFile[]>
  /** Ends the threads; what they were rendering is rejected. */
  close(): Promise<void>
}

/** More renderings at once would only make each one later. */
export const rendersAtOnce = Math.max(2, Math.min(8, availableParallelism()))

/**
 * As many threads as there are requests at once. They begin when they are first needed and stay, for what they loaded
 * and encoded is worth keeping.
 */
export function openPool(): Pool {
  const file = workerFile()
  return file ? poolOf(file) : { render: hereInstead, close: async () => {} }
}

/** The same with a given thread's code. */
export function poolOf(file: URL): Pool {
  const threads = new Set<Worker>()
  const idle = new Set<Worker>()

  const begin = (): Worker => {
    const thread = new Worker(file)
    threads.add(thread)
    thread.once('exit', () => {
      threads.delete(thread)
      idle.delete(thread)
    })
    // Whoever waits for the thread hears of it; with nobody waiting it must not end the process.
    thread.on('error', () => {})
    return thread
  }
  const render = async (request: RenderRequest): Promise<RenderedFile[]> => {
    const [thread = begin()] = idle
    idle.delete(thread)
    // A thread that waits does not keep the process alive, one that works does.
    thread.ref()
    const rendered = await askThread<Rendered>(thread, request)
    thread.unref()
    idle.add(thread)
    if ('error' in rendered) throw new Error(rendered.error)
    return [...rendered.files]
  }
  const close = async (): Promise<void> => {
    await Promise.all([...threads].map(thread => thread.terminate()))
  }
  return { render, close }
}

/**
 * An entry of the bundle, of which this file is part of a chunk. Undefined when run from the sources, which a thread could not
 * read on every Node that is supported.
 */
function workerFile(): URL | undefined {
  const place = new URL('../gateway/render/worker.js', import.meta.url)
  return isAsset(place) ? place : undefined
}

async function hereInstead(request: RenderRequest): Promise<RenderedFile[]> {
  return (await import('./render.ts')).render(request)
}
