import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { checkFile } from '../../src/desk/check.ts'
import { fakeSurroundings } from './fake.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'genrun-start-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

async function genrun(...words: string[]) {
  const around = fakeSurroundings({ cwd })
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

const read = (name: string) => readFileSync(join(cwd, name), 'utf8')

test('what init writes is a manifest without any problem', async () => {
  expect(await genrun('init')).toMatchObject({
    code: 0,
    stdout: 'wrote campaign.yaml and genrun.schema.json\n',
  })
  expect(checkFile('campaign.yaml', cwd)).toMatchObject({ ok: true, jobs: 3, problems: [] })
  expect(read('campaign.yaml')).toMatch(/^# yaml-language-server: \$schema=\.\/genrun\.schema\.json\n/)
  expect(read('genrun.schema.json')).toBe(readFileSync('schemas/manifest.schema.json', 'utf8'))
})

test('the schema of a genrun in the project is named and not copied', async () => {
  mkdirSync(join(cwd, 'node_modules/genrun/schemas'), { recursive: true })
  writeFileSync(join(cwd, 'node_modules/genrun/schemas/manifest.schema.json'), '{}')
  mkdirSync(join(cwd, 'shop'))
  expect(await genrun('init', 'shop/spring.yml')).toMatchObject({
    code: 0,
    stdout: 'wrote shop/spring.yml\n',
  })
  expect(read('shop/spring.yml')).toContain('$schema=../node_modules/genrun/schemas/manifest.schema.json\n')
  expect(readdirSync(join(cwd, 'shop'))).toEqual(['spring.yml'])
})

test('nothing is overwritten', async () => {
  writeFileSync(join(cwd, 'campaign.yaml'), 'mine')
  writeFileSync(join(cwd, 'genrun.schema.json'), 'mine too')
  expect(await genrun('init')).toMatchObject({ code: 2, stdout: '' })
  expect(await genrun('init', 'other')).toMatchObject({ code: 0, stdout: 'wrote other.yaml\n' })
  expect([read('campaign.yaml'), read('genrun.schema.json')]).toEqual(['mine', 'mine too'])
})

test('schema prints what editors are given', async () => {
  const { code, stdout } = await genrun('schema')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync('schemas/manifest.schema.json', 'utf8')))
})

test("schema has a user's own models too", async () => {
  const own = 'models: { acme/rain: { name: Rain, inputType: t2a, params: { prompt: { type: text } } } }'
  writeFileSync(join(cwd, 'own.yaml'), own)
  const { code, stdout } = await genrun('schema', '--catalog', 'own.yaml')
  expect(code).toBe(0)
  const { definitions } = JSON.parse(stdout)
  expect(definitions.job.properties.model.anyOf[0].enum.at(-1)).toBe('acme/rain')
  // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's word
  expect(definitions.job.allOf.at(-2).then).toEqual({ $ref: '#/definitions/acme~1rain' })
  expect(definitions['acme/rain'].properties.prompt).toMatchObject({ type: 'string' })
})
