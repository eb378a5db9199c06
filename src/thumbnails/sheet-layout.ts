/** Where everything of one page of a contact sheet stands, in pixels. */
export interface SheetLayout {
  readonly width: number
  readonly height: number
  /** Of a picture; below it come two lines of text. */
  readonly picture: { readonly width: number; readonly height: number }
  /** The top left corner of each result. */
  readonly places: readonly { readonly x: number; readonly y: number }[]
}

/** So many results a page: what can still be told apart on a screen. */
const mostOnPage = 48

export const margin = 32
const headHeight = 72
const gap = 16
const textHeight = 46
const fullWidth = 1600

/** No page is larger than 1,600 by 1,700 pixels; few results have larger pictures. */
export function sheetLayout(count: number): SheetLayout {
  const columns = Math.min(count, Math.max(3, Math.min(8, Math.ceil(Math.sqrt(count * 1.4)))))
  const inner = fullWidth - 2 * margin
  const shared = Math.max(columns, 3)
  const width = Math.floor((inner - gap * (shared - 1)) / shared)
  const picture = { width, height: Math.round(width * 0.75) }
  const rows = Math.ceil(count / columns)
  const rowHeight = picture.height + textHeight
  const places = Array.from({ length: count }, (_, nth) => ({
    x: margin + (nth % columns) * (width + gap),
    y: headHeight + Math.floor(nth / columns) * (rowHeight + gap),
  }))
  return {
    width: fullWidth,
    height: headHeight + rows * (rowHeight + gap) - gap + margin,
    picture,
    places,
  }
}

/** Results in pages of much the same size. */
export function inPages<T>(all: readonly T[]): T[][] {
  const pages = Math.max(1, Math.ceil(all.length / mostOnPage))
  return Array.from({ length: pages }, (_, nth) =>
    all.slice(Math.floor((nth * all.length) / pages), Math.floor(((nth + 1) * all.length) / pages)),
  )
}
