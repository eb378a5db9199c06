import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { main } from '../../src/cli/main.ts'
import { executable } from '../e2e/executable.ts'

const root = dirname(dirname(executable))
const modules = join(import.meta.dirname, '..', '..', 'node_modules')

/** The tarball as `npm publish` would send it: its files by path, and its size. */
export interface Packed {
  readonly tarball: string
  readonly files: readonly string[]
  readonly bytes: number
}

/** Packs the build into a folder. */
export function pack(folder: string): Packed {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const text = execFileSync('npm', words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const told: unknown = JSON.parse(text)
  // Versions of npm differ in whether it is a list.
  const [only] = Object.values(told as object) as [
    { filename: string; size: number; files: { path: string }[] },
  ]
  return {
    tarball: join(folder, only.filename),
    files: only.files.map(({ path }) => path),
    bytes: only.size,
  }
}

/**
 * A project of somebody else with the package in it, as `npm install genrun.tgz` leaves it, without the network: the
 * tarball is unpacked, and what it depends on is linked. What it does not name as a dependency is not there.
 */
export function consumer(packed: Packed, files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-consumer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return unpacked(packed, folder, files)
}

interface Files {
  readonly [path: string]: string
}

/** The same in a folder of the caller's, made when it is not there; returns it. */
export function unpacked({ tarball }: Packed, folder: string, files: Files): string {
  const installed = join(folder, 'node_modules', 'genrun')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: { [name: string]: string }
  }
  // A consumer brings the types of Node with it.
  for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) link(folder, name)
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
  return folder
}

/** The tool that is installed in a folder, as a process of its own: in the place of `main`. */
export function installedIn(folder: string): typeof main {
  const program = join(folder, 'node_modules/genrun/dist/bin.cjs')
  return (words, { cwd, env, stdout, stderr, onSignal }) =>
    new Promise(ended => {
      const child = spawn(process.execPath, [program, ...words], {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child.stdout.setEncoding('utf8').on('data', (text: string) => stdout.write(text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.write(text))
      onSignal(signal => child.kill(signal))
      child.on('close', code => ended(code ?? 1))
    })
}

function link(folder: string, name: string): void {
  const to = join(folder, 'node_modules', name)
  const from = join(modules, name)
  if (!existsSync(from)) throw new Error(`${name} is not installed`)
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(from, to)
}

/** The Node of a major version: this one, or one that `GENRUN_NODES` names (paths, divided by colons). */
export function nodeOf(major: number): string | undefined {
  const candidates = [process.execPath, ...(process.env.GENRUN_NODES ?? '').split(':').filter(Boolean)]
  return candidates.find(path => {
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' })
    return version.startsWith(`v${major}.`)
  })
}
