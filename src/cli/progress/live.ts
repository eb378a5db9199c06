import { ANSI_ESCAPE_CODES, Listr, type ListrTask } from 'listr2'
import type { Clock } from '../../base/clock.ts'
import { display } from '../../base/display.ts'
import type { Colours } from '../io/colour.ts'
import { fitted } from '../io/out.ts'
import type { Sink } from '../io/surroundings.ts'
import { type Board, openBoard } from './board.ts'
import { drawBoard, frameMs } from './draw.ts'
import { openFrames } from './frames.ts'
import type { View } from './view.ts'

interface LiveOptions {
  readonly sink: Sink
  readonly clock: Clock
  readonly paint: Colours
  readonly isAscii: boolean
  /** Takes secrets out of what is drawn. */
  readonly clean: (text: string) => string
}

/**
 * The view on a terminal. listr2 carries a task for each model of the run, which ends with the last of its jobs, and one for
 * what comes after them: their number does not grow with that of the jobs. What is shown is decided by `drawBoard`, and what
 * happens between two pictures is counted, not drawn (docs/decisions.md).
 */
export function openLive(options: LiveOptions): View {
  const board = openBoard()
  let screen: Screen | undefined
  return {
    show(told) {
      board.take(told)
      if (told.event === 'warned') this.note(display(told.message))
      if (told.event === 'planned' && told.work.length > 0) screen = openScreen(board, options)
      if (told.event === 'settled') screen?.endTasks()
    },
    note(line) {
      const text = fitted(options.clean(line), options.sink)
      if (screen) screen.above(text)
      else options.sink.write(`${text}\n`)
    },
    async close() {
      await screen?.close()
    },
  }
}

interface Screen {
  /** Writes a line that stays, above the picture. */
  above(line: string): void
  /** Ends the tasks of models that have no job left. */
  endTasks(): void
  close(): Promise<void>
}

function openScreen(board: Board, options: LiveOptions): Screen {
  const pictures = openPictures(board, options)
  const models = new Map([...board.models.keys()].map(model => [model, openTask(model)]))
  const finishing = openTask('finishing')
  const tasks = [...models.values(), finishing]
  const listr = new Listr(
    tasks.map(({ task }) => task),
    {
      concurrent: true,
      renderer: PictureRenderer,
      rendererOptions: { pictures },
      // Its own handler would leave before paid answers have arrived.
      registerSignalListeners: false,
    },
  )
  const running = listr.run()
  return {
    above: line => pictures.above(line),
    endTasks() {
      for (const [model, { total, settled }] of board.models) if (settled === total) models.get(model)?.end()
    },
    async close() {
      // Those of a run that was stopped have jobs left.
      for (const { end } of tasks) end()
      await running
    },
  }
}

function openTask(title: string): { readonly task: ListrTask; end(): void } {
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  return { task: { title, task: () => ended }, end }
}

/** What listr2 asks of a renderer: it draws by its own clock, whatever becomes of the tasks. On stderr, so that stdout may be a file. */
class PictureRenderer {
  static nonTTY = true
  static rendererOptions: { readonly pictures: Pictures }
  static rendererTaskOptions: object
  readonly #pictures: Pictures

  constructor(_tasks: readonly unknown[], { pictures }: typeof PictureRenderer.rendererOptions) {
    this.#pictures = pictures
  }

  render(): void {
    this.#pictures.begin()
  }

  end(): void {
    this.#pictures.end()
  }
}

/** Pictures of a board, one after the other in the same place. */
interface Pictures {
  begin(): void
  above(line: string): void
  end(): void
}

function openPictures(board: Board, { sink, clock, paint, isAscii, clean }: LiveOptions): Pictures {
  const over = new AbortController()
  const frames = openFrames()
  const columns = () => sink.columns ?? 80
  const write = (frame: string) => frame !== '' && sink.write(`${beginFrame}${frame}${endFrame}`)

  async function draw(): Promise<void> {
    while (!over.signal.aborted) {
      const room = { columns: columns(), rows: sink.rows ?? 24, isAscii, paint }
      write(frames.next(clean(drawBoard(board, clock.now(), room).join('\n')), columns()))
      await clock.until(clock.now() + frameMs, over.signal)
    }
  }

  return {
    begin() {
      sink.write(ANSI_ESCAPE_CODES.CURSOR_HIDE)
      // A picture that cannot be drawn must not end a run that buys things.
      draw().catch((bug: unknown) => sink.write(`${clean(`the view ended early: ${String(bug)}`)}\n`))
    },
    above: line => write(frames.above(line, columns())),
    end() {
      over.abort()
      write(frames.clear(columns()))
      sink.write(ANSI_ESCAPE_CODES.CURSOR_SHOW)
    },
  }
}

const csi = `${String.fromCodePoint(27)}[`
// Synchronised output: a terminal that knows it shows a picture whole, the others ignore it.
const beginFrame = `${csi}?2026h`
const endFrame = `${csi}?2026l`
