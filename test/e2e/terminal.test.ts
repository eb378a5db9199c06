import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasTerminal, type OnTerminal, openScreen, type Screen } from '../cli/terminal.ts'
import { askedHere, cases, expectGolden, folderOfCase, isAskedHere, masked } from './command-cases.ts'
import { started, steady } from './on-terminal.ts'

// What a person sees who runs genrun in a terminal: a real pseudo-terminal, and an emulator that reads what is written to
// it. `UPDATE=1` writes the screens in test/golden/terminal anew.
const golden = join(import.meta.dirname, '../golden/terminal')

/** What is done at the keyboard once a text is there; `\u0003` is Ctrl-C. */
type Keys = readonly (readonly [shown: string, typed: string])[]

/** The screen after a command has ended, with everything that scrolled away. */
async function screenOf(
  run: OnTerminal,
  columns: number,
  keys: Keys = [],
): Promise<{ screen: Screen; code: number | null }> {
  for (const [shown, typed] of keys) {
    await run.shows(shown)
    run.type(typed)
  }
  const { code, written } = await run.ended
  const screen = openScreen(columns, 24)
  for (const { bytes } of written) await screen.write(bytes)
  return { screen, code }
}

/** Of commands that wait for somebody: what is typed, and when. */
const typed: { readonly [line: string]: Keys } = {
  init: [
    ['[campaign]: ', 'teapots\r'],
    ['make? [campaign]: ', 'vidoe\r'],
    ['did you mean video?\r\nWhat does it make? [campaign]: ', 'video\r'],
  ],
  'init more': [['make? [campaign]: ', '\u0003']],
  'mcp --local': [['serving on stdin', '\u0003']],
  'watch campaign.yaml': [['watching ', '\u0003']],
  'serve --port 0': [['can be seen at', '\u0003']],
  'recover lost.yaml': [['take them up? [y/N] ', 'n\r']],
}

async function helpOn(columns: number, words: readonly string[]): Promise<{ screen: Screen; code: number }> {
  const { stdout, code } = await askedHere(words, columns)
  const screen = openScreen(columns, 24)
  await screen.write(stdout.replaceAll('\n', '\r\n'))
  return { screen, code }
}

// Both widths at a time: most of a second on a terminal is waiting.
test.each(cases)(
  'the screens after %s are as written, at 80 columns and at 40',
  { timeout: 120_000 },
  async (name, ...rest) => {
    const lines = rest as string[][] // what follows the name
    if (!hasTerminal) return console.warn('skipped: no pseudo-terminal')
    const texts = await Promise.all([80, 40].map(columns => screensAfter(lines, columns)))
    expectGolden(join(golden, `${name}.80.out`), texts[0] ?? '')
    expectGolden(join(golden, `${name}.40.out`), texts[1] ?? '')
  },
)

/** What stands on the terminal after each of the lines, in a folder of their own. */
async function screensAfter(lines: readonly string[][], columns: number): Promise<string> {
  const cwd = folderOfCase()
  const said: string[] = []
  for (const words of lines) {
    const { screen, code } = isAskedHere(words)
      ? await helpOn(columns, words)
      : await screenOf(started(words, columns, { cwd }), columns, typed[words.join(' ')])
    const text = steady(screen.lines()).join('\n')
    said.push(`$ genrun ${words.join(' ')}\n${text}\n--- exit ${code}\n`)
    expect(screen.isCursorHidden).toBe(false)
  }
  return masked(said.join('\n'), cwd)
}

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
    const cwd = folderOfCase()
    const run = started(['campaign.yaml', ...words], 80, { cwd, env: { ...env } })
    expect((await run.ended).code).toBe(0)
    expect(escapes(run)).toEqual(expected)
  })
})
