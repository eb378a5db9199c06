import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasTerminal, type OnTerminal, openScreen, type Screen } from '../cli/terminal.ts'
import { freshFolder } from './executable.ts'
import { started, steady } from './on-terminal.ts'

// What a person sees who runs genrun in a terminal: a real pseudo-terminal, and an emulator that reads what is written to
// it. `UPDATE=1` writes the screens in test/golden/terminal anew.
const golden = join(import.meta.dirname, '../golden/terminal')
const inputs = join(import.meta.dirname, '../golden/cli/files')
const isUpdate = process.env.UPDATE === '1'

/** The screen after a command has ended, with everything that scrolled away. */
async function screenOf(
  run: OnTerminal,
  columns: number,
  rows = 24,
): Promise<{ screen: Screen; code: number | null }> {
  const { code, written } = await run.ended
  const screen = openScreen(columns, rows)
  for (const { bytes } of written) await screen.write(bytes)
  return { screen, code }
}

function matches(path: string, text: string): void {
  if (isUpdate) {
    mkdirSync(golden, { recursive: true })
    writeFileSync(path, text)
  }
  expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : 'no file')
}

const cases: [name: string, ...lines: string[][]][] = [
  ['help', ['--help']],
  ['help-run', ['run', '--help']],
  ['help-report', ['report', '--help']],
  ['misused', ['valdate', 'campaign.yaml']],
  ['models', ['models', 'tts']],
  ['models-info', ['models', 'info', 'fama-tts']],
  ['pricing', ['pricing', 'famc-v3', '-d', '10']],
  ['validate', ['validate', 'campaign.yaml', 'wrong.yaml']],
  ['explain', ['explain', 'bad-value']],
  ['plan', ['plan', 'campaign.yaml']],
  ['why', ['why', 'campaign.yaml', 'hero']],
  ['graph', ['graph', 'campaign.yaml']],
  [
    'run',
    ['campaign.yaml'],
    ['campaign.yaml'],
    ['status', 'campaign.yaml'],
    ['verify', 'campaign.yaml', '--local'],
  ],
  ['run-quiet', ['campaign.yaml', '--quiet']],
  ['apply', ['plan', 'campaign.yaml', '--local', '-o', 'saved.plan'], ['apply', 'saved.plan', '--local']],
  [
    'second-thoughts',
    ['campaign.yaml', '--local', '--quiet'],
    ['redo', 'campaign.yaml', 'hero', '--local', '--quiet'],
    ['accept', 'campaign.yaml', 'hero', '--local'],
    ['pick', 'campaign.yaml', 'hero', '--local'],
    ['prune', 'campaign.yaml', '--local'],
    ['report', 'campaign.yaml', '--local'],
  ],
  ['orders', ['resolve', 'campaign.yaml', 'hero', '--abandon'], ['adopt', 'campaign.yaml', 'hero', 'r-1']],
  [
    'faces',
    ['init', 'new.yaml'],
    ['convert', 'campaign.yaml', 'hero', '--to', 'cli'],
    ['import', 'none.csv'],
  ],
  ['generate', ['generate', '-m', 'fama-tts', '-p', 'Morning begins', '-o', 'voice']],
]

describe.each([80, 40])('on a terminal of %d columns', columns => {
  test.each(cases)('the screen after %s is as written', { timeout: 120_000 }, async (name, ...rest) => {
    const lines = rest as string[][] // what follows the name
    if (!hasTerminal) return console.warn('skipped: no pseudo-terminal')
    const cwd = freshFolder()
    cpSync(inputs, cwd, { recursive: true })
    const said: string[] = []
    for (const words of lines) {
      const { screen, code } = await screenOf(started(words, columns, { cwd }), columns)
      const text = steady(screen.lines()).join('\n')
      said.push(`$ genrun ${words.join(' ')}\n${text}\n--- exit ${code}\n`)
      expect(screen.isCursorHidden).toBe(false)
    }
    const text = said
      .join('\n')
      .replaceAll(cwd, '<cwd>')
      .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
      .replaceAll(/sha256:[0-9a-f]{64}/g, '<digest>')
    matches(join(golden, `${name}.${columns}.out`), text)
  })
})

test('every screen that is written down belongs to a case', () => {
  const names = cases.flatMap(([name]) => [`${name}.80.out`, `${name}.40.out`])
  expect(readdirSync(golden).toSorted()).toEqual(names.toSorted())
})

describe('colours and pictures', () => {
  const escapes = (run: OnTerminal) => {
    const text = run.bytes().toString()
    const kinds = text
      .split('\u001B[')
      .slice(1)
      .map(rest => /^\d{1,2}m/.test(rest))
    return { colours: kinds.includes(true), moves: kinds.includes(false) }
  }

  test.each([
    ['as a rule', {}, [], { colours: true, moves: true }],
    ['with NO_COLOR', { NO_COLOR: '1' }, [], { colours: false, moves: true }],
    ['with TERM=dumb', { TERM: 'dumb' }, [], { colours: false, moves: false }],
    [
      'with FORCE_COLOR on a dumb terminal',
      { TERM: 'dumb', FORCE_COLOR: '1' },
      [],
      { colours: true, moves: false },
    ],
    ['in CI', { CI: '1' }, ['--local'], { colours: true, moves: false }],
  ] as const)('%s', async (_, env, words, expected) => {
    if (!hasTerminal) return console.warn('skipped: no pseudo-terminal')
    const cwd = freshFolder()
    cpSync(inputs, cwd, { recursive: true })
    const run = started(['campaign.yaml', ...words], 80, { cwd, env: { ...env } })
    expect((await run.ended).code).toBe(0)
    expect(escapes(run)).toEqual(expected)
  })
})
