import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { executable, freshFolder, genrun } from './executable.ts'

/** One more than may be bought anew without a word. */
const count = 21

let gateway: Gateway

// Everything is made once, by whichever test comes first; each edits a copy.
const made = mkdtempSync(join(tmpdir(), 'genrun-rebuy-'))
let making: Promise<void> | undefined

async function make(): Promise<void> {
  writeFileSync(join(made, 'm.yaml'), manifest(3))
  expect((await genrun(['m.yaml', '-q'], { cwd: made, env: service() })).code).toBe(0)
}

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
})

afterAll(async () => {
  rmSync(made, { recursive: true })
  await gateway.close()
})

const service = () => ({ GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key })

function manifest(seconds: number): string {
  const jobs = Array.from(
    { length: count },
    (_, nth) => `  j${nth}: { model: famc-t2a, prompt: Rain ${nth} }`,
  )
  return `defaults: { duration: ${seconds} }\njobs:\n${jobs.join('\n')}\n`
}

const paid = () => gateway.ledger().requests.submit

/** A folder in which everything is made, and one edit has made all of it stale. */
async function edited(): Promise<{ readonly cwd: string; readonly env: Record<string, string> }> {
  await (making ??= make())
  const cwd = freshFolder()
  cpSync(made, cwd, { recursive: true })
  writeFileSync(join(cwd, 'm.yaml'), manifest(3.5))
  return { cwd, env: service() }
}

/** The executable on a pseudo-terminal of its own, as a person has it. */
function onTerminal(words: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const command = `'${process.execPath}' '${executable}' ${words}`
  const child: ChildProcess = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  const asks = new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      shown += part
      if (shown.includes('[y/N]')) resolve(shown)
    })
    void ended.then(() => reject(new Error(`ended without a question: ${shown}`)))
  })
  return { asks, type: (text: string) => child.stdin?.write(text), ended, shown: () => shown }
}

test('a person is asked before one edit buys many results anew, and a yes buys them', async () => {
  const before = await edited()
  const bought = paid()
  const terminal = onTerminal('m.yaml', before)
  const question = await terminal.asks
  expect(question).toContain('21 results that are paid for would be bought again:')
  expect(question).toContain('21 jobs: duration 3 → 3.5 (m.yaml:1)')
  expect(paid()).toBe(bought)
  terminal.type('y\n')
  expect(await terminal.ended).toBe(0)
  expect(paid() - bought).toBe(count)
}, 60_000)

test.each([
  ['no', '\n', 2],
  ['Ctrl-C', '\u0003', 130],
  ['the end of the input', '\u0004', 2],
])(
  '%s buys nothing',
  async (_, answer, code) => {
    const before = await edited()
    const bought = paid()
    const terminal = onTerminal('m.yaml', before)
    await terminal.asks
    terminal.type(answer)
    expect(await terminal.ended).toBe(code)
    expect(terminal.shown()).toContain('--yes buys them')
    expect(paid()).toBe(bought)
  },
  60_000,
)

test('nobody is asked where nobody is, or in CI: exit 2 and what to do; --yes buys', async () => {
  const before = await edited()
  const bought = paid()
  const piped = await genrun(['m.yaml'], before)
  expect(piped.code).toBe(2)
  expect(piped.stderr).toContain('21 results that are paid for would be bought again')
  expect(piped.stderr).toContain("--yes buys them, `genrun accept m.yaml '*'` keeps the files as they are")
  expect(piped.stderr).not.toContain('[y/N]')

  const inCi = onTerminal('m.yaml', {
    ...before,
    env: { ...before.env, CI: 'true', GENRUN_UNTRUSTED: 'false' },
  })
  await expect(inCi.asks).rejects.toThrow('--yes buys them')
  expect(await inCi.ended).toBe(2)
  expect(paid()).toBe(bought)

  expect((await genrun(['m.yaml', '--yes', '-q'], before)).code).toBe(0)
  expect(paid() - bought).toBe(count)
}, 60_000)
