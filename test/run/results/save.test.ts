import { expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import type { DonePurchase, JournalRecord, Purchase } from '../../../src/base/purchase.ts'
import type { Model } from '../../../src/catalog/model.ts'
import type { Task } from '../../../src/engine/world.ts'
import type { GatePolicy } from '../../../src/looks/names.ts'
import type { Job } from '../../../src/manifest/shapes/job.ts'
import { type Looking, openSiblings } from '../../../src/run/results/looking.ts'
import { type SaveContext, saveFiles } from '../../../src/run/results/save.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import { openParts } from '../../../src/store/files/parts.ts'
import type { Wire } from '../../../src/wire/http/wire.ts'
import { measure, type Unusual } from '../../../src/workspace/measure.ts'
import { type MemoryDisk, memoryDisk } from '../../store/memory-disk.ts'
import { fox, named, recipe, saved } from '../../store/records.ts'
import { manifestName } from '../../verbs/bench.ts'
import { endings, openSeller, pictures } from '../../verbs/seller.ts'

const address = jobAddress('hero')
const purchase = named('k1')
// All that saving looks at.
const model = { id: 'fama-imagine-image', inputType: 't2i' } as Model
const job = { address, model, params: {}, output: 'hero', count: 1 } as Job
const link = { from: 'link', url: 'https://x/1.png' } as const
const left = '/out/.genrun/of-the-run-before.part'

function write(disk: MemoryDisk, path: string, contents: string): void {
  const file = disk.open(path, 'create')
  disk.write(file, Buffer.from(contents))
  disk.close(file)
}

/** A save context who meets what an earlier run left: `saved` is what it SAVED, `there` what lies in its part. */
function saveContextAfter(
  saved: string,
  there: string | undefined,
  { keepsBack, measure, looking }: Partial<Pick<SaveContext, 'keepsBack' | 'measure' | 'looking'>> = {},
) {
  const disk = memoryDisk()
  for (const folder of ['/out', '/out/.genrun']) disk.makeFolder(folder)
  if (there !== undefined) write(disk, left, there)
  const records: JournalRecord[] = []
  const downloads: string[] = []
  const room: unknown[] = []
  const saveContext: SaveContext = {
    wire: {
      async download(_file: unknown, to: string) {
        downloads.push(to)
        if (disk.look(to)) disk.remove(to)
        write(disk, to, 'fetched')
        return { got: 'bytes', bytes: 7, sha256: digestBytes('fetched').slice('sha256:'.length) }
      },
    } as unknown as Wire, // the other endpoints have no part in it
    journal: {
      append: async record => void records.push(record),
    },
    layout: { output: '/out', lock: '/t.lock.json', state: '/.genrun/t', rehearsal: false },
    kept: '/.genrun/t/kept',
    isOurs: () => false,
    makeRoom: async (path, whose) => void room.push([path, whose, Object.keys(disk.files())]),
    ...(keepsBack && { keepsBack }),
    ...(looking && { looking }),
    disk,
    measure: measure ?? (async () => ({ type: 'image/png', extension: 'png' })),
    left: () => ({ is: 'whole', part: left, digest: digestBytes(saved) }),
    doubted: new Map(),
    parts: openParts({ folder: '/out/.genrun', owner: 't', token: 'this run', disk }),
  }
  const save = (count = 1, came = 1, more: Pick<Task, 'aside' | 'taken'> = {}, gate?: GatePolicy) =>
    saveFiles(
      { job: { ...job, count, ...(gate && { gate }) }, purchase, ...more },
      Array.from({ length: came }, () => link),
      saveContext,
      { signal: new AbortController().signal },
    )
  return { disk, save, records, downloads, room }
}

test('what an earlier run had verified when it ended gets its name, and is not fetched again', async () => {
  const { disk, save, records, downloads, room } = saveContextAfter('whole', 'whole')
  const file = { path: 'hero.png', digest: digestBytes('whole'), bytes: 5, type: 'image/png' }
  expect(await save()).toEqual({ got: 'saved', files: [file] })
  expect(downloads).toEqual([])
  expect(disk.files()).toEqual({ '/out/hero.png': 'whole' })
  // Whoever had the name is asked to leave before it is given away, and after the file is whole.
  expect(room).toEqual([['hero.png', purchase, [left]]])
  expect(records).toEqual([{ kind: 'SAVED', purchase, nth: 0, file, part: left }])
})

test.each([
  ['altered', 'another'],
  ['gone', undefined],
])('it is fetched under a name of this run when it is %s by now', async (_, there) => {
  const { disk, save, downloads } = saveContextAfter('whole', there)
  expect(await save()).toMatchObject({ got: 'saved', files: [{ digest: digestBytes('fetched') }] })
  expect(downloads).toEqual([expect.stringMatching(/^\/out\/\.genrun\/[0-9a-f-]+\.part$/)])
  expect(disk.files()['/out/hero.png']).toBe('fetched')
})

test('what is wrong with the result as a whole stands in the journal with its last file', async () => {
  const { save, records } = saveContextAfter('whole', 'whole')
  const flaw = { why: 'short-delivery', asked: 3, got: 2 }
  expect(await save(3, 2)).toMatchObject({ got: 'saved', flaw })
  expect(records.map(record => 'flaw' in record && record.flaw)).toEqual([false, flaw])
})

const nothingOnIt = { of: 'picture', spread: 0, bright: 200, hash: '0'.repeat(64) } as const
const something = { ...nothingOnIt, spread: 90 }

test.each([
  ['warn', nothingOnIt, 'hero.png: it is one color', false],
  ['fail', nothingOnIt, 'hero.png: it is one color', true],
  ['fail', something, undefined, false],
] as const)(
  'a gate that says %s keeps the file and tells what it looks like (%#)',
  async (means, facts, detail, fails) => {
    const look = async () => ({ got: 'facts', facts }) as const
    const { disk, save, records } = saveContextAfter('whole', 'whole', { looking: lookingAs(look, means) })
    const flaw = detail && { why: 'unlike-asked', detail, ...(fails && { fails }) }
    const outcome = await save()
    const looked = detail
      ? { verdict: means, found: [{ look: 'blank', verdict: means, why: 'it is one color' }] }
      : { verdict: 'ok', shows: [something.hash] }
    expect(outcome).toMatchObject({ got: 'saved', files: [{ path: 'hero.png', looked }] })
    expect('flaw' in outcome ? outcome.flaw : undefined).toEqual(flaw)
    // In the journal with its last file, before it has its name.
    expect(records).toMatchObject([{ kind: 'SAVED', ...(flaw && { flaw }) }])
    expect(disk.files()).toEqual({ '/out/hero.png': 'whole' })
  },
)

const unsaid = { look: 'words', verdict: 'warn', why: 'it does not say “OPEN”' } as const

function lookingAs(
  look: Looking['look'],
  usual: Looking['usual'],
  purchases: readonly Purchase[] = [],
): Looking {
  const siblings = openSiblings(() => purchases)
  return { usual, look, ask: async () => undefined, words: async () => unsaid, siblings }
}

test('words are looked for where a job names them, and count as it says', async () => {
  const look = async () => ({ got: 'facts', facts: something }) as const
  const saveWith = (gate: [string, 'warn' | 'fail'][], usual?: Looking['usual']) =>
    saveContextAfter('whole', 'whole', { looking: lookingAs(look, usual) }).save(1, 1, {}, new Map(gate))
  const found = (verdict: string) => ({ files: [{ looked: { verdict, found: [{ ...unsaid, verdict }] } }] })
  expect(await saveWith([['all', 'fail']], 'warn')).not.toHaveProperty('flaw')
  expect(await saveWith([['words', 'warn']])).toMatchObject(found('warn'))
  expect(await saveWith([['words', 'fail']])).toMatchObject(found('fail'))
  const off = await saveWith([['words', 'fail']], 'off')
  expect(off).not.toHaveProperty('flaw')
})

test('two files of one order that show the same are told, and what could not be looked at has no flaw', async () => {
  const same = async () => ({ got: 'facts', facts: something }) as const
  const { save } = saveContextAfter('whole', undefined, { looking: lookingAs(same, 'warn') })
  const detail = 'hero-2.png: it shows the same as file 1 of the same take'
  const told = { got: 'saved', flaw: { why: 'unlike-asked', detail } }
  expect(await save(2, 2)).toMatchObject(told)
  // Fetched once more, as a link broke off behind it, a file is not like itself.
  expect(await save(2, 2)).toMatchObject(told)
  const blind = async () => ({ got: 'nothing', why: 'there is no ffmpeg' }) as const
  const { save: saveUnseen } = saveContextAfter('whole', 'whole', { looking: lookingAs(blind, 'fail') })
  const unseen = await saveUnseen()
  expect(unseen).not.toHaveProperty('flaw')
  const looked = { verdict: 'not looked at', why: 'there is no ffmpeg' }
  expect(unseen).toMatchObject({ files: [{ looked }] })
})

test('a file that shows the same as an earlier take is told, and one that was put aside is no take', async () => {
  const look = async () => ({ got: 'facts', facts: something }) as const
  const looked = { verdict: 'ok', shows: [something.hash] } as const
  const files = [{ ...saved('hero-2.png'), looked }]
  const take: DonePurchase = { is: 'done', id: fox, address: jobAddress('hero#2'), recipe, files }
  const saveAfter = (purchase: Purchase) =>
    saveContextAfter('whole', 'whole', { looking: lookingAs(look, 'warn', [purchase]) }).save()
  expect(await saveAfter(take)).toMatchObject({
    flaw: { detail: 'hero.png: it shows the same as take 2' },
  })
  const two = [{ ...saved('hero-2.png') }, ...files]
  const detail = (same: string) => ({ flaw: { detail: `hero.png: it shows the same as ${same}` } })
  expect(await saveAfter({ ...take, files: two })).toMatchObject(detail('file 2 of take 2'))
  const rest = { ...take, address: jobAddress('hero#2+3') }
  expect(await saveAfter({ ...rest, files: two })).toMatchObject(detail('file 4 of take 2'))
  const more = { ...take, address: jobAddress('hero+2') }
  expect(await saveAfter(more)).toMatchObject(detail('file 2 of the same take'))
  expect(await saveAfter({ ...take, aside: true })).not.toHaveProperty('flaw')
  expect(await saveAfter({ ...take, address: jobAddress('other') })).not.toHaveProperty('flaw')
})

test('a job says by look what counts, and a difference from what was asked is one of them', async () => {
  const look = async () => ({ got: 'facts', facts: nothingOnIt }) as const
  const measured = async () => ({ type: 'image/png', extension: 'png', mismatch: 'it is 1x1' })
  const saveWith = (gate: GatePolicy, usual?: Looking['usual']) =>
    saveContextAfter('whole', 'whole', { looking: lookingAs(look, usual), measure: measured }).save(
      1,
      1,
      {},
      gate,
    )
  const asked = { look: 'asked', verdict: 'fail', why: 'it is 1x1' }
  expect(
    await saveWith(
      new Map([
        ['blank', 'off'],
        ['asked', 'fail'],
        ['dark', 'warn'],
      ]),
    ),
  ).toMatchObject({
    files: [{ looked: { verdict: 'fail', found: [asked] } }],
    flaw: { detail: 'hero.png: it is 1x1', fails: true },
  })
  // Nothing is looked at for a difference alone, which was measured anyway.
  const outcome = await saveWith(new Map([['asked', 'fail']]))
  expect(outcome).toMatchObject({ flaw: { fails: true } })
  expect(outcome).not.toHaveProperty('files.0.looked')
})

test('what nobody asks for gets no name: it is kept, and nobody makes room for it', async () => {
  const { disk, save, records, room } = saveContextAfter('whole', 'whole')
  disk.makeFolder('/.genrun')
  disk.makeFolder('/.genrun/t')
  expect(await save(1, 1, { aside: true })).toMatchObject({ got: 'saved', files: [{ path: 'hero.png' }] })
  expect(room).toEqual([])
  expect(records).toMatchObject([{ kind: 'SAVED', purchase, file: { path: 'hero.png' } }])
  const [path, ...others] = Object.keys(disk.files())
  expect([path?.startsWith('/.genrun/t/kept/'), others]).toEqual([true, []])
})

test.each([
  ['gets no name of a job', {}, { got: 'unusable', files: [{ path: expect.stringMatching(/^unusual\//) }] }],
  [
    'is the result again where a person took it for one',
    { taken: true as const },
    { got: 'saved', files: [{ path: 'hero.tiff' }], flaw: { why: 'bad-media' } },
  ],
])('what is no media %s', async (_, more, wanted) => {
  const tiff = { unusual: 'it is TIFF', type: 'image/tiff', extension: 'tiff', proof: 'this' } as const
  const { save } = saveContextAfter('whole', 'whole', { measure: async () => tiff })
  expect(await save(1, 1, more)).toMatchObject(wanted)
})

test('a file gets no name when the claim was lost while SAVED was written down', async () => {
  const { disk, save, records, room } = saveContextAfter('whole', 'whole', {
    keepsBack: () => ({ why: 'stopped' }),
  })
  expect(await save()).toEqual({ got: 'blocked', failure: { why: 'stopped' } })
  expect(records).toMatchObject([{ kind: 'SAVED', part: left }])
  expect(room).toEqual([])
  expect(disk.files()).toEqual({ [left]: 'whole' })
})

/** Of three files of this kind the second is no result. */
function secondIs(proof: Unusual['proof']): SaveContext['measure'] {
  let nth = 0
  return async () => {
    const png = { type: 'image/png', extension: 'png' }
    return nth++ % 3 === 1 ? { unusual: 'it is odd', type: 'image/tiff', extension: 'tiff', proof } : png
  }
}

test('a result of which one file is none is none itself, and all of it is kept in one place', async () => {
  const { disk, save, records } = saveContextAfter('whole', undefined, { measure: secondIs('this') })
  const names = ['unusual/hero-1@k1.png', 'unusual/hero-2@k1.tiff', 'unusual/hero-3@k1.png']
  const failure = { why: 'bad-media', detail: 'it is odd' }
  expect(await save(3, 3)).toMatchObject({ got: 'unusable', failure, files: names.map(path => ({ path })) })
  expect(Object.keys(disk.files()).toSorted()).toEqual(names.map(path => `/out/${path}`))
  // Whoever comes after a crash learns that these are no result.
  expect(records.map(record => 'flaw' in record && record.flaw)).toEqual([false, failure, failure])
})

test('what is wrong with several files alike is said once', async () => {
  const odd = { unusual: 'it is odd', type: 'image/tiff', extension: 'tiff', proof: 'this' } as const
  const { save } = saveContextAfter('whole', undefined, { measure: async () => odd })
  expect(await save(2, 2)).toMatchObject({ failure: { why: 'bad-media', detail: 'it is odd' } })
})

test('what may be the beginning of something else is no result when it came twice', async () => {
  const odd = { unusual: 'it is odd', type: 'x/y', extension: 'bin', proof: 'twice' } as const
  const { save, downloads } = saveContextAfter('whole', undefined, { measure: async () => odd })
  expect(await save()).toMatchObject({ got: 'trouble' })
  expect(await save()).toMatchObject({ got: 'unusable', files: [{ path: 'unusual/hero@k1.bin' }] })
  expect(downloads).toHaveLength(2)
})

test('a part that is taken away before it is looked at is trouble with the disk, and no end of everything', async () => {
  // It lies on a disk of the test's own, and not where the system looks.
  const { save, records } = saveContextAfter('whole', 'whole', { measure })
  expect(await save()).toEqual({
    got: 'blocked',
    failure: { why: 'unsaved', path: left, detail: 'it is not there' },
  })
  expect(records).toEqual([])
})

test('where another file has taken the name meanwhile the hint says what to move, and the next run needs nothing but that', async () => {
  const { bench, seller } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  seller.onOrder = () => bench.write('out/m/hero.png', 'mine')
  const result = await bench.run()
  expect(result).toMatchObject({ report: { jobs: [{ ending: 'detached' }], exit: 7 } })
  expect(JSON.stringify(result)).toContain('move hero.png away and run again')
  delete seller.onOrder
  bench.remove('out/m/hero.png')
  expect(endings(await bench.run())).toEqual(['hero: made'])
  expect(seller.orders).toEqual(['tea'])
})

test('what is here whole and has no name yet is not lost with the run that the service forgets', async () => {
  const { bench, seller } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  seller.onOrder = () => bench.write('out/m/hero.png', 'mine')
  await bench.run()
  bench.remove('out/m/hero.png')
  seller.answer = (_, response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
  expect(endings(await bench.run())).toEqual(['hero: made'])
  expect(bench.bytes('out/m/hero.png')).toEqual(seller.file('r1'))
  expect(seller.orders).toEqual(['tea'])
})
