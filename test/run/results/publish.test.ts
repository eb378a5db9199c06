import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { publishToBucket, publishToFolder } from '../../../src/bucket/publish.ts'
import { programAt } from '../../../src/disk/program.ts'
import { originIn } from '../../../src/media/origin/seen.ts'
import { openShop } from '../../bucket/shop.ts'
import { type Door, type Fault, faults, freshFolder, openDoor } from '../../bucket/store.ts'

const toBucket = ({ access }: Door, prefix = 'site') =>
  publishToBucket({ bucket: 'results', prefix }, { access, way: {}, waitMs: 1 })

interface Linked {
  readonly address: string
  readonly files: readonly { readonly digest: string; readonly link?: string }[]
}
const linesOf = (text: string) =>
  (JSON.parse(text) as { readonly jobs: readonly Linked[] }).jobs.filter(each => each?.files)

test('files are published by their digests, then one index, and the links stand in lock and report', async () => {
  const door = await openDoor()
  const { bench, paid } = await openShop()
  const run = await bench.run({ publish: toBucket(door) })
  const linked = linesOf(bench.read('m.lock.json'))
  expect(linked.map(({ files }) => files[0]?.link)).toEqual(
    linked.map(({ files }) => `s3://results/site/files/${files[0]?.digest.slice(7)}.png`),
  )
  expect(run).toMatchObject({
    problems: [],
    report: {
      exit: 0,
      jobs: linked
        .toSorted((a, b) => (a.address > b.address ? -1 : 1))
        .map(({ files: [file] }) => ({ files: [{ link: file?.link }] })),
    },
  })
  const there = await door.look()
  expect([...there.keys()].map(name => name.replace(/[0-9a-f]{64}/, '…'))).toEqual([
    'site/files/….png',
    'site/files/….png',
    'site/m.json',
  ])
  const index = JSON.parse(String(there.get('site/m.json'))) as { readonly jobs: object }
  expect(index).toMatchObject({ genrunIndex: 1, jobs: { hero: [{ path: 'hero.png', type: 'image/png' }] } })
  // Nothing is left to do: nobody is asked.
  const asked = door.seen.length
  const idle = await bench.run({ publish: toBucket(door) })
  expect(idle).toMatchObject({ problems: [], report: { paid: 0 } })
  expect(idle).not.toHaveProperty('report.published')
  expect([door.seen.length, paid()]).toEqual([asked, 2])
  // Another manifest of the jobs has another index; files stay.
  bench.edit('m.yaml', '  fox: { model: fama-imagine-image, prompt: Fox }\n', '')
  expect(await bench.run({ publish: toBucket(door) })).toMatchObject({
    report: { requests: 0, published: true },
  })
  expect(JSON.parse((await door.client.getObject('site/m.json')) ?? '')).toEqual({
    genrunIndex: 1,
    jobs: { hero: expect.anything() },
  })
})

test('a fault at any request leaves no half object and no link to none, and the next run has all of it there, for nothing', async () => {
  const door = await openDoor()
  const { bench, paid } = await openShop()
  await bench.run()
  // Two files are asked for and put there side by side, then the index.
  const cases = [0, 1, 2, 3, 4].flatMap(nth =>
    [nth, nth + 3].map((at): [Fault, number] => [faults[at % faults.length] ?? 'refuse', nth]),
  )
  for (const [fault, nth] of cases) {
    const prefix = `${fault} ${nth}`.replaceAll(' ', '-')
    door.fault(fault, nth)
    await bench.run({ publish: toBucket(door, prefix) })
    const between = await door.look(prefix)
    for (const { files } of linesOf(bench.read('m.lock.json')))
      for (const { link = '' } of files)
        if (link.startsWith(`s3://results/${prefix}/`)) expect(between.has(link.slice(13)), prefix).toBe(true)
    door.fault(undefined)
    expect(await bench.run({ publish: toBucket(door, prefix) }), prefix).toMatchObject({ problems: [] })
    expect((await door.look(prefix)).size, prefix).toBe(3)
    expect(linesOf(bench.read('m.lock.json')).every(({ files }) => files[0]?.link?.includes(prefix))).toBe(
      true,
    )
  }
  expect(paid()).toBe(2)
})

test('a bucket that is down, or a file that was altered, is told and no failure', async () => {
  const door = await openDoor()
  const { bench } = await openShop()
  door.fault('503', 0, 1000)
  const down = await bench.run({ publish: toBucket(door) })
  expect(down).toMatchObject({ problems: [{ code: 'unshared' }], report: { exit: 0, paid: 2 } })
  door.fault(undefined)
  const { size } = statSync(join(bench.folder, 'out/m/fox.png'))
  writeFileSync(join(bench.folder, 'out/m/fox.png'), Buffer.alloc(size))
  expect(await bench.run({ publish: toBucket(door) })).toMatchObject({
    problems: [{ code: 'unshared', message: expect.stringContaining('it was altered since it was made') }],
  })
  expect((await door.look()).size).toBe(2)
})

test('a folder is published to in the same way, and nothing in it is replaced', async () => {
  const { bench } = await openShop()
  const folder = freshFolder()
  const to = publishToFolder(folder)
  expect(await bench.run({ publish: to })).toMatchObject({ problems: [], report: { exit: 0 } })
  const [first] = linesOf(bench.read('m.lock.json'))[0]?.files ?? []
  const name = `${first?.digest.slice(7)}.png`
  expect(first?.link).toBe(`${pathToFileURL(folder).href}/files/${name}`)
  expect(readdirSync(folder).toSorted()).toEqual(['files', 'm.json'])
  // The list of what is there is lost: nothing is written anew, and what is another file is told and left alone.
  rmSync(join(bench.folder, '.genrun'), { recursive: true })
  bench.write('m.lock.json', bench.read('m.lock.json').replaceAll(/,"link":"[^"]*"/g, ''))
  writeFileSync(join(folder, 'files', name), 'another')
  expect(await bench.run({ publish: to })).toMatchObject({
    problems: [{ code: 'unshared', message: expect.stringContaining('another file is there: remove it') }],
  })
})

test('with the mark a copy is published, by its own digest; results stay as they are, and signed ones are published as such', async () => {
  const { bench, paid } = await openShop()
  bench.edit('m.yaml', 'prompt: Fox', 'prompt: Signed fox')
  const folder = freshFolder()
  const to = { ...publishToFolder(folder), marks: true }
  await bench.run({ publish: publishToFolder(folder) })
  const bought = ['hero', 'fox'].map(name => bench.bytes(`out/m/${name}.png`))
  expect(await bench.run({ publish: to })).toMatchObject({ problems: [], report: { exit: 0, paid: 0 } })
  expect(['hero', 'fox'].map(name => bench.bytes(`out/m/${name}.png`))).toEqual(bought)
  const index = JSON.parse(readFileSync(join(folder, 'm.json'), 'utf8')) as Index
  const [hero, fox] = [index.jobs.hero?.[0], index.jobs.fox?.[0]]
  const copies = [hero, fox].map(each => readFileSync(join(folder, each?.file ?? '')))
  const named = (bytes: Buffer) => `files/${createHash('sha256').update(bytes).digest('hex')}.png`
  expect([hero, fox]).toMatchObject([
    { mark: 'marked', file: named(copies[0] ?? bought[0]!), bytes: copies[0]?.length },
    { mark: 'signed', file: named(bought[1]!), bytes: bought[1]?.length },
  ])
  expect(copies.map(bytes => originIn(bytes, 'image/png'))).toEqual([
    { isSigned: false, isMarked: true },
    { isSigned: true, isMarked: false },
  ])
  const links = linesOf(bench.read('m.lock.json'))
    .map(({ files }) => files[0]?.link)
    .toSorted()
  expect(links).toEqual([hero, fox].map(each => `${pathToFileURL(folder).href}/${each?.file}`).toSorted())
  // Nothing is left to do, nor is anything where what is known of the copies is lost.
  const there = () => [readdirSync(join(folder, 'files')).toSorted(), bench.read('m.lock.json')]
  const before = there()
  const stands = () => bench.snapshot().filter(each => !each.startsWith('.genrun/m/claim'))
  const state = stands()
  await bench.run({ publish: to })
  expect(stands()).toEqual(state)
  rmSync(join(bench.folder, '.genrun/m/published'), { recursive: true })
  expect(await bench.run({ publish: to })).toMatchObject({ problems: [], report: { exit: 0, paid: 0 } })
  expect([there(), paid()]).toEqual([before, 2])
  expect(
    readdirSync(join(bench.folder, '.genrun/m/published')).filter(name => name.endsWith('.part')),
  ).toEqual([])
  const exiftool = programAt('exiftool', process.env.PATH)
  if (!exiftool) return
  const said = execFileSync(
    exiftool,
    ['-j', '-n', '-XMP:DigitalSourceType', join(folder, hero?.file ?? '')],
    { encoding: 'utf8' },
  )
  expect(said).toContain('trainedAlgorithmicMedia')
})

interface Index {
  readonly jobs: { readonly [job: string]: readonly { readonly file: string }[] }
}

test.each(['published', 'pushed', 'uploads', 'fetched'])(
  'nothing is written behind a link at .genrun/m/%s',
  async name => {
    const door = await openDoor()
    const { bench, paid } = await openShop()
    await bench.run()
    const outside = freshFolder()
    rmSync(join(bench.folder, '.genrun/m', name), { recursive: true, force: true })
    symlinkSync(outside, join(bench.folder, '.genrun/m', name))
    await bench.run({ publish: { ...toBucket(door), marks: true } })
    expect([readdirSync(outside), paid()]).toEqual([[], 2])
  },
)

test('a rehearsal publishes nothing', async () => {
  const { bench } = await openShop()
  const folder = freshFolder()
  const service = { ...bench.request().service, rehearsal: true }
  await bench.run({ service, publish: publishToFolder(folder) })
  expect(readdirSync(folder)).toEqual([])
})
