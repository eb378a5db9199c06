import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { createGenrun } from '../../src/sdk/genrun.ts'
import { fakeSurroundings } from './fake.ts'

// A model that only the user knows, in every face that knows models.
let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'genrun-own-'))
  writeFileSync(join(cwd, 'acme.yaml'), catalog)
  writeFileSync(join(cwd, 'shop.yaml'), `catalog: acme.yaml\n${manifest}`)
  writeFileSync(join(cwd, 'bare.yaml'), manifest)
  writeFileSync(join(cwd, 'lines.sh'), "genrun generate -m acme-paint -p 'A fox' -s 5\n")
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const catalog = `models:
  acme-paint:
    name: Acme Paint
    inputType: t2i
    params:
      prompt: { type: text, required: true, maxLength: 40 }
      steps: { type: integer, flag: -s, minimum: 1, maximum: 50, default: 20 }
      aspectRatio: { type: enum, flag: --ar, values: ['1:1', '16:9'], default: '1:1' }
`
const manifest = 'jobs:\n  fox: { model: acme-paint, prompt: A fox, steps: 5 }\n'

async function genrun(...words: string[]) {
  const around = fakeSurroundings({ cwd })
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

describe('on the command line', () => {
  test.each([
    [['models', 'acme', '--catalog', 'acme.yaml'], /acme-paint: Acme Paint/],
    [['models', 'info', 'acme-paint', '--catalog', 'acme.yaml'], /steps +-s, --steps +integer +default 20/],
    [['schema', 'acme-paint', '--catalog', 'acme.yaml'], /"maximum": 50/],
    [['pricing', 'acme-paint', '-s', '9', '--catalog', 'acme.yaml'], /acme-paint costs by/],
    [['generate', '-m', 'acme-paint', '-p', 'Fox', '-s', '9', '--check', '--catalog', 'acme.yaml'], /valid/],
    [['validate', 'bare.yaml', '--catalog', 'acme.yaml'], /is valid: 1 job/],
    [['plan', 'bare.yaml', '--catalog', 'acme.yaml'], /fox/],
    [['status', 'bare.yaml', '--catalog', 'acme.yaml'], /^$/],
    [
      ['convert', 'shop.yaml', 'fox'],
      /^genrun generate -m acme-paint --prompt 'A fox' -s 5 --catalog acme.yaml$/m,
    ],
    [
      ['convert', 'bare.yaml', 'fox', '--catalog', 'acme.yaml'],
      /^genrun generate -m acme-paint --prompt 'A fox' -s 5 --catalog acme.yaml$/m,
    ],
    [
      ['import', 'lines.sh', '--catalog', 'acme.yaml'],
      /^catalog: \["acme.yaml"\]\njobs:\n.*model: "acme-paint"/s,
    ],
    [['__complete', 'bash', 'genrun generate --catalog acme.yaml -m acm'], /^acme-paint$/m],
    [['__complete', 'bash', 'genrun generate --catalog=acme.yaml -m acme-paint --ar '], /^16:9$/m],
    [['__complete', 'bash', 'genrun plan --catalog acme.yaml bare.yaml f'], /^fox$/m],
  ])('%j', async (words, said) => {
    const { code, stdout, stderr } = await genrun(...words)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(said)
  })

  test.each([
    [['models', 'info', 'acme-paint']],
    [['validate', 'bare.yaml']],
    [['pricing', 'acme-paint']],
    [['generate', '-m', 'acme-paint', '-p', 'Fox', '--check']],
    [['status', 'bare.yaml']],
    [['convert', 'bare.yaml', 'fox']],
    [['import', 'lines.sh']],
  ])('without the catalog there is no such model: %j', async words => {
    const { code, stdout, stderr } = await genrun(...words)
    expect(code).toBe(2)
    expect(stdout + stderr).toContain('there is no model acme-paint')
  })

  test('the settings name the catalog for every command', async () => {
    writeFileSync(join(cwd, 'genrun.config.json'), '{ "catalog": ["acme.yaml"] }')
    for (const words of [
      ['status', 'bare.yaml'],
      ['convert', 'bare.yaml', 'fox'],
      ['import', 'lines.sh'],
    ])
      expect((await genrun(...words)).code).toBe(0)
    expect((await genrun('__complete', 'bash', 'genrun models info ac')).stdout).toBe('acme-paint\n')
  })

  test('they are checked as strictly as the others', async () => {
    const { code, stderr, stdout } = await genrun(
      'generate',
      '-m',
      'acme-paint',
      '-p',
      'x',
      '-s',
      '51',
      '--check',
      '--catalog',
      'acme.yaml',
    )
    expect(code).toBe(2)
    expect(stdout + stderr).toContain('steps must be from 1 to 50')
  })

  test('a catalog that cannot be read or is wrong is told, and nothing else is done', async () => {
    writeFileSync(join(cwd, 'wrong.yaml'), 'models: { x: { inputType: t2x } }')
    expect(await genrun('models', '--catalog', 'gone.yaml')).toMatchObject({ code: 2, stdout: '' })
    const { code, stderr } = await genrun('models', '--catalog', 'wrong.yaml')
    expect(code).toBe(2)
    expect(stderr).toContain('wrong.yaml:1:27: error: `inputType` is one of')
  })

  test('a manifest that names them is rehearsed', async () => {
    const { code, stderr } = await genrun('shop.yaml', '--local')
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(join(cwd, 'out/shop.preview'))).toContain('fox.png')
  })

  test('one job of them is rehearsed', async () => {
    const { code, stderr } = await genrun(
      'generate',
      '-m',
      'acme-paint',
      '-p',
      'Fox',
      '-o',
      'fox.png',
      '--local',
      '--catalog',
      'acme.yaml',
    )
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(cwd).some(name => /^fox.*\.png$/.test(name))).toBe(true)
  })
})

test('in a program', async () => {
  const client = createGenrun({ rehearse: true, cwd, catalog: ['acme.yaml'] })
  expect(client.models(['acme']).map(model => model.id)).toEqual(['acme-paint'])
  expect(client.validate('bare.yaml')).toMatchObject({ ok: true, jobs: 1 })
  const { files } = await client.generate('acme-paint', { prompt: 'A fox' }, { output: 'made' })
  expect(files).toHaveLength(1)
  const run = await client.submit('acme-paint', { prompt: 'A fox' }, { output: 'later' })
  expect((await client.wait(run, { output: 'later' })).files).toHaveLength(1)
})

test('a program needs no cast for them, and the compiler still knows the others', () => {
  const own = createGenrun({ rehearse: true, cwd, catalog: ['acme.yaml'] })
  expect(own.check('acme-paint', { prompt: 'A fox', steps: 51 }).map(each => each.code)).toEqual([
    'out-of-range',
  ])
  // @ts-expect-error seven seconds are none of the values
  expect(own.check('famc-v3', { prompt: 'A fox', duration: 7 }).map(each => each.code)).toEqual(['bad-value'])
  const plain = createGenrun({ rehearse: true, cwd })
  // @ts-expect-error without a catalog there are no others
  expect(() => plain.price('acme-paint', { prompt: 'A fox' })).toThrow('there is no model acme-paint')
})

test.each([
  [['-m', 'famc-v3'], 'give it with `-p`'],
  [['-m', 'famc-avatar'], 'give a path or a link with `-i`'],
  [['-m', 'acme-paint', '--catalog', 'acme.yaml'], 'give it with `--prompt`'],
])('what is missing on a command line is given by its flag: %j', async (words, hint) => {
  const { code, stdout, stderr } = await genrun('generate', '--check', ...words)
  expect(code).toBe(2)
  expect(stdout + stderr).toContain(`hint: ${hint}`)
})
