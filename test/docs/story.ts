import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Block, blocksOf, root } from './pages.ts'
import { Shell } from './shell.ts'

/** What a block showed and what came, both as `steady` has them; equal where the page tells the truth. */
export interface Told {
  readonly block: Block
  readonly shown: string
  readonly came: string
}

interface Story {
  readonly folder: string
  readonly told: readonly Told[]
  /** Manifests that the page wrote, without those that it calls wrong. */
  readonly manifests: readonly string[]
}

/**
 * Lives a page from top to bottom in a fresh folder, in which are the photographs of the examples: blocks with a file's name are written, `console` blocks are typed and
 * compared, `sh` blocks are typed and have to end well. Whoever calls it removes the folder with `end`.
 */
export async function live(text: string): Promise<Story & { end(): void }> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'genrun-docs-')))
  const folder = join(home, 'project')
  mkdirSync(folder)
  cpSync(join(root, 'examples/photos'), join(folder, 'photos'), { recursive: true })
  const shell = new Shell(folder, home)
  const told: Told[] = []
  const blocks = blocksOf(text)
  try {
    for (const block of blocks) {
      const { language, file, body } = block
      if (file !== undefined) write(join(folder, file), body)
      else if (language === 'console') told.push(await typed(block, shell, home))
      else if (language === 'sh') told.push(await ended(block, shell))
    }
  } finally {
    await shell.close()
  }
  const manifests = blocks.flatMap(({ file, body }) =>
    file?.endsWith('.yaml') && !file.startsWith('wrong') && /^jobs:/m.test(body) ? [file] : [],
  )
  return { folder, told, manifests, end: () => rmSync(home, { recursive: true, force: true }) }
}

function write(path: string, body: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, body)
}

/** A line of `…` alone stands for any lines. */
async function typed(block: Block, shell: Shell, home: string): Promise<Told> {
  let came = ''
  for (const { line, output } of exchanges(block.body)) {
    const { text } = await shell.run(line)
    came += `$ ${line}\n${elided(text.replaceAll(home, '~'), output)}`
  }
  return { block, shown: block.body, came }
}

interface Exchange {
  readonly line: string
  readonly output: string
}

function exchanges(body: string): Exchange[] {
  return [...body.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, line = '', output = '']) => ({
    line,
    output,
  }))
}

/** What came, in the words of the page where these say the same: with its times, sizes and `…`. */
function elided(came: string, shown: string): string {
  const pattern = steady(shown)
    .split('\n')
    .map(line => (line === '…' ? '(?:.*\\n)*?.*' : line.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')))
    .join('\n')
  return new RegExp(`^${pattern}$`).test(steady(came)) ? shown : came
}

async function ended(block: Block, shell: Shell): Promise<Told> {
  const wrong: string[] = []
  for (const line of block.body.replaceAll('\\\n', '').split('\n')) {
    const [command = ''] = line.split(/\s+# /)
    if (command.trim() === '' || command.startsWith('#') || isForeign(command)) continue
    const { text, code } = await shell.run(command.trim())
    if (code !== 0) wrong.push(`${line}\nends with ${code}: ${text}`)
  }
  return { block, shown: '', came: wrong.join('\n') }
}

/** What only a network or another machine can do. */
function isForeign(command: string): boolean {
  return /^(npm (install|ci)|npm create|docker|podman|code) /.test(command)
}

/** What differs from run to run is written as what it is. */
function steady(text: string): string {
  return (
    text
      .replaceAll(/\+\d+\.\ds/g, '+0.0s')
      .replaceAll(/\b\d+\.\d s\b/g, '0.0 s')
      .replaceAll(/\b\d+(\.\d)? [kM]B\b/g, '0 kB')
      .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
      .replaceAll(/sha256:[0-9a-f]{64}/g, '<digest>')
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:]+(\.\d{3})?Z?/g, '<date>')
      .replaceAll(/:\d{4,5}\/gw-v2/g, ':4040/gw-v2')
      // Columns are as wide as the folder's name, which is another each time.
      .replaceAll(/(\S) {2,}/g, '$1  ')
  )
}
