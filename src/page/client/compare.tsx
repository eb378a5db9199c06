import { useRef, useState } from 'preact/hooks'
import type { Shown } from '../data/shown.ts'
import { verdictOn } from '../data/verdicts.ts'
import { keepSide } from './desk/comparing.ts'
import { type Desk, type Pair } from './desk/state.ts'
import { fit } from './desk/zooming.ts'
import { Decisions } from './look.tsx'
import { Large, Stage } from './parts/media.tsx'
import { Foreign, Joined, Marked, NoAnswer } from './parts/texts.tsx'

interface CompareProps {
  readonly desk: Desk
  readonly comparison: Pair
  /** The one at the cursor: decisions are about it. */
  readonly result: Shown
}

/** Two results: beside each other with one zoom, or one over the other behind a slider. */
export function Compare({ desk, comparison, result }: CompareProps) {
  const other = desk.state.byAddress.get(comparison.with)
  if (!other) return null
  const { here } = comparison
  const [left, right] = here === 'left' ? [result, other] : [other, result]
  const isSlider = comparison.how === 'slider'
  return (
    <section
      class="compare"
      role="dialog"
      aria-modal="true"
      aria-label={`${left.address} and ${right.address}`}
    >
      <header>
        <button type="button" class="quiet" onClick={() => desk.set({ comparison: undefined, zoom: fit })}>
          ‹ Back
        </button>
        {comparison.isDuel ? (
          <>
            <button type="button" onClick={() => keepSide(desk, 'left')}>
              Keep the left <kbd>←</kbd>
            </button>
            <button type="button" onClick={() => keepSide(desk, 'right')}>
              Keep the right <kbd>→</kbd>
            </button>
          </>
        ) : null}
        <span class="spring" />
        <button
          type="button"
          aria-pressed={isSlider}
          onClick={() =>
            desk.set({ comparison: { ...comparison, how: isSlider ? 'side by side' : 'slider' } })
          }
        >
          Slider <kbd>s</kbd>
        </button>
        <button type="button" onClick={() => swap(desk, comparison, result)}>
          Swap <kbd>v</kbd>
        </button>
      </header>
      <div class="banners">
        <NoAnswer waiting={desk.state.waiting} />
      </div>
      {isSlider ? (
        <Slider desk={desk} left={left} right={right} />
      ) : (
        <div class="two">
          <figure class={here === 'left' ? 'here' : ''}>
            <Stage desk={desk}>
              <Large result={left} link={desk.link} zoom={desk.state.zoom} />
            </Stage>
          </figure>
          <figure class={here === 'right' ? 'here' : ''}>
            <Stage desk={desk}>
              <Large result={right} link={desk.link} zoom={desk.state.zoom} />
            </Stage>
          </figure>
        </div>
      )}
      <div class="two captions" tabIndex={0} role="group" aria-label="What they were made from">
        <Caption desk={desk} result={left} other={right} isHere={here === 'left'} />
        <Caption desk={desk} result={right} other={left} isHere={here === 'right'} />
      </div>
      <Decisions desk={desk} result={result} />
    </section>
  )
}

/** The sides are swapped: the one that was looked at against becomes the one that is decided on. */
export function swap(desk: Desk, comparison: Pair, { address }: Shown): void {
  desk.set({ comparison: { ...comparison, with: address }, cursor: comparison.with })
}

function Caption({
  desk,
  result,
  other,
  isHere,
}: {
  desk: Desk
  result: Shown
  other: Shown
  isHere: boolean
}) {
  const verdict = verdictOn(result, desk.state.verdicts)
  return (
    <div class={isHere ? 'caption here' : 'caption'}>
      <b>
        <Foreign text={result.address} />
      </b>{' '}
      <span class="soft">
        <Joined all={[result.model, verdict?.is ?? 'undecided']} />
      </span>
      <p class="prompt">
        <Marked text={result.prompt ?? ''} beside={other.prompt === undefined ? [] : [other.prompt]} />
      </p>
    </div>
  )
}

function Slider({ desk, left, right }: { readonly desk: Desk; readonly left: Shown; readonly right: Shown }) {
  const [at, setAt] = useState(0.5)
  const frame = useRef<HTMLDivElement>(null)
  const slide = (event: PointerEvent) => {
    const { current } = frame
    if (!current || desk.state.zoom.scale !== 1) return
    const { left: from, width } = current.getBoundingClientRect()
    setAt(Math.min(1, Math.max(0, (event.clientX - from) / width)))
  }
  return (
    <div class="slider" ref={frame} onPointerMove={slide}>
      <Stage desk={desk}>
        <div class="layer">
          <Large result={right} link={desk.link} zoom={desk.state.zoom} />
        </div>
        <div class="layer" style={{ clipPath: `inset(0 ${(1 - at) * 100}% 0 0)` }}>
          <Large result={left} link={desk.link} zoom={desk.state.zoom} />
        </div>
        <i class="bar" style={{ left: `${at * 100}%` }} />
      </Stage>
      <input
        type="range"
        min="0"
        max="100"
        value={Math.round(at * 100)}
        aria-label="How much of the left one is seen, in percent"
        onInput={event => setAt(Number(event.currentTarget.value) / 100)}
      />
    </div>
  )
}
