import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { commands } from '../../src/cli/declared/commands.ts'
import { main } from '../../src/cli/main.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from './executable.ts'

/** Every command as somebody uses it: lines that follow each other in a folder of their own. */
export const cases: readonly (readonly [name: string, ...lines: string[][]])[] = [
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
    ['report', 'campaign.yaml', '--local', '--sheet', 'sheet.png'],
  ],
  [
    'orders',
    ['resolve', 'campaign.yaml', 'hero', '--abandon'],
    ['adopt', 'campaign.yaml', 'hero', 'r-1'],
    ['result'],
  ],
  [
    'shards',
    ['plan', 'campaign.yaml', '--shards', '2', '-o', 'plan'],
    ['ci-matrix', 'campaign.yaml', '--shards', '2'],
    ['apply', 'plan/1-of-2.json', '--local'],
    ['run', 'campaign.yaml', '--shard', '3/2', '--local'],
    ['shards', 'campaign.yaml', '--shards', '2', '--to', 'kubernets'],
    ['shards', 'campaign.yaml', '--shards', '2', '--to', 'kubernetes'],
    ['shards', 'campaign.yaml', '--shards', '2', '--to', 'argo'],
    ['shards', "it's mine.yaml", '--shards', '2', '--to', 'slurm'],
    ['merge', 'campaign.yaml'],
  ],
  ['recover', ['recover', 'lost.yaml'], ['recover', 'lost.yaml', '--yes'], ['plan', 'renamed.yaml']],
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

/**
 * The help of a command depends on its words and on the width alone, and how it comes to a terminal and through a pipe is seen at `--help`
 * and at that of `run`: the others need no process.
 */
export function isAskedHere(words: readonly string[]): boolean {
  return words.length > 1 && words.at(-1) === '--help' && words[0] !== 'run'
}

/** On a terminal of so many columns, or through a pipe. */
export async function askedHere(
  words: readonly string[],
  columns?: number,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const env = columns === undefined ? {} : { TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const around = fakeSurroundings({ env, stdout: fakeSink(columns), stderr: fakeSink(columns) })
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

const inputs = join(import.meta.dirname, '../golden/cli/files')

const more = {
  'shots.csv': 'id,model,prompt\nfox,fama-imagine-image,A fox\n',
  'acme.yaml': 'name: acme\n',
}

// Lines are broken by the length of a path, and git says where another file system begins: not in memory (see vitest.config.ts).
const usual = process.platform === 'win32' ? tmpdir() : '/tmp'

/** A folder with the files that the lines speak of. */
export function folderOfCase(): string {
  const cwd = freshFolder(more, usual)
  cpSync(inputs, cwd, { recursive: true })
  return cwd
}

/** What differs from machine to machine is written as what it is. */
export function masked(text: string, cwd: string): string {
  return text
    .replaceAll(loose(cwd), '<cwd>')
    .replaceAll(/GENRUN_API_KEY=[0-9a-f\n]{20,40}$/gm, 'GENRUN_API_KEY=<key>')
    .replaceAll(/Node \d+\.\d+\.\d+/g, 'Node <version>')
    .replaceAll(/<cwd>:[\s\w,]+ GB\s+free$/gm, '<cwd>: <disk>')
    .replaceAll(/(ffmpeg|ffprobe)( +)\S.*(?:\n {2,}\S.*)*/g, '$1$2<$1>')
    .replaceAll(/\/page\/(?:[0-9a-f]\n?){31}[0-9a-f]/g, '/page/<id>')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/sha256:[0-9a-f]{64}/g, '<digest>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
}

/** A text that a narrow terminal may have broken anywhere. */
function loose(text: string): RegExp {
  return new RegExp([...text].map(each => each.replace(/[.\\+]/, '\\$&')).join('\\n? *'), 'g')
}

/** `UPDATE=1` writes it anew. */
export function expectGolden(path: string, text: string): void {
  if (process.env.UPDATE === '1') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : 'no file')
}
