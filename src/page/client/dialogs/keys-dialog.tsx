import { canEdit, type Desk } from '../desk/state.ts'
import { Modal } from './modal.tsx'

const layoutKeys = ['w, g, t', 'wall, grid, takes'] as const

type Need = 'judging' | 'a manifest' | 'takes' | 'several' | 'a sound'

type Keys = readonly (readonly [keys: string, does: string, ...needs: readonly Need[]])[]

/** Those that do something on a page that cannot do everything are the ones that need nothing, or what it has. */
const keys: Keys = [
  ['← ↑ ↓ →', 'move; Home and End'],
  ['Space, Enter', 'look at one; again, or Esc: back'],
  ['p', 'pick: this take is the result', 'judging'],
  ['x', 'reject', 'judging'],
  ['u', 'undecided', 'judging'],
  ['1 – 5, 0', 'stars, or none', 'judging'],
  ['n', 'a note', 'judging'],
  ['e', 'edit its prompt in the manifest, and order it anew', 'a manifest'],
  ['c', 'compare: with the marked one, another take, or the next', 'several'],
  [
    'd',
    'a duel of takes: ← or → keeps one and rejects the other; the last one is picked',
    'judging',
    'takes',
  ],
  ['m', 'mark it for the next comparison', 'several'],
  ['s, v', 'in a comparison: slider; swap', 'several'],
  ['z, wheel, drag', 'zoom and move'],
  ['k', 'play or pause a sound', 'a sound'],
  ['f', 'full screen'],
  ['r', 'order one take more where all takes are rejected: shows the amount first', 'a manifest'],
  ['o', 'order what is not there: shows the amount first', 'a manifest'],
  layoutKeys,
  ['/', 'search'],
  ['Ctrl Z', 'undo, as far back as this page', 'judging'],
  ['?', 'this help'],
]

/** Which keys do something on this page. */
export function KeysDialog({ desk }: { readonly desk: Desk }) {
  return (
    <Modal desk={desk} title="Keys">
      <dl class="keys">
        {keysThatAct(desk).map(([name, does]) => (
          <div key={name}>
            <dt>
              <kbd>{name}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}

function keysThatAct(desk: Desk): Keys {
  const { can, axes, results } = desk.state.page
  const has: { readonly [need in Need]: boolean } = {
    judging: can.judge,
    'a manifest': canEdit(desk),
    takes: results.some(({ take }) => take > 1),
    several: results.length > 1,
    'a sound': results.some(({ kind }) => kind === 'audio' || kind === 'speech'),
  }
  return keys
    .filter(([, , ...needs]) => needs.every(each => has[each]))
    .map(each => (each === layoutKeys && Object.keys(axes).length === 0 ? ['w, t', 'wall, takes'] : each))
}
