import { useMemo } from 'preact/hooks'
import { chipsOf, type Facet, type Group, isNarrowed, type Sort } from '../data/choose.ts'
import { grouped } from '../data/words.ts'
import { type Desk, type PageLayout, press, showAll } from './desk/state.ts'
import { Foreign } from './parts/texts.tsx'

const layouts: readonly (readonly [PageLayout, string])[] = [
  ['wall', 'Wall'],
  ['grid', 'Grid'],
  ['takes', 'Takes'],
]

const sorts: readonly (readonly [Sort, string])[] = [
  ['manifest', 'as written'],
  ['trouble', 'trouble first'],
  ['cost', 'dearest first'],
  ['age', 'newest first'],
  ['stars', 'most stars first'],
]

const groups: readonly (readonly [Group, string])[] = [
  ['none', 'no sections'],
  ['verdict', 'by verdict'],
  ['state', 'by state'],
  ['model', 'by model'],
  ['tag', 'by tag'],
  ['job', 'by job'],
]

/** How it is looked at, and what of it. */
export function Side({ desk }: { readonly desk: Desk }) {
  const { items, choice, verdicts, layout, width, page } = desk.state
  const byVerdict = useMemo(() => chipsOf(items, choice, verdicts, 'verdict'), [items, choice, verdicts])
  const isVerdictChosen = (choice.chosen.verdict ?? []).length > 0
  const others = useMemo(
    () => chipsOf(items, choice, verdicts, 'others'),
    [items, choice, isVerdictChosen && verdicts],
  )
  // Of the first few there is nothing to count.
  const facets = page.of === undefined ? [...byVerdict, ...others] : []
  const hasGrid = Object.keys(page.axes).length > 0
  return (
    <div class="side">
      <div class="switch" role="group" aria-label="Layout">
        {layouts
          .filter(([name]) => name !== 'grid' || hasGrid)
          .map(([name, text]) => (
            <button
              type="button"
              key={name}
              aria-pressed={layout === name}
              onClick={() => desk.set({ layout: name })}
            >
              {text}
            </button>
          ))}
      </div>
      <label class="size">
        Size
        <input
          type="range"
          min="120"
          max="480"
          step="20"
          value={width}
          onInput={event => desk.set({ width: Number(event.currentTarget.value) })}
        />
      </label>
      {layout === 'wall' ? (
        <>
          <Choice
            label="Sorted"
            value={choice.sort}
            all={sorts}
            set={sort => desk.set({ choice: { ...choice, sort } })}
          />
          <Choice
            label="Sections"
            value={choice.group}
            all={groups}
            set={group => desk.set({ choice: { ...choice, group } })}
          />
        </>
      ) : null}
      {facets.map(({ facet, chips }) => (
        <fieldset key={facet}>
          <legend>
            <Foreign text={titleOf(facet)} />
          </legend>
          <div class="chips">
            {chips.slice(0, 40).map(({ value, count, isChosen }) => (
              <button
                type="button"
                key={value}
                class="chip"
                aria-pressed={isChosen}
                disabled={count === 0 && !isChosen}
                onClick={() => press(desk, facet, value)}
              >
                <Foreign text={value} /> <small>{grouped(count)}</small>
              </button>
            ))}
            {chips.length > 40 ? (
              <span class="soft">{grouped(chips.length - 40)} more: search for them</span>
            ) : null}
          </div>
        </fieldset>
      ))}
      {isNarrowed(choice) && desk.shown().length > 0 ? (
        <button type="button" onClick={() => showAll(desk)}>
          Show everything
        </button>
      ) : null}
    </div>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly all: readonly (readonly [T, string])[]
  readonly set: (value: T) => void
}

function Choice<T extends string>({ label, value, all, set }: ChoiceProps<T>) {
  return (
    <label class="choice">
      {label}
      <select value={value} onChange={event => set(event.currentTarget.value as T /* one of its options */)}>
        {all.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

function titleOf(facet: Facet): string {
  return facet.startsWith('axis:') ? facet.slice('axis:'.length) : facet
}
