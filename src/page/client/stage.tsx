import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Desk } from './state.ts'
import { panned, zoomedAt } from './zooming.ts'

/** What pictures stand on: the wheel zooms, a drag moves, and all stages share one zoom. */
export function Stage({ desk, children }: { readonly desk: Desk; readonly children: ComponentChildren }) {
  const frame = useRef<HTMLDivElement>(null)
  const held = useRef<{ x: number; y: number } | undefined>(undefined)
  useEffect(() => {
    const { current } = frame
    if (!current) return undefined
    const turn = (event: WheelEvent) => {
      event.preventDefault()
      const { left, top, width, height } = current.getBoundingClientRect()
      const at = { x: (event.clientX - left) / width - 0.5, y: (event.clientY - top) / height - 0.5 }
      desk.set({ zoom: zoomedAt(desk.state.zoom, Math.exp(-event.deltaY / 300), at) })
    }
    // Bound here: as a property it could not keep the page from scrolling.
    current.addEventListener('wheel', turn, { passive: false })
    return () => current.removeEventListener('wheel', turn)
  }, [])
  const take = (event: PointerEvent) => {
    if (desk.state.zoom.scale === 1) return
    held.current = { x: event.clientX, y: event.clientY }
    frame.current?.setPointerCapture(event.pointerId)
  }
  const drag = (event: PointerEvent) => {
    const { current } = frame
    if (!held.current || !current) return
    const [x, y] = [event.clientX - held.current.x, event.clientY - held.current.y]
    held.current = { x: event.clientX, y: event.clientY }
    desk.set({ zoom: panned(desk.state.zoom, x / current.clientWidth, y / current.clientHeight) })
  }
  return (
    <div
      ref={frame}
      class={desk.state.zoom.scale === 1 ? 'stage' : 'stage near'}
      onPointerDown={take}
      onPointerMove={drag}
      onPointerUp={() => (held.current = undefined)}
    >
      {children}
    </div>
  )
}
