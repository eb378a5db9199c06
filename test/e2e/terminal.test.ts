import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/line/usage.ts'
import { hasTerminal, type OnTerminal, openScreen, type Screen } from '../cli/terminal.ts'
import { freshFolder } from './executable.ts'
import { started, steady } from './on-terminal.ts'

// What a person sees who runs genrun in a terminal: a real pseudo-terminal, and an emulator that reads what is written to
// it. `UPDATE=1` writes the screens in test/golden/terminal anew.
const golden = join(import.meta.dirname, '../golden/terminal')
const inputs = join(import.meta.dirname, '../golden/cli/files')
const isUpdate = process.env.UPDATE === '1'

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

function matches(path: string, text: string): void {
  if (isUpdate) {
    mkdirSync(golden, { recursive: true })
    writeFileSync(path, text)
  }
  expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : 'no file')
}

const cases: [name: string, ...lines: string[][]][] = [
  ['help', ['--help']],
  ...commands.map(({ name }): [string, string[]] => [
    `help-${name.replace(' ', '-')}`,
    [...name.split(' '), '--help'],
  ]),
  ['misused', ['valdate', 'campaign.yaml'], ['models', '--quiet']],
  ['models', ['models', 'tts']],
  ['models-info', ['models', 'info', 'fama-tts']],
  ['pricing', ['pricing', 'famc-v3', '-d', '10']],
  ['validate', ['validate', 'campaign.yaml', 'wrong.yaml'], ['validate', 'campaign.yaml', '--quiet']],
  ['explain', ['explain', 'bad-value']],
  ['plan', ['plan', 'campaign.yaml'], ['plan', 'campaign.yaml', '-q'], ['plan', 'campaign.yaml', '-v']],
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
  [
    'orders',
    ['resolve', 'campaign.yaml', 'hero', '--abandon'],
    ['adopt', 'campaign.yaml', 'hero', 'r-1'],
    ['result'],
  ],
  [
    'faces',
    ['init', 'new.yaml', '--yes'],
    ['convert', 'campaign.yaml', 'hero', '--to', 'cli'],
    ['import', 'none.csv'],
    ['import', 'shots.csv', '-o', 'shots.yaml'],
    ['gen-ai', 'pricing', 'fama-tts'],
  ],
  ['generate', ['generate', '-m', 'fama-tts', '-p', 'Morning begins', '-o', 'voice']],
  ['settings', ['settings']],
  ['doctor', ['doctor', '--offline']],
  ['learn', ['learn']],
  ['completion', ['completion', 'bash'], ['completion', 'bsh']],
  ['schema', ['schema', 'fama-tts'], ['schema', 'fama-tst']],
  ['lock-merge', ['lock'], ['lock', 'merge', '--install'], ['lock', 'merge', 'a', 'b', 'c']],
  ['profile', ['profile'], ['profile', 'check', 'acme.yaml'], ['profile', 'check', 'none.yaml']],
  ['mcp', ['mcp', '--local']],
  ['init', ['init'], ['init', 'more']],
  ['watch', ['watch', 'campaign.yaml']],
  ['serve', ['serve', '--port', '0']],
]

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
}

const more = {
  'shots.csv': 'id,model,prompt\nfox,fama-imagine-image,A fox\n',
  'acme.yaml': 'name: acme\n',
}

// Both widths at a time: most of a second on a terminal is waiting.
test.each(cases)(
  'the screens after %s are as written, at 80 columns and at 40',
  { timeout: 120_000 },
  async (name, ...rest) => {
    const lines = rest as string[][] // what follows the name
    if (!hasTerminal) return console.warn('skipped: no pseudo-terminal')
    const texts = await Promise.all([80, 40].map(columns => screensAfter(lines, columns)))
    matches(join(golden, `${name}.80.out`), texts[0] ?? '')
    matches(join(golden, `${name}.40.out`), texts[1] ?? '')
  },
)

/** A text that a narrow terminal may have broken anywhere. */
function loose(text: string): RegExp {
  return new RegExp([...text].map(each => each.replace(/[.\\+]/, '\\$&')).join('\\n? *'), 'g')
}

/** What stands on the terminal after each of the lines, in a folder of their own. */
async function screensAfter(lines: readonly string[][], columns: number): Promise<string> {
  const cwd = freshFolder(more)
  cpSync(inputs, cwd, { recursive: true })
  const said: string[] = []
  for (const words of lines) {
    const run = started(words, columns, { cwd })
    const { screen, code } = await screenOf(run, columns, typed[words.join(' ')])
    const text = steady(screen.lines()).join('\n')
    said.push(`$ genrun ${words.join(' ')}\n${text}\n--- exit ${code}\n`)
    expect(screen.isCursorHidden).toBe(false)
  }
  return said
    .join('\n')
    .replaceAll(loose(cwd), '<cwd>')
    .replaceAll(/GENRUN_API_KEY=[0-9a-f\n]{20,40}$/gm, 'GENRUN_API_KEY=<key>')
    .replaceAll(/Node \d+\.\d+\.\d+/g, 'Node <version>')
    .replaceAll(/<cwd>:[\s\w,]+ GB\s+free$/gm, '<cwd>: <disk>')
    .replaceAll(/(ffprobe) {3}.*$/gm, '$1   <ffprobe>')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/sha256:[0-9a-f]{64}/g, '<digest>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
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
    const cwd = freshFolder()
    cpSync(inputs, cwd, { recursive: true })
    const run = started(['campaign.yaml', ...words], 80, { cwd, env: { ...env } })
    expect((await run.ended).code).toBe(0)
    expect(escapes(run)).toEqual(expected)
  })
})
