import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import { createCanvas } from '@napi-rs/canvas'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { main } from '../../../src/cli/main.ts'
import { pictureHeadBytes, pictureSize } from '../../../src/media/picture-size.ts'
import type { ShownPage } from '../../../src/page/data/shown.ts'
import { sheetLayout } from '../../../src/thumbnails/sheet-layout.ts'
import { has, needs, whereIs } from '../../gateway/tools.ts'
import { fakeSurroundings } from '../fake.ts'

/** What a page has in itself. */
function dataIn(path: string): ShownPage {
  const html = readFileSync(path, 'utf8')
  return JSON.parse(/id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? '')
}

/** Grain that is harder to make small than any photograph. */
function grain(side: number): Buffer {
  const canvas = createCanvas(side, side)
  const pen = canvas.getContext('2d')
  const pixels = pen.createImageData(side, side)
  let seed = 7
  for (let at = 0; at < pixels.data.length; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    pixels.data[at] = at % 4 === 3 ? 255 : 90 + (seed >>> 26)
  }
  pen.putImageData(pixels, 0, 0)
  return canvas.toBuffer('image/png')
}

/** The same picture with another digest: with a text before its end. */
function numbered(picture: Buffer, nth: number): Buffer {
  const body = Buffer.from(`tEXtComment\0${nth}`, 'latin1')
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([picture.subarray(0, -12), length, body, sum, picture.subarray(-12)])
}

describe('genrun report', () => {
  let home = ''
  let browser: Browser | undefined
  const manifest = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A celadon teapot <script>document.title = 'changed'</script>
  clip:
    model: famc-v3
    prompt: Steam rising
    startFrame: \${{ jobs.hero.output }}
    duration: 3
  voice:
    model: fama-tts
    prompt: Morning begins with water.
`

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'genrun gallery #1 '))
    writeFileSync(join(home, 'tea.yaml'), manifest)
    if (has('chromium'))
      browser = await chromium.launch({ executablePath: whereIs('chromium'), args: ['--no-sandbox'] })
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    rmSync(home, { recursive: true, force: true })
  })

  async function ran(...words: string[]) {
    const around = fakeSurroundings({ cwd: home, clock: systemClock, env: { PATH: process.env.PATH } })
    const code = await main(words, around)
    return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
  }

  test('writes a page before anything is made, and anew when it is', async () => {
    const first = await ran('report', 'tea.yaml')
    expect(first).toMatchObject({ code: 0, stdout: 'out/tea/report.html\n' })
    expect(first.stderr).toBe('3 results, 0 files: nothing is made yet\n')
    expect((await ran('tea.yaml', '--local', '--quiet')).code).toBe(0)
    const words = ['report', 'tea.yaml', '--local', '--json', '--junit', 'r/j.xml', '--summary', 'r/s.md']
    const { code, stdout } = await ran(...words)
    expect(code).toBe(0)
    const record = JSON.parse(stdout)
    expect(record).toMatchObject({
      ok: true,
      counts: { kept: 3 },
      page: join(home, 'out/tea.preview/report.html'),
    })
    expect(record.jobs[1]).toMatchObject({
      address: 'clip',
      ending: 'kept',
      prompt: 'Steam rising',
      params: { duration: 3 },
      inputs: [['/startFrame', 'hero']],
      files: [{ path: 'clip.mp4' }],
    })
    expect(readFileSync(join(home, 'r/j.xml'), 'utf8')).toContain('tests="3" failures="0"')
    expect(readFileSync(join(home, 'r/s.md'), 'utf8')).toContain('3 up to date')
  })

  test('is about the rehearsal where nothing else was made, and says so; so are the choices', async () => {
    const said = 'rehearsal: nothing was bought yet, so this is about the placeholders\n'
    const page = { code: 0, stdout: 'out/tea.preview/report.html\n', stderr: `${said}3 results, 3 files\n` }
    expect(await ran('report', 'tea.yaml')).toEqual(page)
    expect(dataIn(join(home, 'out/tea.preview/report.html'))).toMatchObject({ isRehearsal: true })
    expect(await ran('pick', 'tea.yaml', 'hero')).toMatchObject({
      code: 0,
      stderr: `${said}hero is picked\n`,
    })
    // What is to be bought is another question.
    const plan = await ran('plan', 'tea.yaml')
    expect(plan.stdout).toContain('3 paid requests')
    expect(plan.stderr).toContain('its placeholders do not count here; --local is about them')
    expect((await ran('verify', 'tea.yaml')).code).toBe(8)
    // An order that is not made yet is more than a rehearsal.
    expect((await ran('adopt', 'tea.yaml', 'hero', 'r_1')).code).toBe(0)
    expect(await ran('report', 'tea.yaml')).toMatchObject({ stdout: 'out/tea/report.html\n' })
    rmSync(join(home, '.genrun/tea'), { recursive: true })
  })

  test('has a policy that lets its own style and script through, and files of the disk; texts in it are data', () => {
    const html = readFileSync(join(home, 'out/tea.preview/report.html'), 'utf8')
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'none'")
    for (const part of ['style', 'script type="module"']) {
      const name = part.split(' ')[0] ?? ''
      const [, text = ''] = new RegExp(`<${part}>([\\s\\S]*?)</${name}>`).exec(html) ?? []
      const hash = createHash('sha256').update(text).digest('base64')
      expect(policy).toContain(`${name}-src 'sha256-${hash}'`)
    }
    expect(html).not.toContain('<script>document.title')
    expect(dataIn(join(home, 'out/tea.preview/report.html')).results[0]?.prompt).toContain('<script>')
  })

  test('puts a shortlist into one file, whole where that fits and as a picture where not', async () => {
    const words = ['report', 'tea.yaml', 'hero', 'clip', '--local', '--single-file', 'send/short.html']
    expect(await ran(...words)).toMatchObject({
      code: 0,
      stdout: 'out/tea.preview/report.html\nsend/short.html\n',
      stderr: '2 results, 2 files\n',
    })
    const { results, can } = dataIn(join(home, 'send/short.html'))
    expect(results.map(({ address }) => address)).toEqual(['hero', 'clip'])
    expect(results.flatMap(({ files }) => files.map(({ url }) => url?.slice(0, 16)))).toEqual([
      expect.stringMatching(/^data:image\/(png|webp)/),
      has('ffmpeg') ? 'data:image/webp;' : undefined,
    ])
    expect(can).toEqual({ judge: true, sends: true, notBuy: 'nothing can be ordered from a report' })
    expect(readFileSync(join(home, 'send/short.html')).length).toBeLessThan(600_000)
    const unknown = await ran('report', 'tea.yaml', 'heroo', '--local')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean hero')])
    // Whoever gets it sees nothing of the others, whatever it is.
    const files = ['--sheet', 'send/chosen.png', '--junit', 'send/chosen.xml']
    const chosen = JSON.parse((await ran('report', 'tea.yaml', 'hero', '--local', '--json', ...files)).stdout)
    expect([chosen.jobs.map(({ address }: { address: string }) => address), chosen.counts]).toEqual([
      ['hero'],
      { kept: 1 },
    ])
    expect(readFileSync(join(home, 'send/chosen.xml'), 'utf8').match(/<testcase /g)).toHaveLength(1)
    const sheet = readFileSync(join(home, 'send/chosen.png'))
    const { width, height } = sheetLayout(1)
    expect(pictureSize(sheet.subarray(0, pictureHeadBytes))).toEqual({ width, height })
    // Nobody approved anything yet.
    const none = await ran('report', 'tea.yaml', '--approved', '--local', '--single-file', 'send/none.html')
    expect(none.stderr).toBe('none of the 3 results is approved\n')
    expect(dataIn(join(home, 'send/none.html')).results).toEqual([])
    expect((await ran('report', 'tea.yaml', '--single-file', 'tea.yaml')).code).toBe(2)
    expect((await ran('report', 'tea.yaml', '--local')).code).toBe(0)
  })

  test('puts eight pictures of 1024 by 1024 into less than 2 MB, whatever is on them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'genrun shortlist '))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const picture = grain(1024)
    expect(picture.length).toBeGreaterThan(2_000_000)
    let count = 0
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'image/png' }).end(numbered(picture, count++))
      })
    })
    await new Promise<void>(begun => server.listen(0, '127.0.0.1', begun))
    onTestFinished(() => void server.close())
    const prompt = 'A celadon teapot on wet slate, morning light from the left, steam. '.repeat(30)
    const jobs = { hero: { model: 'fama-imagine-image', prompt, takes: 8 } }
    writeFileSync(join(folder, 'eight.yaml'), JSON.stringify({ jobs }))
    const { port } = server.address() as AddressInfo // it listens on a port
    const env = { GENRUN_BASE_URL: `http://127.0.0.1:${port}/gw-v2`, GENRUN_API_KEY: 'k' }
    const word = async (...words: string[]) =>
      main(words, fakeSurroundings({ cwd: folder, clock: systemClock, env }))
    expect(await word('eight.yaml', '--quiet')).toBe(0)
    expect(await word('report', 'eight.yaml', '--single-file', 'short.html')).toBe(0)
    const path = join(folder, 'short.html')
    expect(readFileSync(path).length).toBeLessThan(2_000_000)
    if (!browser) return
    const tab = await browser.newPage()
    await tab.goto(pathToFileURL(path).href)
    const looked = `[...document.querySelectorAll('.card img')].map(each => each.complete && each.naturalWidth)`
    // Each is there, and large enough to judge by.
    await expect.poll(() => tab.evaluate(looked)).toEqual(Array.from({ length: 8 }, () => expect.any(Number)))
    const widths = (await tab.evaluate(looked)) as number[]
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(800)
    await tab.close()
  })

  test('draws one picture of all on request, and overwrites none but its own', async () => {
    const sheet = join(home, 'sheets/all.png')
    const words = ['report', 'tea.yaml', '--local', '--sheet', 'sheets/all.png']
    const said = { code: 0, stdout: 'out/tea.preview/report.html\nsheets/all.png\n' }
    expect(await ran(...words)).toMatchObject(said)
    const first = readFileSync(sheet)
    expect(first.subarray(1, 4).toString()).toBe('PNG')
    expect(JSON.parse((await ran(...words, '--json')).stdout)).toMatchObject({ ok: true, sheets: [sheet] })
    expect(readFileSync(sheet).equals(first)).toBe(true)
    writeFileSync(join(home, 'sheets/again.png'), first)
    writeFileSync(sheet, 'a photograph')
    rmSync(join(home, 'out/tea.preview/report.html'))
    const { code, stderr } = await ran(...words)
    expect([code, readFileSync(sheet, 'utf8')]).toEqual([2, 'a photograph'])
    // Nothing is begun by then.
    expect(existsSync(join(home, 'out/tea.preview/report.html'))).toBe(false)
    expect(stderr).toContain('genrun did not draw it')
    expect((await ran('report', 'tea.yaml', '--sheet', 'all.gif')).code).toBe(2)
  })

  test('shows no file that was altered as the result, were it as long as that', async () => {
    const path = join(home, 'out/tea.preview/hero.png')
    const was = readFileSync(path)
    writeFileSync(path, Buffer.concat([was.subarray(0, -20), was.subarray(-20).map(each => each ^ 1)]))
    try {
      const page = join(home, 'out/tea.preview/report.html')
      await ran('report', 'tea.yaml', '--local', '--single-file', 'send/altered.html')
      for (const each of [page, join(home, 'send/altered.html')])
        expect(dataIn(each).results[0]).toMatchObject({ address: 'hero', files: [], altered: ['hero.png'] })
      const sheet = join(home, 'sheets/altered.png')
      expect((await ran('report', 'tea.yaml', '--local', '--sheet', 'sheets/altered.png')).code).toBe(0)
      expect(readFileSync(sheet).equals(readFileSync(join(home, 'sheets/again.png')))).toBe(false)
    } finally {
      writeFileSync(path, was)
    }
    expect((await ran('report', 'tea.yaml', '--local')).code).toBe(0)
    expect(dataIn(join(home, 'out/tea.preview/report.html')).results[0]).toMatchObject({
      files: [{ path: 'hero.png' }],
    })
  })

  test('begins nothing where a single file is to take the place of somebody’s', async () => {
    writeFileSync(join(home, 'mine.html'), '<p>mine')
    const { code, stderr } = await ran(
      'report',
      'tea.yaml',
      '--output',
      'fresh',
      '--single-file',
      'mine.html',
    )
    expect([code, readFileSync(join(home, 'mine.html'), 'utf8')]).toEqual([2, '<p>mine'])
    expect(stderr).toContain('it is there already, and genrun did not write it')
    expect(existsSync(join(home, 'fresh'))).toBe(false)
  })

  test('never overwrites a page that is not its own', async () => {
    const path = join(home, 'other/report.html')
    await ran('report', 'tea.yaml', '--output', 'other')
    writeFileSync(path, '<p>mine')
    const { code, stderr } = await ran('report', 'tea.yaml', '--output', 'other')
    expect([code, readFileSync(path, 'utf8')]).toEqual([7, '<p>mine'])
    expect(stderr).toContain('genrun did not write it')
  })

  test('opens from disk in a browser: all is shown and judged, and what was decided comes back as a file', async context => {
    needs(context, 'chromium')
    const tab = await browser!.newPage()
    const said: string[] = []
    tab.on('console', message => /error|warning/.test(message.type()) && said.push(message.text()))
    tab.on('pageerror', error => said.push(String(error)))
    await tab.goto(pathToFileURL(join(home, 'out/tea.preview/report.html')).href)
    // Asked again and again from here: a page whose policy forbids eval cannot wait for a text by itself.
    const holds = (what: string) => expect.poll(() => tab.evaluate(what), { timeout: 30_000 }).toBe(true)
    await holds('document.querySelectorAll(".card").length === 3')
    await holds('[...document.images].every(each => each.complete && each.naturalWidth > 0)')
    expect(await tab.title()).toBe('tea')
    // A clip is gone through by moving over it, and begins anew when that is over.
    const { x, y, width, height } = (await tab.locator('#result-clip .clip').boundingBox())!
    const clip = `document.querySelector('#result-clip video')`
    await holds(`${clip}.duration > 2`)
    for (const part of [0.75, 0.25]) {
      await tab.mouse.move(x + width * part, y + height / 2)
      await holds(`Math.abs(${clip}.currentTime / ${clip}.duration - ${part}) < 0.05 && !${clip}.seeking`)
      const line = (await tab.locator('#result-clip .at').boundingBox())!
      expect(Math.abs((line.x - x) / width - part)).toBeLessThan(0.05)
    }
    expect(await tab.evaluate(`${clip}.paused && ${clip}.muted`)).toBe(true)
    await tab.mouse.move(1, 1)
    await holds(`${clip}.currentTime === 0 && document.querySelector('#result-clip .at') === null`)
    const shown = () => tab.locator('.card b').allTextContents()
    await tab.getByRole('searchbox').fill('famc steam')
    expect(await shown()).toEqual(['clip'])
    await tab.getByRole('searchbox').fill('-famc')
    expect(await shown()).toEqual(['hero', 'voice'])
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('Home')
    // The originals lie beside the page.
    await tab.keyboard.press('Enter')
    await holds('document.querySelector("img.whole").naturalWidth >= 1024')
    // What is made from it, and what that was made from, are a click away.
    const at = () => tab.locator('.about h2').textContent()
    const links = () => tab.locator('.about h3, .about .others button').allTextContents()
    expect(await links()).toEqual(['What is made from it', 'clip'])
    await tab.locator('.others').getByRole('button', { name: 'clip' }).click()
    expect([await at(), await links()]).toEqual(['clip', ['Made from', 'hero']])
    await tab.locator('.others').getByRole('button', { name: 'hero' }).click()
    expect(await at()).toBe('hero')
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('p')
    await tab.keyboard.press('x')
    await tab.keyboard.press('r')
    await tab.getByText('nothing can be ordered from a report').waitFor()
    await tab.keyboard.press('Escape')
    await tab.reload()
    await holds('document.querySelectorAll(".card.approved, .card.rejected").length === 2')
    await tab.getByRole('button', { name: 'Save 2 verdicts as a file…' }).click()
    await tab.getByLabel('Your name').fill('A <b>customer</b>')
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('dialog').getByRole('button', { name: 'Save' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('tea.verdicts.json')
    await download.saveAs(join(home, 'v.json'))
    expect(said).toEqual([])
    expect(await ran('review', 'tea.yaml', '--local', '--take', 'v.json')).toMatchObject({
      code: 0,
      stdout: 'hero: approved (A <b>customer</b>)\nvoice: rejected (A <b>customer</b>)\n',
    })
    await ran('report', 'tea.yaml', '--approved', '--local', '--single-file', 'send/best.html')
    expect(dataIn(join(home, 'send/best.html')).results.map(({ address }) => address)).toEqual(['hero'])
  })
})
