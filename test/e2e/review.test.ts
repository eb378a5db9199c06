import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import type { ShownPage } from '../../src/page/data/shown.ts'
import { has, needs, whereIs } from '../gateway/tools.ts'
import { freshFolder, genrun, startGenrun } from './executable.ts'

// A whole sitting at the real page, by keys alone: what was decided outlives a reload and a killed server, and nothing is bought whose
// amount was not shown.

const evil = `"><img src=x onerror="document.title='evil'"><script>document.title='evil'</script>`
const manifest = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A celadon teapot
    takes: 4
    require: approved
  cup:
    model: fama-imagine-image
    prompt: '${evil.replaceAll("'", "''")}'
    description: '${evil.replaceAll("'", "''")}'
    tags: [x<b>y]
  clip:
    model: famc-v3
    prompt: Steam rising
    startFrame: \${{ jobs.hero.pick }}
    duration: 3
`
const prices =
  'currency: USD\nmodels:\n  fama-imagine-image: { perImage: 0.04 }\n  famc-v3: { perSecond: 0.1 }\n'

let browser: Browser | undefined

beforeAll(async () => {
  if (has('chromium'))
    browser = await chromium.launch({ executablePath: whereIs('chromium'), args: ['--no-sandbox'] })
}, 60_000)

afterAll(() => browser?.close())

/** What keeps somebody from using it who sees little, or has no mouse. */
async function hindrances(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults // what it resolves with
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/** A page whose policy forbids eval cannot wait by itself. */
function holds(page: Page, what: string): Promise<void> {
  return expect.poll(() => page.evaluate(what), { timeout: 30_000, message: what }).toBe(true)
}

const words = ['review', 'tea.yaml', '--prices', 'prices.yaml', '--max-cost', '5', '--as', 'Lead']

/** All but the clip, which waits for a pick. */
async function bought() {
  const gateway = await startGateway({ outputs: 'memory', ledger: true })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder({ 'tea.yaml': manifest, 'prices.yaml': prices })
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  expect((await genrun(['tea.yaml', '--quiet'], { cwd, env })).code).toBe(4)
  const paid = () => gateway.ledger().billed.execute + gateway.ledger().billed.submit
  expect(paid()).toBe(5)
  return { cwd, env, paid }
}

test('a sitting by keys, from four takes to a clip that uses the pick', {
  timeout: 180_000,
}, async context => {
  needs(context, 'chromium')
  const { cwd, env, paid } = await bought()
  let serving = startGenrun(words, { cwd, env })
  const url = (await serving.shows('stdout', '/\n')).trim()
  const page = await browser!.newPage()
  const said: string[] = []
  page.on('pageerror', error => said.push(String(error)))
  page.on('response', answer => answer.status() >= 400 && said.push(`${answer.status()} ${answer.url()}`))
  // What is in sight at first stands in the document (here less than all); nothing is decided before all of it is there.
  await page.route(url, async route => {
    const response = await route.fetch()
    const body = (await response.text()).replace(/(?<=id="first">).*?(?=<\/script>)/, text => {
      const first: ShownPage = JSON.parse(text)
      return JSON.stringify({ ...first, results: first.results.slice(2) }).replaceAll('<', '\\u003c')
    })
    await route.fulfill({ response, body })
  })
  let isAsked = false
  let answer: (() => void) | undefined
  await page.route(`${url}data`, async route => {
    isAsked = true
    await new Promise<void>(resolve => (answer = resolve))
    await route.continue()
  })
  await page.goto(url)
  await expect.poll(() => isAsked, { timeout: 30_000 }).toBe(true)
  await holds(page, `document.querySelectorAll('.card').length === 4`)
  expect(await page.locator('.top output').textContent()).toBe('6 results')
  expect(await page.locator('.chip').count()).toBe(0)
  await page.keyboard.press('x')
  await holds(page, `document.querySelector('.app').inert`)
  answer?.()
  await holds(page, `!document.querySelector('.app').inert`)
  await page.unroute(`${url}data`)
  await page.unroute(url)
  const here = () => page.evaluate(`document.querySelector('.card.here')?.id ?? ''`)
  await holds(page, `document.querySelectorAll('.card').length === 6`)
  await holds(page, `[...document.images].every(each => each.complete && each.naturalWidth > 0)`)
  const verdicts = () => {
    const [, ...lines] = readFileSync(join(cwd, 'tea.review.json'), 'utf8').trim().split('\n')
    return Object.fromEntries(
      lines
        .slice(
          0,
          lines.findIndex(each => each.startsWith('null]')),
        )
        .map(line => {
          const { address, is, stars, who } = JSON.parse(line.slice(0, -1))
          return [address, [is, stars, who].filter(Boolean).join(' ')]
        }),
    )
  }

  expect(await hindrances(page)).toEqual([])
  for (const keys of [['Enter'], ['Escape', 'c'], ['s'], ['Escape', '?'], ['Escape', 't']]) {
    for (const key of keys) await page.keyboard.press(key)
    expect(await hindrances(page), keys.join(' ')).toEqual([])
  }
  await page.keyboard.press('w')

  // One key gives the verdict and moves on; stars stay.
  await page.keyboard.press('x')
  expect(await here()).toContain('hero#2')
  await page.keyboard.press('4')
  await page.keyboard.press('p')
  await page.keyboard.press('x')
  await holds(page, `document.querySelector('.bottom').textContent.includes('all saved')`)
  expect(verdicts()).toEqual({
    hero: 'rejected Lead',
    'hero#2': 'approved 4 Lead',
    'hero#3': 'rejected Lead',
  })
  await page.keyboard.press('Control+z')
  await holds(page, `document.querySelector('.bottom').textContent.includes('all saved')`)
  // Its line says by whom it was taken back, and nothing else.
  expect(verdicts()).toMatchObject({ 'hero#3': 'Lead' })
  expect(await here()).toContain('hero#3')

  // A reload in the middle finds everything, and the place.
  await page.reload()
  await holds(page, `document.querySelectorAll('.card').length === 6`)
  expect(await here()).toContain('hero#3')
  await holds(page, `[...document.querySelectorAll('.card.approved .pick')].length === 1`)
  expect(paid()).toBe(5)

  // Somebody else judges in another browser: each sees what the other decided.
  const other = await (await browser!.newContext()).newPage()
  // A browser gives up what is answered with an error: the page asks again.
  await other.route('**/events?*', route => route.fulfill({ status: 503 }), { times: 1 })
  await other.goto(url)
  await holds(other, `[...document.querySelectorAll('.card.approved .pick')].length === 1`)
  await other.locator('#result-cup').click()
  await other.keyboard.press('x')
  await holds(page, `document.querySelector('#result-cup').classList.contains('rejected')`)
  await page.keyboard.press('3')
  await holds(other, `document.querySelectorAll('.badge.stars').length === 2`)

  // The server is killed: both keep what is decided meanwhile, and send it to the next one, be it after a reload.
  serving.child.kill('SIGKILL')
  await serving.ended
  await page.keyboard.press('2')
  await other.locator('#result-cup').click()
  await other.keyboard.press('u')
  await other.keyboard.press('5')
  await holds(other, `document.querySelector('.banners').textContent.includes('not saved yet')`)
  await holds(page, `document.querySelector('.banners').textContent.includes('1 verdict not saved yet')`)
  expect(verdicts()).toMatchObject({ 'hero#3': '3 Lead' })
  // Also where one is looked at, or two.
  for (const [key, where] of [
    ['Enter', '.look'],
    ['c', '.compare'],
  ] as const) {
    await page.keyboard.press(key)
    await page.locator(`${where} .banners [role=alert]`).getByText('1 verdict not saved yet').waitFor()
    expect(await hindrances(page)).toEqual([])
    await page.keyboard.press('Escape')
  }
  serving = startGenrun(words, { cwd, env })
  expect((await serving.shows('stdout', '/\n')).trim()).toBe(url)
  await holds(page, `document.querySelector('.bottom').textContent.includes('all saved')`)
  expect(verdicts()).toMatchObject({ 'hero#3': '2 Lead' })
  await other.reload()
  await holds(other, `document.querySelector('.bottom').textContent.includes('all saved')`)
  expect(verdicts()).toMatchObject({ cup: '5 Lead' })
  await holds(page, `document.querySelectorAll('.badge.stars').length === 3`)

  // What was asked is a text, whatever it holds.
  await page.getByRole('searchbox').fill('onerror')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  expect(await page.locator('.about .prompt').textContent()).toBe(evil)
  expect(await page.title()).toBe('tea: review')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Show everything' }).click()

  // Nothing is bought before its amount was shown, and nothing by closing it. Of takes one more is ordered where none is left.
  for (const key of ['Home', 'x', 'x', 'x', 'x']) await page.keyboard.press(key)
  await holds(page, `document.querySelectorAll('.card.approved').length === 0`)
  await page.keyboard.press('r')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('0.04 USD').first().waitFor()
  expect(await dialog.locator('.buys').textContent()).toContain('hero#5')
  await dialog.getByText('Its run may spend at most: 5 USD').waitFor()
  await page.keyboard.press('Escape')
  await holds(page, `document.querySelector('dialog') === null`)
  expect(paid()).toBe(5)
  await page.keyboard.press('r')
  await dialog.getByRole('button', { name: 'Order for 0.04 USD' }).click()
  await holds(
    page,
    `document.querySelector('.banners').textContent.includes('1 result made; 1 paid request (0.04 USD)')`,
  )
  expect(paid()).toBe(6)

  // What is picked by now nobody has approved yet: the clip waits until somebody did, and is made from it for the amount that was shown.
  await page.locator('[id="result-clip"]').getByText('held: it waits until hero#5 is approved').waitFor()
  await page.locator('[id="result-hero#5"]').click()
  await page.keyboard.press('p')
  await holds(page, `document.querySelector('.bottom').textContent.includes('all saved')`)
  await page.keyboard.press('o')
  await dialog.getByRole('button', { name: 'Order for 0.30 USD' }).click()
  await holds(page, `document.querySelector('.banners').textContent.includes('1 paid request (0.30 USD)')`)
  expect(paid()).toBe(7)
  await holds(page, `[...document.querySelectorAll('.card video')].length === 1`)
  // Gone through by moving over it: of the server it takes the parts that it shows.
  const clip = (await page.locator('#result-clip .clip').boundingBox())!
  const at = `(clip => clip.currentTime / clip.duration)(document.querySelector('#result-clip video'))`
  await holds(page, `document.querySelector('#result-clip video').duration > 2`)
  await page.mouse.move(clip.x + clip.width * 0.6, clip.y + clip.height / 2)
  await holds(page, `Math.abs(${at} - 0.6) < 0.05`)
  await page.mouse.move(1, 1)
  await holds(page, `${at} === 0`)

  // A prompt is edited in the manifest, and nothing else of it; what that costs is shown, and not ordered by closing it.
  await page.locator('#result-cup').click()
  await page.keyboard.press('e')
  await dialog.getByRole('textbox').fill('A ${{ vars.none }} cup')
  await dialog.getByRole('button', { name: 'Change the manifest' }).press('Enter')
  await dialog.getByRole('alert').getByText('with it the manifest has a problem').waitFor()
  await holds(page, `document.activeElement.tagName === 'TEXTAREA'`)
  await dialog.getByRole('textbox').fill('A blue cup')
  await dialog.getByRole('button', { name: 'Change the manifest' }).click()
  await dialog.getByRole('button', { name: 'Order for 0.04 USD' }).waitFor()
  // Tried with a placeholder first: the amount stays there, and nothing of it is paid.
  await dialog.getByRole('button', { name: 'Rehearse: free' }).click()
  await dialog.getByText('1 result made; a rehearsal: nothing was paid').waitFor()
  await dialog.getByRole('button', { name: 'Order for 0.04 USD' }).waitFor()
  await page.keyboard.press('Escape')
  // Not ordered yet, it is opened as it was left, beside what is seen.
  await page.locator('.about').getByText('the next run makes it anew').waitFor()
  await page.keyboard.press('e')
  expect(await dialog.getByRole('textbox').inputValue()).toBe('A blue cup')
  expect(await page.locator('dialog .prompt').textContent()).toBe(evil)
  expect(await page.locator('dialog .prompt mark').count()).toBeGreaterThan(0)
  await page.keyboard.press('Escape')
  expect(await page.locator('.about .prompt').allTextContents()).toEqual([evil, 'A blue cup'])
  expect(await page.locator('.about .prompt').last().locator('mark').textContent()).toBe('A blue cup')
  expect(await hindrances(page)).toEqual([])
  await page.keyboard.press('Escape')
  const [head] = manifest.split(`'${evil.replaceAll("'", "''")}'`)
  expect(readFileSync(join(cwd, 'tea.yaml'), 'utf8').startsWith(`${head}'A blue cup'\n`)).toBe(true)
  // Undone, the manifest is what it was.
  await page.keyboard.press('Control+z')
  await holds(page, `document.querySelector('.said').textContent.includes('taken back')`)
  expect(readFileSync(join(cwd, 'tea.yaml'), 'utf8')).toBe(manifest)
  expect(paid()).toBe(7)
  // The one edit that was refused.
  expect(said).toEqual([`409 ${url}prompt`])
  serving.child.kill('SIGINT')
  expect((await serving.ended).code).toBe(0)
})

test('nothing is decided about what is not what was made, and nothing is said that is not so', {
  timeout: 120_000,
}, async context => {
  needs(context, 'chromium')
  const { cwd, env, paid } = await bought()
  const serving = startGenrun(words, { cwd, env })
  const url = (await serving.shows('stdout', '/\n')).trim()
  const page = await browser!.newPage()
  const data = heldBack(page, `${url}data`)
  const text = (selector: string) => page.locator(selector).first().textContent()

  // Keys that come before all is there count for the card that was seen as chosen, and for no other.
  await page.goto(url)
  await data.asked()
  await holds(page, `document.querySelector('.card.here').id === 'result-hero'`)
  for (const key of ['3', 'ArrowRight', '5', 'p']) await page.keyboard.press(key)
  data.goOn()
  await holds(page, `document.querySelector('.said').textContent.includes('not counted: 5 p')`)
  await holds(page, `document.querySelector('.card.here').id === 'result-hero#2'`)
  await holds(page, `document.querySelectorAll('.badge.stars').length === 1`)
  expect(await text('[id="result-hero"] .badge.stars')).toBe('★★★')

  // Something changes between the page's data and the first word of its stream. That verdict is the only one: of several the next look
  // at their file would tell.
  await page.keyboard.press('Home')
  await page.keyboard.press('0')
  await holds(page, `document.querySelector('.bottom').textContent.includes('all saved')`)
  const events = heldBack(page, `${url}events**`)
  await page.reload()
  await events.asked()
  const other = await browser!.newPage()
  await other.goto(url)
  await other.locator('#result-cup').click()
  await other.keyboard.press('x')
  await holds(other, `document.querySelector('.bottom').textContent.includes('all saved')`)
  await page.waitForTimeout(2000)
  await holds(page, `!document.querySelector('#result-cup').classList.contains('rejected')`)
  events.goOn()
  await holds(page, `document.querySelector('#result-cup').classList.contains('rejected')`)

  // What is paid for and not here is brought for nothing.
  const cup = readFileSync(join(cwd, 'out/tea/cup.png'))
  rmSync(join(cwd, 'out/tea/cup.png'))
  await page.locator('#result-cup').getByText('its files are gone').first().waitFor()
  await page.getByRole('button', { name: 'Order what is not there' }).click()
  await page.getByRole('dialog').getByText('1 result is paid for already, and is brought: cup').waitFor()
  await page
    .getByRole('dialog')
    .getByText('Not ordered: clip: it waits until a take of hero is picked')
    .waitFor()
  await page.getByRole('button', { name: 'Go on: nothing is paid' }).click()
  await holds(page, `document.querySelector('#result-cup img') !== null`)
  await page.locator('.banners .good').getByText('1 result fetched; 0 paid requests').waitFor()
  expect(readFileSync(join(cwd, 'out/tea/cup.png')).equals(cup)).toBe(true)
  expect(paid()).toBe(5)

  // Another picture of the same length lies there by now: it is not the one that would be approved.
  const picture = join(cwd, 'out/tea/takes/hero.take2.png')
  const was = readFileSync(picture)
  writeFileSync(picture, Buffer.concat([was.subarray(0, -20), was.subarray(-20).map(each => each ^ 1)]))
  await page.locator('[id="result-hero#2"]').getByText('altered on disk').first().waitFor()
  for (const key of ['Home', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  await page.keyboard.press('p')
  await holds(page, `document.querySelector('.said').textContent.includes('hero#2 was altered on disk')`)
  await page.locator('.about').getByText('is not the file that was made').waitFor()
  expect(await hindrances(page)).toEqual([])
  await page.keyboard.press('Escape')
  writeFileSync(picture, was)
  await holds(page, `document.querySelector('[id="result-hero#2"] img') !== null`)
  await page.keyboard.press('p')
  await holds(page, `document.querySelector('.bottom').textContent.includes('all saved')`)
  await holds(page, `document.querySelector('[id="result-hero#2"]').classList.contains('approved')`)
  await holds(page, `[...document.querySelectorAll('.card .pick')].length === 1`)

  // What a note is about stays that, whatever it is called by then.
  await page.locator('#result-cup').click()
  await page.keyboard.press('n')
  await page.keyboard.type('too dark')
  writeFileSync(join(cwd, 'tea.yaml'), manifest.replace('  cup:', '  mug:'))
  await page.getByRole('dialog', { name: 'A note on mug' }).waitFor()
  await page.getByRole('button', { name: 'Keep' }).click()
  await page.locator('.said').getByText('mug noted').waitFor()
  writeFileSync(join(cwd, 'tea.yaml'), manifest)
  await page.locator('#result-cup').waitFor()

  // A prompt that is begun and left is a draft, as a note is, until it is discarded; the manifest has nothing of it.
  await page.locator('[id="result-hero"]').click()
  const prompt = page.getByRole('textbox', { name: 'Prompt' })
  await page.keyboard.press('e')
  await prompt.fill('A teapot in ste')
  await page.keyboard.press('Escape')
  await page.getByText('It stays here as a draft. Esc again closes.').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.said').getByText('the prompt of hero is a draft: e goes on with it').waitFor()
  await page.keyboard.press('e')
  expect(await prompt.inputValue()).toBe('A teapot in ste')
  await page.getByText('The manifest has: A celadon teapot').waitFor()
  expect(await hindrances(page)).toEqual([])
  await page.getByRole('button', { name: 'Discard the draft' }).click()
  await page.keyboard.press('e')
  expect(await prompt.inputValue()).toBe('A celadon teapot')
  await page.keyboard.press('Escape')
  await prompt.waitFor({ state: 'detached' })
  await page.locator('#result-cup').click()
  expect(readFileSync(join(cwd, 'tea.yaml'), 'utf8')).toBe(manifest)

  // A prompt that is made from something says where, before anybody types.
  const made = `vars: { pot: teapot }\n${manifest.replace('A celadon teapot', 'A celadon ${{ vars.pot }}')}`
  writeFileSync(join(cwd, 'tea.yaml'), made)
  await page.locator('[id="result-hero"]').click()
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('alert').getByText('made from vars.pot (tea.yaml:1)').waitFor()
  expect(await dialog.getByRole('textbox').isEditable()).toBe(false)
  expect(await dialog.getByRole('button', { name: 'Change the manifest' }).count()).toBe(0)
  expect(await hindrances(page)).toEqual([])
  await page.keyboard.press('Escape')
  writeFileSync(join(cwd, 'tea.yaml'), manifest)

  // An amount is over when something changes while it stands open: the new one is shown before anything is ordered.
  await page.keyboard.press('o')
  await dialog.getByRole('button', { name: 'Order for 0.30 USD' }).waitFor()
  await page.keyboard.press('Escape')
  const telephone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
  const phone = await (await browser!.newContext(telephone)).newPage()
  await phone.goto(url)
  await holds(phone, `!document.querySelector('.app').inert`)
  await phone.keyboard.press('o')
  await phone.getByRole('button', { name: 'Rehearse: free' }).waitFor()
  const cut = `[...document.querySelectorAll('dialog button')].filter(each => each.scrollWidth > each.clientWidth)`
  expect(await phone.evaluate(`${cut}.map(each => each.textContent)`)).toEqual([])
  await phone.close()
  await page.keyboard.press('o')
  await dialog.getByRole('button', { name: 'Order for 0.30 USD' }).waitFor()
  writeFileSync(join(cwd, 'tea.yaml'), manifest.replace('duration: 3', 'duration: 5'))
  await dialog.getByRole('alert').getByText('Something has changed since this was counted').waitFor()
  expect(await dialog.getByRole('button', { name: 'Order for' }).count()).toBe(0)
  expect(await hindrances(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Count anew' }).click()
  await dialog.getByRole('button', { name: 'Order for 0.50 USD' }).waitFor()

  // Who is faster than that is refused, and hears why; an order that is refused was never ordered.
  const counted = heldBack(page, `${url}quote`)
  writeFileSync(join(cwd, 'tea.yaml'), manifest)
  await counted.asked()
  await dialog.getByRole('button', { name: 'Order for 0.50 USD' }).click()
  await holds(page, `document.querySelector('.banners .bad[role=alert]') !== null`)
  expect(await text('.said')).not.toContain('ordered')
  expect(await text('.banners .bad')).toContain('plan')
  counted.goOn()
  await page.keyboard.press('o')
  await dialog.getByRole('button', { name: 'Order for 0.30 USD' }).waitFor()
  const again = heldBack(page, `${url}quote`)
  writeFileSync(join(cwd, 'prices.yaml'), prices.replace('perSecond: 0.1', 'perSecond: 0.2'))
  await dialog.getByRole('button', { name: 'Order for 0.30 USD' }).click()
  const dearer = '0 results made; 1 result left out: not sent: this run may cost 0.3 at most; 0 paid requests'
  await expect.poll(() => text('.banners .bad'), { timeout: 30_000 }).toContain(dearer)
  again.goOn()
  expect(paid()).toBe(5)
  serving.child.kill('SIGINT')
  expect((await serving.ended).code).toBe(0)
})

/** What a page asks for there is answered once it may go on. */
function heldBack(page: Page, where: string) {
  let goOn: () => void = () => undefined
  const released = new Promise<void>(resolve => (goOn = resolve))
  let isAsked = false
  void page.route(where, async route => {
    isAsked = true
    await released
    await route.continue()
  })
  return {
    asked: () => expect.poll(() => isAsked, { timeout: 30_000 }).toBe(true),
    goOn: () => goOn(),
  }
}
