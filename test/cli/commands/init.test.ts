import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Env } from '../../../src/cli/io/surroundings.ts'
import { version } from '../../../src/cli/io/version.ts'
import { main } from '../../../src/cli/main.ts'
import { readArgs } from '../../../src/cli/parser/read-args.ts'
import { starters } from '../../../src/cli/words/starters.ts'
import { checkFile } from '../../../src/workspace/read/check.ts'
import { fakeSurroundings } from '../fake.ts'

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

test.each(starters)('a manifest for %s has nothing to remark upon', async makes => {
  expect(await genrun('init', '--make', makes, '--yes')).toMatchObject({ code: 0 })
  const found = checkFile('campaign.yaml', cwd, { vars: [], strict: true, catalog: [] })
  expect(found).toMatchObject({ ok: true, problems: [] })
  expect(found.jobs).toBeGreaterThan(0)
})

test('a name that is a template takes it', async () => {
  expect(await genrun('init', 'storyboard')).toMatchObject({ code: 0 })
  expect(read('storyboard.yaml')).toContain('startFrame: ${{ jobs.frame.pick }}')
  expect(await genrun('init', 'podcast', '--make', 'sound')).toMatchObject({ code: 0 })
  expect(checkFile('podcast.yaml', cwd)).toMatchObject({ jobs: 1 })
})

describe('init --project', () => {
  test('makes a folder whose scripts are commands, with the genrun that made it', async () => {
    expect(await genrun('init', '--project', 'Tea House', '--make', 'podcast')).toEqual({
      code: 0,
      stdout: 'wrote Tea House/package.json, Tea House/.gitignore, Tea House/podcast.yaml\n',
      stderr: "cd 'Tea House' && npm install && npm run rehearse\n",
    })
    expect(readdirSync(join(cwd, 'Tea House')).toSorted()).toEqual([
      '.gitignore',
      'package.json',
      'podcast.yaml',
    ])
    const { name, scripts, devDependencies } = JSON.parse(read('Tea House/package.json'))
    expect({ name, devDependencies }).toEqual({
      name: 'tea-house',
      devDependencies: { genrun: `^${version()}` },
    })
    for (const line of Object.values<string>(scripts))
      expect(readArgs(line.split(' ').slice(1), () => true)).not.toMatchObject({ do: 'misused' })
    expect(checkFile('Tea House/podcast.yaml', cwd)).toMatchObject({ ok: true, problems: [] })
    // What npm installs there is what the manifest's first line leads to.
    expect(read('Tea House/podcast.yaml')).toMatch(
      /\$schema=\.\/node_modules\/genrun\/schemas\/manifest\.schema\.json\n/,
    )
  })

  test.each([
    [['init', '--project'], '--project needs a name'],
    [['init', '--project', '.'], '. is there already'],
    [['init', '--project', 'a/b'], 'a/b cannot be made'],
    [['init', '--project', 'shop', '--from', 'x.csv'], '--project and --from do not go together'],
  ])('%j leaves nothing behind', async (words, says) => {
    const { code, stderr } = await genrun(...words)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) })
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('init --from', () => {
  test.each([
    ['a table', 'products.csv', 'id,name,aspectRatio\ntea,a pot,1:1\ncup,a cup,16:9\n', 2],
    ['a table without an id', 'list.tsv', 'sku\tprompt\nA1\tA pot\nA2\tA cup\nA3\tA jug\n', 3],
    ['a table with odd columns', 'odd.csv', "the key,product's text\none,A pot\n", 1],
    ['rows of JSON', 'rows.json', '[{ "id": "a", "title": "A pot" }]', 1],
    ['prompts', 'prompts.txt', "A fox's den\n\nA hare: 'quick' # not a comment\n", 2],
  ])('%s gives a manifest without any problem', async (_, file, text, count) => {
    writeFileSync(join(cwd, file), text)
    expect(await genrun('init', 'shop', '--from', file)).toMatchObject({ code: 0 })
    const found = checkFile('shop.yaml', cwd, { vars: [], strict: true, catalog: [] })
    expect(found).toMatchObject({ ok: true, problems: [], jobs: count })
  })

  test('a folder of pictures gives a job for each, from wherever the manifest lies', async () => {
    mkdirSync(join(cwd, 'photos'))
    mkdirSync(join(cwd, 'shop'))
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg'])
      copyFileSync('examples/photos/cup.jpg', join(cwd, 'photos', name))
    expect(await genrun('init', 'scenes', '--from', 'photos/')).toMatchObject({ code: 0 })
    expect(read('scenes.yaml')).toContain('forEach: "photos/*.jpg"')
    expect(checkFile('scenes.yaml', cwd, { vars: [], strict: true, catalog: [] })).toMatchObject({ jobs: 3 })
    expect(await genrun('init', 'shop/scenes', '--from', 'photos')).toMatchObject({ code: 0 })
    expect(read('shop/scenes.yaml')).toContain('forEach: "../photos/*.jpg"')
  })

  test.each([
    ['nowhere.csv', 'nowhere.csv cannot be read'],
    ['empty.txt', 'empty.txt is empty'],
    ['bare', 'bare has no pictures'],
    ['empty.csv', 'empty.csv cannot be read: this table is empty'],
  ])('%s is refused, and nothing is written', async (from, message) => {
    mkdirSync(join(cwd, 'bare'))
    for (const name of ['empty.txt', 'empty.csv']) writeFileSync(join(cwd, name), '')
    const { code, stderr } = await genrun('init', '--from', from)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(readdirSync(cwd).filter(name => name.endsWith('.yaml'))).toEqual([])
  })
})

describe('init on a terminal', () => {
  /** Answers in their order; undefined is a closed terminal. */
  async function args(answers: (string | undefined)[], words: string[] = [], env: Env = {}) {
    const questions: string[] = []
    const around = {
      ...fakeSurroundings({ cwd, env }),
      ask: async (question: string) => {
        questions.push(question)
        return answers.shift()
      },
    }
    const code = await main(['init', ...words], around)
    return { code, questions, stderr: around.stderr.text() }
  }
  const forName = 'Name of the manifest [campaign]: '
  const forMakes = 'What does it make? [campaign]: '

  test('asks for the name and for what is made', async () => {
    const { code, questions, stderr } = await args(['teapots', 'Video'])
    expect([code, questions]).toEqual([0, [forName, forMakes]])
    expect(stderr).toContain('  speech        a voice that reads a text\n')
    expect(checkFile('teapots.yaml', cwd)).toMatchObject({ ok: true, jobs: 2 })
  })

  test('takes what is in brackets for an empty answer, and asks again for a word it does not know', async () => {
    const { code, questions, stderr } = await args(['', 'vidoe', ''])
    expect([code, questions]).toEqual([0, [forName, forMakes, forMakes]])
    expect(stderr).toContain('there is no manifest to begin with for vidoe; did you mean video?\n')
    expect(checkFile('campaign.yaml', cwd)).toMatchObject({ ok: true, jobs: 3 })
  })

  test('asks only for what the command line leaves open', async () => {
    expect((await args(['sound'], ['rain'])).questions).toEqual([forMakes])
    expect((await args(['more'], ['--make', 'image'])).questions).toEqual([forName])
    expect((await args([], ['third', '--make', 'image'])).questions).toEqual([])
    expect((await args([], ['--yes'])).questions).toEqual([])
    expect((await args([], ['fifth'], { CI: '1' })).questions).toEqual([])
    expect(readdirSync(cwd).filter(name => name.endsWith('.yaml'))).toHaveLength(5)
  })

  test('writes nothing when nobody answers', async () => {
    const { code, stderr } = await args(['tea', undefined])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('nothing is written; `genrun init --yes` asks'),
    ])
    expect(readdirSync(cwd)).toEqual([])
  })
})

test('a name that is nearly a template is a name, and is asked about', async () => {
  const { code, stdout, stderr } = await genrun('init', 'storybord', '--yes')
  expect([code, stdout]).toEqual([0, 'wrote storybord.yaml and genrun.schema.json\n'])
  expect(stderr).toContain('this is the usual manifest; did you mean `genrun init storyboard`?\n')
  expect((await genrun('init', 'teapots')).stderr).not.toContain('did you mean')
})

test('what there is no manifest for is refused', async () => {
  const { code, stderr } = await genrun('init', '--make', 'films')
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is no manifest to begin with for films')])
  expect(readdirSync(cwd)).toEqual([])
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
  const ids = definitions.job.properties.model.anyOf.find((each: object) => 'enum' in each).enum
  expect(ids.at(-1)).toBe('acme/rain')
  // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's word
  expect(definitions.job.allOf.at(-2).then).toEqual({ $ref: '#/definitions/acme~1rain' })
  expect(definitions['acme/rain'].properties.prompt).toMatchObject({ type: 'string' })
})
