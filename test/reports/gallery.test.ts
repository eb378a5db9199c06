import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { galleryPage } from '../../src/reports/gallery.ts'
import type { Exhibit, Gallery } from '../../src/verbs/gallery.ts'
import { fakeSurroundings, jobReport, report, savedFile } from '../cli/fake.ts'
import { has, needs, whereIs } from '../gateway/tools.ts'

function exhibit(address: string, more: Partial<Exhibit> = {}): Exhibit {
  const bare = { params: {}, defaults: {}, inputs: [], tags: [], take: 1, missing: [], uses: [] }
  return { ...jobReport(address, 'kept', { files: [savedFile(`${address}.png`)] }), ...bare, ...more }
}

function page(...exhibits: Exhibit[]): string {
  const gallery: Gallery = { report: report(exhibits), exhibits, currency: 'USD' }
  return galleryPage(gallery)
}

describe('the page', () => {
  test('shows every text as text', () => {
    const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>' \u0007`
    const html = page(
      exhibit('a', {
        prompt: evil,
        params: { style: evil },
        inputs: [['/startFrame', evil]],
        message: evil,
        hint: evil,
        tags: [evil],
        missing: [evil],
        files: [savedFile(`x/${evil}.png`)],
      }),
    )
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toContain('<img src=x')
    expect(html).not.toContain('\u0007')
    expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
  })

  test('has a policy that lets its own style and script through and nothing else', () => {
    const html = page(exhibit('a'))
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    expect(policy).toContain("default-src 'none'")
    for (const part of ['style', 'script']) {
      const [, text = ''] = new RegExp(`<${part}>([\\s\\S]*?)</${part}>`).exec(html) ?? []
      const hash = createHash('sha256').update(text).digest('base64')
      expect(policy).toContain(`${part}-src 'sha256-${hash}'`)
    }
    expect(html).not.toMatch(/https?:/)
  })

  test('refers to files by names that stay names, and loads them late', () => {
    const html = page(
      exhibit('a', {
        files: [savedFile('javascript:x/50%#?.png'), savedFile('c.mp4', { type: 'video/mp4' })],
      }),
    )
    expect(html).toContain('src="./javascript%3Ax/50%25%23%3F.png"')
    expect(html).toContain('loading="lazy"')
    expect(html).toMatch(/<video src="\.\/c\.mp4"[^>]* preload="none"/)
  })

  test('says what was made, from what, at what cost, and what is missing', () => {
    const html = page(
      exhibit('hero', {
        prompt: 'A teapot\nat dawn',
        params: { aspectRatio: '16:9' },
        defaults: { quality: 'medium' },
        inputs: [['/startFrame', 'poster']],
        cost: { is: 'known', amount: 1.5 },
        take: 2,
        picked: true,
      }),
      exhibit('hero#2', { take: 2, pick: "genrun pick tea.yaml 'hero#2'", files: [] }),
      exhibit('clip', { ending: 'skipped', files: [], message: 'not made yet', kind: 'video' }),
      exhibit('gone', { files: [], missing: ['gone.png'] }),
    )
    const text = html
      .replaceAll(/<(style|script)>[\s\S]*?<\/\1>/g, '')
      .replaceAll(/<[^>]*>/g, '|')
      .replaceAll(/\|+/g, '|')
    expect(text).toContain('4 jobs: 3 made, 1 not made · 1 file, 1.2 MB · about 1.50 USD for what is made')
    expect(text).toContain('|made| · take 2 · picked · fama-imagine-image · 1.50 USD · campaign.yaml:2|')
    expect(text).toContain('|A teapot\nat dawn|')
    expect(text).toContain('|3 parameters|startFrame|poster|aspectRatio|16:9|quality|medium|')
    expect(text).toContain('|To pick it: |genrun pick tea.yaml &#39;hero#2&#39;|')
    expect(text).toContain('|no video|')
    expect(text).toContain('|not there: gone.png|')
  })
})

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
    const around = fakeSurroundings({ cwd: home, clock: systemClock })
    const code = await main(words, around)
    return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
  }

  test('writes a page before anything is made, and anew when it is', async () => {
    const first = await ran('report', 'tea.yaml')
    expect(first).toMatchObject({ code: 0, stdout: 'out/tea/report.html\n' })
    expect(first.stderr).toBe('3 jobs, 0 files: nothing is made yet\n')
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
    const page = { code: 0, stdout: 'out/tea.preview/report.html\n', stderr: `${said}3 jobs, 3 files\n` }
    expect(await ran('report', 'tea.yaml')).toEqual(page)
    expect(readFileSync(join(home, 'out/tea.preview/report.html'), 'utf8')).toContain('A rehearsal:')
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

  test('offers the other takes of a job to be picked', async () => {
    writeFileSync(join(home, 'two.yaml'), manifest.replace('  clip:', '    takes: 2\n  clip:'))
    expect((await ran('two.yaml', 'hero', '--local', '--quiet')).code).toBe(0)
    expect((await ran('pick', 'two.yaml', 'hero')).code).toBe(0)
    expect((await ran('report', 'two.yaml')).code).toBe(0)
    const html = readFileSync(join(home, 'out/two.preview/report.html'), 'utf8')
    expect([...html.matchAll(/<code>(.*?)<\/code>/g)].map(([, code]) => code)).toEqual([
      'genrun pick two.yaml &#39;hero#2&#39; --local',
    ])
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
    writeFileSync(sheet, 'a photograph')
    const { code, stderr } = await ran(...words)
    expect([code, readFileSync(sheet, 'utf8')]).toEqual([7, 'a photograph'])
    expect(stderr).toContain('genrun did not draw it')
    expect((await ran('report', 'tea.yaml', '--sheet', 'all.gif')).code).toBe(2)
  })

  test('never overwrites a page that is not its own', async () => {
    const path = join(home, 'other/report.html')
    await ran('report', 'tea.yaml', '--output', 'other')
    writeFileSync(path, '<p>mine')
    const { code, stderr } = await ran('report', 'tea.yaml', '--output', 'other')
    expect([code, readFileSync(path, 'utf8')]).toEqual([7, '<p>mine'])
    expect(stderr).toContain('genrun did not write it')
  })

  test('opens from disk in a browser: all is shown, words filter, no foreign script runs', async context => {
    needs(context, 'chromium')
    const tab = await browser!.newPage()
    const said: string[] = []
    tab.on('console', message => said.push(message.text()))
    tab.on('pageerror', error => said.push(String(error)))
    await tab.goto(pathToFileURL(join(home, 'out/tea.preview/report.html')).href)
    // Asked again and again from here: a page whose policy forbids eval cannot wait for a text by itself.
    const holds = (what: string) => expect.poll(() => tab.evaluate(what), { timeout: 30_000 }).toBe(true)
    await holds('[...document.images].every(each => each.complete && each.naturalWidth > 0)')
    await holds(
      '[...document.querySelectorAll("video, audio")].every(each => each.readyState > 0 && each.duration > 0)',
    )
    expect(await tab.title()).toBe('tea')
    const status = tab.getByRole('status')
    expect(await status.textContent()).toBe('3 jobs')
    await tab.getByRole('searchbox').fill('famc steam')
    expect(await status.textContent()).toBe('1 of 3 jobs')
    expect(await tab.locator('li.job:visible h2').allTextContents()).toEqual(['clip'])
    await tab.getByRole('searchbox').fill('-famc')
    expect(await tab.locator('li.job:visible h2').allTextContents()).toEqual(['hero', 'voice'])
    expect(said).toEqual([])
  })
})
