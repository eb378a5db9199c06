// What people bring along: tables of prompts, and lines of the service's own client.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../../src/cli/main.ts'
import { fakeSurroundings } from '../fake.ts'

function project(files: { readonly [name: string]: string }) {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-import-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const genrun = async (...words: readonly string[]) => {
    const around = fakeSurroundings({ cwd })
    const code = await main(words, around)
    return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
  }
  return { cwd, genrun }
}

const table = 'prompt,aspectRatio\nA teapot,1:1\nA cup,16:9\n'

const offered = `jobs:
  item:
    model: "" # write the model here; \`genrun models\` lists them
    forEach: { rows: "prompts.csv", key: "prompt" }
    prompt: "\${{ item.prompt }}"
    aspectRatio: "\${{ item.aspectRatio }}"
`

test('a table without models is one job over its rows, and one problem', async () => {
  const { genrun, cwd } = project({ 'prompts.csv': table })
  const { code, stdout, stderr } = await genrun('import', 'prompts.csv')
  expect(code).toBe(2)
  expect(stdout).toBe(offered)
  expect(stderr).toContain('prompts.csv:1:1: error: no column says the model [missing-model]')
  expect(stderr).toContain('1 problem')
  writeFileSync(join(cwd, 'm.yaml'), stdout.replace('""', 'fama-imagine-image'))
  expect((await genrun('validate', 'm.yaml')).stdout).toContain('m.yaml is valid: 2 jobs')
})

test.each([
  ['id,prompt\na,Tea\nb,Cup\n', 'forEach: "prompts.csv"'],
  ['prompt,the name\nTea,one\nTea,two\n', '"the name": "${{ item[\'the name\'] }}"'],
  ['prompt,the name\nTea,one\nTea,two\n', 'key: "the name"'],
  ['prompt,output\nTea,one\nCup,two\n', 'output: "${{ item.output }}"'],
])('the rows of %j are named by what tells them apart', async (text, expected) => {
  const { genrun } = project({ 'prompts.csv': text })
  expect((await genrun('import', 'prompts.csv')).stdout).toContain(expected)
})

test.each([
  ['capitals', 'Model;Prompt;aspectratio\nfama-imagine-image;A cup;1:1\n'],
  ['tabs', 'model\tprompt\taspectRatio\nfama-imagine-image\tA cup\t1:1\n'],
])('a table with %s in its head is read', async (_, text) => {
  const { genrun } = project({ 'cups.csv': text })
  expect(await genrun('import', 'cups.csv')).toEqual({
    code: 0,
    stdout: 'jobs:\n  a-cup:\n    model: "fama-imagine-image"\n    prompt: "A cup"\n    aspectRatio: "1:1"\n',
    stderr: '',
  })
})

test('a column without a model keeps its name, and fills the parameter that it names', async () => {
  const { genrun } = project({ 'prompts.csv': 'Prompt\nTea\nCup\n' })
  expect((await genrun('import', 'prompts.csv')).stdout).toContain('    prompt: "${{ item.Prompt }}"\n')
})

test.each([
  ['UTF-16', 'utf16le', '\ufeffmodel,prompt\nfama-tts,hi\n'],
  ['Latin-1 or Windows-1252', 'latin1', 'model,prompt\nfama-tts,Grüße\n'],
] as const)('a table in %s is told as that', async (name, encoding, text) => {
  const { genrun, cwd } = project({})
  writeFileSync(join(cwd, 'two.csv'), text, encoding)
  const { code, stderr } = await genrun('import', 'two.csv')
  expect(code).toBe(2)
  expect(stderr).toContain(`two.csv is not UTF-8 text: it looks like ${name} [unreadable-file]`)
  expect(stderr).toContain('save it as UTF-8')
})

test('a manifest elsewhere names the table from its own folder on', async () => {
  const { genrun, cwd } = project({ 'prompts.csv': table })
  const { mkdirSync } = await import('node:fs')
  mkdirSync(join(cwd, 'sub'))
  await genrun('import', 'prompts.csv', '-o', 'sub/m.yaml')
  expect(readFileSync(join(cwd, 'sub/m.yaml'), 'utf8')).toContain('rows: "../prompts.csv"')
})

test('a row without a model among rows that have one is told as before', async () => {
  const { genrun } = project({ 'two.csv': 'model,prompt\nfama-tts,hi\n,x\n' })
  expect(await genrun('import', 'two.csv')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('two.csv:3:1: error: no model is given'),
  })
})

test('one unknown model is told, and does not stop the rest', async () => {
  const { genrun } = project({ 'two.csv': 'model,prompt\nfama-imagin,x\nfama-tts,hi\n' })
  expect(await genrun('import', 'two.csv')).toEqual({
    code: 2,
    stdout: 'jobs:\n  hi:\n    model: "fama-tts"\n    prompt: "hi"\n',
    stderr: expect.stringContaining('there is no model fama-imagin'),
  })
})

test.each([
  ['--no-input --plain --debug', ''],
  ['--download --no-input', ''],
  ['--download --debug', ''],
  ['--download=out', '--output out'],
  ['--download ./out', '--output ./out'],
])("the client's %s is taken", async (flags, told) => {
  const { genrun } = project({ 'l.sh': `gen-ai generate -m fama-tts -p hi ${flags}\n` })
  const { code, stdout, stderr } = await genrun('import', 'l.sh')
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'jobs:\n  hi:\n    model: "fama-tts"\n    prompt: "hi"\n',
  })
  if (told === '') expect(stderr).toBe('')
  else expect(stderr).toContain(told)
})

test("a prompt is not taken for an option of the client's", async () => {
  const { genrun } = project({ 'l.sh': 'gen-ai generate -m fama-tts -p --debug\n' })
  expect((await genrun('import', 'l.sh')).stdout).toContain('prompt: "--debug"')
})

test("the client's file of a prompt is read, and two prompts are one too many", async () => {
  const line = 'gen-ai generate -m fama-tts --prompt-file p.txt'
  const { genrun } = project({ 'p.txt': 'Tea', 'l.sh': `${line}\n`, 'two.sh': `${line} -p x\n` })
  expect((await genrun('import', 'l.sh')).stdout).toContain('prompt: "Tea"')
  expect((await genrun('import', 'two.sh')).stderr).toContain('prompt is given twice')
  const called = await genrun(
    'gen-ai',
    'generate',
    '--check',
    '-m',
    'fama-tts',
    '--prompt-file',
    'p.txt',
    '--no-input',
  )
  expect(called.code).toBe(0)
})

test.each([
  ['jobs.json', '{"jobs":[{"model":"fama-tts","prompt":"hi"}]}', 'prompt: "hi"', 0],
  ['jobs.csv', 'model,prompt\nfama-tts,hi\n', 'prompt: "hi"', 0],
  ['jobs.sh', 'gen-ai batch run jobs.sh\n', 'jobs.sh holds no batch', 2],
  ['other.json', '', 'there is no file jobs.json', 2],
])('a batch in %s is read with the line that runs it', async (name, text, expected, code) => {
  const called = name === 'other.json' ? 'jobs.json' : name
  const { genrun } = project({ [name]: text, 'l.sh': `gen-ai batch run ${called} --no-input\n` })
  const result = await genrun('import', 'l.sh')
  expect(result.code).toBe(code)
  expect(result.stdout + result.stderr).toContain(expected)
})

test("the client's batch run is answered with the two commands that do it", async () => {
  const { genrun } = project({})
  expect(await genrun('gen-ai', 'batch', 'run', 'jobs.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('genrun import jobs.json -o campaign.yaml, then genrun campaign.yaml'),
  })
})
