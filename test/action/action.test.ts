import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { blocksOf, textOf } from '../docs/pages.ts'
import { type Forge, inputs, openForge, openRunner } from './workflow.ts'

// The steps of action.yml as a runner does them: their scripts as programs, with a fake event, a fake forge and the gateway.

// For hangs only: each plays several programs.
const slow = { timeout: 180_000 }

const manifest = 'jobs:\n  hero: { model: fama-imagine-image, prompt: A teapot, takes: 2 }\n'
const prices = "currency: USD\nmodels:\n  '*': { perImage: 0.02 }\n"
const files = { 'tea.yaml': manifest, 'prices.yaml': prices }

let forge: Forge
let gateway: Gateway
beforeEach(async () => {
  forge = await openForge()
  gateway = await startGateway({ outputs: 'memory', ledger: true })
  return () => gateway.close()
})

const billed = () => gateway.ledger().billed.execute + gateway.ledger().billed.submit
const service = () => ({ 'base-url': gateway.baseUrl, 'api-key': gateway.key })

test('a plan stands on the pull request with its price, in one comment that is edited', slow, async () => {
  const runner = openRunner({ forge, files, pull: 'own' })
  const first = await runner.play({ manifest: 'tea.yaml', prices: 'prices.yaml' })
  expect(first, first.log).toMatchObject({ code: 0, outputs: { exit: '0' } })
  expect(first.summary).toContain('This change buys 2 images')
  forge.comments.push({ id: 1, user: { login: 'somebody' }, body: '<!-- genrun tea.yaml paid=0 cost=0 -->' })
  const again = await runner.play({ manifest: 'tea.yaml', prices: 'prices.yaml' })
  expect(again.code).toBe(0)
  const own = forge.comments.filter(({ user }) => user.login === 'github-actions[bot]')
  expect(own).toHaveLength(1)
  expect(own[0]?.body).toMatch(/^<!-- genrun tea\.yaml paid=0 cost=0 -->\n.*0\.04 USD/s)
  expect(billed()).toBe(0)
})

test(
  'a run makes, keeps its state under the lineage, and the next has what is left of the budget',
  slow,
  async () => {
    const runner = openRunner({ forge, files, pull: 'own' })
    const inputs = { manifest: 'tea.yaml', command: 'run', 'max-paid': '3', ...service() }
    const first = await runner.play(inputs)
    expect(first, first.log).toMatchObject({ code: 0, outputs: { exit: '0' } })
    expect(billed()).toBe(2)
    expect(forge.comments[0]?.body).toMatch(/^<!-- genrun tea\.yaml paid=2 cost=0 -->\n[^]*\| `hero#2` \|/)
    const artifacts =
      '[All results in one picture](https://forge.example/artifacts/genrun-sheet-new-tea) · ' +
      '[All results on one page](https://forge.example/artifacts/genrun-new-tea): `report.html` in the artifact.'
    expect(forge.comments[0]?.body.split('\n').at(-1)).toBe(artifacts)
    expect(first.summary).toContain(artifacts)
    expect(first.kept).toEqual([
      'cache genrun-new-tea-31-1',
      'artifact genrun-new-tea',
      'artifact genrun-sheet-new-tea',
    ])
    expect(readdirSync(first.outputs.sheet ?? '')).toEqual(['sheet.png'])
    const { lineage } = JSON.parse(readFileSync(join(runner.folder, 'tea.lock.json'), 'utf8')) as {
      lineage: string
    }

    writeFileSync(join(runner.folder, 'tea.yaml'), manifest.replace('takes: 2', 'takes: 4'))
    const second = await runner.play(inputs)
    // Two more are asked for, and one paid request is left.
    expect([second.code, billed()]).toEqual([6, 3])
    expect(forge.comments[0]?.body).toMatch(/^<!-- genrun tea\.yaml paid=3 cost=0 -->/)
    expect(second.kept[0]).toBe(`cache genrun-${lineage}-31-1`)
  },
)

test('a run that was killed counts as what it was allowed', slow, async () => {
  forge.comments.push({
    id: 100,
    user: { login: 'github-actions[bot]' },
    body: '<!-- genrun tea.yaml paid=3 cost=0 -->\ngenrun is at work',
  })
  const runner = openRunner({ forge, files, pull: 'own' })
  const run = await runner.play({ manifest: 'tea.yaml', command: 'run', 'max-paid': '3', ...service() })
  expect([run.code, billed()]).toEqual([6, 0])
})

test('on a fork nothing is made, and no key is used, whatever the workflow says', slow, async () => {
  const runner = openRunner({ forge, files, pull: 'fork' })
  forge.readOnly = true
  const run = await runner.play({ manifest: 'tea.yaml', command: 'run', 'max-paid': '9', ...service() })
  expect([run.code, billed()]).toEqual([0, 0])
  expect(run.log).toContain('::warning title=genrun::')
  expect(Object.values(gateway.requests())).toEqual([0, 0, 0, 0, 0])
})

test.each([
  ['without a cap', { command: 'run' }, 'a run needs max-paid or max-cost'],
  ['with a command that there is not', { command: 'buy' }, 'there is no command buy'],
  ['with a cap that is none', { command: 'run', 'max-paid': 'many' }, 'many is no cap'],
  ['with a manifest that there is not', { manifest: 'none.yaml' }, 'there is no manifest none.yaml'],
])('%s it ends before anything is sent', async (_, inputs, message) => {
  const runner = openRunner({ forge, files })
  const run = await runner.play({ manifest: 'tea.yaml', ...service(), ...inputs })
  expect([run.code, billed()]).toEqual([2, 0])
  expect(run.log).toContain(message)
})

test('verify says what differs, and the key is in no log', slow, async () => {
  const runner = openRunner({ forge, files })
  const verified = await runner.play({ manifest: 'tea.yaml', command: 'verify', ...service() })
  expect([verified.code, verified.outputs]).toEqual([8, { exit: '8' }])
  const run = await runner.play({ manifest: 'tea.yaml', command: 'run', 'max-paid': '2', ...service() })
  expect(run, run.log).toMatchObject({ code: 0 })
  expect(`${run.log}${run.summary}${JSON.stringify(forge.comments)}`).not.toContain(gateway.key)
})

test('workflows on the pages and of the project are YAML, and give the action no input that it has not', () => {
  const written = blocksOf(textOf('docs/ci.md')).filter(({ file }) => file?.endsWith('.yml'))
  const own = readdirSync('.github', { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.yml'),
  )
  const texts = [
    ...written.map(({ body }) => body),
    ...own.map(name => readFileSync(join('.github', name), 'utf8')),
  ]
  expect(texts.length).toBeGreaterThan(5)
  for (const text of texts) {
    const { jobs = {} } = parse(text) as { jobs?: { [id: string]: { steps?: readonly Uses[] } } }
    for (const { uses, with: given = {} } of Object.values(jobs).flatMap(({ steps = [] }) => steps)) {
      // A version is named by its major number at least.
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+(\/[\w-]+)?@(v\d|[0-9a-f]{40}$)/)
      if (uses?.startsWith('OWNER/'))
        expect(Object.keys(given).filter(name => !inputs.includes(name))).toEqual([])
    }
  }
})

interface Uses {
  readonly uses?: string
  readonly with?: object
}

test('the container runs as nobody special, and copies what is there', () => {
  const text = readFileSync('Containerfile', 'utf8')
  expect(text).toMatch(/\nUSER node\n/)
  const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  expect(copied.filter(name => !existsSync(name))).toEqual([])
})
