import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { peakText } from '../../data/bars.ts'
import type { Shown, ShownFile } from '../../data/shown.ts'
import { clipText } from '../../data/words.ts'
import type { Link } from '../desk/linked.ts'
import type { Desk } from '../desk/state.ts'
import { panned, type Zoom, zoomedAt } from '../desk/zooming.ts'
import { peaksOf } from './peaks.ts'

interface MediaProps {
  readonly file: ShownFile
  readonly link: Link
  readonly label: string
}

/** A result on a card: small, silent, and quick. */
export function Small({ result, link }: { readonly result: Shown; readonly link: Link }) {
  const [file] = result.files
  if (!file) return <div class="none">{absenceText(result, `no ${result.kind}`)}</div>
  if (isAbsent(file)) return <div class="none">{result.kind}: too large to be in this page</div>
  const label = `${result.address}: ${(result.prompt ?? '').slice(0, 160)}`
  if (isPicture(file)) return <Picture key={file.key} file={file} link={link} label={label} />
  if (file.type.startsWith('video/')) return <Scrubbed key={file.key} file={file} link={link} label={label} />
  return <Peaks file={file} link={link} label={label} />
}

/** Why there is nothing to see. What lies in the place of a result is not shown as one. */
function absenceText({ altered, missing }: Shown, otherwise: string): string {
  if (altered) return 'altered on disk'
  return missing ? 'its files are gone' : otherwise
}

/** What the browser makes nothing of. The contact sheet says the same. */
const undrawn = <div class="none">it cannot be shown</div>

/** The small one where there is one; what cannot be made small is shown as it is. */
function Picture({ file, link, label }: MediaProps) {
  const small = link.thumbnailOf(file) ?? link.urlOf(file)
  const picture = useRef<HTMLImageElement>(null)
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const { current } = picture
    // Scrolled past before it came: what is in sight by now would wait for it.
    return () => void (current?.complete === false && current.removeAttribute('src'))
  }, [])
  const fall = (event: Event) => {
    const picture = event.currentTarget as HTMLImageElement // of an img
    const whole = link.urlOf(file)
    if (picture.src.endsWith(whole)) setBroken(true)
    else picture.src = whole
  }
  if (isBroken) return undrawn
  return (
    <>
      <img ref={picture} src={small} alt={label} decoding="async" draggable={false} onError={fall} />
      {file.isStill && file.seconds !== undefined ? (
        <span class="badge length">{clipText(file.seconds)}</span>
      ) : null}
    </>
  )
}

/** A page that is one file has no room for it, and there is no picture of it. */
function isAbsent({ type, isStill, url }: ShownFile): boolean {
  return isStill === true && url === undefined && !type.startsWith('audio/')
}

/** Or a clip of which only a picture is here. */
function isPicture({ type, isStill, url }: ShownFile): boolean {
  return type.startsWith('image/') || (isStill === true && url !== undefined)
}

/** A clip that is gone through by moving over it; its first picture stands until then. */
function Scrubbed({ file, link, label }: MediaProps) {
  const [at, setAt] = useState<number>()
  const [isBroken, setBroken] = useState(false)
  const clip = useRef<HTMLVideoElement>(null)
  const scrub = (event: MouseEvent) => {
    const { current } = clip
    if (!current || !Number.isFinite(current.duration)) return
    const { left, width } = current.getBoundingClientRect()
    const part = Math.min(1, Math.max(0, (event.clientX - left) / width))
    setAt(part)
    current.currentTime = part * current.duration
  }
  const leave = () => {
    setAt(undefined)
    if (clip.current) clip.current.currentTime = 0
  }
  if (isBroken) return undrawn
  return (
    <div class="clip" onMouseMove={scrub} onMouseLeave={leave}>
      <video
        ref={clip}
        src={link.urlOf(file)}
        preload="metadata"
        muted
        playsInline
        aria-label={label}
        tabIndex={-1}
        onError={() => setBroken(true)}
      />
      {at === undefined ? null : <i class="at" style={{ left: `${at * 100}%` }} />}
      {file.seconds === undefined ? null : <span class="badge length">{clipText(file.seconds)}</span>}
    </div>
  )
}

/** The loudness of a sound over its time, with the place that is heard now. */
function Peaks({ file, link, label }: MediaProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [part, setPart] = useState(0)
  const [peaks, setPeaks] = useState(file.peaks)
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | undefined
    let isGone = false
    const ask = async (waitMs: number) => {
      const found = file.peaks ?? (await peaksOf(file, link.urlOf(file), channelsOf))
      if (isGone) return
      setPeaks(found)
      // Less and less often, as long as it is looked at.
      if (!found) due = setTimeout(ask, waitMs, Math.min(2 * waitMs, 60_000))
    }
    void ask(4000)
    return () => {
      isGone = true
      clearTimeout(due)
    }
  }, [file.key])
  useEffect(() => {
    if (peaks && canvas.current) drawPeaks(canvas.current, peaks, part)
  }, [peaks, part])
  const texts = [file.seconds !== undefined && clipText(file.seconds), peaks && peakText(peaks)]
  useEffect(() => player.listen(link.urlOf(file), setPart), [file.key])
  return (
    <div class="sound">
      <canvas ref={canvas} role="img" aria-label={label} width={600} height={120} />
      <span class="badge length">{texts.filter(Boolean).join(' · ')}</span>
    </div>
  )
}

async function channelsOf(bytes: ArrayBuffer, rate: number): Promise<Float32Array[]> {
  const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes)
  return Array.from({ length: sound.numberOfChannels }, (_, nth) => sound.getChannelData(nth))
}

function drawPeaks(canvas: HTMLCanvasElement, peaks: readonly number[], heard: number): void {
  const pen = canvas.getContext('2d')
  if (!pen) return
  const { width, height } = canvas
  const style = getComputedStyle(canvas)
  pen.clearRect(0, 0, width, height)
  const step = width / peaks.length
  for (const [nth, peak] of peaks.entries()) {
    const tall = Math.max(2, peak * (height - 8))
    pen.fillStyle =
      nth / peaks.length < heard ? style.getPropertyValue('--good') : style.getPropertyValue('--soft')
    pen.fillRect(nth * step, (height - tall) / 2, Math.max(1, step - 1), tall)
  }
}

/** One sound is heard at a time, wherever it was begun. */
export const player = soundPlayer()

function soundPlayer() {
  const audio = new Audio()
  audio.preload = 'none'
  let url = ''
  const listeners = new Map<string, Set<(part: number) => void>>()
  const tell = () => {
    const part =
      Number.isFinite(audio.duration) && audio.duration > 0 ? audio.currentTime / audio.duration : 0
    for (const hear of listeners.get(url) ?? []) hear(part)
  }
  for (const event of ['timeupdate', 'ended', 'pause']) audio.addEventListener(event, tell)
  return {
    listen(of: string, hear: (part: number) => void): () => void {
      const all = listeners.get(of) ?? new Set()
      listeners.set(of, all.add(hear))
      return () => void all.delete(hear)
    },
    /** Begins or goes on; a second time it stops. */
    toggle(of: string): void {
      if (of === '') return
      if (of === url && !audio.paused) return audio.pause()
      if (of !== url) {
        audio.pause()
        tell()
        url = of
        audio.src = of
      }
      void audio.play().catch(() => undefined)
    },
    seek(of: string, part: number): void {
      if (of === url && Number.isFinite(audio.duration)) audio.currentTime = part * audio.duration
    },
    stop: () => audio.pause(),
  }
}

/** A result as large as there is room, as it is. */
export function Large({
  result,
  link,
  zoom,
  nth = 0,
}: {
  result: Shown
  link: Link
  zoom: Zoom
  nth?: number
}) {
  const file = result.files[nth] ?? result.files[0]
  if (!file) return <div class="none">{absenceText(result, `no ${result.kind} yet`)}</div>
  if (isAbsent(file)) return <div class="none">{result.kind}: too large to be in this page</div>
  const label = `${result.address}: ${(result.prompt ?? '').slice(0, 400)}`
  if (isPicture(file) || file.type.startsWith('video/'))
    return <Whole key={file.key} file={file} link={link} label={label} zoom={zoom} />
  return (
    <div class="hearing" key={file.key}>
      <div class="seekable" onClick={event => player.seek(link.urlOf(file), partOf(event))}>
        <Peaks file={file} link={link} label={label} />
      </div>
      {file.isStill ? (
        <p class="soft">Too long to be in this page.</p>
      ) : (
        <button type="button" onClick={() => player.toggle(link.urlOf(file))}>
          Play or pause <kbd>k</kbd>
        </button>
      )}
    </div>
  )
}

function Whole({ file, link, label, zoom }: MediaProps & { readonly zoom: Zoom }) {
  const [isBroken, setBroken] = useState(false)
  const style = { transform: `translate(${zoom.x * 100}%, ${zoom.y * 100}%) scale(${zoom.scale})` }
  const shared = { class: 'whole', src: link.urlOf(file), style, onError: () => setBroken(true) }
  if (isBroken) return undrawn
  if (isPicture(file)) return <img {...shared} alt={label} draggable={false} />
  return <video {...shared} aria-label={label} controls autoPlay loop playsInline />
}

function partOf(event: MouseEvent): number {
  const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect() // of the element that it was bound to
  return (event.clientX - left) / width
}

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
