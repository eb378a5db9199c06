import { parentPort } from 'node:worker_threads'
import type { RenderedFile, RenderRequest } from './order/request.ts'
import { render } from './render.ts'

/** The thread's side of `pool.ts`: renders what it is told, one request at a time. */
export type Rendered = { readonly files: readonly RenderedFile[] } | { readonly error: string }

parentPort?.on('message', (request: RenderRequest) => void answer(request))

async function answer(request: RenderRequest): Promise<void> {
  const rendered = await render(request).then(
    files => ({ files: files.map(owned) }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  )
  const bytes = 'files' in rendered ? rendered.files.map(file => file.bytes.buffer) : []
  parentPort?.postMessage(rendered satisfies Rendered, bytes)
}

// Bytes of the canvas's own, or a part of something larger, cannot change hands; a copy can, and costs this thread only.
function owned(file: RenderedFile): RenderedFile & { readonly bytes: Uint8Array<ArrayBuffer> } {
  return { ...file, bytes: new Uint8Array(file.bytes) }
}
