import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { findUpToDate } from '../../../src/planning/up-to-date/find.ts'
import { readMemory, writeMemory } from '../../../src/planning/up-to-date/memory.ts'
import { takeClaim } from '../../../src/store/claim/claim.ts'
import { openNotes } from '../../../src/workspace/read/notes.ts'
import type { RunRequest } from '../../../src/workspace/workspace.ts'
import { type Bench, manifestName, paidAt, pixel } from '../../verbs/bench.ts'
import { madeOnce, remember, tool } from '../../verbs/made.ts'

const shared = `defaults:
  aspectRatio: '1:1'
`

const shop = madeOnce(
  `name: shop
include: shared.yaml
jobs:
  hero:
    model: fama-imagine-image
    prompt: A red teapot
    output: stills/hero
  photo:
    forEach: photos/*.png
    model: famb-v3
    prompt: The teapot of the photo
    imageUrls: \${{ item.path }}
    output: \${{ item.stem }}
`,
  3,
  {
    'shared.yaml': shared,
    'photos/a.png': pixel,
    'photos/b.png': pixel,
    'prices.yaml': 'currency: EUR\nmodels: {}\n',
  },
)

const memory = '.genrun/m/nothing-to-do'
const prices = { prices: 'prices.yaml' }

async function remembered(): Promise<Bench> {
  const bench = shop.copy()
  for (const name of [manifestName, 'm.lock.json', 'photos/a.png'])
    utimesSync(join(bench.folder, name), dated, dated)
  await remember(bench, prices)
  return bench
}

/** What is undefined is not asked for. */
type Changed = { readonly [key in keyof RunRequest]?: RunRequest[key] | undefined }

/** Whether the memory answers. */
async function isFound(bench: Bench, more: Changed = {}): Promise<boolean> {
  const asked = Object.entries({ tool, ...prices, ...more }).filter(([, value]) => value !== undefined)
  return (await findUpToDate(bench.request(Object.fromEntries(asked)))) !== undefined
}

/** A date that can be put back to the nanosecond. */
const dated = new Date('2020-02-02T02:02:02Z')

/** Other bytes under the same name, with the same length and the same date. */
function rewriteInPlace(path: string): void {
  const { ino } = statSync(path)
  const bytes = readFileSync(path)
  const last = bytes.length - 1
  bytes[last] = (bytes[last] ?? 0) ^ 1
  writeFileSync(path, bytes)
  utimesSync(path, dated, dated)
  expect(statSync(path)).toMatchObject({ ino, mtimeMs: dated.getTime() })
}

/** Another file with the same length and the same date takes the name. */
function replace(path: string): void {
  writeFileSync(`${path}.new`, readFileSync(path))
  utimesSync(`${path}.new`, dated, dated)
  renameSync(`${path}.new`, path)
  expect(statSync(path).mtimeMs).toBe(dated.getTime())
}

test('what an unchanged rerun finds is remembered, and answered without a request or a write', async () => {
  const bench = await remembered()
  const before = bench.snapshot()
  const requests = { ...shop.gateway.requests() }
  expect(await findUpToDate(bench.request({ tool, ...prices }))).toEqual({
    got: 'unchanged',
    planned: {
      at: expect.any(Number),
      event: 'planned',
      jobs: 3,
      steps: { keep: 3, buy: 0, resume: 0, fetch: 0, adopt: 0, hold: 0, doubt: 0, restore: 0, drop: 0 },
      work: [],
      currency: 'EUR',
      output: join(bench.folder, 'out/shop'),
      rehearsal: false,
      remarks: [],
    },
  })
  expect(bench.snapshot()).toEqual(before)
  expect(shop.gateway.requests()).toEqual(requests)
})

test('only its owner can read what is remembered', async () => {
  const bench = await remembered()
  expect(lstatSync(join(bench.folder, memory)).mode & 0o777).toBe(0o600)
  expect(bench.read(memory)).not.toContain(shop.gateway.key)
})

const at = (name: string, change: (path: string) => void) => (bench: Bench) =>
  change(join(bench.folder, name))
const append = (path: string) => appendFileSync(path, '\n')
const touch = (path: string) => utimesSync(path, 1, 1)

const changes: readonly (readonly [string, (bench: Bench) => void])[] = [
  ['the manifest gets another line', at(manifestName, append)],
  ['the manifest gets other bytes, with its date put back', at(manifestName, rewriteInPlace)],
  ['the manifest is touched', at(manifestName, touch)],
  ['an included manifest changes', at('shared.yaml', append)],
  ['the prices change', at('prices.yaml', append)],
  ['an input is touched', at('photos/a.png', touch)],
  ['an input gets other bytes, with its date put back', at('photos/a.png', rewriteInPlace)],
  ['an input is replaced by another of the same size and date', at('photos/a.png', replace)],
  ['an input is gone', bench => bench.remove('photos/a.png')],
  [
    'an input becomes a link to the same bytes',
    at('photos/a.png', path => {
      renameSync(path, `${path}.was`)
      symlinkSync('a.png.was', path)
    }),
  ],
  ['a glob finds one more', bench => bench.write('photos/c.png', pixel)],
  [
    'a glob finds another name',
    at('photos', photos => linkSync(join(photos, 'b.png'), join(photos, 'd.png'))),
  ],
  ['the lock gets other bytes, with its date put back', at('m.lock.json', rewriteInPlace)],
  ['the lock is gone', bench => bench.remove('m.lock.json')],
  ['the journal gets another record', at('.genrun/m/journal/000001.jnl', append)],
  ['the journal is cut', at('.genrun/m/journal/000001.jnl', path => truncateSync(path, 200))],
  ['the journal is gone', bench => bench.remove('.genrun/m/journal')],
  ['there is another journal', bench => bench.write('.genrun/m/journal/000009.jnl', '')],
  ['a pick waits', bench => bench.write('m.review.json', '')],
  ['an answer lies in the spool', bench => bench.write('.genrun/m/spool/answer', 'paid')],
  ['the claims are gone', bench => bench.remove('.genrun/m/claim')],
  [
    'the results lie elsewhere by now',
    at('out', path => {
      renameSync(path, `${path}.was`)
      symlinkSync('out.was', path)
    }),
  ],
  ['others may write where claims lie', at('.genrun/m/claim', path => chmodSync(path, 0o777))],
  ['others may write where the state lies', at('.genrun', path => chmodSync(path, 0o777))],
  [
    'what is kept lies elsewhere by now',
    at('.genrun/m/kept', path => {
      renameSync(path, `${path}.was`)
      symlinkSync('kept.was', path)
    }),
  ],
  ['a shard has a lock of its own', bench => bench.write('m.1-of-2.lock.json', '')],
  ['a shard has a state of its own', bench => bench.makeFolder('.genrun/m.1-of-2')],
  ['an output is gone', bench => bench.remove('out/shop/a.png')],
  ['an output in a folder is gone', bench => bench.remove('out/shop/stills/hero.png')],
  ['all outputs are gone', bench => bench.remove('out')],
  ['an output is longer', at('out/shop/a.png', append)],
  [
    'an output is a link',
    at('out/shop/a.png', path => {
      renameSync(path, `${path}.was`)
      symlinkSync('a.png.was', path)
    }),
  ],
  [
    'an output is a folder',
    bench => {
      bench.remove('out/shop/a.png')
      bench.makeFolder('out/shop/a.png')
    },
  ],
  [
    'the folder of outputs is a link that leads away',
    bench => {
      renameSync(join(bench.folder, 'out/shop/stills'), join(bench.folder, 'stills'))
      symlinkSync(join(bench.folder, 'stills'), join(bench.folder, 'out/shop/stills'))
    },
  ],
  ['the memory is gone', bench => bench.remove(memory)],
  ['the memory is empty', bench => bench.write(memory, '')],
  ['the memory is cut', at(memory, path => truncateSync(path, statSync(path).size - 1))],
  ['the memory lost an output', bench => bench.edit(memory, ' hero.png\n', ' hero.pn\n')],
  ['the memory is of another format', bench => bench.edit(memory, '{"format":2', '{"format":1')],
]

test.each(changes)('nothing is taken from memory when %s', async (_, change) => {
  const bench = await remembered()
  expect(await isFound(bench)).toBe(true)
  change(bench)
  expect(await isFound(bench)).toBe(false)
})

test('nothing is taken from memory when a text has other contents, though the disk tells of no change', async () => {
  const bench = await remembered()
  const read = readMemory(bench.read(memory))
  if (!read) throw new Error('nothing was remembered')
  const [outputs, texts] = [[...read.outputs], read.memory.files.filter(file => file.digest !== undefined)]
  expect(texts.map(({ path }) => relative(bench.folder, path))).toEqual([
    manifestName,
    'prices.yaml',
    'shared.yaml',
    'm.lock.json',
  ])
  for (const text of texts) {
    const files = read.memory.files.map(file => (file === text ? { ...file, digest: 'other' } : file))
    bench.write(memory, writeMemory({ ...read.memory, files }, outputs))
    expect(await isFound(bench)).toBe(false)
  }
  bench.write(memory, writeMemory(read.memory, outputs))
  expect(await isFound(bench)).toBe(true)
})

const others: readonly (readonly [string, Changed])[] = [
  ['another key', { service: { baseUrl: 'http://127.0.0.1:1/gw-v2', key: 'other', rehearsal: false } }],
  ['a rehearsal', { service: { baseUrl: 'http://127.0.0.1:1/gw-v2', key: 'k', rehearsal: true } }],
  ['another genrun', { tool: 'a later one' }],
  ['a genrun that does not say which it is', { tool: undefined }],
  ['variables', { vars: [{ name: 'season', value: 'winter', from: '--var' }] }],
  ['a selection', { select: { words: ['hero'] } }],
  ['failed jobs', { choices: { failed: true } }],
  ['lost files to be paid again', { choices: { rebuy: true } }],
  ['everything anew', { redo: true }],
  ['files to be accepted', { accept: true }],
  ['the claim of another', { takeClaim: true }],
  ['warnings as errors', { strict: true }],
  ['no prices', { prices: undefined }],
  ['another output folder', { output: '/nowhere' }],
  ['models of its own', { catalog: ['own.yaml'] }],
  ['a cap', { caps: { maxPaid: 1 } }],
  ['other limits', { limits: { execute: 1 } }],
  ['sizes to be checked', { verify: 'fail' }],
]

test.each(others)('nothing is taken from memory for a run that asks for %s', async (_, more) => {
  const bench = await remembered()
  expect(await isFound(bench, more)).toBe(false)
})

test('nothing is taken from memory when another folder becomes the project: other inputs lie outside', async () => {
  const outer = shop.empty()
  cpSync(shop.made.folder, join(outer.folder, 'shop'), { recursive: true })
  const inner = { manifest: 'shop/m.yaml' }
  await remember(outer, inner)
  expect(await isFound(outer, { ...inner, prices: undefined })).toBe(true)
  outer.makeFolder('.git')
  expect(await isFound(outer, { ...inner, prices: undefined })).toBe(false)
})

test('nothing is taken from memory while another genrun works on the manifest', async () => {
  const bench = await remembered()
  const claimed = await takeClaim(join(bench.folder, '.genrun/m/claim'))
  if (claimed.got !== 'claim') throw new Error('the claim was not free')
  expect(await isFound(bench)).toBe(false)
  await claimed.claim.release()
  expect(await isFound(bench)).toBe(true)
})

test.skipIf(process.getuid?.() === 0)(
  'nothing is taken from memory where no run could take the claim',
  async () => {
    const bench = await remembered()
    chmodSync(join(bench.folder, '.genrun/m/claim'), 0o500)
    expect(await isFound(bench)).toBe(false)
    chmodSync(join(bench.folder, '.genrun/m/claim'), 0o700)
  },
)

describe('nothing is remembered', () => {
  test('of files that changed a moment ago: within one tick they could change once more', async () => {
    const bench = shop.copy()
    await bench.run({ tool })
    expect(bench.has(memory)).toBe(false)
  })

  test('of files whose dates lie ahead: a clock went back', async () => {
    const bench = shop.copy()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
    await bench.run({ tool })
    clock.mockRestore()
    expect(bench.has(memory)).toBe(false)
  })

  const sayAgain: readonly (readonly [string, (bench: Bench) => void])[] = [
    ['where an output was altered', at('out/shop/a.png', append)],
    ['where a result has left the manifest', bench => bench.remove('photos/a.png')],
    [
      'where the plan has a warning',
      bench => bench.edit(manifestName, 'jobs:', 'vars: { season: winter }\njobs:'),
    ],
  ]
  test.each(sayAgain)('%s: that is to be told again', async (_, change) => {
    const bench = shop.copy()
    change(bench)
    await remember(bench)
    expect(bench.has(memory)).toBe(false)
  })
})

test('of several looks at a file the first counts', () => {
  const bench = shop.copy()
  const path = join(bench.folder, 'photos/a.png')
  const notes = openNotes(Date.now())
  notes.file(path)
  const first = notes.files.get(path)?.stamp
  append(path)
  notes.text(path)
  expect(notes.files.get(path)).toEqual({ stamp: first, isText: true })
  expect(notes.isYoung()).toBe(true)
})

test.skipIf(process.platform === 'win32')(
  'of a pipe nothing is remembered, and it is not opened again',
  async () => {
    const bench = shop.copy()
    const fifo = join(bench.folder, 'prices.fifo')
    execFileSync('mkfifo', [fifo])
    const notes = openNotes(Date.now() + 10_000)
    notes.text(fifo)
    expect(notes.isYoung()).toBe(true)
  },
)

test('what is remembered was looked at before it was read: a change in between is seen', async () => {
  const bench = shop.copy()
  const counted = paidAt(shop.gateway)
  const emit = () => bench.edit('shared.yaml', '1:1', '3:2')
  await remember(bench, { ...prices, emit })
  expect(paidAt(shop.gateway)).toBe(counted)
  expect(await isFound(bench)).toBe(false)
})
