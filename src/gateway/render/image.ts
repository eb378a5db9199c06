import { lookOf } from './draw/art.ts'
import { encodeImage, newSheet, type Sheet } from './draw/canvas.ts'
import { captionOf, captionWarning, setPanel } from './draw/caption.ts'
import { drawInsets, drawSubject } from './draw/insets.ts'
import { castOf, type InputCast } from './inputs.ts'
import type { ImageFormat, RenderedFile, RenderRequest } from './order/request.ts'

const extensions: { readonly [format in ImageFormat]: string } = { png: 'png', jpeg: 'jpg', webp: 'webp' }

/** Pictures of exactly `width` x `height`, each of them another. */
export async function renderImages(request: RenderRequest): Promise<RenderedFile[]> {
  const cast = await castOf(request)
  const format = request.format ?? 'png'
  const files: RenderedFile[] = []
  for (let nth = 0; nth < request.count; nth++) {
    const sheet = drawPicture(request, nth, cast)
    files.push({
      bytes: await encodeImage(sheet, format),
      type: `image/${format}`,
      extension: extensions[format],
      width: sheet.width,
      height: sheet.height,
      ...captionWarning(request),
    })
  }
  return files
}

function drawPicture(request: RenderRequest, nth: number, cast: InputCast): Sheet {
  const sheet = newSheet(request.width ?? 1024, request.height ?? 1024)
  const look = lookOf(request.prompt, request.seed, nth)
  const panel = setPanel(sheet.pen, sheet, captionOf(request, nth))
  look.draw(sheet.pen, panel.art)
  if (cast.subject) drawSubject(sheet.pen, cast.subject, panel.art, look.palette)
  drawInsets(sheet.pen, cast.others, panel.art, look.palette)
  panel.draw(sheet.pen, look.palette)
  return sheet
}
