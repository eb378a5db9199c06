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
    case 'file':
      return Array.from({ length: request.count }, (_, nth) => emptyScene(`${request.seed} ${nth}`))
  }
}

/** A model in 3D with nothing in it (glTF 2.0, binary): a file of any kind is as good as another. */
function emptyScene(name: string): RenderedFile {
  const text = JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ name }] })
  const json = Buffer.from(text.padEnd(Math.ceil(Buffer.byteLength(text) / 4) * 4))
  const head = Buffer.alloc(20)
  head.write('glTF')
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(head.byteLength + json.byteLength, 8)
  head.writeUInt32LE(json.byteLength, 12)
  head.write('JSON', 16)
  return { bytes: Buffer.concat([head, json]), type: 'model/gltf-binary', extension: 'glb' }
}
