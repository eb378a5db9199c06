import { type ChildProcess, spawn } from 'node:child_process'

/** A command of the user's: a text for the shell, or a program and its words. */
export type BackendCommand =
  | { readonly shell: string }
  | { readonly program: string; readonly words: readonly string[] }

interface CommandRules {
  readonly cwd: string
  /** Written to its standard input. */
  readonly input: string
  /** Ends it, whatever it is doing. */
  readonly stop: AbortSignal
  /** How long it may take. */
  readonly seconds: number
}

/** How a command ended. `said` is the last line of its standard error. */
export type CommandEnd =
  | { readonly is: 'done' }
  | { readonly is: 'failed'; readonly with: number | NodeJS.Signals; readonly said: string }
  | { readonly is: 'unstarted'; readonly why: string }
  | { readonly is: 'late' | 'stopped' }

/**
 * Runs a command in a process group of its own: what it started ends with it when it is stopped or takes too long. Never
 * rejects.
 */
export function runCommand(command: BackendCommand, rules: CommandRules): Promise<CommandEnd> {
  const { cwd, input, stop, seconds } = rules
  if (stop.aborted) return Promise.resolve({ is: 'stopped' })
  const options = {
    cwd,
    detached: hasGroups,
    stdio: ['pipe', 'ignore', 'pipe'] as ['pipe', 'ignore', 'pipe'],
  }
  const child =
    'shell' in command
      ? spawn(command.shell, { ...options, shell: true })
      : spawn(command.program, command.words, options)
  running.add(child)
  return new Promise(resolve => {
    let said = ''
    let because: 'late' | 'stopped' | undefined
    const end = (why: 'late' | 'stopped') => {
      because ??= why
      endGroup(child)
    }
    const onStop = () => end('stopped')
    const timer = setTimeout(() => end('late'), seconds * 1000)
    stop.addEventListener('abort', onStop, { once: true })
    const settle = (ended: CommandEnd) => {
      clearTimeout(timer)
      stop.removeEventListener('abort', onStop)
      running.delete(child)
      resolve(because ? { is: because } : ended)
    }
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said = (said + part).slice(-2000)
    })
    child.on('error', ({ message }) => settle({ is: 'unstarted', why: message }))
    child.on('exit', (code, signal) => {
      const tell = () => settle(endOf(code ?? signal ?? 0, said))
      // What it left running may hold its standard error open for ever.
      const lastWait = setTimeout(tell, lastWordsMs)
      child.once('close', () => {
        clearTimeout(lastWait)
        tell()
      })
    })
    // A command that does not read its input is told by its code.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

function endOf(code: number | NodeJS.Signals, said: string): CommandEnd {
  if (code === 0) return { is: 'done' }
  return { is: 'failed', with: code, said: said.trim().split('\n').at(-1) ?? '' }
}

const lastWordsMs = 300
/** So long a command may clean up after itself. */
const graceMs = 1000

// Without groups (Windows) only the command itself can be ended.
const hasGroups = process.platform !== 'win32'

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM')
  // Asked for the group, not for the command: a child of its may outlive it.
  setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    if (hasGroups) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // Nobody is left in it.
  }
}

/** Whatever ends this process ends them, as far as it can be heard of. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})
