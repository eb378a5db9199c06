import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { startGateway } from '../../src/gateway/server.ts'
import type { Shown } from '../../src/page/data/shown.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { made, project, type Serving, teapots, until } from './fixture.ts'

async function result(serving: Serving, address: string): Promise<Shown> {
  const found = (await serving.data()).results.find(each => each.address === address)
  if (!found) throw new Error(`no ${address}`)
  return found
}

function seen({ files }: Shown): string[] {
  return files.map(({ key }) => `sha256:${key}`)
}

describe('the page', () => {
  test('is served to whoever has the token, on this machine, from itself', async () => {
    const it = await made()
    const serving = await it.review()
    const page = await serving.get('')
    expect(page.status).toBe(200)
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    // What is in sight at first is in it, as text that ends no element.
    const [, first = ''] = /id="first">(.*?)<\/script>/.exec(String(page.bytes)) ?? []
    expect(JSON.parse(first)).toMatchObject({ of: 6, results: (await serving.data()).results })
    expect(first).not.toContain('<')
    // A browser would ask for /favicon.ico otherwise, below no token.
    expect(String(page.bytes)).toContain('<link rel="icon" href="data:image/svg+xml,')
    const { host, origin } = new URL(serving.url)
    const refused = async (path: string, headers = {}) => (await serving.get(path, headers)).status
    expect(await refused('/')).toBe(404)
    expect(await refused(`/${'0'.repeat(32)}/data`)).toBe(404)
    expect(await refused('data', { host: 'evil.example' })).toBe(421)
    expect(await refused('data', { host: host.replace('127.0.0.1', 'localhost') })).toBe(421)
    expect(await refused('data', { origin: 'http://evil.example' })).toBe(403)
    expect(await refused('data', { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await refused('data', { origin, 'sec-fetch-site': 'same-origin' })).toBe(200)
    // A form of another page has no origin of ours, and cannot send JSON.
    expect((await serving.post('verdicts', {}, { origin: 'null' })).status).toBe(403)
    expect((await serving.post('verdicts', {}, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await serving.post('verdicts', [], {})).json()).toEqual({
      trouble: 'verdicts and picks are lists',
    })
    expect(await serving.stop()).toBe(0)
  })

  test('that is open when its server is stopped finds the next one at the same place, and no other does', async () => {
    const it = await made()
    const first = await it.review()
    const page = new AbortController()
    const events = await fetch(new URL('events', first.url), { signal: page.signal })
    expect(events.status).toBe(200)
    await events.body?.getReader().read()
    expect(await first.stop()).toBe(0)
    // The page asks again and again while it writes down where it sits, and the first answer is a right one.
    const { syncFolder } = systemDisk
    const slow = vi.spyOn(systemDisk, 'syncFolder').mockImplementation(async folder => {
      await systemClock.until(systemClock.now() + 300)
      return syncFolder(folder)
    })
    onTestFinished(() => slow.mockRestore())
    const answered = async (): Promise<number> =>
      (await fetch(new URL('data', first.url)).catch(() => undefined))?.status ?? answered()
    const [second, status] = await Promise.all([it.review(), answered()])
    expect(second.url).toBe(first.url)
    expect(status).toBe(200)
    page.abort()
    expect(await second.stop()).toBe(0)
    const third = await it.review()
    expect(third.url).not.toBe(first.url)
    expect(await third.stop()).toBe(0)
  })

  test('shows what plan, lock and outputs know', async () => {
    const it = await made()
    const serving = await it.review('--prices', 'prices.yaml')
    const page = await serving.data()
    expect(page).toMatchObject({
      name: 'tea',
      isRehearsal: true,
      currency: 'USD',
      who: 'Lead',
      can: { judge: true },
    })
    expect(page.results.map(({ address, standing }) => `${address} ${standing}`)).toEqual([
      'hero made',
      'hero#2 made',
      'hero#3 made',
      'hero#4 made',
      'cup made',
      'clip held',
    ])
    expect(page.results[1]).toMatchObject({ job: 'hero', take: 2, cost: 0.04, place: 'tea.yaml:2' })
    expect(page.results[5]).toMatchObject({ inputs: [['startFrame', 'hero (the pick)']], uses: ['hero'] })
  })
})

describe('a file', () => {
  test('is served whole and in parts, and as a small picture that is made once', async () => {
    const it = await made()
    const serving = await it.review()
    const { files } = await result(serving, 'cup')
    const [file] = files
    if (!file) throw new Error('no file')
    const whole = await serving.get(`file/${file.key}`)
    expect([whole.status, whole.bytes.length]).toEqual([200, file.bytes])
    expect(whole.headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' })
    expect(whole.headers['content-security-policy']).toContain('sandbox')
    const part = await serving.get(`file/${file.key}`, { range: 'bytes=8-15' })
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 8-15/${file.bytes}`])
    expect(part.bytes).toEqual(whole.bytes.subarray(8, 16))
    expect((await serving.get(`file/${file.key}`, { range: `bytes=${file.bytes}-` })).status).toBe(416)
    const small = await serving.get(`thumbnail/${file.key}`)
    expect(small.headers['content-type']).toBe('image/webp')
    expect(small.bytes.length).toBeLessThan(30_000)
    expect(readdirSync(it.path('.genrun/tea.preview/thumbnails'))).toEqual([`${file.key}.webp`])
    expect((await serving.get(`thumbnail/${file.key}`)).bytes).toEqual(small.bytes)
  })

  test('is only ever one that the lock names, where it says, and inside the output folder', async () => {
    const it = await made()
    const serving = await it.review()
    for (const key of ['..%2f..%2ftea.yaml', '0'.repeat(64), '..%5ctea.yaml', 'tea.yaml'])
      expect((await serving.get(`file/${key}`)).status, key).toBe(404)
    const { files } = await result(serving, 'cup')
    const key = files[0]?.key ?? ''
    writeFileSync(it.path('secret.png'), 'secret')
    rmSync(it.path('out/tea.preview/cup.png'))
    symlinkSync(it.path('secret.png'), it.path('out/tea.preview/cup.png'))
    const answer = await serving.get(`file/${key}`)
    expect([answer.status, String(answer.bytes)]).not.toContain('secret')
    expect(answer.status).toBe(404)
    expect((await serving.get(`thumbnail/${key}`)).status).toBe(404)
  })

  test('that a pick has given another name is found before the page hears of that', async () => {
    const it = await made()
    const serving = await it.review()
    const keys = (await serving.data()).results.flatMap(({ files }) => files.map(({ key }) => key))
    await it.ran('pick', 'tea.yaml', 'hero#2', '--local')
    for (const path of keys.flatMap(key => [`file/${key}`, `thumbnail/${key}`]))
      expect((await serving.get(path)).status, path).toBe(200)
  })

  test('that somebody put in the place of a result is not shown as that, and nothing is decided about it', async () => {
    const it = await made()
    const serving = await it.review()
    const cup = await result(serving, 'cup')
    const key = cup.files[0]?.key ?? ''
    renameSync(it.path('out/tea.preview/hero.png'), it.path('out/tea.preview/cup.png'))
    expect((await serving.get(`thumbnail/${key}`)).status).toBe(404)
    expect((await serving.get(`file/${key}`)).status).toBe(404)
    expect(existsSync(it.path(`.genrun/tea.preview/thumbnails/${key}.webp`))).toBe(false)
    const isAltered = (each: Shown) => each.altered !== undefined
    expect(await until(() => result(serving, 'cup'), isAltered)).toMatchObject({
      files: [],
      altered: ['cup.png'],
    })
    const verdict = { address: 'cup', is: 'approved', seen: seen(cup) }
    expect((await serving.post('verdicts', { verdicts: [verdict], picks: [] })).json()).toMatchObject({
      refused: [
        {
          address: 'cup',
          why: expect.stringMatching(/^cup was altered since it was made \(cup\.png\): put back the file/),
        },
      ],
    })
    expect(it.read('tea.preview.review.json')).not.toContain('cup')
  })

  test('of the same length as the result is told from it, before and after it was seen', async () => {
    const it = await made()
    const serving = await it.review()
    const takes = [await result(serving, 'hero#2'), await result(serving, 'hero#3')]
    const [second, third] = takes.map(({ files }) => files[0]?.key ?? '')
    const path = (nth: number) => it.path(`out/tea.preview/takes/hero.take${nth}.png`)
    // One was looked at already, and its small picture is kept.
    expect((await serving.get(`file/${third}`)).status).toBe(200)
    expect((await serving.get(`thumbnail/${third}`)).status).toBe(200)
    const was = readFileSync(path(3))
    for (const nth of [2, 3]) writeFileSync(path(nth), other(readFileSync(path(nth))))
    expect((await serving.get(`file/${second}`)).status).toBe(404)
    // What is looked at nobody asks for again: the page is told by itself.
    for (const [nth, address] of ['hero#2', 'hero#3'].entries())
      expect(
        await until(
          () => result(serving, address),
          each => each.altered !== undefined,
        ),
      ).toMatchObject({
        files: [],
        altered: [`takes/hero.take${nth + 2}.png`],
      })
    expect((await serving.get(`file/${third}`)).status).toBe(404)
    // Neither a verdict nor the pick that comes with it.
    const verdicts = takes.map(each => ({ address: each.address, is: 'approved', seen: seen(each) }))
    const answer = (await serving.post('verdicts', { verdicts, picks: [{ address: 'hero#3' }] })).json()
    expect((answer as { refused: object[] }).refused).toHaveLength(2)
    const told = heard(serving, 'events', text => text.includes('"trouble"'))
    await serving.post('verdicts', { verdicts: [], picks: [{ address: 'hero#3' }] })
    expect(await told).toContain('hero#3 was altered since it was made')
    expect(it.read('tea.preview.lock.json')).not.toContain('"picked":true')
    // As it was, it is the result again.
    writeFileSync(path(3), was)
    const again = await until(
      () => result(serving, 'hero#3'),
      each => each.files.length === 1,
    )
    expect(again).not.toHaveProperty('altered')
    expect((await serving.get(`file/${third}`)).status).toBe(200)
    const after = (await serving.post('verdicts', { verdicts, picks: [] })).json()
    expect((after as { refused: object[] }).refused).toMatchObject([{ address: 'hero#2' }])
  })

  test('that is altered and that nobody has shown keeps a verdict from being noted', async () => {
    const it = await made()
    const serving = await it.review()
    const cup = await result(serving, 'cup')
    writeFileSync(it.path('out/tea.preview/cup.png'), other(readFileSync(it.path('out/tea.preview/cup.png'))))
    const verdicts = [{ address: 'cup', is: 'approved', seen: seen(cup) }]
    expect((await serving.post('verdicts', { verdicts, picks: [] })).json()).toMatchObject({
      refused: [{ address: 'cup', why: expect.stringContaining('was altered since it was made') }],
    })
    rmSync(it.path('out/tea.preview/cup.png'))
    expect((await serving.post('verdicts', { verdicts, picks: [] })).json()).toMatchObject({
      refused: [{ address: 'cup', why: 'there are no files of cup' }],
    })
    // What is no verdict at all is told by its address as well.
    const dated = verdicts.map(each => ({ ...each, when: '2026-03-01T09:30:00.000Z' }))
    expect((await serving.post('verdicts', { verdicts: dated, picks: [] })).json()).toMatchObject({
      refused: [{ address: 'cup', why: 'it is no verdict' }],
    })
    expect(existsSync(it.path('tea.preview.review.json'))).toBe(true)
    expect(it.read('tea.preview.review.json')).not.toContain('cup')
  })

  test('that is removed in a folder of the output is missed within two seconds', async () => {
    const it = await made()
    const serving = await it.review()
    await result(serving, 'hero#2')
    rmSync(it.path('out/tea.preview/takes/hero.take2.png'))
    const removedAt = performance.now()
    expect(
      await until(
        () => result(serving, 'hero#2'),
        each => each.files.length === 0,
      ),
    ).toMatchObject({ standing: 'not made' })
    expect(performance.now() - removedAt).toBeLessThan(2000)
  })
})

/** What a page hears until that is in it. */
async function heard(
  serving: Serving,
  path: string,
  isAll: (text: string) => boolean,
  headers = {},
): Promise<string> {
  const stop = new AbortController()
  const { body } = await fetch(new URL(path, serving.url), { signal: stop.signal, headers })
  let text = ''
  for await (const piece of body ?? []) {
    text += Buffer.from(piece).toString()
    if (isAll(text)) break
  }
  stop.abort()
  return text
}

/** As many bytes, and a picture still. */
function other(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, -20), bytes.subarray(-20).map(each => each ^ 1)])
}

test('results are counted alike by the page, the command that serves it, and a report', async () => {
  const it = await made()
  const serving = await it.review()
  const text = '6 results, 5 files, 1 without a file'
  expect(serving.around.stderr.text()).toContain(text)
  expect((await serving.data()).results).toHaveLength(6)
  expect((await it.ran('report', 'tea.yaml', '--local')).stderr).toBe(`${text}\n`)
})

describe('a verdict', () => {
  test('is on the disk when it is answered, with who, when and what was seen', async () => {
    const it = await made()
    const serving = await it.review()
    const cup = await result(serving, 'cup')
    const verdict = { address: 'cup', is: 'rejected', note: 'too <b>dark</b>', seen: seen(cup) }
    expect((await serving.post('verdicts', { verdicts: [verdict], picks: [] })).json()).toEqual({
      ok: true,
      given: [{ ...verdict, of: cup.of, who: 'Lead', when: expect.any(String) }],
      refused: [],
      writes: 1,
    })
    const [, line = ''] = it.read('tea.preview.review.json').split('\n')
    expect(JSON.parse(line.slice(0, -1))).toEqual({
      ...verdict,
      of: cup.of,
      who: 'Lead',
      when: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    await serving.stop()
    const next = await it.review()
    expect((await next.data()).verdicts).toMatchObject([verdict])
    // Taken back it is none, and its line tells that.
    await next.post('verdicts', { verdicts: [{ address: 'cup', seen: seen(cup) }], picks: [] })
    expect((await next.data()).verdicts).toEqual([])
    const [, back = ''] = it.read('tea.preview.review.json').split('\n')
    expect(Object.keys(JSON.parse(back.slice(0, -1)))).toEqual(['address', 'who', 'when', 'seen', 'of'])
    await next.stop()
    expect((await (await it.review()).data()).verdicts).toEqual([])
  })

  test('stands under the name that its job has by now, and is taken under the one that it had', async () => {
    const it = await made()
    const serving = await it.review()
    const [cup, take] = [await result(serving, 'cup'), await result(serving, 'hero#2')]
    const verdict = { address: 'cup', is: 'approved', seen: seen(cup) }
    await serving.post('verdicts', { verdicts: [verdict], picks: [] })
    writeFileSync(it.path('tea.yaml'), teapots.replace('cup:', 'mug:').replaceAll('hero', 'teapot'))
    const page = await until(
      () => serving.data(),
      ({ results }) => results.some(({ address }) => address === 'mug'),
    )
    expect(page.verdicts).toMatchObject([{ ...verdict, address: 'mug' }])
    // The page is told what was bought, and the server writes it, whatever the page knew.
    expect(page.verdicts[0]?.of).toBe(page.results.find(({ address }) => address === 'mug')?.of)
    expect(it.read('tea.preview.review.json')).toContain(`"of":"${cup.of}"},`)
    await it.ran('tea.yaml', '--local', '--quiet')
    await until(
      () => result(serving, 'teapot#2'),
      ({ files: [file] }) => file?.path === 'takes/teapot.take2.png',
    )
    // A page that has not heard of it yet.
    const old = { address: 'hero#2', is: 'approved', seen: seen(take) }
    const answer = await serving.post('verdicts', { verdicts: [old], picks: [{ address: 'hero#2' }] })
    expect(answer.json()).toMatchObject({ refused: [] })
    expect(it.read('tea.preview.review.json')).toContain('"address":"teapot#2","is":"approved"')
    expect((await serving.data()).verdicts).toHaveLength(2)
    const picked = await until(
      () => result(serving, 'teapot#2'),
      each => each.picked === true,
    )
    expect(picked.picked).toBe(true)
    const after = await until(
      () => serving.data(),
      ({ run, results }) => run === undefined && results.some(({ picked: is }) => is),
    )
    expect(after.verdicts.map(({ address }) => address)).toEqual(['mug', 'teapot#2'])
  })

  test('about other files than those that are there, or about nothing, is given back', async () => {
    const it = await made()
    const serving = await it.review()
    const verdicts = [
      { address: 'cup', is: 'approved', seen: [`sha256:${'0'.repeat(64)}`] },
      { address: 'nobody', is: 'approved', seen: [`sha256:${'0'.repeat(64)}`] },
      { address: 'cup', is: 'great', seen: [] },
    ]
    expect((await serving.post('verdicts', { verdicts, picks: [] })).json()).toEqual({
      ok: true,
      given: [],
      writes: 1,
      refused: [
        { address: 'cup', why: 'the files of cup are others than those that were seen' },
        { address: 'nobody', why: 'there are no files of nobody' },
        { address: 'cup', why: 'it is no verdict' },
      ],
    })
    // The pick that comes with it is of the same files.
    const hero = { address: 'hero#3', is: 'approved', seen: [`sha256:${'0'.repeat(64)}`] }
    await serving.post('verdicts', { verdicts: [hero], picks: [{ address: 'hero#3' }] })
    const told = await heard(serving, 'events', text => /event: picks\n.*\n/.test(text))
    expect(told).toContain('data: {"waiting":[]}')
  })

  test('of a page that is only looked at is none', async () => {
    const it = await made()
    const serving = await it.review('--read-only')
    expect(await serving.data()).toMatchObject({
      can: { judge: false, notBuy: 'nothing is bought here: --read-only' },
    })
    const cup = await result(serving, 'cup')
    const verdicts = [{ address: 'cup', is: 'approved', seen: seen(cup) }]
    expect((await serving.post('verdicts', { verdicts, picks: [{ address: 'hero#2' }] })).status).toBe(403)
    expect((await serving.post('quote', { redo: ['cup'] })).status).toBe(409)
    expect(existsSync(it.path('tea.preview.review.json'))).toBe(false)
  })

  test('that was merged into conflict marks keeps the page from opening, and is left alone', async () => {
    const it = await made()
    writeFileSync(it.path('tea.preview.review.json'), '<<<<<<< ours\n')
    const { code, stderr } = await it.ran('review', 'tea.yaml', '--port', '0')
    expect([code, it.read('tea.preview.review.json')]).toEqual([7, '<<<<<<< ours\n'])
    expect(stderr).toContain('it holds the marks of a merge conflict (line 1)')
  })
})

describe('an edit that was not run', () => {
  test('and was run, and taken back since, leaves in sight what is there until a run brings the former one back', async () => {
    const gateway = await startGateway({ outputs: 'memory' })
    onTestFinished(() => gateway.close())
    const it = project(undefined, { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key })
    expect((await it.ran('tea.yaml', '--quiet')).code).toBe(4)
    const text = it.read('tea.yaml')
    writeFileSync(it.path('tea.yaml'), text.replace('A celadon', 'A red'))
    expect((await it.ran('tea.yaml', '--quiet')).code).toBe(4)
    const serving = await it.review()
    const red = await result(serving, 'hero#2')
    writeFileSync(it.path('tea.yaml'), text)
    const isUndone = ({ outdated }: Shown) => outdated !== undefined
    await until(() => result(serving, 'hero#2'), isUndone)
    for (const address of ['hero', 'hero#2'])
      expect(await result(serving, address)).toMatchObject({
        standing: 'made',
        outdated: 'aside',
        prompt: 'A red teapot',
        asked: 'A celadon teapot',
        message:
          'the manifest asks for something else by now; a run puts it aside, and brings back what was there before, without paying',
      })
    expect(await result(serving, 'hero#2')).toMatchObject({ of: red.of, files: red.files })
    expect((await serving.data()).results.map(({ address }) => address)).toEqual([
      ...['hero', 'hero#2', 'hero#3', 'hero#4', 'cup', 'clip'],
    ])
    // Judged, it stays so under that run, and what comes back is not judged by that.
    const verdict = { address: 'hero#2', is: 'rejected', seen: seen(red), of: red.of }
    expect((await serving.post('verdicts', { verdicts: [verdict], picks: [] })).json()).toMatchObject({
      refused: [],
    })
    expect((await it.ran('tea.yaml', '--quiet')).code).toBe(4)
    const back = await until(
      () => result(serving, 'hero#2'),
      ({ outdated }) => outdated === undefined,
    )
    expect(back).toMatchObject({ standing: 'made', prompt: 'A celadon teapot' })
    expect(back.of).not.toBe(red.of)
  })

  test('hides nothing that is there: a further take that was picked stays in sight, with what it was made from', async () => {
    const it = await made()
    expect((await it.ran('redo', 'tea.yaml', 'cup', '--local', '--yes', '--quiet')).code).toBe(0)
    const text = it.read('tea.yaml')
    const serving = await it.review()
    const before = await result(serving, 'cup#2')
    const isEdited = ({ outdated }: Shown) => outdated !== undefined
    writeFileSync(
      it.path('tea.yaml'),
      text
        .replace('fama-imagine-image\n    prompt: A cup', 'fama-imagine-image-2.0\n    prompt: A mug')
        .replace('A celadon', 'A red'),
    )
    await until(() => result(serving, 'cup'), isEdited)
    expect((await serving.data()).results.map(({ address }) => address)).toEqual([
      ...['hero', 'hero#2', 'hero#3', 'hero#4', 'cup', 'cup#2', 'clip'],
    ])
    const after = await result(serving, 'cup#2')
    expect(after).toMatchObject({
      of: before.of,
      files: before.files,
      standing: 'made',
      picked: true,
      outdated: 'aside',
      model: 'fama-imagine-image',
      prompt: before.prompt,
      asked: expect.stringContaining('A mug'),
      message:
        'the manifest asks for something else by now; it is kept, and comes back when the edit is taken back',
    })
    expect(await result(serving, 'hero')).toMatchObject({
      outdated: 'anew',
      prompt: 'A celadon teapot',
      asked: 'A red teapot',
    })
    // It is judged, and one more is one more of its job.
    const verdict = { address: 'cup#2', is: 'rejected', seen: seen(after), of: after.of }
    expect((await serving.post('verdicts', { verdicts: [verdict], picks: [] })).json()).toMatchObject({
      refused: [],
    })
    expect((await serving.data()).verdicts.map(({ address }) => address)).toEqual(['cup#2'])
    const first = await serving.quote({ redo: ['cup'] })
    expect(await serving.quote({ redo: ['cup', 'cup#2'] })).toMatchObject({
      buys: first.buys,
      held: first.held,
    })
    // Taken back, nothing of it is another than it was.
    writeFileSync(it.path('tea.yaml'), text)
    expect(
      await until(
        () => result(serving, 'cup#2'),
        each => !isEdited(each),
      ),
    ).toEqual(before)
  })

  test('shows the files that a result was made from, and not those that the manifest names by now', async () => {
    const it = project(folder => {
      writeFileSync(
        join(folder, 'tea.yaml'),
        `jobs:
  one: { model: fama-imagine-image, prompt: One }
  two: { model: fama-imagine-image, prompt: Two }
  clip: { model: famc-v3, prompt: Steam, startFrame: '\${{ jobs.one.output }}', duration: 3 }
`,
      )
    })
    expect((await it.ran('tea.yaml', '--local', '--quiet')).code).toBe(0)
    const serving = await it.review()
    const inputs = [['startFrame', 'one']]
    expect(await result(serving, 'clip')).toMatchObject({ inputs, uses: ['one'] })
    const text = it.read('tea.yaml')
    writeFileSync(it.path('tea.yaml'), text.replace('Steam', 'Smoke'))
    expect(
      await until(
        () => result(serving, 'clip'),
        each => each.outdated === 'anew',
      ),
    ).toMatchObject({ inputs })
    writeFileSync(it.path('tea.yaml'), text.replace('jobs.one', 'jobs.two'))
    expect(
      await until(
        () => result(serving, 'clip'),
        ({ message = '' }) => message.includes('startFrame'),
      ),
    ).toMatchObject({ inputs, uses: ['one'], outdated: 'anew' })
  })
})

describe('a pick', () => {
  test('is `genrun pick`, and taking it back leaves none', async () => {
    const it = await made()
    const serving = await it.review()
    // It is marked first, and gets its name then.
    const isNamed = (name: string) => (each: Shown) => each.files[0]?.path === name
    await serving.post('verdicts', { verdicts: [], picks: [{ address: 'hero#3' }] })
    const chosen = { picked: true, byHand: true }
    expect(await until(() => result(serving, 'hero#3'), isNamed('hero.png'))).toMatchObject(chosen)
    // What a run had picked is picked again as it was when something else is taken back.
    await serving.post('verdicts', { verdicts: [], picks: [{ address: 'hero#2', byRun: true }] })
    const asBefore = await until(() => result(serving, 'hero#2'), isNamed('hero.png'))
    expect([asBefore.picked, asBefore.byHand]).toEqual([true, undefined])
    await serving.post('verdicts', { verdicts: [], picks: [{ address: 'hero#3' }] })
    await until(() => result(serving, 'hero#3'), isNamed('hero.png'))
    expect(await result(serving, 'clip')).toMatchObject({ standing: 'not made' })
    await serving.post('verdicts', { verdicts: [], picks: [{ address: 'hero', isNone: true }] })
    await until(() => result(serving, 'hero'), isNamed('hero.png'))
    expect(await result(serving, 'hero#3')).not.toHaveProperty('picked')
    expect(await result(serving, 'clip')).toMatchObject({ standing: 'held' })
  })
})

describe('what was given while no server was there', () => {
  test('is about what was seen, though names were swapped meanwhile; what is not there any more is told', async () => {
    const it = await made()
    const before = await it.review()
    const [hero, second] = [await result(before, 'hero'), await result(before, 'hero#2')]
    const [third, cup] = [await result(before, 'hero#3'), await result(before, 'cup')]
    await before.stop()
    const text = it.read('tea.yaml').replace('hero:', 'x:').replace('cup:', 'hero:').replace('x:', 'cup:')
    writeFileSync(it.path('tea.yaml'), text.replace('jobs.hero', 'jobs.cup'))
    await it.ran('tea.yaml', '--local', '--quiet')
    const serving = await it.review()
    const about = (each: Shown) => ({ address: each.address, of: each.of, seen: seen(each) })
    const lost = { address: 'hero#4', of: 'pruned', seen: seen(third) }
    const verdicts = [
      { ...about(cup), is: 'rejected' },
      { ...about(hero), stars: 3 },
    ]
    const picks = [about(second), lost]
    const answer = (await serving.post('verdicts', { verdicts, picks })).json()
    expect(answer).toMatchObject({
      given: [
        { address: 'hero', of: cup.of, is: 'rejected' },
        { address: 'cup', of: hero.of, stars: 3 },
      ],
      refused: [{ address: 'hero#4', why: 'there is no result called hero#4' }],
    })
    expect(
      await until(
        () => result(serving, 'cup#2'),
        each => each.picked === true,
      ),
    ).toMatchObject({
      of: second.of,
    })
    // A name that is there, of something else.
    const other = { ...about(third), of: 'pruned', address: 'hero' }
    expect((await serving.post('verdicts', { verdicts: [], picks: [other] })).json()).toMatchObject({
      refused: [{ why: 'hero is another result than the one that was meant: nothing is picked' }],
    })
    expect(await result(serving, 'hero')).not.toHaveProperty('picked')
  })
})

describe('an order', () => {
  test('is bought after its amount was shown, once, and exactly that', async () => {
    const it = await made()
    const serving = await it.review('--prices', 'prices.yaml')
    expect((await serving.post('order', { id: 'guessed' })).status).toBe(409)
    expect((await serving.post('quote', { redo: ['nobody'] })).status).toBe(400)
    const quote = await serving.quote({ redo: ['cup', 'hero#2', 'hero#3'] })
    expect(quote).toMatchObject({
      buys: [
        { address: 'hero#5', model: 'fama-imagine-image', cost: 0.04 },
        { address: 'cup#2', cost: 0.04 },
      ],
      isFree: true,
      canRehearse: false,
      stale: [],
      against: [],
    })
    expect((await serving.post('rehearsal', { id: quote.id })).status).toBe(409)
    expect((await serving.post('order', { id: quote.id })).status).toBe(200)
    expect((await serving.post('order', { id: quote.id })).status).toBe(409)
    expect(await (await serving.post('quote', { redo: ['cup'] })).json()).toEqual({
      trouble: 'an order of this page is under way: what else is wanted can be ordered when it is over',
    })
    await until(
      () => serving.data(),
      ({ results, run }) => results.length === 8 && !run,
    )
    expect((await serving.data()).results.map(({ address }) => address)).toContain('hero#5')
    expect((await result(serving, 'cup#2')).picked).toBe(true)
  })

  test('says what its run may spend at most, and that it is more', async () => {
    const it = await made()
    const text = it.read('tea.yaml')
    writeFileSync(
      it.path('tea.yaml'),
      `limits: { maxPaid: 9, tags: { shop: 0.5, none: 1 } }\n${text.replace('  cup:\n', '  cup:\n    tags: [shop]\n')}`,
    )
    const serving = await it.review('--prices', 'prices.yaml', '--max-cost', '0.06')
    const cup = {
      limits: ['0.06 USD', '9 paid requests', '0.50 USD for what is tagged shop'],
      isBeyond: false,
    }
    expect(await serving.quote({ redo: ['cup'] })).toMatchObject(cup)
    expect(await serving.quote({ redo: ['cup', 'hero'] })).toMatchObject({ ...cup, isBeyond: true })
    expect(await serving.quote({ redo: ['hero'] })).toMatchObject({ limits: cup.limits.slice(0, 2) })
    expect(await (await made()).review().then(each => each.quote({ redo: ['cup'] }))).toMatchObject({
      limits: [],
      isBeyond: false,
    })
  })

  test('of one take more is rehearsed by one placeholder, with what would be stale by it, and by nothing else', async () => {
    const gateway = await startGateway({ outputs: 'memory', ledger: true })
    onTestFinished(() => gateway.close())
    const it = project(
      folder => {
        const clip = `  walk:
    model: famc-v3
    prompt: Closer
    startFrame: \${{ jobs.cup.output }}
    duration: 3
`
        writeFileSync(join(folder, 'tea.yaml'), `${teapots.replace(/  clip:[^]*/, '')}${clip}`)
      },
      { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key },
    )
    expect((await it.ran('tea.yaml', '--quiet')).code).toBe(0)
    const serving = await it.review()
    const paid = () => gateway.ledger().billed.execute + gateway.ledger().billed.submit
    const before = paid()
    const rehearsed = async (...redo: string[]) => {
      const { id, buys, stale } = await serving.quote({ redo })
      const end = (await serving.post('rehearsal', { id })).json()
      const lock = existsSync(it.path('tea.preview.lock.json')) ? it.read('tea.preview.lock.json') : ''
      const placeholders = [...lock.matchAll(/^\{"address":"([^"]+)"/gm)].map(([, address]) => address)
      return { buys: buys.map(({ address }) => address), stale, end, placeholders }
    }
    expect(await rehearsed('hero', 'hero#2', 'hero#3', 'hero#4')).toEqual({
      buys: ['hero#5'],
      stale: [],
      end: { text: '1 result made; a rehearsal: nothing was paid', isWell: true },
      placeholders: ['hero'],
    })
    expect(await rehearsed('cup')).toEqual({
      buys: ['cup#2'],
      stale: ['walk'],
      end: { text: '2 results made; a rehearsal: nothing was paid', isWell: true },
      placeholders: ['cup', 'hero', 'walk'],
    })
    expect((await rehearsed('cup')).end).toEqual({
      text: 'its placeholders are there from a rehearsal before: nothing was made, and nothing was paid',
      isWell: true,
    })
    expect(paid()).toBe(before)
  })

  test('of a job whose prompt was edited is of that job alone', async () => {
    const it = await made()
    const serving = await it.review()
    const text = it.read('tea.yaml')
    writeFileSync(it.path('tea.yaml'), text.replace('A celadon', 'A red').replace('A cup', 'A mug'))
    const all = await serving.quote({ run: true })
    // What is not ordered with the rest says why.
    expect(all.held).toEqual(['clip: it waits until a take of hero is picked'])
    const one = await serving.quote({ make: 'cup' })
    // Of whichever take the prompt was edited: one that was ordered besides is none of the job's by then.
    expect(await serving.quote({ make: 'cup#7' })).toMatchObject({ buys: one.buys })
    expect(one.buys.map(({ address }) => address)).toEqual(['cup'])
    expect(all.buys.length).toBeGreaterThan(1)
    expect((await serving.post('quote', { make: 'nobody' })).status).toBe(400)
  })

  test('is not bought when what it stands on is another by then', async () => {
    const it = await made()
    const serving = await it.review()
    const quote = await serving.quote({ redo: ['cup'] })
    const before = it.read('tea.preview.lock.json')
    writeFileSync(it.path('tea.yaml'), it.read('tea.yaml').replace('A celadon', 'A red'))
    expect((await serving.post('order', { id: quote.id })).status).toBe(200)
    await until(
      () => serving.data(),
      ({ results }) => results[0]?.message?.includes('prompt') === true,
    )
    expect(it.read('tea.preview.lock.json')).toBe(before)
  })
})

test('a page that is open hears of a run while it goes on', async () => {
  const it = project()
  const serving = await it.review('--local')
  expect((await serving.data()).results[0]).toMatchObject({ standing: 'not made', files: [] })
  const events: string[] = []
  const stop = new AbortController()
  const listening = fetch(new URL('events', serving.url), { signal: stop.signal })
    .then(async ({ body }) => {
      for await (const piece of body ?? []) events.push(Buffer.from(piece).toString())
    })
    .catch(() => undefined)
  await it.ran('tea.yaml', '--local', '--quiet')
  await until(
    () => Promise.resolve(events.join('')),
    text => /event: change\nid: \S+\ndata: .*"address":"cup".*"standing":"made"/.test(text),
  )
  stop.abort()
  await listening
})

test('a page that has missed something before it listens, or while it was away, hears of that first', async () => {
  const it = await made()
  const serving = await it.review()
  const { serial = '' } = await serving.data()
  expect(serial).toMatch(/^[0-9a-f]+\.\d+$/)
  const begins = async (path: string, headers = {}) =>
    (await heard(serving, path, text => /event: picks\n.*\n/.test(text), headers)).includes('event: behind')
  // What a run of the first look changes comes by itself: until then the serial stays.
  await until(
    () => begins(`events?since=${serial}`),
    isBehind => !isBehind,
  )
  const cup = await result(serving, 'cup')
  await serving.post('verdicts', {
    verdicts: [{ address: 'cup', is: 'rejected', seen: seen(cup) }],
    picks: [],
  })
  expect(await begins(`events?since=${serial}`)).toBe(true)
  const now = (await serving.data()).serial ?? ''
  expect(now).not.toBe(serial)
  expect(await begins(`events?since=${now}`)).toBe(false)
  // A browser that comes back says what it has heard last.
  expect(await begins(`events?since=${serial}`, { 'last-event-id': now })).toBe(false)
  expect(await begins(`events?since=${now}`, { 'last-event-id': serial })).toBe(true)
  await serving.stop()
  const next = await it.review()
  expect((await next.data()).serial?.split('.')[0]).not.toBe(now.split('.')[0])
})

test('a page that is loaded while the manifest cannot be read says so', async () => {
  const it = await made()
  const serving = await it.review()
  const text = it.read('tea.yaml')
  writeFileSync(it.path('tea.yaml'), 'jobs: [')
  expect(
    await until(
      () => serving.data(),
      page => page.trouble !== undefined,
    ),
  ).toHaveProperty('results.5')
  writeFileSync(it.path('tea.yaml'), text)
  expect(
    await until(
      () => serving.data(),
      page => page.trouble === undefined,
    ),
  ).toHaveProperty('results.5')
})

describe('a prompt', () => {
  test('that cannot be edited says why before anybody has typed', async () => {
    const it = await made()
    const serving = await it.review()
    const may = async (address: string) =>
      (await serving.post('prompt/may', { address, was: 'A celadon teapot' })).json()
    expect(await may('hero')).toEqual({})
    const text = it.read('tea.yaml')
    writeFileSync(
      it.path('tea.yaml'),
      `vars: { pot: teapot }\n${text.replace('A celadon teapot', 'A celadon ${{ vars.pot }}')}`,
    )
    const before = it.read('tea.yaml')
    expect(await may('hero')).toEqual({
      why: 'its prompt is made from vars.pot (tea.yaml:1): edit it there, or the text that it stands in, at tea.yaml:5',
    })
    expect(it.read('tea.yaml')).toBe(before)
    // Made from another text than it has by now.
    writeFileSync(it.path('tea.yaml'), before.replace('A celadon', 'A red'))
    expect(await may('hero')).toMatchObject({ why: expect.stringContaining('made from vars.pot') })
    expect((await serving.post('prompt/may', { address: 'nobody', was: 'x' })).status).toBe(400)
  })

  test('is edited in the manifest, and shown with what becomes stale by it', async () => {
    const it = await made()
    const serving = await it.review()
    const was = 'A celadon teapot'
    const edit = { address: 'hero#2', was, prompt: 'A red teapot' }
    expect((await serving.post('prompt', { ...edit, was: 'A jug' })).json()).toEqual({
      trouble: 'the manifest has another prompt of hero by now',
      now: was,
    })
    const answer = (await serving.post('prompt', edit)).json()
    expect(answer).toEqual({ ok: true, place: 'tea.yaml:4', id: expect.any(String) })
    const { id } = answer as { readonly id: string }
    const red = teapots.replace(was, 'A red teapot')
    expect(it.read('tea.yaml')).toBe(red)
    // Taken back only where nothing else is lost by it, by whoever may decide, and once.
    const back = async (body: object) => (await serving.post('prompt/back', body)).json()
    expect(await back({ id: 'guessed' })).toEqual({
      trouble: 'genrun was started anew since, or it is too long ago',
    })
    writeFileSync(it.path('tea.yaml'), `${red}# mine\n`)
    expect(await back({ id })).toEqual({ ok: true })
    expect(it.read('tea.yaml')).toBe(`${teapots}# mine\n`)
    expect(await back({ id })).toHaveProperty('trouble')
    const once = async () => (await serving.post('prompt', edit)).json() as { readonly id: string }
    writeFileSync(it.path('tea.yaml'), teapots)
    const plain = await once()
    expect(await back({ id: plain.id })).toEqual({ ok: true })
    expect(it.read('tea.yaml')).toBe(teapots)
    // Somebody else has taken it back already, by a checkout.
    const gone = await once()
    writeFileSync(it.path('tea.yaml'), `# checked out\n${teapots}`)
    expect(await back({ id: gone.id })).toEqual({ ok: true })
    expect(it.read('tea.yaml')).toBe(`# checked out\n${teapots}`)
    // What somebody wrote there since is that person's.
    writeFileSync(it.path('tea.yaml'), teapots)
    const others = await once()
    writeFileSync(it.path('tea.yaml'), teapots.replace(was, 'A blue teapot'))
    expect(await back({ id: others.id })).toEqual({
      trouble: 'the manifest has another prompt of hero by now',
    })
    expect(it.read('tea.yaml')).toContain('A blue teapot')
    writeFileSync(it.path('tea.yaml'), teapots)
    await until(
      () => result(serving, 'hero#2'),
      each => each.message === undefined,
    )
    expect(await result(serving, 'hero#2')).not.toHaveProperty('message')
    writeFileSync(it.path('tea.yaml'), red)
    expect(await back({ id })).toHaveProperty('trouble')
    expect(it.read('tea.yaml')).toBe(red)
    writeFileSync(it.path('tea.yaml'), teapots)
    await serving.post('prompt', edit)
    expect((await result(serving, 'hero#2')).message).toContain('A red teapot')
    expect((await serving.post('prompt', edit, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await serving.post('prompt', { address: 'nobody', was, prompt: 'x' })).status).toBe(400)
    await serving.stop()
    const looking = await it.review('--read-only')
    expect((await looking.post('prompt', { ...edit, was: 'A red teapot', prompt: 'x' })).status).toBe(403)
    expect((await looking.post('prompt/back', { id })).status).toBe(403)
    expect(it.read('tea.yaml')).toContain('A red teapot')
  })
})
