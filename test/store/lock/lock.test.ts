import { describe, expect, test } from 'vitest'

import type { DonePurchase } from '../../../src/base/purchase.ts'
import type { Recipe } from '../../../src/base/state.ts'

import { type Locked, loadLock, newLock, readLock, writeLock } from '../../../src/store/lock/lock.ts'

import fc from '../../cases.ts'
import { memoryDisk, place } from '../memory-disk.ts'
import { named, recipe, run } from '../records.ts'
import { clip, hero, lock, text } from './sample.ts'

test('a lock is a header line, one job a line, sorted, and a closing null', () => {
  expect(writeLock(lock)).toBe(text)
  expect(JSON.parse(text).jobs).toHaveLength(3)
})

const second: DonePurchase = { ...hero, id: named('k0'), files: [] }

test('purchases of one job stand in the order of their ids, whatever order they come in', () => {
  for (const jobs of [
    [hero, second, clip],
    [second, clip, hero],
  ]) {
    const ids = writeLock({ ...lock, jobs }).match(/"id":"k\d"/g)
    expect(ids).toEqual(['"id":"k1"', '"id":"k0"', '"id":"k2"'])
  }
})

const all: readonly [string, Locked][] = [
  ['done', hero],
  ['aside', { ...hero, aside: true }],
  ['picked', { ...hero, picked: true }],
  ['flawed', { ...hero, flaw: { why: 'short-delivery', message: 'one is missing' } }],
  ['accepted as something else', { ...hero, acceptedAs: recipe }],
  [
    'running',
    {
      id: named('k2'),
      address: hero.address,
      recipe,
      is: 'under-way',
      run: run('r-1'),
      saved: [],
      parts: [],
    },
  ],
  ['doubt', { id: named('k2'), address: hero.address, recipe, is: 'doubt', detail: 'reset', raws: [] }],
  ['failed', { ...clip, run: run('r-1') }],
]

test.each(all)('what is %s is read as it was written', (_, entry) => {
  const reading = readLock(writeLock({ ...lock, jobs: [entry] }))
  expect(reading).toMatchObject({ got: 'lock' })
  if (reading.got === 'lock') expect(reading.lock.jobs).toEqual([entry])
})

describe('a lock of format 1', () => {
  const old = text.replace('"genrun":2', '"genrun":1').replaceAll(/"id":"k\d",/g, '')
  const idsIn = (from: string) => {
    const reading = readLock(from, 'teapots.yaml')
    if (reading.got === 'damaged') throw new Error(reading.why)
    return reading.lock.jobs.map(({ id }) => id)
  }

  test('is read: its purchases are named by what stands there', () => {
    const reading = readLock(old, 'teapots.yaml')
    if (reading.got === 'damaged') throw new Error(reading.why)
    expect(reading.lock.jobs.map(({ id: _id, ...rest }) => rest)).toEqual(
      [clip, hero].map(({ id: _id, ...rest }) => rest),
    )
    expect(idsIn(old)).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ])
  })

  test('gives the same names each time, however it is laid out, and other names to other purchases', () => {
    expect(idsIn(JSON.stringify(JSON.parse(old), null, 2))).toEqual(idsIn(old))
    expect(new Set([...idsIn(old), ...idsIn(old.replace('"r-1"', '"r-2"'))]).size).toBe(3)
    // What they are for good: a lock that was read once must find its purchases in the journal later.
    expect(idsIn(old)).toMatchInlineSnapshot(`
      [
        "576a473364d1df15816df904520c585b",
        "23a1a821bf60039ea1b06ef08a99b104",
      ]
    `)
  })

  test('is written as format 2, and keeps those names', () => {
    const reading = readLock(old, 'teapots.yaml')
    if (reading.got === 'damaged') throw new Error(reading.why)
    const now = writeLock(reading.lock)
    expect(now).toMatch(/^{"genrun":2,/)
    expect(idsIn(now)).toEqual(idsIn(old))
  })
})

test('a lock without jobs', () => {
  expect(writeLock({ ...lock, jobs: [] })).toBe(`${text.split('\n')[0]}\nnull]}\n`)
})

test('the order of jobs and of parameters does not show', () => {
  const turned = { ...hero, recipe: { ...hero.recipe, params: { count: 2, prompt: 'tea' } } }
  expect(writeLock({ ...lock, jobs: [clip, turned] })).toBe(text)
})

test('nor does the order of what nests in parameters, whole numbers excepted', () => {
  const withParams = (params: Recipe['params']) =>
    writeLock({ ...lock, jobs: [{ ...hero, recipe: { ...hero.recipe, params } }] })
  const written = withParams({ list: [{ b: 1, a: { d: 2, c: 3 } }], 10: 'ten', 9: 'nine' })
  expect(written).toContain('"params":{"9":"nine","10":"ten","list":[{"a":{"c":3,"d":2},"b":1}]}')
  expect(withParams({ 9: 'nine', list: [{ a: { c: 3, d: 2 }, b: 1 }], 10: 'ten' })).toBe(written)
})

test('what is no number is left out, so that nobody takes the line for damage', () => {
  const jobs = [
    { ...hero, credits: Number.NaN, files: hero.files.map(file => ({ ...file, seconds: Infinity })) },
  ]
  expect(writeLock({ ...lock, jobs: [clip, ...jobs] })).toBe(text)
})

test('what is written is read, and written again the same', () => {
  const reading = readLock(text, 'teapots.yaml')
  expect(reading).toMatchObject({ got: 'lock', lock: { lineage: lock.lineage, manifest: 'teapots.yaml' } })
  if (reading.got === 'lock') {
    expect(reading.lock.jobs).toEqual([clip, hero])
    expect(writeLock(reading.lock)).toBe(text)
  }
})

test('a text that was read a moment ago is still told as the lock of another manifest, or as cut', () => {
  const whole = readLock(text, 'teapots.yaml')
  expect(readLock(text)).toEqual(whole)
  expect(readLock(text, 'kettles.yaml')).toMatchObject({ got: 'damaged', damage: 'other-manifest' })
  expect(readLock(text.slice(0, -10), 'teapots.yaml')).toMatchObject({ got: 'damaged', damage: 'cut' })
  expect(readLock(text.replace('"take":1', '"take":2'))).not.toEqual(whole)
})

test('any text in parameters survives, whatever it looks like', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
  fc.assert(
    fc.property(json, params => {
      const jobs = [{ ...hero, recipe: { ...hero.recipe, params: params as Recipe['params'] } }] // JSON it is
      const once = writeLock({ ...lock, jobs })
      const reading = readLock(once)
      expect(reading.got).toBe('lock')
      if (reading.got === 'lock') expect(writeLock(reading.lock)).toBe(once)
    }),
  )
})

test.each([
  ['line ends that git changed', text.replaceAll('\n', '\r\n')],
  ['a byte order mark', `\ufeff${text}`],
  ['another layout', JSON.stringify(JSON.parse(text), null, 2)],
])('%s: no damage', (_, altered) => {
  const reading = readLock(altered, 'teapots.yaml')
  if (reading.got === 'damaged') expect.unreachable(reading.why)
  expect(writeLock(reading.lock)).toBe(text)
})

const [header = '', clipLine = '', heroLine = ''] = text.split('\n')
const merged = [header, '<<<<<<< ours', clipLine, '=======', heroLine, '>>>>>>> theirs', 'null]}', ''].join(
  '\n',
)

test.each<[string, string, object]>([
  ['empty', '', { damage: 'empty', why: 'it is empty' }],
  ['only spaces', ' \n\n', { damage: 'empty', why: 'it is empty' }],
  [
    'UTF-16 read as if it were UTF-8',
    Buffer.from(`\ufeff${text}`, 'utf16le').toString(),
    { damage: 'encoding', why: 'it is not UTF-8 text' },
  ],
  [
    'UTF-16 without a mark',
    Buffer.from(text, 'utf16le').toString(),
    { damage: 'encoding', why: 'it is not UTF-8 text' },
  ],
  [
    'a byte of zero in a job',
    text.replace('}', '\0}'),
    { damage: 'entry', why: 'it holds a byte of zero, which no text has', line: 2 },
  ],
  [
    'zeros at its end, as a power cut leaves them',
    `${header}\n${clipLine}\n${'\0'.repeat(100)}`,
    { damage: 'entry', why: 'it holds a byte of zero, which no text has', line: 3 },
  ],
  ['merge markers', merged, { damage: 'conflict', why: 'it holds the marks of a merge conflict', line: 2 }],
  [
    'the longer merge markers of a file that both sides renamed',
    merged
      .replace(/^[<=>]/gm, '$&$&')
      .split('\n')
      .slice(1)
      .join('\n'),
    { damage: 'conflict', why: 'it holds the marks of a merge conflict', line: 1 },
  ],
  ['cut in a job', text.slice(0, 400), { damage: 'cut', why: 'it ends in the middle' }],
  ['cut in the header', text.slice(0, 8), { damage: 'cut', why: 'it ends in the middle' }],
  ['cut at the end of a job', `${header}\n${clipLine}\n`, { damage: 'cut', why: 'it ends in the middle' }],
  [
    'without its last line, closed by hand',
    `${header}\n${clipLine.slice(0, -1)}]}`,
    { damage: 'cut', why: 'its last line is missing' },
  ],
  [
    'another manifest’s',
    text.replace('teapots.yaml', 'kettles.yaml'),
    {
      damage: 'other-manifest',
      why: 'it belongs to the manifest kettles.yaml, not to teapots.yaml',
      manifest: 'kettles.yaml',
    },
  ],
  [
    'a later version',
    text.replace('"genrun":2', '"genrun":3'),
    { damage: 'newer', why: 'it was written by a newer genrun (format 3, this one knows 2)' },
  ],
  [
    'a later recipe',
    text.replace('"version":1', '"version":2'),
    { damage: 'entry', why: 'a newer genrun wrote the recipe of the job clip[fox]', line: 2 },
  ],
  ['other JSON', '{"name":"teapots"}', { damage: 'foreign', why: 'it is not a lock of genrun' }],
  ['a list', '[]', { damage: 'foreign', why: 'it is not a lock of genrun' }],
  ['other text', 'jobs:\n  hero:\n', { damage: 'foreign', why: 'it is not a lock of genrun' }],
  ['a lineage of another form', text.replace('0123456789abcdef', 'zz'), { damage: 'foreign' }],
  [
    'a job twice',
    text.replace(heroLine, `${heroLine}\n${heroLine}`),
    { damage: 'entry', why: 'a purchase of the job hero stands in it twice', line: 4 },
  ],
  [
    'an id that is none',
    text.replace('"id":"k2"', '"id":"../k2"'),
    { damage: 'entry', why: 'the purchase of the job hero has no id that can be right', line: 3 },
  ],
  ['an id that is no text', text.replace('"id":"k2"', '"id":2'), { damage: 'entry', line: 3 }],
  ['a flaw that is none', text.replace('"why":"remote"', '"why":7'), { damage: 'entry', line: 2 }],
  [
    'a line that is no JSON',
    text.replace('"address":"hero"', '"address":hero'),
    { damage: 'entry', why: 'it is not valid JSON', line: 3 },
  ],
  [
    'a job without recipe',
    text.replace('"recipe":{"version":1', '"recipes":{"version":1'),
    { damage: 'entry', why: 'there is no recipe of the job clip[fox]', line: 2 },
  ],
  [
    'an unknown state',
    text.replace('"done"', '"melted"'),
    { damage: 'entry', why: 'the job hero has no known state', line: 3 },
  ],
  [
    'a run id with a path',
    text.replace('"r-1"', '".."'),
    { damage: 'entry', why: 'the run of the job hero cannot be right', line: 3 },
  ],
  [
    'a file outside',
    text.replace('hero-1.png', '../../.bashrc'),
    { damage: 'entry', why: 'a file of the job hero cannot be right', line: 3 },
  ],
  ['an absolute file', text.replace('hero-1.png', '/etc/passwd'), { damage: 'entry', line: 3 }],
  ['a digest of another kind', text.replace('sha256:aaaa', 'md5:aaaa'), { damage: 'entry', line: 3 }],
  ['a size that is no number', text.replace('"bytes":10', '"bytes":"10"'), { damage: 'entry', line: 3 }],
])('%s is damage, in its own words', (_, altered, wanted) => {
  expect(readLock(altered, 'teapots.yaml')).toMatchObject({ got: 'damaged', ...wanted })
})

test('a lock cut anywhere is damage', () => {
  for (let end = 0; end < text.length - 1; end++) {
    expect(readLock(text.slice(0, end), 'teapots.yaml').got, `cut at ${end}`).toBe('damaged')
  }
})

test('a lock is loaded from disk', async () => {
  const disk = memoryDisk()
  expect(loadLock('/t.lock.json', 'teapots.yaml', disk)).toEqual({ got: 'none' })
  await place(disk, '/t.lock.json', text)
  expect(loadLock('/t.lock.json', 'teapots.yaml', disk)).toMatchObject({
    got: 'lock',
    text,
    lock: { jobs: [clip, hero] },
  })
})

test('a lock in UTF-16 says so', () => {
  const disk = { ...memoryDisk(), readAll: () => Buffer.from(`\ufeff${text}`, 'utf16le') }
  expect(loadLock('/t.lock.json', 'teapots.yaml', disk)).toEqual({
    got: 'damaged',
    damage: 'encoding',
    why: 'it is UTF-16 text, not UTF-8',
  })
})

test('two new locks have two lineages', () => {
  expect(newLock('a.yaml').lineage).toMatch(/^[0-9a-f]{32}$/)
  expect(newLock('a.yaml').lineage).not.toBe(newLock('a.yaml').lineage)
})
