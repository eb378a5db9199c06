import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { originIn } from '../../src/media/origin/seen.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { auditOf } from '../../src/verbs/audit.ts'
import { galleryOf } from '../../src/verbs/gallery.ts'
import { made, teapots } from '../review/fixture.ts'
import { manifestName, pixel } from './bench.ts'
import { madeOnce, shopManifest } from './made.ts'

const shop = madeOnce(shopManifest, 4, { 'photo.png': pixel })

// `genrun audit`, in a project with four takes of one picture and one of another.

test('tells of every file what it was made from, what became of it, and who judged it', async () => {
  const it = await made()
  const digest = /"address":"hero#3".*?"digest":"(sha256:\w+)"/.exec(it.read('tea.preview.lock.json'))?.[1]
  const said = { is: 'approved', who: 'Lead', when: '2026-03-01T09:30:00Z' }
  const verdict = { address: 'hero#3', ...said, seen: [digest] }
  const ended = { ...verdict, address: 'cup', seen: [`sha256:${'0'.repeat(64)}`] }
  const lines = [ended, verdict].map(each => `${JSON.stringify(each)},\n`).join('')
  writeFileSync(
    it.path('tea.preview.review.json'),
    `{"genrunReview":1,"manifest":"tea.yaml","verdicts":[\n${lines}null]}\n`,
  )
  writeFileSync(it.path('out/tea.preview/hero.png'), 'altered')
  const { code, stdout, stderr } = await it.ran('audit', 'tea.yaml', '--json')
  const { files } = JSON.parse(stdout)
  expect([code, stderr.split('\n').at(-2)]).toEqual([0, '5 files; 1 aside, altered or missing'])
  expect(files.map(({ job, is }: Record<string, string>) => `${job} ${is}`)).toEqual([
    'cup there',
    'hero altered',
    'hero#2 there',
    'hero#3 there',
    'hero#4 there',
  ])
  expect(files[3]).toMatchObject({
    file: 'takes/hero.take3.png',
    take: 3,
    digest,
    model: 'fama-imagine-image',
    catalog: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    prompt: 'A celadon teapot',
    parameters: { aspectRatio: '1:1', resolution: '1k' },
    inputs: {},
    run: expect.stringMatching(/^[0-9a-f]{32}$/),
    verdict: 'approved',
    judgedBy: 'Lead',
    judgedAt: '2026-03-01T09:30:00Z',
  })
  // A verdict ends with the picture that it was about.
  expect(files[0]).not.toHaveProperty('verdict')
})

test('tells when each was ordered, and what it cost, be it put aside by now', async () => {
  const it = shop.copy()
  it.write('prices.yaml', "currency: USD\nmodels:\n  'famb-*': { perImage: 0.04 }\n")
  const request = { manifest: manifestName, cwd: it.folder, prices: 'prices.yaml' }
  const costs = () => {
    const result = auditOf(request)
    if (result.got !== 'audit') throw new Error(result.got)
    return result.rows.map(({ file, is, orderedAt, cost }) => {
      const when = Date.now() - Date.parse(orderedAt ?? '') < 3_600_000 ? 'today' : orderedAt
      return [file.path, is, when, cost?.is === 'known' ? cost.amount : undefined]
    })
  }
  const before = costs()
  expect(before[0]).toEqual(['edit.png', 'there', 'today', 0.04])
  it.edit(manifestName, 'in blue', 'in grey')
  expect(await it.run()).toMatchObject({ report: { exit: 0 } })
  expect(costs()).toContainEqual(['edit.png', 'aside', 'today', 0.04])
  const gallery = galleryOf(request)
  expect(gallery).toMatchObject({ exhibits: before.map(() => ({ orderedAt: expect.any(Number) })) })
  // The lock alone knows no dates.
  it.remove('.genrun')
  expect(costs()).toContainEqual(['edit.png', 'missing', undefined, 0.04])
})

test('tells a verdict with its file whatever its job is called by now', async () => {
  const it = await made()
  const digestOf = (address: string) =>
    new RegExp(`"address":"${address}".*?"digest":"(sha256:\\w+)"`).exec(
      it.read('tea.preview.lock.json'),
    )?.[1]
  const verdict = (address: string, seen: string | undefined, is?: string) =>
    `${JSON.stringify({ address, is, who: 'Lead', when: '2026-03-01T09:30:00Z', seen: [seen] })},\n`
  const decided = [
    verdict('cup', digestOf('cup'), 'approved'),
    verdict('hero', digestOf('hero')),
    // Under its new name already.
    verdict('teapot#2', digestOf('hero#2'), 'rejected'),
  ]
  writeFileSync(
    it.path('tea.preview.review.json'),
    `{"genrunReview":1,"manifest":"tea.yaml","verdicts":[\n${decided.join('')}null]}\n`,
  )
  writeFileSync(it.path('tea.yaml'), teapots.replace('cup:', 'mug:').replaceAll('hero', 'teapot'))
  const verdicts = async () => {
    const { files } = JSON.parse((await it.ran('audit', 'tea.yaml', '--local', '--json')).stdout)
    return files.flatMap(({ file, verdict: is }: Record<string, string>) => (is ? [`${file} ${is}`] : []))
  }
  expect(await verdicts()).toEqual(['cup.png approved', 'takes/hero.take2.png rejected'])
  await it.ran('tea.yaml', '--local', '--quiet')
  expect(await verdicts()).toEqual(['mug.png approved', 'takes/teapot.take2.png rejected'])
  expect(
    (await it.ran('report', 'tea.yaml', '--local', '--approved', '--single-file', 's.html')).stderr,
  ).toBe('1 result, 1 file\n')
  // Whoever puts another file there has not judged it.
  writeFileSync(it.path('out/tea.preview/mug.png'), 'altered')
  expect(await verdicts()).toEqual(['takes/teapot.take2.png rejected'])
})

test('writes a table in which nothing is a formula', async () => {
  const it = await made()
  const lock = it.read('tea.preview.lock.json')
  // The journal knows what was ordered, and is believed.
  rmSync(it.path('.genrun'), { recursive: true })
  writeFileSync(it.path('tea.preview.lock.json'), lock.replaceAll('A celadon teapot', '=2+3,\\"x\\"'))
  const { stdout } = await it.ran('audit', 'tea.yaml', '--csv')
  const [head = '', cup = '', hero = ''] = stdout.split('\n')
  expect(head).toMatch(/^file,is,job,take,picked,digest,type,bytes,model,service,prompt,parameters,inputs,/)
  expect(cup).toMatch(/^cup\.png,there,cup,1,false,sha256:/)
  expect(hero).toContain(`,"'=2+3,""x""",`)
})

test('writes marked copies with records, leaves the results as they are, and replaces no file of others', async () => {
  const it = await made()
  const before = readFileSync(it.path('out/tea.preview/cup.png'))
  const copy = () => it.ran('audit', 'tea.yaml', '--copies', 'public')
  expect(await copy()).toMatchObject({ code: 0, stdout: expect.stringContaining('public/cup.png: marked\n') })
  const bytes = readFileSync(it.path('public/cup.png'))
  expect(originIn(bytes, 'image/png')).toEqual({ isSigned: false, isMarked: true })
  expect(readFileSync(it.path('out/tea.preview/cup.png'))).toEqual(before)
  expect(JSON.parse(it.read('public/cup.png.json'))).toMatchObject({
    genrunRecord: 1,
    job: 'cup',
    mark: 'marked',
    rehearsal: true,
    // Of the file beside it, and of what that was made from.
    digest: digestBytes(bytes),
    bytes: bytes.length,
    original: digestBytes(before),
  })
  // Once more is the same; what somebody else put there stays.
  expect((await copy()).code).toBe(0)
  writeFileSync(it.path('public/hero.png.json'), '{"mine":true}')
  rmSync(it.path('public/hero.png'))
  expect(await copy()).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(
      'public/hero.png.json: a file that genrun did not write is there already',
    ),
  })
  expect(existsSync(it.path('public/hero.png'))).toBe(false)
  writeFileSync(it.path('public/cup.png'), 'mine')
  expect(await copy()).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('another file is there already'),
  })
  expect([it.read('public/cup.png'), it.read('public/hero.png.json')]).toEqual(['mine', '{"mine":true}'])
})

test('writes no copies among the results, where verify would complain of them', async () => {
  const it = await made()
  for (const folder of ['out/tea.preview', 'out/tea.preview/public'])
    expect(await it.ran('audit', 'tea.yaml', '--copies', folder)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`--copies ${folder} lies in the folder of the results`),
    })
  expect(existsSync(it.path('out/tea.preview/public'))).toBe(false)
  expect((await it.ran('verify', 'tea.yaml')).stderr).not.toContain('untracked')
})

test('names what it does not copy', async () => {
  const it = await made()
  writeFileSync(it.path('out/tea.preview/cup.png'), 'altered')
  expect((await it.ran('audit', 'tea.yaml', '--copies', 'public')).stderr).toMatch(
    /not copied: cup\.png is altered\n5 files; 1 aside, altered or missing\n$/,
  )
})

test('reads no result of another length, and copies none that lies elsewhere by now', async () => {
  const it = await made()
  truncateSync(it.path('out/tea.preview/cup.png'), 2 ** 40)
  const { code, stdout } = await it.ran('audit', 'tea.yaml', '--json')
  const { files } = JSON.parse(stdout)
  expect([code, files[0].job, files[0].is]).toEqual([0, 'cup', 'altered'])
  mkdirSync(it.path('.git'))
  symlinkSync('..', it.path('public'))
  expect(await it.ran('audit', 'tea.yaml', '--copies', 'public')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('a link on the way there leads out of the project'),
  })
})
