import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Shown } from '../../src/page/data/shown.ts'
import { made, project, type Serving, until } from './fixture.ts'

const verdicts = 'tea.preview.review.json'

async function result(serving: Pick<Serving, 'data'>, address: string): Promise<Shown> {
  const { results } = await serving.data()
  const found = results.find(each => each.address === address)
  if (!found) throw new Error(`${address} is not there`)
  return found
}

const isNamed = (name: string) => (each: Shown) => each.files[0]?.path === name

/** The disk of a project whose server was killed right after it had said that a pick is saved. */
async function killed(...picks: object[]) {
  const it = await made()
  const serving = await it.review()
  for (const pick of picks)
    expect((await serving.post('verdicts', { verdicts: [], picks: [pick] })).json()).toMatchObject({
      ok: true,
    })
  return project(folder => cpSync(it.folder, folder, { recursive: true }))
}

test('a pick is on the disk before the page hears that it is saved, and the next run carries it out', async () => {
  const it = await killed({ address: 'hero#2' })
  expect(it.read(verdicts)).toContain('"picks":[\n{"address":"hero#2","pick":"take","who":"Lead"')
  const planned = await it.ran('plan', 'tea.yaml', '--local')
  expect(planned.stdout).toMatch(/clip\s/)
  expect(planned.stdout).not.toContain('until a take of hero is picked')
  // Selected or not: whoever has the manifest carries it out.
  const { code } = await it.ran('tea.yaml', 'cup', '--local', '--quiet')
  expect([code, it.read(verdicts)]).toEqual([
    0,
    '{"genrunReview":1,"manifest":"tea.yaml","verdicts":[\nnull]}\n',
  ])
  expect(await result(await it.review(), 'hero#2')).toMatchObject({
    picked: true,
    byHand: true,
    files: [{ path: 'hero.png' }],
  })
})

test('the next server carries it out, too', async () => {
  const it = await killed({ address: 'hero#3' })
  const serving = await it.review()
  const picked = await until(() => result(serving, 'hero#3'), isNamed('hero.png'))
  expect(picked).toMatchObject({ picked: true, byHand: true })
  await until(
    async () => it.read(verdicts),
    text => !text.includes('picks'),
  )
})

test('of one job the last counts, be it that none is picked, or a pick on the command line', async () => {
  const it = await killed({ address: 'hero#2' }, { address: 'hero#3' }, { address: 'hero', isNone: true })
  expect(it.read(verdicts).match(/"pick":"\w+"/g)).toEqual(['"pick":"none"'])
  const other = await killed({ address: 'hero#2' })
  expect((await other.ran('pick', 'tea.yaml', 'hero#4', '--local')).code).toBe(0)
  expect(other.read(verdicts)).not.toContain('picks')
  await other.ran('tea.yaml', '--local', '--quiet')
  expect(await result(await other.review(), 'hero#4')).toMatchObject({ picked: true })
})

/** Everything of a job under another name. */
const renamed = (from: string, to: string) => (text: string) =>
  text.replace(`  ${from}:`, `  ${to}:`).replace(`jobs.${from}.`, `jobs.${to}.`)
const swapped = (text: string) =>
  renamed('third', 'hero')(renamed('hero', 'cup')(renamed('cup', 'third')(text)))

const moves: [string, (text: string) => string, string][] = [
  ['a rename', renamed('hero', 'teapot'), 'teapot#2'],
  ['a swap of names', swapped, 'cup#2'],
  ['another output', text => text.replace('takes: 4', 'takes: 4\n    output: pots/hero'), 'hero#2'],
]

test.each(moves)(
  'a pick that comes after %s waits for the run that moves the files, which carries it out',
  async (_, move, address) => {
    const it = await made()
    const serving = await it.review()
    const { of, files } = await result(serving, 'hero#2')
    const picks = [{ address: 'hero#2', of, seen: files.map(({ key }) => `sha256:${key}`) }]
    writeFileSync(it.path('tea.yaml'), move(it.read('tea.yaml')))
    await until(
      async () => (await serving.data()).results,
      results => results.some(each => each.address === address && each.of === of),
    )
    expect((await serving.post('verdicts', { verdicts: [], picks })).json()).toMatchObject({ ok: true })
    // At its end a server carries out what it can.
    await serving.stop()
    const again = await it.review('--read-only')
    const isPicked = ({ waits, picked }: Shown) => waits === 'take' || picked === true
    expect(isPicked(await result(again, address))).toBe(true)
    await again.stop()
    expect((await it.ran('tea.yaml', '--local', '--quiet')).code).toBe(0)
    const after = await it.review()
    expect(await result(after, address)).toMatchObject({ of, picked: true, byHand: true })
    expect((await after.data()).results.filter(({ picked }) => picked)).toHaveLength(1)
    expect(it.read(verdicts)).not.toContain('picks')
  },
)

test('a pick that waits for a run is carried out by the server when the job gets its name back', async () => {
  const it = await made()
  const serving = await it.review()
  const text = it.read('tea.yaml')
  const shown = async (address: string) =>
    (await serving.data()).results.find(each => each.address === address)
  const isThere = (each: Shown | undefined) => each !== undefined
  writeFileSync(it.path('tea.yaml'), renamed('hero', 'teapot')(text))
  const seen = await until(() => shown('teapot#2'), isThere)
  await serving.post('verdicts', { verdicts: [], picks: [{ address: 'teapot#2', of: seen?.of }] })
  const waiting = await until(
    () => shown('teapot#2'),
    each => each?.waits === 'take',
  )
  expect(waiting?.picked).toBeUndefined()
  writeFileSync(it.path('tea.yaml'), text)
  await until(
    () => shown('hero#2'),
    each => each?.picked === true,
  )
  expect(it.read(verdicts)).not.toContain('picks')
})

test('until it is carried out, the page says that it waits', async () => {
  const it = await killed({ address: 'hero#2' })
  const serving = await it.review('--read-only')
  const hero = await result(serving, 'hero#2')
  expect([hero.waits, hero.picked, existsSync(it.path(verdicts))]).toEqual(['take', undefined, true])
})

const takesNames: [
  string,
  (it: Awaited<ReturnType<typeof made>>, serving: Serving, verdict: object) => unknown,
][] = [
  [
    'by a pick of the page',
    (_, serving, verdict) =>
      serving.post('verdicts', { verdicts: [verdict], picks: [{ address: 'hero#2' }] }),
  ],
  ['by another genrun', it => it.ran('pick', 'tea.yaml', 'hero#2', '--local')],
]

test.each(takesNames)(
  'a verdict that comes while files get other names is about what was seen: %s',
  async (_, takeNames) => {
    const it = await made()
    const serving = await it.review()
    const [first, second] = [await result(serving, 'hero'), await result(serving, 'hero#2')]
    const seen = ({ files }: Shown) => files.map(({ key }) => `sha256:${key}`)
    const on = (each: Shown, is?: string) => ({ address: each.address, of: each.of, seen: seen(each), is })
    const picked = Promise.resolve(takeNames(it, serving, on(second, 'approved')))
    let isOver = false
    const refused: unknown[] = []
    const done = until(() => result(serving, 'hero#2'), isNamed('hero.png')).finally(() => (isOver = true))
    while (!isOver) {
      for (const verdict of [on(first, 'rejected'), on(second)]) {
        const answer = await serving.post('verdicts', { verdicts: [verdict], picks: [] })
        refused.push(...(answer.json() as { refused: unknown[] }).refused)
      }
    }
    await Promise.all([picked, done])
    expect(refused).toEqual([])
  },
)
