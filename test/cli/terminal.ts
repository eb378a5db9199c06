import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
// oxlint-disable-next-line import/default -- a CommonJS module: its exports are the default
import unicode11 from '@xterm/addon-unicode11'
import headless from '@xterm/headless'
import { onTestFinished } from 'vitest'

/** A screen that understands what a program writes to a terminal, and says what a person would see. */
export interface Screen {
  /** Resolves when everything is on the screen. */
  write(bytes: Uint8Array | string): Promise<void>
  resize(columns: number, rows: number): void
  /** All lines from the first that was ever written, without what is empty at their ends. */
  lines(): string[]
  /** The lines that can be seen now. */
  visible(): string[]
  readonly isCursorHidden: boolean
  readonly terminal: InstanceType<typeof headless.Terminal>
}

export function openScreen(columns: number, rows: number): Screen {
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true })
  terminal.loadAddon(new unicode11.Unicode11Addon())
  terminal.unicode.activeVersion = '11'
  const buffer = () => terminal.buffer.active
  const read = (from: number, to: number) => {
    const lines = Array.from({ length: to - from }, (_, nth) => {
      return (
        buffer()
          .getLine(from + nth)
          ?.translateToString(true) ?? ''
      )
    })
    while (lines.at(-1) === '') lines.pop()
    return lines
  }
  let hidden = false
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, ([mode]) => noteCursor(mode, false))
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, ([mode]) => noteCursor(mode, true))
  function noteCursor(mode: unknown, isHidden: boolean): boolean {
    if (mode === 25) hidden = isHidden
    return false
  }
  return {
    write: bytes => new Promise(resolve => terminal.write(bytes, resolve)),
    resize: (width, height) => terminal.resize(width, height),
    lines: () => read(0, buffer().baseY + terminal.rows),
    visible: () => read(buffer().baseY, buffer().baseY + terminal.rows),
    get isCursorHidden() {
      return hidden
    },
    terminal,
  }
}

/** Whether there is what it takes to make a pseudo-terminal: Node has none. */
export const hasTerminal = canRunPython()

function canRunPython(): boolean {
  try {
    execFileSync('python3', ['-I', '-S', '-c', 'import pty, os; os.waitstatus_to_exitcode'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

/** A piece of what a program wrote, and when. */
interface Written {
  readonly at: number
  readonly bytes: Buffer
}

export interface OnTerminal {
  readonly ended: Promise<{ readonly code: number | null; readonly written: readonly Written[] }>
  resize(columns: number, rows: number): void
  /** As if it came from the keyboard: `\u0003` is Ctrl-C. */
  type(text: string): void
  /** The terminal goes away, as when its window is closed. */
  hangUp(): void
  /** Resolves when the text was written; rejects when it never will be. */
  shows(text: string): Promise<void>
  /** Everything written so far. */
  bytes(): Buffer
}

interface Place {
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  readonly env?: { readonly [name: string]: string } | undefined
}

/** Runs a program whose stdin, stdout and stderr are one pseudo-terminal. */
export function onTerminal(command: readonly string[], { columns, rows, cwd, env = {} }: Place): OnTerminal {
  const helper = join(import.meta.dirname, '../fixtures/terminal.py')
  // Of Python alone, without what is installed beside it: it starts a third sooner.
  const child = spawn('python3', ['-I', '-S', helper, String(columns), String(rows), '--', ...command], {
    cwd,
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      HOME: cwd,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const written: Written[] = []
  const watchers = new Set<() => void>()
  child.stdout.on('data', (bytes: Buffer) => {
    written.push({ at: Date.now(), bytes })
    for (const watch of watchers) watch()
  })
  const bytes = () => Buffer.concat(written.map(each => each.bytes))
  const order = (record: object) => void child.stdin.write(`${JSON.stringify(record)}\n`)
  const ended = new Promise<{ code: number | null; written: Written[] }>(resolve =>
    child.on('close', code => resolve({ code, written })),
  )
  return {
    ended,
    bytes,
    resize: (width, height) => order({ resize: [width, height] }),
    type: text => order({ type: text }),
    hangUp: () => order({ hangUp: true }),
    shows: text =>
      new Promise((resolve, reject) => {
        const watch = () => bytes().includes(text) && resolve()
        watchers.add(watch)
        watch()
        void ended.then(() => reject(new Error(`ended without ${text}: ${bytes().toString()}`)))
      }),
  }
}
