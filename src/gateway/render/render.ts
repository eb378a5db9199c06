import type { RenderedFile, RenderRequest } from './order/request.ts'

/**
 * Makes the files a run yields: real media of the asked size and length, offline, the same for the same request
 * (speech: with the same synthesiser). It gives way to other work every few milliseconds.
 */
export async function render(request: RenderRequest): Promise<RenderedFile[]> {
  // Each kind is loaded when first wanted: drawing and speaking bring native and large code along.
  switch (request.kind) {
    case 'image':
      return (await import('./image.ts')).renderImages(request)
    case 'video':
      return (await import('./video.ts')).renderVideos(request)
    case 'audio':
      return request.inputType === 'tts'
        ? (await import('./sound/speech.ts')).renderSpeech(request)
        : (await import('./sound/audio.ts')).renderAudio(request)
  }
}
