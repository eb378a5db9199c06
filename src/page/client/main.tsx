import { h, render } from 'preact'
import type { Shown, ShownPage } from '../data/shown.ts'
import { App } from './app.tsx'
import { fileLink, serverLink } from './desk/link.ts'
import type { Link } from './desk/linked.ts'
import { quoteKeeper } from './desk/quotes.ts'
import { type Desk, type Kept, openDesk } from './desk/state.ts'
import { pressEarly, pressed } from './keys.ts'

const root = document.querySelector('#page')
const embedded = document.querySelector('#data')
const first = document.querySelector('#first')

// Where somebody was, for a page that is loaded once more.
const keptAs = `genrun view ${location.pathname}`

void begin()

async function begin(): Promise<void> {
  const early = earlyKeys()
  if (embedded) return void open(JSON.parse(embedded.textContent ?? '{}'), fileLink(), early)
  const link = serverLink()
  const kept = keptView()
  // Who was elsewhere in it does not see its beginning first.
  const painted = first && Object.keys(kept).length === 0 ? JSON.parse(first.textContent ?? '{}') : undefined
  if (painted) await paint(painted, link)
  const page = await link.data()
  const desk = open(page, link, early, painted?.results[0])
  const keepQuote = quoteKeeper(desk)
  const hearing: Parameters<typeof link.listen>[0] = {
    change(change) {
      desk.change(change)
      void keepQuote()
    },
    order: order => desk.set({ order, ...(order.is === 'over' && { ordered: undefined }) }),
    idle: ({ last }) => desk.state.order?.is === 'under way' && desk.set({ order: last, ordered: undefined }),
    picks: ({ trouble }) => trouble !== undefined && desk.set({ said: trouble }),
    anew({ results, verdicts, writes = 0, run, trouble }, isOtherServer) {
      if (isOtherServer) desk.heardAnew()
      desk.change({
        results,
        order: results.map(({ address }) => address),
        verdicts,
        writes,
        ...(run && { run }),
        ...(trouble !== undefined && { trouble }),
      })
      void keepQuote()
    },
  }
  link.listen(hearing, page.serial ?? '')
}

/** What is in sight of a page at first, to be looked at until all of it is there. Resolves when it is on the screen. */
function paint(page: ShownPage, link: Link): Promise<void> {
  const desk = openDesk(page, link, viewOf({}), () => undefined)
  const [result] = page.results
  if (result) desk.set({ cursor: result.address })
  if (root) render(h(App, { desk }), root)
  return new Promise(painted => {
    // From a frame that is laid out to one on the screen it is a way, on which the browser is not to be disturbed.
    new PerformanceObserver(list => {
      if (list.getEntriesByName('first-contentful-paint').length > 0) painted()
    }).observe({ type: 'paint', buffered: true })
    // A page that nobody sees is not painted.
    setTimeout(painted, 1000)
  })
}

/** On a very wide screen nobody sits close enough for the usual cards. */
function viewOf(kept: Kept): Kept {
  return { ...(innerWidth > 1900 && { width: 320 }), ...kept }
}

/** What is pressed while the page is on its way is kept until it takes keys. */
function earlyKeys(): () => readonly KeyboardEvent[] {
  const keys: KeyboardEvent[] = []
  const keep = (event: KeyboardEvent) => {
    const isBrowsers = event.ctrlKey || event.metaKey || event.altKey
    if (!isBrowsers && !/^(Shift|Tab|CapsLock|F\d+)$/.test(event.key)) keys.push(event)
  }
  document.addEventListener('keydown', keep)
  return () => {
    document.removeEventListener('keydown', keep)
    return keys
  }
}

/** `seen`: the result that was seen as chosen before all was there. */
function open(page: ShownPage, link: Link, early: ReturnType<typeof earlyKeys>, seen?: Shown): Desk {
  let isDue = false
  // Several changes of one moment are drawn once.
  const draw = () => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      show()
    })
  }
  const desk = openDesk(page, link, viewOf(keptView()), draw)
  if (desk.state.cursor === undefined || !desk.state.byAddress.has(desk.state.cursor)) {
    const [first] = desk.shown()
    if (first) desk.set({ cursor: first.address })
  }
  const keepView = viewKeeper(() => desk)
  const show = () => {
    if (root) render(h(App, { desk }), root)
    keepView()
  }
  show()
  // Of a long list only what is in sight is there: paper has it all.
  addEventListener('beforeprint', () => desk.set({ isPrinting: true }))
  addEventListener('afterprint', () => desk.set({ isPrinting: false }))
  // Arrows go by how it is laid out, which is known once it is drawn.
  afterFrame(() => {
    pressEarly(desk, early(), seen)
    document.addEventListener('keydown', event => {
      if (isTyping(event)) return
      if (pressed(desk, event)) event.preventDefault()
    })
  })
  return desk
}

/** A page that nobody sees has no frames. */
function afterFrame(act: () => void): void {
  let isDone = false
  const once = () => {
    if (isDone) return
    isDone = true
    act()
  }
  requestAnimationFrame(once)
  setTimeout(once, 200)
}

/** Keys belong to whoever is typed into; of a search Esc gives them back. */
function isTyping(event: KeyboardEvent): boolean {
  const { target } = event
  if (document.querySelector('dialog[open]')) return true
  if (target instanceof HTMLInputElement && target.type === 'search') {
    if (event.key === 'Escape' || event.key === 'Enter') target.blur()
    return true
  }
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  if (target instanceof HTMLInputElement) return event.key.startsWith('Arrow')
  // What can be pressed, and was reached by the keyboard, is pressed by it.
  const isPressed = target instanceof Element && target.closest('button, a[href], summary') !== null
  return isPressed && (event.key === ' ' || event.key === 'Enter')
}

function keptView(): Kept {
  try {
    return JSON.parse(sessionStorage.getItem(keptAs) ?? '{}')
  } catch {
    return {}
  }
}

/** Writing it down costs more than drawing it: that waits until nothing is pressed for a moment, or the page goes. */
function viewKeeper(desk: () => Desk): () => void {
  let due: ReturnType<typeof setTimeout> | undefined
  const keep = () => {
    clearTimeout(due)
    due = undefined
    const { choice, layout, width, cursor, grid, drafts } = desk().state
    try {
      sessionStorage.setItem(keptAs, JSON.stringify({ choice, layout, width, cursor, grid, drafts }))
    } catch {
      // It begins at the beginning then.
    }
  }
  addEventListener('pagehide', keep)
  return () => {
    clearTimeout(due)
    due = setTimeout(keep, 250)
  }
}
