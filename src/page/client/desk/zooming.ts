/** How near a picture is. */
export interface Zoom {
  readonly scale: number
  /** Of the picture's middle from the frame's, in parts of the frame. */
  readonly x: number
  readonly y: number
}

export const fit: Zoom = { scale: 1, x: 0, y: 0 }

const most = 16

/** Nearer or farther, with the point that is pointed at staying where it is. `x` and `y`: from the frame's middle, in parts of it. */
export function zoomedAt(
  zoom: Zoom,
  factor: number,
  { x, y }: { readonly x: number; readonly y: number },
): Zoom {
  const scale = Math.min(most, Math.max(1, zoom.scale * factor))
  if (scale === 1) return fit
  const by = scale / zoom.scale
  return within({ scale, x: x - (x - zoom.x) * by, y: y - (y - zoom.y) * by })
}

/** Moved by a drag. */
export function panned(zoom: Zoom, x: number, y: number): Zoom {
  return zoom.scale === 1 ? zoom : within({ ...zoom, x: zoom.x + x, y: zoom.y + y })
}

/** The picture never leaves its frame. */
function within({ scale, x, y }: Zoom): Zoom {
  const far = (scale - 1) / 2
  const clamp = (value: number) => Math.min(far, Math.max(-far, value))
  return { scale, x: clamp(x), y: clamp(y) }
}

/** Whole, or near. */
export function zoomToggled(zoom: Zoom): Zoom {
  return zoom.scale === 1 ? { scale: 3, x: 0, y: 0 } : fit
}
