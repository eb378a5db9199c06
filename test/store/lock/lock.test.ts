import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import type { DonePurchase, FailedPurchase } from '../../../src/base/purchase.ts'
import type { Recipe } from '../../../src/base/state.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import type { Disk, Look } from '../../../src/store/files/disk.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import {
  type Compose,
  type Lock,
  type Locked,
  loadLock,
  lockSaver,
  newLock,
  readLock,
  writeLock,
} from '../../../src/store/lock/lock.ts'
import { readRescued, rescuePlace } from '../../../src/store/lock/rescued.ts'
import fc from '../../cases.ts'
import { fates, type MemoryDisk, memoryDisk, place } from '../memory-disk.ts'
import { handClock, named, recipe, run, saved, settled } from '../records.ts'

const { width: _, height: __, ...bare } = saved('hero-2.png', 'c')
const hero: DonePurchase = {
  id: named('k2'),
  address: jobAddress('hero'),
  is: 'done',
  recipe: { ...recipe, params: { prompt: 'tea', count: 2 }, defaults: { aspectRatio: '16:9' } },
  run: run('r-1'),
  files: [saved('hero-1.png'), bare],
}
const clip: FailedPurchase = {
  id: named('k1'),
  address: jobAddress('clip[fox]'),
  is: 'failed',
  billed: 'unknown',
  recipe,
  flaw: { why: 'remote', message: 'the run failed at the service' },
}
const lock: Lock = { lineage: '0123456789abcdef'.repeat(2), manifest: 'teapots.yaml', jobs: [hero, clip] }

const text = `{"genrun":2,"lineage":"0123456789abcdef0123456789abcdef","manifest":"teapots.yaml","jobs":[
{"address":"clip[fox]","state":"failed","id":"k1","recipe":{"version":1,"model":"fama-imagine-image","params":{"count":2,"prompt":"a teapot, “steaming”\\n\\\\ ☕"},"defaults":{},"inputs":{},"take":1},"files":[],"flaw":{"why":"remote","message":"the run failed at the service"}},
{"address":"hero","state":"done","id":"k2","recipe":{"version":1,"model":"fama-imagine-image","params":{"count":2,"prompt":"tea"},"defaults":{"aspectRatio":"16:9"},"inputs":{},"take":1},"run":{"workflow":"fama-imagine-image","id":"r-1"},"files":[{"path":"hero-1.png","digest":"sha256:${'a'.repeat(64)}","bytes":10,"type":"image/png","width":4,"height":2},{"path":"hero-2.png","digest":"sha256:${'c'.repeat(64)}","bytes":10,"type":"image/png"}]},
null]}
`

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

function renames(disk: { readonly calls: readonly string[] }): number {
  return disk.calls.filter(call => call.startsWith('rename')).length
}

test('saves in a row are written as two: the first at once, the last after a while', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  saver.save(() => ({ ...lock, jobs: [] }))
  await settled()
  expect(disk.files()['/t.lock.json']).toBe(writeLock({ ...lock, jobs: [] }))
  for (let nth = 0; nth < 100; nth++) saver.save(() => ({ ...lock, jobs: [clip] }))
  saver.save(() => lock)
  await clock.move(499)
  expect(renames(disk)).toBe(1)
  await clock.move(1)
  expect(disk.files()).toEqual({ '/t.lock.json': text })
  expect(renames(disk)).toBe(2)
})

test('a lock that takes long to write is written more seldom: a tenth of the time goes into it', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  const slowly = async (jobs: Lock['jobs'], ms = 200) => {
    saver.save(() => {
      void clock.move(ms)
      return { ...lock, jobs }
    })
    await settled()
  }
  await slowly([])
  expect(renames(disk)).toBe(1)
  await slowly([hero])
  await clock.move(1799)
  expect(renames(disk)).toBe(1)
  await clock.move(1)
  expect(renames(disk)).toBe(2)
  // A disk that hung once.
  await slowly([], 20_000)
  await clock.move(1800)
  expect(renames(disk)).toBe(3)
  await slowly([hero])
  await clock.move(29_999)
  expect(renames(disk)).toBe(3)
  await clock.move(1)
  expect(renames(disk)).toBe(4)
})

test('whoever waits for the lock shares the writes, and gets one that holds what was asked', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  const seen: string[] = []
  const ask = async (jobs: Lock['jobs']) => {
    saver.save(() => ({ ...lock, jobs }))
    await saver.soon()
    seen.push(disk.files()['/t.lock.json'] ?? '')
  }
  const before = clock.now()
  await Promise.all([ask([]), ask([clip]), ask([clip, hero])])
  // It was composed when all had asked: one write holds it all.
  expect(seen).toEqual([text, text, text])
  expect(renames(disk)).toBe(1)
  // While one is written the next cannot know whether it is in it.
  await Promise.all([ask([]), ...Array.from({ length: 50 }, () => Promise.resolve().then(() => ask([hero])))])
  expect(seen.slice(4).every(each => each.includes('"k2"'))).toBe(true)
  expect(renames(disk)).toBeLessThanOrEqual(3)
  expect(clock.now()).toBe(before)
})

test('a lock that was taken away is written again, although it says the same', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  const save = () => saver.save(() => lock)
  save()
  await saver.flush()
  save()
  await saver.flush()
  expect(renames(disk)).toBe(1)
  disk.remove('/t.lock.json')
  save()
  await saver.flush()
  expect(disk.files()).toEqual({ '/t.lock.json': text })
  disk.remove('/t.lock.json')
  save()
  saver.saveAtExit()
  expect(disk.files()).toEqual({ '/t.lock.json': text })
})

test('a lock that cannot be looked at is trouble as any other', async () => {
  const disk = memoryDisk()
  const hidden = new StorageError('/t.lock.json', 'look at', 'permission denied', 'EACCES')
  const look = () => {
    throw hidden
  }
  const saver = lockSaver({ path: '/t.lock.json', text, disk: { ...disk, look }, clock: handClock() })
  saver.save(() => lock)
  await saver.soon()
  await expect(saver.flush()).rejects.toBe(hidden)
})

test('nobody waits for a lock that nobody changed', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  await saver.soon()
  saver.save(() => lock)
  await saver.flush()
  await saver.soon()
  expect(renames(disk)).toBe(1)
})

test('a slow disk is asked for a quarter of the time while somebody waits', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  const slowly = (jobs: Lock['jobs']) => {
    saver.save(() => {
      void clock.move(200)
      return { ...lock, jobs }
    })
    return saver.soon()
  }
  await slowly([])
  let isThere = false
  const waiting = slowly([hero]).then(() => (isThere = true))
  await clock.move(599)
  expect([isThere, renames(disk)]).toEqual([false, 1])
  await clock.move(1)
  await waiting
  expect(renames(disk)).toBe(2)
})

test('a disk that takes no lock keeps nobody waiting, and flush tells', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  disk.stopAt(1)
  saver.save(() => lock)
  await saver.soon()
  await expect(saver.flush()).rejects.toBeInstanceOf(StorageError)
  saver.save(() => ({ ...lock, jobs: [] }))
  await saver.soon()
  expect(saver.digest()).toBeUndefined()
})

test('its digest is that of the lock as it stands on disk', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  saver.save(() => ({ ...lock, jobs: [] }))
  await saver.soon()
  expect(saver.digest()).toBe(digestBytes(writeLock({ ...lock, jobs: [] })))
  saver.save(() => lock)
  expect(saver.digest()).toBe(digestBytes(writeLock({ ...lock, jobs: [] })))
  await saver.flush()
  expect(saver.digest()).toBe(digestBytes(text))
})

test('flush does not wait for the pause, and then the last lock is on the medium', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  saver.save(() => ({ ...lock, jobs: [] }))
  await settled()
  saver.save(() => lock)
  await saver.flush()
  expect(disk.restarted(() => false).files()).toEqual({ '/t.lock.json': text })
  saver.save(() => ({ ...lock, jobs: [hero] }))
  await saver.flush()
  expect(disk.files()['/t.lock.json']).toContain('hero')
  expect(disk.files()['/t.lock.json']).not.toContain('clip')
})

test.each([text, text.replaceAll('\n', '\r\n')])('a lock that says the same is not touched', async before => {
  const disk = memoryDisk()
  await place(disk, '/t.lock.json', before)
  const calls = disk.calls.length
  const saver = lockSaver({ path: '/t.lock.json', text: before, disk, clock: handClock() })
  saver.save(() => lock)
  await saver.flush()
  expect(disk.calls.length).toBe(calls)
})

test('whenever the power is cut during saves, the old or the new document stands there whole', async () => {
  const documents = [text, writeLock({ ...lock, jobs: [hero] }), writeLock({ ...lock, jobs: [] })]
  for (let step = 1; step <= 12; step++) {
    const disk = memoryDisk()
    await place(disk, '/t.lock.json', text)
    disk.stopAt(disk.calls.length + step)
    const saver = lockSaver({ path: '/t.lock.json', text, disk, clock: handClock() })
    for (const jobs of [[hero], []]) {
      saver.save(() => ({ ...lock, jobs }))
      await saver.flush().catch(error => expect(error).toBeInstanceOf(StorageError))
    }
    for (const after of fates(disk)) expect(documents).toContain(after.files()['/t.lock.json'])
  }
})

test('a long lock is written in pieces, and is the text that it would be as a whole', async () => {
  const disk = memoryDisk()
  const jobs = Array.from({ length: 6000 }, (_, nth) => ({ ...hero, id: named(`k${9000 - nth}`) }))
  const whole = writeLock({ ...lock, jobs })
  const sizes: number[] = []
  const write: Disk['write'] = (file, bytes) => {
    sizes.push(bytes.length)
    return disk.write(file, bytes)
  }
  const saver = lockSaver({ path: '/t.lock.json', disk: { ...disk, write }, clock: handClock() })
  saver.save(() => ({ ...lock, jobs }))
  await saver.flush()
  expect(disk.files()['/t.lock.json']).toBe(whole)
  expect(saver.digest()).toBe(digestBytes(whole))
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(1_010_000)
  const loaded = loadLock('/t.lock.json', 'teapots.yaml', disk)
  expect(loaded).toMatchObject({ got: 'lock', lock: { jobs: { length: 6000 } } })
})

test('a save that failed is told by flush, and the next one may succeed', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  disk.failAt(2)
  saver.save(() => ({ ...lock, jobs: [] }))
  await expect(saver.flush()).rejects.toThrow('no space left on the disk')
  saver.save(() => lock)
  await saver.flush()
  expect(disk.files()).toEqual({ '/t.lock.json': text })
})

test('a lock that another process keeps by now is left as it is, however late that shows', async () => {
  const disk = memoryDisk()
  await place(disk, '/t.lock.json', text)
  let asked = 0
  const mayReplace = () => {
    // Whole and synced under another name: from here on it would be one step.
    expect(Object.keys(disk.files())).toHaveLength(2)
    asked++
    return false
  }
  const saver = lockSaver({ path: '/t.lock.json', text, disk, clock: handClock(), mayReplace })
  saver.save(() => ({ ...lock, jobs: [] }))
  await saver.flush()
  expect(asked).toBe(1)
  expect(disk.files()).toEqual({ '/t.lock.json': text })
})

describe('a lock that somebody else replaced', () => {
  const path = '/t.lock.json'

  /** Keeps what it is told of, as a ledger does. */
  function keeper(...jobs: readonly Locked[]) {
    const known = new Map(jobs.map(each => [each.id, each]))
    const heard: string[][] = []
    const compose: Compose = news => {
      if (news.length > 0) heard.push(news.map(({ address }) => address))
      for (const entry of news) if (!known.has(entry.id)) known.set(entry.id, entry)
      return { ...lock, jobs: [...known.values()] }
    }
    return { known, heard, compose }
  }

  const textOf = (...jobs: readonly Locked[]) => writeLock({ ...lock, jobs })

  test('between two saves keeps what they bought, and is told of it once', async () => {
    const disk = memoryDisk()
    const { compose, heard } = keeper(hero)
    const saver = lockSaver({ path, disk, clock: handClock() })
    saver.save(compose)
    await saver.flush()
    await place(disk, path, textOf(clip))
    for (const _ of ['first', 'second']) {
      saver.save(compose)
      await saver.flush()
      expect(disk.files()[path]).toBe(textOf(hero, clip))
    }
    expect(heard).toEqual([['clip[fox]']])
  })

  test('since the last save is merged when the run ends, by itself or by a signal', async () => {
    const disk = memoryDisk()
    const { compose } = keeper(hero)
    const saver = lockSaver({ path, disk, clock: handClock() })
    saver.save(compose)
    await saver.flush()
    await place(disk, path, textOf(clip))
    await saver.flush()
    expect(disk.files()[path]).toBe(textOf(hero, clip))
    await place(disk, path, textOf(clip))
    saver.save(compose)
    saver.saveAtExit()
    expect(disk.files()[path]).toBe(textOf(hero, clip))
  })

  test('before the first save, or while one is written, is merged', async () => {
    const disk = memoryDisk()
    await place(disk, path, textOf(clip))
    const { compose } = keeper(hero)
    let isPulled = false
    const mayReplace = () => {
      if (!isPulled) void place(disk, path, textOf(clip, { ...clip, id: named('k9') }))
      isPulled = true
      return true
    }
    const saver = lockSaver({ path, disk, clock: handClock(), text: textOf(hero), mayReplace })
    saver.save(compose)
    await saver.flush()
    expect(disk.files()[path]).toBe(textOf(hero, clip, { ...clip, id: named('k9') }))
  })

  test('is not asked for what was taken out here', async () => {
    const disk = memoryDisk()
    await place(disk, path, textOf(hero, clip))
    const { compose, known } = keeper(hero, clip)
    const saver = lockSaver({ path, disk, clock: handClock(), text: textOf(hero, clip) })
    known.delete(hero.id)
    await place(disk, path, textOf(hero, clip, { ...clip, id: named('k9') }))
    saver.save(compose)
    await saver.flush()
    expect(disk.files()[path]).toBe(textOf(clip, { ...clip, id: named('k9') }))
  })

  test.each([
    ['another lineage', text.replace(/"lineage":"./, '"lineage":"e'), 'it is a lock of another lineage'],
    [
      'the marks of a conflict',
      `<<<<<<< ours\n${text}=======\n>>>>>>> theirs\n`,
      'it holds the marks of a merge conflict (line 1)',
    ],
  ])(
    'by one with %s is left alone, and ours is kept elsewhere until it may be written',
    async (_, theirs, why) => {
      const disk = memoryDisk()
      const { compose } = keeper(hero)
      const saver = lockSaver({ path, disk, clock: handClock(), refuge: '/refuge' })
      saver.save(compose)
      await saver.flush()
      expect(saver.displaced).toBeUndefined()
      await place(disk, path, theirs)
      saver.save(compose)
      await expect(saver.flush()).rejects.toThrow(
        `another text has its place: ${why}; what it should say is in`,
      )
      expect(saver.displaced?.detail).toContain('/refuge/')
      const rescued = () => Object.entries(disk.files()).flatMap(([at, its]) => (at === path ? [] : [its]))
      expect([disk.files()[path], rescued()]).toEqual([theirs, [textOf(hero)]])
      for (const each of Object.keys(disk.files())) if (each !== path) disk.remove(each)
      saver.save(compose)
      expect(() => saver.saveAtExit()).toThrow('another text has its place')
      expect([disk.files()[path], rescued()]).toEqual([theirs, [textOf(hero)]])
      await place(disk, path, textOf(clip))
      saver.save(compose)
      await saver.flush()
      expect([disk.files()[path], saver.displaced]).toEqual([textOf(hero, clip), undefined])
      // Nobody has to look for what its place says by now.
      expect(readRescued('/refuge', path, disk)).toEqual([])
    },
  )

  test.each<[string, (disk: MemoryDisk, file: string) => Partial<Look> | undefined, boolean]>([
    ['is found', () => undefined, true],
    ['is not believed where it is a link', () => ({ is: 'link' }), false],
    ['is not believed where it is of another user', () => ({ owner: 4711, mode: 0o600 }), false],
  ])('that was kept elsewhere %s', async (_, altered, isFound) => {
    const disk = memoryDisk()
    const { file, write } = rescuePlace('/refuge', path, disk)
    await write(textOf(hero))
    await place(disk, '/refuge/notes.json', textOf(clip))
    await place(disk, '/refuge/c0ffee123456-t.lock.json', '{')
    for (const odd of [file, '/refuge']) {
      const look = (at: string) => {
        const seen = disk.look(at)
        return seen && { ...seen, ...(at === odd && altered(disk, file)) }
      }
      const found = readRescued('/refuge', path, { ...disk, look })
      expect(found).toEqual(isFound ? [{ file, lock: { ...lock, jobs: [hero] }, isHere: true }] : [])
    }
    expect(readRescued('/refuge', '/elsewhere/t.lock.json', disk)).toMatchObject([{ isHere: false }])
    expect(readRescued(undefined, path, disk)).toEqual([])
  })

  test('is not read again while nobody touches it', async () => {
    const disk = memoryDisk()
    let reads = 0
    const readAll = (of: string) => {
      reads++
      return disk.readAll(of)
    }
    const { compose, known } = keeper(hero)
    const saver = lockSaver({ path, disk: { ...disk, readAll }, clock: handClock() })
    for (const id of ['k7', 'k8', 'k9']) {
      known.set(named(id), { ...clip, id: named(id) })
      saver.save(compose)
      await saver.flush()
    }
    expect(reads).toBe(0)
  })
})
