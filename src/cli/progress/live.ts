import { DefaultRenderer, Listr, ListrLogger, ProcessOutput } from 'listr2'
import type { Clock } from '../../base/clock.ts'
import { display } from '../../base/display.ts'
import type { Colours } from '../io/colour.ts'
import { fitted } from '../io/out.ts'
import type { Sink } from '../io/surroundings.ts'
import { type Board, openBoard } from './board.ts'
import { drawBoard, frameMs } from './draw.ts'
import { openFrames } from './frames.ts'
import type { View } from './view.ts'

export interface LiveOptions {
  readonly sink: Sink
  readonly clock: Clock
  readonly paint: Colours
  readonly isAscii: boolean
  /** Takes secrets out of what is drawn. */
  readonly clean: (text: string) => string
}

/**
 * The view on a terminal. What is shown is decided by `drawBoard`; listr2 keeps it on the screen, as one task for the
 * whole run: its cost does not grow with the number of jobs, and what happens between two pictures is counted, not drawn.
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
  let renderer: LiveRenderer | undefined
  function picture(): string {
    const room = { columns: sink.columns ?? 80, rows: sink.rows ?? 24, isAscii, paint }
    return clean(drawBoard(board, clock.now(), room).join('\n'))
  }

  const listr = new Listr<undefined, typeof LiveRenderer>(
    {
      title: ' ',
      async task(_, task) {
        while (!over.signal.aborted) {
          task.title = picture()
          await clock.until(clock.now() + frameMs, over.signal)
        }
      },
    },
    {
      renderer: LiveRenderer,
      // Its own handler would leave before paid answers have arrived.
      registerSignalListeners: false,
      rendererOptions: {
        // Drawn when the title is set and at no other time: listr2 measures every character of a picture anew.
        lazy: true,
        clearOutput: true,
        logger: new ListrLogger({ processOutput: new SinkOutput(sink) }),
        opened(made: LiveRenderer) {
          renderer = made
        },
      },
    },
  )
  // A picture that cannot be drawn must not end a run that buys things.
  const running = listr
    .run()
    .catch((bug: unknown) => sink.write(`${clean(`the view ended early: ${String(bug)}`)}\n`))
  return {
    above: line => renderer?.above(line),
    async close() {
      over.abort()
      await running
    },
  }
}

type RendererOptions = ConstructorParameters<typeof DefaultRenderer>[1] & {
  readonly opened: (renderer: LiveRenderer) => void
}

/**
 * listr2's renderer, on stderr: it would not start where stdout is no terminal, would wrap by the width of stdout, and
 * has no way to leave a line above what it draws.
 */
class LiveRenderer extends DefaultRenderer {
  static override nonTTY = true
  static override rendererOptions: RendererOptions

  constructor(
    tasks: ConstructorParameters<typeof DefaultRenderer>[0],
    options: RendererOptions,
    events: ConstructorParameters<typeof DefaultRenderer>[2],
  ) {
    super(tasks, options, events)
    options.opened(this)
  }

  above(text: string): void {
    // Private only to TypeScript; the clearing and the line must come before the next picture.
    this['updater']?.clear()
    this['logger'].process.toStdout(text)
    if (this['updater']) this.update()
  }

  /** Lines come cut to the width, with their marks. */
  protected override format(message: string): string[] {
    return message.split('\n')
  }
}

/** Where listr2 writes. The process's own streams stay as they are: what others write must not wait for the end. */
class SinkOutput extends ProcessOutput {
  private readonly sink: Sink
  private readonly frames = openFrames()

  constructor(sink: Sink) {
    super()
    this.sink = sink
  }

  // A live object, not a copy as in listr2: the size of the terminal changes.
  override get stdout(): NodeJS.WriteStream {
    const { sink } = this
    const { frames } = this
    const stream = {
      write: (text: string) => sink.write(`${beginFrame}${frames.next(text, sink.columns ?? 80)}${endFrame}`),
      get columns() {
        return sink.columns
      },
      get rows() {
        return sink.rows
      },
    }
    // All that listr2 uses of a stream.
    return stream as unknown as NodeJS.WriteStream
  }

  override hijack(): void {
    this.sink.write(hideCursor)
  }

  override release(): void {
    this.sink.write(showCursor)
  }

  override toStdout(text: string, eol = true): boolean {
    if (text !== '') this.sink.write(eol ? `${text}\n` : text)
    return true
  }
}

const csi = `${String.fromCodePoint(27)}[`
const hideCursor = `${csi}?25l`
const showCursor = `${csi}?25h`
// Synchronised output: a terminal that knows it shows a picture whole, the others ignore it.
const beginFrame = `${csi}?2026h`
const endFrame = `${csi}?2026l`
