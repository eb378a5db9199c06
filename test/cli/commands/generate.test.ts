import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { models } from '../../../src/catalog/index.ts'
import { generateFlags } from '../../../src/cli/flags/generate-line.ts'
import { formsOf } from '../../../src/cli/flags/option.ts'
import { options } from '../../../src/cli/flags/options.ts'
import { main } from '../../../src/cli/main.ts'
import { flagsOf } from '../../../src/forms/flags.ts'
import { pixel } from '../../verbs/bench.ts'
import { fakeSurroundings } from '../fake.ts'

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly cwd: string
}

async function genrun(
  words: readonly string[],
  files: { readonly [name: string]: string | Uint8Array } = {},
  piped = '',
): Promise<Ran> {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-generate-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  const around = { ...fakeSurroundings({ cwd, clock: systemClock }), stdin: () => Buffer.from(piped) }
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text(), cwd }
}

const check = (...words: string[]) => genrun(['generate', '--check', ...words])

test('a job is made, and its file is named on stdout', async () => {
  const ran = await genrun([
    'generate',
    '-m',
    'fama-imagine-image',
    '-p',
    'A teapot',
    '-n',
    '2',
    '--ar',
    '16:9',
    '-o',
    'hero.png',
  ])
  expect(ran).toMatchObject({ code: 0, stdout: 'hero.preview-1.png\nhero.preview-2.png\n' })
  expect(ran.stderr).toContain(
    'rehearsal: no service is configured, so the embedded gateway makes placeholders',
  )
  expect(existsSync(join(ran.cwd, 'hero.preview-1.png'))).toBe(true)
})

test('a file that is of another kind than its name is told under the name that it has', async () => {
  const words = ['generate', '-m', 'fama-imagine-image', '-p', 'Tea', '-o', 'cup.jpg']
  const ran = await genrun(words)
  expect(ran).toMatchObject({ code: 0, stdout: 'cup.preview.png\n' })
  expect(ran.stderr).toContain('warning: what came is image/png: cup.jpg is cup.preview.png\n')
  expect(JSON.parse((await genrun([...words, '--json'])).stdout)).toMatchObject({ asked: 'cup.jpg' })
  const fits = await genrun([...words.slice(0, -1), 'cup.PNG', '--json'])
  expect(fits.stderr).not.toContain('warning')
  expect(JSON.parse(fits.stdout)).not.toHaveProperty('asked')
})

test("the specification's own line works, its folder is made, and JSON tells all", async () => {
  const ran = await genrun([
    'gen-ai',
    'generate',
    '-m',
    'famb-v3',
    '-p',
    'A fox',
    '--ar',
    '1:1',
    '-n',
    '2',
    '-o',
    'out/',
    '--json',
  ])
  expect(ran.code).toBe(0)
  expect(JSON.parse(ran.stdout)).toMatchObject({
    ok: true,
    model: 'famb-v3',
    ending: 'made',
    rehearsal: true,
    files: [{ type: 'image/png' }, {}],
  })
  expect(
    readdirSync(join(ran.cwd, 'out')).filter(name => /^a-fox-[0-9a-f]{6}\.preview-\d\.png$/.test(name)),
  ).toHaveLength(2)
})

test('the prompt comes from a pipe or a file, files from the disk', async () => {
  const files = { 'tea.txt': 'A teapot\n', 'in.png': pixel }
  const piped = await genrun(
    ['generate', '-m', 'fama-imagine-image', '-p', '-', '-i', 'in.png', '-o', 'a'],
    files,
    'A teapot\n',
  )
  expect(piped).toMatchObject({ code: 0, stdout: 'a.preview.png\n' })
  const read = await genrun(
    ['generate', '-m', 'fama-tts', '--prompt', '@tea.txt', '--voice=rex', '-o', 'b.wav'],
    files,
  )
  expect(read).toMatchObject({ code: 0, stdout: 'b.preview.wav\n' })
})

test('a prompt from a file asks for the same with CRLF', async () => {
  const job = async (text: string) => {
    const line = 'genrun generate -m fama-imagine-image -p @tea.txt\n'
    const { stdout } = await genrun(['import', 'tea.sh'], { 'tea.sh': line, 'tea.txt': text })
    return stdout
  }
  const asked = await job('A teapot\non linen\n')
  expect(asked).toContain('on linen')
  expect(await job('A teapot\r\non linen\r\n')).toBe(asked)
})

describe('a check', () => {
  const valid = 'this job is valid\n'
  test.each<[string, string[]]>([
    ['numbers', ['-m', 'famc-v3', '-p', 'Tea', '-d', '10']],
    ['short forms together with their value', ['-m', 'famc-v3', '-p', 'Tea', '-d10']],
    ['long forms with =', ['--model=famc-v2-6', '--prompt=Tea', '--cfg-scale=0.3']],
    ["other models' flags for the same parameter", ['-m', 'famc-v3-turbo', '-p', 'Tea', '--neg', 'blur']],
    ['switches', ['-m', 'famc-v3', '-p', 'Tea', '--multi-shot', '--audio-gen', 'false']],
    ['switches turned off', ['-m', 'famc-v3', '-p', 'Tea', '--no-generate-audio']],
    ['prompts that begin with a dash', ['-m', 'famc-v3', '-p', '--check this']],
    ['prompts that look like templates', ['-m', 'famc-v3', '-p', 'a ${{ b }}: c']],
    ['a prompt with @ at its head', ['-m', 'famc-v3', '-p', '@@home']],
    [
      'objects, repeated',
      [
        '-m',
        'famc-v3',
        '-p',
        'Tea',
        '--multi-shot',
        '--multi-prompt',
        '{"index":1,"prompt":"a"}',
        '--multi-prompt',
        '{"index":2}',
      ],
    ],
    [
      'objects as a list',
      ['-m', 'famc-v3', '-p', 'Tea', '--multi-shot', '--multi-prompt', '[{"index":1},{"index":2}]'],
    ],
    [
      'files, repeated',
      ['-m', 'famc-3.0-image', '-p', 'Tea', '-i', 'https://a.example/1.png', '-i', 'https://a.example/2.png'],
    ],
  ])('takes %s', async (_, words) => {
    expect(await check(...words)).toMatchObject({ code: 0, stdout: valid, stderr: '' })
  })

  test.each<[string, string[], string]>([
    [
      'a value that is not among those listed',
      ['-m', 'famc-v3', '-p', 'A teapot', '-d', '7'],
      `command line:1:53: error: duration must be one of 3, 5, 8, 10, 12, 15 [bad-value]
1 | genrun generate --check -m famc-v3 -p 'A teapot' -d 7
  |                                                     ^
  = hint: the nearest are 5 and 8; famc-v3 takes these seconds only`,
    ],
    [
      'a flag that the model does not have',
      ['-m', 'famc-v3', '-p', 'Tea', '--aspect-ration', '1:1'],
      `command line:1:43: error: famc-v3 has no flag --aspect-ration [unknown-flag]
1 | genrun generate --check -m famc-v3 -p Tea --aspect-ration 1:1
  |                                           ^^^^^^^^^^^^^^^
  = hint: did you mean --aspect-ratio`,
    ],
    [
      'words without quotes',
      ['-m', 'famc-v3', '-p', 'A', 'teapot'],
      `command line:1:41: error: teapot stands behind no flag [stray-word]
1 | genrun generate --check -m famc-v3 -p A teapot
  |                                         ^^^^^^
  = hint: a text of several words stands in quotes behind its flag`,
    ],
    [
      'a missing prompt',
      ['-m', 'famc-v3'],
      `command line:1:28: error: famc-v3 needs a prompt [missing-param]
1 | genrun generate --check -m famc-v3
  |                            ^^^^^^^`,
    ],
    [
      'an unknown model',
      ['-m', 'famc-v33', '-p', 'Tea'],
      `command line:1:28: error: there is no model famc-v33 [unknown-model]
1 | genrun generate --check -m famc-v33 -p Tea
  |                            ^^^^^^^^`,
    ],
    [
      'a flag that is given twice',
      ['-m', 'famc-v3', '-p', 'Tea', '-d', '5', '--duration', '8'],
      `command line:1:48: error: duration is given twice [duplicate-flag]`,
    ],
    [
      'a wrong member inside an object',
      ['-m', 'famc-v3', '-p', 'Tea', '--multi-shot', '--multi-prompt', '{"indx":1}'],
      `--multi-prompt:1:2: error: `,
    ],
    [
      'a flag without its value',
      ['-m', 'famc-v3', '-p'],
      `command line:1:36: error: -p is given without its value [missing-value]`,
    ],
    ['no model at all', ['-p', 'Tea'], `error: no model is given [missing-model]`],
    [
      'a file that is not there',
      ['-m', 'famc-v3', '-p', 'Tea', '--start-frame', 'no.png'],
      `command line:1:57: error: there is no file no.png [missing-file]`,
    ],
  ])('points at %s', async (_, words, expected) => {
    const ran = await check(...words)
    expect(ran.code).toBe(2)
    expect(ran.stdout + ran.stderr).toContain(expected)
  })
})

test('no option of generate is a flag of a model', () => {
  const own = [...generateFlags, 'noColor' as const].flatMap(name => formsOf(options[name]))
  const theirs = Object.values(models).flatMap(model => flagsOf(model).flatMap(flag => flag.forms))
  expect(own.filter(form => theirs.includes(form))).toEqual([])
})

test.each(['generate', 'gen-ai'])('%s has help', async name => {
  const ran = await genrun([name, '--help'])
  expect(ran.code).toBe(0)
  expect(ran.stdout).toContain(`genrun ${name}: `)
})

test('help with a model is about that model', async () => {
  const ran = await genrun(['generate', '-m', 'famc-v3', '--help'])
  expect(ran.stdout).toContain('--start-frame')
})

test("the client's other lines work unchanged", async () => {
  expect(JSON.parse((await genrun(['gen-ai', 'models', 'info', 'famc-v3', '--json'])).stdout)).toMatchObject({
    id: 'famc-v3',
  })
  expect((await genrun(['gen-ai', 'pricing', 'famc-v3', '-d', '10'])).stdout).toContain('famc-v3 costs by')
  expect((await genrun(['gen-ai', 'upload'])).code).toBe(2)
})

test('a job is written as a command line, and a command line is read as a job', async () => {
  const manifest = 'jobs:\n  hero:\n    model: famb-v3\n    prompt: A fox\n    count: 2\n'
  const line = await genrun(['convert', 'tea.yaml', 'hero'], { 'tea.yaml': manifest })
  expect(line).toMatchObject({ code: 0, stdout: "genrun generate -m famb-v3 -p 'A fox' -n 2\n" })
  const back = await genrun(['import', 'lines.sh'], { 'lines.sh': line.stdout })
  expect(back).toMatchObject({
    code: 0,
    stdout: 'jobs:\n  a-fox:\n    model: "famb-v3"\n    prompt: "A fox"\n    count: 2\n',
  })
  const curl = await genrun(['convert', 'tea.yaml', 'hero', '--to', 'curl'], { 'tea.yaml': manifest })
  expect(curl.stdout).toContain('curl -X POST "$GENRUN_BASE_URL"')
})

test('what cannot be converted or imported is told', async () => {
  const files = { 'tea.yaml': 'jobs: { hero: { model: famb-v3, prompt: A fox } }\n' }
  expect((await genrun(['convert', 'tea.yaml', 'her'], files)).stderr).toContain('tea.yaml has no job her')
  expect((await genrun(['convert', 'tea.yaml', 'hero', '--to', 'csv'], files)).code).toBe(2)
  expect((await genrun(['import', 'no.sh'], files)).stderr).toContain('there is no file no.sh')
  expect(
    await genrun(['import', 'x.sh', '-o', 'tea.yaml'], {
      ...files,
      'x.sh': 'gen-ai generate -m famb-v3 -p a',
    }),
  ).toMatchObject({ code: 2 })
})

test('with a lock the second call keeps the file, and says so', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-generate-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const words = 'generate -m fama-imagine-image -p Tea -o tea.png --lock art.lock.json'.split(' ')
  const call = async () => {
    const around = fakeSurroundings({ cwd, clock: systemClock })
    const code = await main(words, around)
    return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
  }
  expect(await call()).toMatchObject({ code: 0, stdout: 'tea.preview.png\n' })
  // Placeholders never enter the real lock.
  expect([existsSync(join(cwd, 'art.lock.json')), existsSync(join(cwd, 'art.lock.json.preview'))]).toEqual([
    false,
    true,
  ])
  expect(await call()).toMatchObject({
    code: 0,
    stdout: 'tea.preview.png\n',
    stderr: expect.stringContaining('fama-imagine-image: kept'),
  })
  const unnamed = await genrun('generate -m fama-imagine-image -p Tea --lock art.lock.json'.split(' '))
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('[no-name]') })
})
