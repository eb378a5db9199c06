import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../src/base/diagnostic.ts'
import { takeClaim } from '../../src/store/claim/claim.ts'
import type { JournalEntry } from '../../src/store/journal/journal-text.ts'
import { adoptRun } from '../../src/verbs/adopt-run.ts'
import { planManifest } from '../../src/verbs/plan.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
import { dying, goOn } from '../planning/dying.ts'
import { type Bench, paidAt, toldSteps } from './bench.ts'
import { keepRecords } from './kept-records.ts'
import { madeOnce } from './made.ts'

const manifest = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A red teapot
    takes: 2
  edit:
    model: famb-character
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
`

const tea = madeOnce(manifest, 3)

function move(bench: Bench, from: string, to: string): void {
  renameSync(join(bench.folder, from), join(bench.folder, to))
}

function renamed(): Bench {
  const bench = tea.copy()
  move(bench, 'm.yaml', 'n.yaml')
  return bench
}

const hint =
  '`genrun run n.yaml --continue m.lock.json` goes on with what is bought, `genrun run n.yaml --continue none` begins anew'

async function problems(
  bench: Bench,
  more: Parameters<Bench['run']>[0] = {},
): Promise<readonly Diagnostic[]> {
  const before = paidAt(tea.gateway)
  const result = await bench.run({ manifest: 'n.yaml', ...more })
  expect(paidAt(tea.gateway)).toBe(before)
  if (result.got === 'refused') return result.problems
  throw new Error(JSON.stringify(result))
}

async function expectContinued(bench: Bench, lock = 'm.lock.json'): Promise<void> {
  const before = paidAt(tea.gateway)
  const result = await bench.run({ manifest: 'n.yaml', continues: lock })
  expect(result).toMatchObject({ got: 'report', report: { paid: 0, exit: 0 } })
  expect(paidAt(tea.gateway)).toBe(before)
  for (const name of ['m.lock.json', 'out/m', '.genrun/m']) expect(bench.has(name)).toBe(false)
  const was = tea.made.read('m.lock.json')
  expect(bench.read('n.lock.json')).toBe(was.replace('"manifest":"m.yaml"', '"manifest":"n.yaml"'))
  for (const name of ['hero.png', 'edit.png']) expect(bench.has(`out/n/${name}`)).toBe(true)
  expect(toldSteps(bench.plan({ manifest: 'n.yaml' }))).toEqual([])
  expect(await bench.run({ manifest: 'n.yaml' })).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(paidAt(tea.gateway)).toBe(before)
}

test('a manifest that was renamed buys nothing before it is said what it is', async () => {
  const bench = renamed()
  const before = bench.snapshot()
  expect(await problems(bench)).toMatchObject([
    {
      code: 'renamed-manifest',
      message:
        'it looks like m.yaml under another name: that is not there any more, and m.lock.json knows what was bought for it',
      hint,
    },
  ])
  expect(() => bench.plan({ manifest: 'n.yaml' })).toThrow('--continue m.lock.json')
  expect(bench.snapshot()).toEqual(before)
})

test('nothing else is said or settled of it before either', async () => {
  const bench = renamed()
  const before = bench.snapshot()
  const request = { manifest: 'n.yaml', cwd: bench.folder }
  const renames = { got: 'refused', problems: [{ code: 'renamed-manifest', hint }] }
  expect(statusOf(request)).toMatchObject(renames)
  expect(await verifyManifest({ ...request, allow: [] })).toMatchObject(renames)
  // What it says of one job would hide from the next run what is known of all others.
  expect(await adoptRun({ ...request, address: 'hero', run: 'r1' })).toMatchObject(renames)
  expect(bench.snapshot()).toEqual(before)
})

test('with --continue everything has the new name, and nothing is bought', () => expectContinued(renamed()))

test.each([
  ['lies there still', () => {}],
  ['went with the commit', (bench: Bench) => bench.remove('n.lock.json')],
])(
  'a rename that is undone after --continue takes back for nothing what went along, where the other lock %s',
  async (_, undo) => {
    const bench = renamed()
    const request = { manifest: 'n.yaml', continues: 'm.lock.json' }
    bench.edit('n.yaml', 'A red teapot', 'A green teapot')
    await bench.run({ ...request, yes: true })
    bench.remove('n.yaml')
    undo(bench)
    for (const name of ['m.yaml', 'm.lock.json']) bench.write(name, tea.made.read(name))
    expect(await problems(bench, { manifest: 'm.yaml' })).toMatchObject([
      {
        code: 'renamed-manifest',
        hint: '`genrun run m.yaml --continue n.lock.json` goes on with what is bought, `genrun run m.yaml --continue none` leaves that where it is',
      },
    ])
    expect(await bench.run({ manifest: 'm.yaml', continues: 'n.lock.json' })).toMatchObject({
      report: { paid: 0, requests: 0, exit: 0 },
    })
    for (const name of ['hero.png', 'edit.png'])
      expect(bench.bytes(`out/m/${name}`).equals(tea.made.bytes(`out/m/${name}`))).toBe(true)
    expect(bench.has('n.lock.json') || bench.has('.genrun/n') || bench.has('out/n')).toBe(false)
  },
)

test('redo goes on with the former name and orders only what it is asked for', async () => {
  const bench = renamed()
  const before = paidAt(tea.gateway)
  const select = { words: ['hero'], tags: [], models: [], failed: false, changed: false }
  const redo = { manifest: 'n.yaml', redo: true, select }
  expect(await bench.run(redo)).toMatchObject({ got: 'refused', problems: [{ code: 'renamed-manifest' }] })
  const result = await bench.run({ ...redo, continues: 'm.lock.json' })
  expect(result).toMatchObject({ got: 'report', report: { paid: 1, exit: 0 } })
  expect(paidAt(tea.gateway) - before).toBe(1)
  expect([bench.has('m.lock.json'), bench.has('n.lock.json')]).toEqual([false, true])
})

test('both of them renamed is the same', async () => {
  const bench = renamed()
  move(bench, 'm.lock.json', 'n.lock.json')
  expect((await problems(bench))[0]?.hint).toContain('--continue n.lock.json')
  await expectContinued(bench, 'n.lock.json')
})

test('a lock that moved along is gone on with under its former name, too', async () => {
  const bench = renamed()
  move(bench, 'm.lock.json', 'n.lock.json')
  await expectContinued(bench)
})

test('plan, status and verify show what it would be, and move nothing', () => {
  const bench = renamed()
  const before = bench.snapshot()
  const request = { manifest: 'n.yaml', cwd: bench.folder, continues: 'm.lock.json' }
  expect(toldSteps(bench.plan(request))).toEqual([])
  expect(planManifest(request)).toMatchObject({ plan: { paid: 0 } })
  expect(statusOf(request)).toMatchObject({ status: { done: 3, toBuy: 0 } })
  expect(bench.snapshot()).toEqual(before)
})

test('verify agrees under the former name', async () => {
  const bench = renamed()
  const request = { manifest: 'n.yaml', cwd: bench.folder, continues: 'm.lock.json', allow: [] }
  expect(await verifyManifest(request)).toMatchObject({ got: 'verdict', problems: [] })
})

test('edited as well it is recognised by its jobs', async () => {
  const bench = renamed()
  bench.edit('n.yaml', 'A red teapot', 'A green teapot')
  expect((await problems(bench))[0]?.code).toBe('renamed-manifest')
})

test('a person is asked', async () => {
  const bench = renamed()
  const asked: unknown[] = []
  const ask = (answer: boolean) => async (former: unknown) => {
    asked.push(former)
    return answer
  }
  expect((await problems(bench, { confirmFormer: ask(false) }))[0]?.hint).toBe(hint)
  expect(await bench.run({ manifest: 'n.yaml', confirmFormer: ask(true) })).toMatchObject({
    report: { paid: 0, exit: 0 },
  })
  const former = { lock: 'm.lock.json', manifest: 'm.yaml', now: 'n.yaml', purchases: 3 }
  expect(asked).toEqual([former, former])
})

test('with none it begins anew, once and for all', async () => {
  const bench = renamed()
  expect(await bench.run({ manifest: 'n.yaml', continues: 'none' })).toMatchObject({ report: { paid: 3 } })
  expect(toldSteps(bench.plan({ manifest: 'n.yaml' }))).toEqual([])
  expect(bench.has('m.lock.json')).toBe(true)
  expect(await problems(bench, { continues: 'm.lock.json' })).toMatchObject([{ code: 'lock-of-another' }])
})

test('a lock of a manifest that is there is its own', async () => {
  const bench = tea.copy()
  bench.write('n.yaml', manifest.replace('red', 'green'))
  expect(bench.plan({ manifest: 'n.yaml' }).paid).toBe(3)
  expect(await problems(bench, { continues: 'm.lock.json' })).toMatchObject([{ code: 'lock-of-another' }])
  expect(await problems(bench, { continues: 'o.lock.json' })).toMatchObject([{ code: 'no-such-lock' }])
})

test.each([
  ['down', 'm.yaml', 'ads/spring/m.yaml', '../../m.lock.json'],
  ['up', 'ads/m.yaml', 'm.yaml', 'ads/m.lock.json'],
  ['across', 'ads/m.yaml', 'promo/m.yaml', '../ads/m.lock.json'],
])('moved %s in its project it is recognised without its lock', async (_, from, to, lock) => {
  const bench = tea.empty()
  bench.makeFolder('.git')
  bench.write(from, manifest)
  expect(await bench.run({ manifest: from })).toMatchObject({ report: { paid: 3 } })
  bench.write(to, manifest)
  bench.remove(from)
  const told = join(dirname(to), lock)
  const [problem] = await problems(bench, { manifest: to })
  expect([problem?.code, problem?.hint]).toEqual([
    'renamed-manifest',
    `\`genrun run ${to} --continue ${told}\` goes on with what is bought, \`genrun run ${to} --continue none\` begins anew`,
  ])
  expect(() => bench.plan({ manifest: to })).toThrow(`--continue ${told}`)
  expect(await bench.run({ manifest: to, continues: told })).toMatchObject({ report: { paid: 0, exit: 0 } })
})

test('moved by one folder it is recognised where nothing says where the project begins', async () => {
  const bench = tea.copy()
  bench.makeFolder('ads')
  move(bench, 'm.yaml', 'ads/m.yaml')
  expect((await problems(bench, { manifest: 'ads/m.yaml' }))[0]?.hint).toContain('--continue m.lock.json')
})

test('moved into a folder beside its own it is recognised there, too, and a copy is told', async () => {
  const bench = tea.copy()
  bench.makeFolder('ads')
  for (const name of ['m.yaml', 'm.lock.json', 'out', '.genrun']) move(bench, name, `ads/${name}`)
  bench.write('posters/n.yaml', manifest)
  expect(bench.plan({ manifest: 'posters/n.yaml' }).remarks).toContain(
    'm.yaml has 2 results that are asked for here (../ads/m.lock.json): this manifest has bought nothing yet, and buys its own',
  )
  bench.remove('ads/m.yaml')
  const [problem] = await problems(bench, { manifest: 'posters/n.yaml' })
  expect(problem?.hint).toContain('--continue ads/m.lock.json')
  expect(bench.plan({ manifest: 'posters/n.yaml', continues: 'ads/m.lock.json' }).paid).toBe(0)
  // A name alone says nothing there.
  bench.write(
    'posters/m.yaml',
    'jobs:\n  hero:\n    model: fama-imagine-image\n    prompt: A cup\n    takes: 3\n',
  )
  expect(bench.plan({ manifest: 'posters/m.yaml' }).paid).toBe(3)
})

test.each<[string, string, readonly JournalEntry['kind'][], object]>([
  [
    'before it wrote a lock',
    'n.yaml',
    ['OPEN', 'INTENT', 'SENDING'],
    { paid: 0, exit: 3, counts: { doubt: 3 } },
  ],
  [
    'of which the lock was lost, in another folder',
    'ads/n.yaml',
    ['OPEN', 'INTENT', 'SENDING', 'ACCEPTED', 'RESULT', 'SAVED', 'DONE'],
    { paid: 0, exit: 0, counts: { kept: 3 } },
  ],
])(
  'renamed beside nothing but the journal of a run %s it is recognised by that',
  async (_, to, kinds, report) => {
    const bench = tea.copy()
    keepRecords(bench, ({ kind }) => kinds.includes(kind))
    bench.remove('m.lock.json')
    if (!kinds.includes('DONE')) bench.remove('out')
    if (to.includes('/')) bench.makeFolder('ads')
    move(bench, 'm.yaml', to)
    const [problem] = await problems(bench, { manifest: to })
    expect(problem?.message).toContain('and its journal knows what was bought for it')
    expect(problem?.hint).toContain(`genrun run ${to} --continue m.lock.json`)
    const before = paidAt(tea.gateway)
    for (let nth = 0; nth < 2; nth++)
      expect(await bench.run({ manifest: to, continues: 'm.lock.json' })).toMatchObject({ report })
    expect(await bench.run({ manifest: to })).toMatchObject({ report })
    expect(paidAt(tea.gateway)).toBe(before)
  },
)

test.each(['once-0123456789abcdef0123456789abcdef', 'generate-tea.json', 'm.preview', 'm.1-of-2'])(
  'the state %s is of no manifest that was renamed',
  state => {
    const bench = renamed()
    bench.remove('m.lock.json')
    bench.remove('out')
    move(bench, '.genrun/m', `.genrun/${state}`)
    expect(bench.plan({ manifest: 'n.yaml' }).paid).toBe(3)
  },
)

test('moved and edited it is recognised by its name', async () => {
  const bench = tea.copy()
  bench.makeFolder('ads')
  move(bench, 'm.yaml', 'ads/m.yaml')
  bench.write('ads/m.yaml', 'jobs:\n  cup:\n    model: fama-imagine-image\n    prompt: A cup\n')
  expect((await problems(bench, { manifest: 'ads/m.yaml' }))[0]?.code).toBe('renamed-manifest')
})

test.each([
  ['of the same name, with other jobs', 'm.yaml', 'cup'],
  ['of another name, with the same job', 'n.yaml', 'hero'],
])(
  'a lock whose manifest was removed is none of a neighbor %s, that asks for other things',
  (_, name, job) => {
    const bench = tea.empty()
    bench.makeFolder('.git')
    bench.write(
      'ads/m.lock.json',
      tea.made.read('m.lock.json').replace(/\n\{"address":"(?!hero")[^\n]*/g, ''),
    )
    bench.write(`promo/${name}`, `jobs:\n  ${job}:\n    model: fama-imagine-image\n    prompt: A cup\n`)
    expect(bench.plan({ manifest: `promo/${name}` }).paid).toBe(1)
  },
)

test('locks of other projects and in node_modules, and of manifests that are there, are nobody’s former ones', () => {
  const bench = tea.copy()
  bench.write('below/.git/HEAD', '')
  bench.write('below/n.yaml', manifest)
  expect(bench.plan({ manifest: 'below/n.yaml' }).paid).toBe(3)
  bench.makeFolder('.git')
  bench.write('ads/n.yaml', manifest)
  expect(bench.plan({ manifest: 'ads/n.yaml' }).paid).toBe(3)
  bench.makeFolder('node_modules')
  move(bench, 'm.lock.json', 'node_modules/m.lock.json')
  bench.remove('m.yaml')
  // Its journal would be asked about by itself.
  bench.remove('.genrun')
  // Results that no lock knows would be asked about by themselves.
  bench.remove('out')
  expect(bench.plan({ manifest: 'ads/n.yaml' }).paid).toBe(3)
})

test('moved into another folder it takes everything along', async () => {
  const bench = tea.copy()
  bench.makeFolder('sub')
  move(bench, 'm.yaml', 'sub/m.yaml')
  const run = { manifest: 'sub/m.yaml', continues: 'm.lock.json' }
  const before = paidAt(tea.gateway)
  expect(await bench.run(run)).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(await bench.run(run)).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(paidAt(tea.gateway)).toBe(before)
  expect(bench.has('sub/out/m/hero.png') && bench.has('sub/.genrun/m/journal')).toBe(true)
})

test('where both folders are there each file moves that can', async () => {
  const bench = renamed()
  bench.write('out/n/notes.txt', 'mine')
  const before = paidAt(tea.gateway)
  expect(await bench.run({ manifest: 'n.yaml', continues: 'm.lock.json' })).toMatchObject({
    report: { paid: 0, exit: 0 },
  })
  expect(paidAt(tea.gateway)).toBe(before)
  expect(bench.read('out/n/notes.txt')).toBe('mine')
  expect(toldSteps(bench.plan({ manifest: 'n.yaml' }))).toEqual([])
})

test('while a genrun is at work under the former name nothing moves', async () => {
  const bench = renamed()
  const claimed = await takeClaim(join(bench.folder, '.genrun/m/claim'))
  const before = bench.snapshot()
  const result = await bench.run({ manifest: 'n.yaml', continues: 'm.lock.json' })
  expect(result.got).toBe('busy')
  expect(bench.snapshot()).toEqual(before)
  if (claimed.got === 'claim') await claimed.claim.release()
  await expectContinued(bench)
})

test('after a crash at any point the same command goes on', async () => {
  const whole = dying(Number.POSITIVE_INFINITY)
  expect(await goOn(renamed(), whole.disk)).toBeUndefined()
  const count = whole.changes()
  expect(count).toBeGreaterThan(10)
  for (let last = 0; last < count; last++) {
    const bench = renamed()
    await goOn(bench, dying(last).disk).catch(() => undefined)
    const before = paidAt(tea.gateway)
    // Whoever forgets to say it again is told, or it is done already.
    const bare = await bench.run({ manifest: 'n.yaml' })
    expect(bare.got === 'refused' || bench.has('n.lock.json')).toBe(true)
    expect(paidAt(tea.gateway)).toBe(before)
    await expectContinued(bench)
  }
}, 120_000)

/** What is alike was bought for m and for n, which has lost its lock; m was deleted. */
async function alikeWithoutLock(): Promise<Bench> {
  const bench = tea.copy()
  bench.write('n.yaml', manifest)
  expect(await bench.run({ manifest: 'n.yaml' })).toMatchObject({ report: { paid: 3, exit: 0 } })
  bench.remove('m.yaml')
  bench.remove('n.lock.json')
  return bench
}

test('what has lost its lock and knows all itself is nobody under another name', async () => {
  const bench = await alikeWithoutLock()
  expect(await problems(bench, { continues: 'm.lock.json' })).toMatchObject([
    { code: 'lock-of-another', hint: expect.stringContaining('leave out --continue') },
  ])
  expect(bench.plan({ manifest: 'n.yaml' }).paid).toBe(0)
  expect(await bench.run({ manifest: 'n.yaml' })).toMatchObject({ report: { paid: 0, exit: 0 } })
  expect(bench.has('n.lock.json')).toBe(true)
  expect(bench.has('m.lock.json')).toBe(true)
})

test('nor is it where its index alone knows that, and nothing of the other is taken for its own', async () => {
  const bench = await alikeWithoutLock()
  bench.remove('.genrun/n')
  expect(await problems(bench)).toMatchObject([{ code: 'lost-records' }])
  expect(await problems(bench, { continues: 'm.lock.json' })).toMatchObject([{ code: 'lock-of-another' }])
})

test('where the other lock knows something asked for that its own journal does not, it is asked about', async () => {
  const bench = await alikeWithoutLock()
  bench.remove('.genrun/n')
  bench.remove('out/n')
  bench.write('n.yaml', manifest.replace('takes: 2', 'takes: 1'))
  expect(await bench.run({ manifest: 'n.yaml', continues: 'none' })).toMatchObject({ report: { paid: 2 } })
  bench.remove('n.lock.json')
  bench.write('n.yaml', manifest)
  expect(await problems(bench)).toMatchObject([{ code: 'renamed-manifest' }])
})
