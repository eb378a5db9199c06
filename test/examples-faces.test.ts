import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { executable, filesIn, freshFolder } from './e2e/executable.ts'

const root = join(import.meta.dirname, '..')

interface Example {
  readonly command: readonly string[]
  /** What stands on stdout, somewhere. */
  readonly says: readonly (string | RegExp)[]
  /** The files below `out`, whatever their tokens are. */
  readonly makes: readonly (string | RegExp)[]
}

/** What each example does in a rehearsal. */
const examples: { readonly [name: string]: Example } = {
  'make.mjs': {
    command: [process.execPath],
    says: [/preview-1\.png 1024x576/, /preview\.wav \d+(\.\d+)? s audio\/wav/],
    makes: [
      /^faces\/a-celadon-\S+-1\.png$/,
      /^faces\/a-celadon-\S+-2\.png$/,
      /^faces\/steam-rises-\S+\.wav$/,
    ],
  },
  'batch.mjs': {
    command: [process.execPath],
    says: ['3 paid requests', '3 made, 0 kept'],
    makes: ['catalogue.preview/bowl.png', 'catalogue.preview/cup.png', 'catalogue.preview/kettle.png'],
  },
  'one-shot.sh': {
    command: ['sh'],
    says: [
      'famc-v3 costs by',
      'out/faces/steam.preview.mp4',
      "genrun generate -m famb-v3 -p 'A fox in snow' -n 2",
      '"name": "service_generate"',
      'curl -X POST "$GENRUN_BASE_URL"',
      'await genrun.generate("famb-v3"',
    ],
    makes: [
      'faces/fox.preview-1.png',
      'faces/fox.preview-2.png',
      'faces/fox.yaml',
      'faces/steam.preview.mp4',
      'faces/teapot.preview.png',
    ],
  },
  'agent.mjs': {
    command: [process.execPath],
    says: ['service_generate service_result service_models', '[bad-value]', '[missing-param]', 'file:///'],
    makes: [/^faces\/a-teapot-\S+\.png$/],
  },
}

test.each(Object.keys(examples))(
  'examples/faces/%s does what it says, without a service and without a network',
  async name => {
    const { command, says, makes } = examples[name] as Example // it is one of the keys
    const cwd = freshFolder()
    cpSync(join(root, 'examples'), join(cwd, 'examples'), {
      recursive: true,
      filter: path => !/[/\\](out|\.genrun)$/.test(path),
    })
    mkdirSync(join(cwd, 'node_modules', '@modelcontextprotocol'), { recursive: true })
    symlinkSync(dirname(dirname(executable)), join(cwd, 'node_modules', 'genrun'))
    const client = '@modelcontextprotocol/client'
    symlinkSync(join(root, 'node_modules', client), join(cwd, 'node_modules', client))
    const [program = '', ...words] = [...command, `examples/faces/${name}`]
    const env = {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      HOME: cwd,
      GENRUN: `${process.execPath} ${executable}`,
    }
    const { stdout } = await promisify(execFile)(program, words, { cwd, env })
    for (const said of says) expect(stdout).toMatch(said)
    const files = ['out', 'examples/out'].flatMap(folder => filesBelow(join(cwd, folder)))
    expect(files).toHaveLength(makes.length)
    for (const [nth, file] of files.entries()) expect(file).toMatch(makes[nth] ?? /^$/)
  },
  60_000,
)

test('every example of a face is run', () => {
  expect(readdirSync(join(root, 'examples', 'faces')).toSorted()).toEqual(Object.keys(examples).toSorted())
})

function filesBelow(folder: string): string[] {
  try {
    return filesIn(folder).filter(name => !name.includes('.genrun/'))
  } catch {
    return []
  }
}
