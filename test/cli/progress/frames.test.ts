import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { colours } from '../../../src/cli/io/colour.ts'
import { openBoard } from '../../../src/cli/progress/board.ts'
import { drawBoard } from '../../../src/cli/progress/draw.ts'
import { openLive } from '../../../src/cli/progress/live.ts'
import type { RunEvent } from '../../../src/wording/report.ts'
import { done, happens, planned, settle, work } from '../fake.ts'
import { openScreen } from '../terminal.ts'

// The view as a person sees it: what it writes goes to a terminal emulator, and every frame is looked at.

const start = 1_000_000
const escape = String.fromCodePoint(27)

/** A view on an emulated screen; time goes on only by `turn`. */
function watched(columns: number, rows = 24) {
  const screen = openScreen(columns, rows)
  const board = openBoard()
  const size = { columns, rows }
  const writes: string[] = []
  let now = start
  let wake: (() => void) | undefined
  const sink = {
    write: (text: string) => {
      writes.push(text)
      // A terminal driver turns a line feed into a new line.
      void screen.write(text.replaceAll('\n', '\r\n'))
    },
    isTerminal: true,
    get columns() {
      return size.columns
    },
    get rows() {
      return size.rows
    },
  }
  const clock = {
    now: () => now,
    wall: () => now,
    until: (_: number, signal?: AbortSignal) =>
      new Promise<void>(resolve => {
        wake = () => {
          signal?.removeEventListener('abort', resolve as () => void)
          resolve()
        }
        signal?.addEventListener('abort', resolve as () => void, { once: true })
      }),
  }
  const paint = colours(true)
  const view = openLive({ sink, clock, paint, isAscii: false, clean: text => text })
  return {
    screen,
    writes,
    view,
    emit(told: RunEvent) {
      board.take(told)
      view.show(told)
    },
    /** Lets some time pass, and the next picture be drawn. */
    async turn(ms = 250) {
      now += ms
      wake?.()
      await settle()
      await screen.write('')
    },
    async began() {
      while (!writes.some(text => text.includes('done'))) await systemClock.until(systemClock.now() + 5)
      await screen.write('')
    },
    resize(width: number, height: number) {
      Object.assign(size, { columns: width, rows: height })
      screen.resize(width, height)
    },
    /** What should be on the screen, without colours. */
    picture: () =>
      drawBoard(board, now, { ...size, isAscii: false, paint: colours(false) }).map(line => line.trimEnd()),
  }
}

const sending = (address: string, at = start) =>
  happens(at, address, { event: 'sending', model: 'fama-imagine-image', attempt: 1 })

test('each frame is the picture and nothing else, from the first job to the last', async () => {
  const seen = watched(80)
  const tasks = Array.from({ length: 12 }, (_, nth) => work(`still[茶${nth},fox]`, { needs: [] }))
  const notes = ['rehearsal: nothing is paid']
  seen.view.note('rehearsal: nothing is paid')
  seen.emit(planned(start, tasks))
  await seen.began()
  for (const [nth, { address }] of tasks.entries()) {
    seen.emit(sending(address))
    await seen.turn()
    expect(seen.screen.lines()).toEqual([...notes, ...seen.picture()])
    seen.emit(happens(start, address, { event: 'settled', state: done(`stills/茶-${nth}.png`) }))
    if (nth === 5) {
      seen.view.note('stopping')
      notes.push('stopping')
    }
    await seen.turn()
    expect(seen.screen.lines()).toEqual([...notes, ...seen.picture()])
    expect(seen.screen.isCursorHidden).toBe(true)
  }
  await seen.view.close()
  await seen.screen.write('')
  expect(seen.screen.lines()).toEqual(['rehearsal: nothing is paid', 'stopping'])
  const { cursorX, cursorY } = seen.screen.terminal.buffer.active
  expect([cursorX, cursorY, seen.screen.isCursorHidden]).toEqual([0, 2, false])
})

test.each([
  ['narrower', 80, 40],
  ['much narrower', 120, 30],
  ['wider', 40, 100],
])('a terminal that becomes %s keeps nothing of the old picture', async (_, before, after) => {
  const seen = watched(before)
  const tasks = Array.from({ length: 8 }, (_, nth) => work(`a-long-name-for-a-still-${nth}`))
  seen.emit(planned(start, tasks))
  await seen.began()
  for (const { address } of tasks) seen.emit(sending(address))
  await seen.turn()
  expect(seen.screen.lines()).toEqual(seen.picture())
  seen.resize(after, 24)
  await seen.turn()
  expect(seen.screen.lines()).toEqual(seen.picture())
  seen.resize(before, 24)
  await seen.turn()
  expect(seen.screen.lines()).toEqual(seen.picture())
  await seen.view.close()
  await seen.screen.write('')
  expect(seen.screen.lines()).toEqual([])
})

test('a note on a terminal that has just become narrower leaves nothing of the picture above it', async () => {
  const seen = watched(120)
  seen.emit(planned(start, [work('a-long-name-for-a-still'), work('another-long-name', { needs: [] })]))
  await seen.began()
  seen.resize(30, 24)
  seen.view.note('stopping')
  seen.view.note('stopping at once')
  await seen.turn()
  expect(seen.screen.lines()).toEqual(['stopping', 'stopping at once', ...seen.picture()])
  await seen.view.close()
  await seen.screen.write('')
  expect(seen.screen.lines()).toEqual(['stopping', 'stopping at once'])
})

test('nothing flickers: what erases a picture and what replaces it come in one piece', async () => {
  const seen = watched(80)
  const tasks = [work('hero'), work('clip', { needs: ['hero'] })]
  seen.emit(planned(start, tasks))
  await seen.began()
  for (let turn = 0; turn < 8; turn++) await seen.turn()
  await seen.view.close()
  const frames = seen.writes.filter(text => text.includes('done'))
  expect(frames.length).toBeGreaterThanOrEqual(8)
  for (const frame of frames) {
    expect(frame.startsWith(`${escape}[?2026h`)).toBe(true)
    expect(frame.endsWith(`${escape}[?2026l`)).toBe(true)
  }
  const erasing = seen.writes.filter(text => text.includes(`${escape}[2K`))
  // All but the last, which leaves the screen empty.
  expect(erasing.slice(0, -1).every(text => text.includes('done'))).toBe(true)
})

test('a picture fits a terminal of any size, and scrolls nothing away', async () => {
  for (const [columns, rows] of [
    [20, 5],
    [40, 10],
    [33, 8],
    [200, 60],
  ] as const) {
    const seen = watched(columns, rows)
    const tasks = Array.from({ length: 500 }, (_, nth) => work(`still-${nth}`))
    seen.emit(planned(start, tasks))
    await seen.began()
    for (const { address } of tasks.slice(0, 60)) seen.emit(sending(address))
    await seen.turn()
    await seen.turn()
    expect(seen.screen.terminal.buffer.active.baseY).toBe(0)
    expect(seen.screen.visible()).toEqual(seen.picture())
    await seen.view.close()
  }
})
