import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { buildOnce } from './build-once.ts'

const root = join(import.meta.dirname, '..', '..')
const built = join(root, 'dist', 'bin.cjs')

/** The executable under test: the build of this checkout, or the one that GENRUN_E2E_BIN names. */
export const executable = process.env.GENRUN_E2E_BIN ?? ensureBuilt()

/** A fresh folder with the given files, removed after the test. */
export function freshFolder(
  files: { readonly [path: string]: string | Uint8Array } = {},
  within = tmpdir(),
): string {
  const folder = mkdtempSync(join(within, 'genrun-e2e-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

/** Every file below a folder, sorted, forward slashes. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(folder, name)).isFile())
    .toSorted()
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with all that was written to the stream when the text is part of it; rejects when it never will be. */
  shows(stream: 'stdout' | 'stderr', text: string): Promise<string>
}

export interface Start {
  readonly cwd: string
  /** Nothing of the caller's environment is passed on. */
  readonly env?: { readonly [name: string]: string }
  /** What is piped in; without it stdin is closed. */
  readonly input?: string
  /** Whoever started it writes to its stdin, and closes that. */
  readonly piped?: true
  /** As somebody who may not read what is closed to all: rights mean nothing to root. */
  readonly asNobody?: true
}

/** Runs the executable to its end. */
export function genrun(words: readonly string[], given: Start): Promise<Ended> {
  return startGenrun(words, given).ended
}

export function startGenrun(words: readonly string[], given: Start): Running {
  return startProgram(executable, given, words)
}

/** Runs any program of Node, by its path. */
export function startProgram(
  path: string,
  { cwd, env = {}, input, piped, asNobody }: Start,
  words: readonly string[] = [],
): Running {
  const child = spawn(process.execPath, [path, ...words], {
    cwd,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, HOME: cwd, ...env },
    ...(asNobody && process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 }),
    stdio: [input === undefined && !piped ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  if (!piped) child.stdin?.end(input)
  onTestFinished(() => void child.kill('SIGKILL'))
  const text = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (part: string) => {
      text[stream] += part
      for (const watch of watchers) watch()
    })
  }
  const ended = new Promise<Ended>(resolve => child.on('close', code => resolve({ code, ...text })))
  return {
    child,
    ended,
    shows: (stream, wanted) =>
      new Promise((resolve, reject) => {
        const watch = () => text[stream].includes(wanted) && resolve(text[stream])
        watchers.add(watch)
        watch()
        void ended.then(() => reject(new Error(`ended without ${wanted}: ${text.stdout}${text.stderr}`)))
      }),
  }
}

/** Builds `dist` when it is missing or older than the sources. */
function ensureBuilt(): string {
  buildOnce({
    lock: join(root, 'node_modules', '.genrun-e2e-build'),
    isFresh,
    build: () => void execFileSync(process.execPath, [join(root, 'build.mjs')], { cwd: root, stdio: 'pipe' }),
  })
  return built
}

function isFresh(): boolean {
  // Written last: without it the build broke off half-way.
  const notices = join(root, 'dist', 'THIRD-PARTY.txt')
  if (!existsSync(notices)) return false
  const src = join(root, 'src')
  const times = filesIn(src).map(name => statSync(join(src, name)).mtimeMs)
  return statSync(notices).mtimeMs >= Math.max(...times)
}
