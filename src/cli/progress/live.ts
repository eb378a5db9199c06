import {
  ANSI_ESCAPE_CODES,
  createWritable,
  DefaultRenderer,
  Listr,
  ListrEventType,
  ListrLogger,
  ProcessOutput,
} from 'listr2'
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
 * The view on a terminal. What is shown is decided by `drawBoard`; listr2 keeps it on the screen, as one task for the
 * whole run: its cost does not grow with the number of jobs, and what happens between two pictures is counted, not drawn
 * (docs/decisions.md).
 */
export function openLive(options: LiveOptions): View {
  const board = openBoard()
  let screen: Screen | undefined
  return {
    show(told) {
      board.take(told)
      if (told.event === 'warned') this.note(display(told.message))
      if (told.event === 'planned' && told.work.length > 0) screen = openScreen(board, options)
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
  close(): Promise<void>
}

function openScreen(board: Board, { sink, clock, paint, isAscii, clean }: LiveOptions): Screen {
  const over = new AbortController()
  const frames = openFrames()
  const write = (frame: string) => sink.write(`${beginFrame}${frame}${endFrame}`)
  // A writable of listr2's own, without a width: what is drawn is cut to the terminal, whose size changes. The streams of
  // the process stay as they are, as what others write must not wait for the end.
  const stream = createWritable(text => {
    if (cursorCodes.includes(text)) sink.write(text)
    else write(frames.next(text, sink.columns ?? 80))
  }) as NodeJS.WriteStream // listr2 writes to it, and reads its size
  const listr = new Listr(
    {
      async task() {
        while (!over.signal.aborted) {
          listr.events.emit(ListrEventType.SHOULD_REFRESH_RENDER)
          await clock.until(clock.now() + frameMs, over.signal)
        }
      },
    },
    {
      renderer: BoardRenderer,
      // Its own handler would leave before paid answers have arrived.
      registerSignalListeners: false,
      rendererOptions: {
        picture() {
          const room = { columns: sink.columns ?? 80, rows: sink.rows ?? 24, isAscii, paint }
          return clean(drawBoard(board, clock.now(), room).join('\n'))
        },
        // Drawn when it is told and at no other time: there is no second spinner.
        lazy: true,
        clearOutput: true,
        logger: new ListrLogger({ processOutput: new ProcessOutput(stream, stream) }),
      },
    },
  )
  // A picture that cannot be drawn must not end a run that buys things.
  const running = listr
    .run()
    .catch((bug: unknown) => sink.write(`${clean(`the view ended early: ${String(bug)}`)}\n`))
  return {
    above: line => write(frames.above(line, sink.columns ?? 80)),
    async close() {
      over.abort()
      await running
    },
  }
}

type RendererOptions = ConstructorParameters<typeof DefaultRenderer>[1] & { readonly picture: () => string }

/** listr2's renderer with a picture of our own, for stderr: it starts although stdout may be no terminal. */
class BoardRenderer extends DefaultRenderer {
  static override nonTTY = true
  static override rendererOptions: RendererOptions
  private readonly picture: () => string

  constructor(
    tasks: ConstructorParameters<typeof DefaultRenderer>[0],
    options: RendererOptions,
    events: ConstructorParameters<typeof DefaultRenderer>[2],
  ) {
    super(tasks, options, events)
    this.picture = options.picture
  }

  override create(): string {
    return this.picture()
  }
}

const cursorCodes: readonly string[] = Object.values(ANSI_ESCAPE_CODES)
const csi = `${String.fromCodePoint(27)}[`
// Synchronised output: a terminal that knows it shows a picture whole, the others ignore it.
const beginFrame = `${csi}?2026h`
const endFrame = `${csi}?2026l`
