import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { main } from '../../../src/cli/main.ts'
import { type Gateway, startGateway } from '../../../src/gateway/server.ts'
import { fakeSurroundings } from '../fake.ts'

const manifest = `jobs:
  still:
    matrix: { tea: { rows: t.csv, key: tea } }
    model: fama-imagine-image
    prompt: \${{ matrix.tea.tea }}
`

/** What a project has beside what genrun makes in it, and what it makes. */
let made = ''
let cwd = ''
let gateway: Gateway

async function genrun(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const around = fakeSurroundings({
    cwd,
    clock: systemClock,
    env: { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key },
  })
  const code = await main(line.split(' '), around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(each =>
    each.isFile() ? [join(each.parentPath, each.name).slice(folder.length + 1)] : [],
  )
}

/** Each path with its bytes. */
function snapshot(): { readonly [path: string]: string } {
  return Object.fromEntries(
    filesIn(cwd)
      .toSorted()
      .map(path => [path, readFileSync(join(cwd, path), 'base64')]),
  )
}

const every = '--events r/e.jsonl --junit r/j.xml --sarif r/s.sarif --summary r/s.md'

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  made = mkdtempSync(join(tmpdir(), 'genrun-reports-made-'))
  cwd = made
  writeFileSync(join(cwd, 'c.yaml'), manifest)
  writeFileSync(join(cwd, 't.csv'), 'tea\nSencha\n')
  writeFileSync(join(cwd, 'notes.txt'), '### A note\n\nof a person\n')
  expect((await genrun(`c.yaml -q ${every}`)).code).toBe(0)
  expect((await genrun('plan c.yaml -o r/p.plan')).code).toBe(0)
  expect((await genrun('validate c.yaml --sarif r/v.sarif')).code).toBe(0)
}, 60_000)

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'genrun-reports-'))
  for (const path of filesIn(made)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    copyFileSync(join(made, path), join(cwd, path))
  }
  return () => rmSync(cwd, { recursive: true, force: true })
})

afterAll(async () => {
  await gateway.close()
  rmSync(made, { recursive: true, force: true })
})

const commands = {
  'run --events': ['c.yaml --events', 'r/e.jsonl'],
  'run --junit': ['c.yaml --junit', 'r/j.xml'],
  'run --sarif': ['c.yaml --sarif', 'r/s.sarif'],
  'run --summary': ['c.yaml --summary', 'r/s.md'],
  'verify --junit': ['verify c.yaml --junit', 'r/j.xml'],
  'report --summary': ['report c.yaml --summary', 'r/s.md'],
  'validate --sarif': ['validate c.yaml --sarif', 'r/s.sarif'],
  'plan -o': ['plan c.yaml -o', 'r/p.plan'],
} as const

const cases = Object.entries(commands).map(([name, [line, own]]) => ({ name, line, own }))

describe.each(cases)('$name', ({ line, own }) => {
  const reports = ['r/e.jsonl', 'r/j.xml', 'r/s.sarif', 'r/s.md', 'r/p.plan']
  const there = {
    'the lock': /^c\.lock\.json$/,
    'a result': /\.png$/,
    'the journal': /journal.*\.jnl$/,
    'the index of the results': /^out.*results/,
    'a table that the manifest reads': /^t\.csv$/,
    'a person’s notes': /^notes\.txt$/,
  }

  test.each(Object.entries(there))('leaves %s as it is, and sends nothing', async (_, named) => {
    await refused(filesIn(cwd).find(path => named.test(path)) ?? '')
  })

  test.each(reports.filter(path => path !== own))(
    'leaves a report of another kind as it is: %s',
    async path => {
      await refused(path)
    },
  )

  async function refused(path: string): Promise<void> {
    const [before, sent] = [snapshot(), JSON.stringify(gateway.requests())]
    expect(Object.keys(before)).toContain(path)
    const { code, stderr } = await genrun(`${line} ${path}`)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/ cannot be written: .* \[bad-report-path\]\n.*give it another path/),
    })
    expect(snapshot()).toEqual(before)
    expect(JSON.stringify(gateway.requests())).toBe(sent)
  }

  test('takes no name that is genrun’s or git’s, though nothing is there', async () => {
    symlinkSync('.genrun', join(cwd, 'in'))
    const before = snapshot()
    const names = ['n.lock.json', 'N.Review.JSON', '.git/HEAD', '.genrun/n', 'sub/.git/x', 'in/x']
    for (const path of names) expect([path, (await genrun(`${line} ${path}`)).code]).toEqual([path, 2])
    expect(snapshot()).toEqual(before)
    expect(existsSync(join(cwd, 'sub'))).toBe(false)
  })

  test('takes the place of its own kind, of an empty file, and of nothing', async () => {
    writeFileSync(join(cwd, 'empty'), '')
    for (const path of [own, 'empty', 'new', own]) {
      expect(await genrun(`${line} ${path}`)).toMatchObject({ code: 0 })
      expect(readFileSync(join(cwd, path), 'utf8')).not.toBe('')
    }
  })

  test('is written to a device, and makes a link to its own kind a file', async () => {
    expect((await genrun(`${line} /dev/null`)).code).toBe(0)
    symlinkSync(own, join(cwd, 'last'))
    symlinkSync('notes.txt', join(cwd, 'to-notes'))
    const notes = readFileSync(join(cwd, 'notes.txt'), 'utf8')
    expect((await genrun(`${line} last`)).code).toBe(0)
    expect((await genrun(`${line} to-notes`)).code).toBe(2)
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe(notes)
  })
})

test('what a run has made in the place of its report stays: that is told, and the code is 7', async () => {
  rmSync(join(cwd, 'out'), { recursive: true })
  rmSync(join(cwd, '.genrun'), { recursive: true })
  rmSync(join(cwd, 'c.lock.json'))
  const { code, stderr } = await genrun('c.yaml --summary out/c/still/Sencha.png')
  expect([code, stderr]).toEqual([7, expect.stringContaining('what is there is no summary of genrun')])
  expect(readFileSync(join(cwd, 'out/c/still/Sencha.png')).subarray(1, 4).toString()).toBe('PNG')
})

test('plans of shards, and copies, leave what is there, and what is git’s', async () => {
  mkdirSync(join(cwd, 'plans'))
  writeFileSync(join(cwd, 'plans/2-of-2.json'), '{}')
  const before = snapshot()
  const plans = await genrun('plan c.yaml --shards 2 -o plans')
  expect([plans.code, plans.stderr]).toEqual([2, expect.stringContaining('what is there is no saved plan')])
  const copies = await genrun('audit c.yaml --copies .git/public')
  expect([copies.code, copies.stderr]).toEqual([7, expect.stringContaining('it lies in .git')])
  expect(snapshot()).toEqual(before)
  for (let time = 0; time < 2; time++) expect((await genrun('plan c.yaml --shards 2 -o others')).code).toBe(0)
})
