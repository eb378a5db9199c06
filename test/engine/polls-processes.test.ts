import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildSync } from 'esbuild'
import { afterAll, afterEach, describe, expect, test } from 'vitest'

// Real processes and the real clock: what cannot be shown otherwise is that they keep to one rate together.

const root = mkdtempSync(join(tmpdir(), 'genrun-polls-'))
const program = join(root, 'child.mjs')
buildSync({
  entryPoints: [join(import.meta.dirname, 'polls-child.ts')],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
})
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(root, { recursive: true }))

interface Asking {
  readonly process: ChildProcess
  readonly ready: Promise<void>
  /** The dates of its questions, once it has ended. */
  readonly asked: Promise<readonly number[]>
}

function start(folder: string, runs: number, seconds: number): Asking {
  const child = spawn(process.execPath, [program, folder, String(runs), String(seconds)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })
  const dates: number[] = []
  let begin: () => void
  const ready = new Promise<void>(resolve => (begin = resolve))
  lines.on('line', line => (line === 'ready' ? begin() : dates.push(Number(line))))
  const asked = new Promise<readonly number[]>(resolve => lines.once('close', () => resolve(dates)))
  return { process: child, ready, asked }
}

async function askTogether(all: readonly Asking[]): Promise<readonly (readonly number[])[]> {
  await Promise.all(all.map(each => each.ready))
  for (const each of all) each.process.stdin?.write('begin\n')
  return Promise.all(all.map(each => each.asked))
}

// How many there are in all, and no moment: a busy machine lets questions come late, and then close behind each other.
describe('four processes that ask one service', () => {
  test('with twelve runs together ask four times a second, and each has its share', async () => {
    const folder = join(root, 'twelve')
    const asked = await askTogether([1, 2, 3, 4].map(() => start(folder, 3, 6)))
    expect(asked.flat().length).toBeLessThanOrEqual(6 * 4 + 4)
    expect(Math.min(...asked.map(each => each.length))).toBeGreaterThanOrEqual(1)
    // All have left: nobody is counted any more.
    expect(readdirSync(folder, { recursive: true }).filter(name => String(name).includes('runs-'))).toEqual(
      [],
    )
  }, 30_000)

  test('with sixty runs together ask twenty times a second at most', async () => {
    const asked = await askTogether([1, 2, 3, 4].map(() => start(join(root, 'sixty'), 15, 6)))
    const all = asked.flat()
    expect(all.length).toBeLessThanOrEqual(6 * 20 + 4)
    expect(all.length).toBeGreaterThanOrEqual(4)
  }, 30_000)

  test('go on when one of them is killed', async () => {
    const folder = join(root, 'killed')
    const [victim, ...others] = [1, 2, 3, 4].map(() => start(folder, 3, 5)) as [Asking, ...Asking[]]
    setTimeout(() => victim.process.kill('SIGKILL'), 2000)
    const asked = await askTogether([victim, ...others])
    expect(asked.flat().length).toBeLessThanOrEqual(5 * 4 + 4)
    expect(Math.min(...asked.slice(1).map(each => each.length))).toBeGreaterThanOrEqual(1)
  }, 30_000)
})
