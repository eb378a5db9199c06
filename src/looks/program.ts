import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'

/** A program, started without a shell and with nothing of the environment but where programs and temporary files are. */
interface ProgramRun {
  /** An absolute path. */
  readonly program: string
  readonly words: readonly string[]
  /** The temporary folder when absent. */
  readonly cwd?: string
  /** Written to its standard input. */
  readonly input?: string
  /** What takes its standard output, and what else it writes to: streams 3 and up. */
  readonly outputs: readonly ((piece: Uint8Array) => void)[]
  /** How long it may take, and how much it may write in all. */
  readonly seconds: number
  readonly mostBytes: number
  readonly stop?: AbortSignal | undefined
}

type ProgramEnd =
  | { readonly is: 'done' }
  /** `said` is the last line of its standard error. */
  | { readonly is: 'failed'; readonly why: string; readonly said?: string }
  | { readonly is: 'stopped' }

/** Runs a program to its end, or ends it with all that it started. Never rejects. */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { stop } = run
  if (stop?.aborted) return Promise.resolve({ is: 'stopped' })
  const child = spawn(run.program, run.words, {
    cwd: run.cwd ?? tmpdir(),
    detached: hasGroups,
    env: bareEnvironment(),
    stdio: [
      run.input === undefined ? 'ignore' : 'pipe',
      'pipe',
      'pipe',
      ...run.outputs.slice(1).map(() => 'pipe' as const),
    ],
    windowsHide: true,
  })
  running.add(child)
  return new Promise(resolve => {
    let [said, written] = ['', 0]
    let because: ProgramEnd | undefined
    const end = (why: ProgramEnd) => {
      because ??= why
      endGroup(child)
    }
    const onStop = () => end({ is: 'stopped' })
    stop?.addEventListener('abort', onStop, { once: true })
    const timer = setTimeout(
      () => end({ is: 'failed', why: `it took longer than ${run.seconds} s` }),
      run.seconds * 1000,
    )
    const settle = (ended: ProgramEnd) => {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
      running.delete(child)
      // What it started and left behind ends with it.
      endGroup(child)
      resolve(because ?? ended)
    }
    const streams = [child.stdout, ...child.stdio.slice(3)]
    for (const [nth, take] of run.outputs.entries())
      (streams[nth] as Readable | null)?.on('data', (piece: Buffer) => {
        written += piece.length
        if (because) return
        if (written > run.mostBytes) end({ is: 'failed', why: 'it writes too much' })
        else take(piece)
      })
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      said = (said + part).slice(-2000)
    })
    child.on('error', ({ message }) => settle({ is: 'failed', why: message }))
    child.on('exit', (code, signal) => {
      const lastLine = said.trim().split('\n').at(-1) ?? ''
      const ended: ProgramEnd =
        code === 0
          ? { is: 'done' }
          : { is: 'failed', why: `it ended with ${code ?? signal}`, ...(lastLine && { said: lastLine }) }
      // A child of its own may hold its streams open for ever.
      const lastWait = setTimeout(() => settle(ended), lastWordsMs)
      child.once('close', () => {
        clearTimeout(lastWait)
        settle(ended)
      })
    })
    // One that does not read its input is told by its code.
    child.stdin?.on('error', () => {})
    child.stdin?.end(run.input)
  })
}

const lastWordsMs = 1000

/** No key and no setting of genrun's reaches a program that is given files of strangers. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'Path', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR', 'LANG', 'LC_ALL']
  return Object.fromEntries(
    kept.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

// Without groups (Windows) only the program itself can be ended.
const hasGroups = process.platform !== 'win32'

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (hasGroups) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

/** Whatever ends this process ends them, as far as it can be heard of. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) endGroup(child)
})
