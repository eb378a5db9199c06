// Looks at the page of results as somebody does who judges: `npm run build && node docs/pictures-review.mjs [folder]` rehearses a small
// project, serves its review on this machine, opens each view narrow, wide and very wide, light and dark, and leaves pictures: three
// in a folder beside this file, all of them in a folder that is named. It ends with 1 where a page is wider than its window or breaks.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const bin = new URL('../dist/bin.cjs', import.meta.url).pathname
const beside = new URL('pictures-review/', import.meta.url).pathname
const kept = { 'grid-1280-light': 'grid', 'one-1280-dark': 'one', 'compare-1280-light': 'compare' }
const [, , named] = process.argv

const project = mkdtempSync(join(tmpdir(), 'genrun-pictures-'))
process.on('exit', () => rmSync(project, { recursive: true, force: true }))
writeFileSync(join(project, 'tea.yaml'), `jobs:
  still:
    model: fama-imagine-image
    prompt: A \${{ matrix.colour }} teapot on \${{ matrix.place }}, morning light
    matrix:
      colour: [celadon, red, black, white]
      place: [wet slate, a wooden table, snow]
    takes: 2
    tags: [shop]
  hero:
    model: fama-imagine-image
    prompt: A teapot in steam, close
    takes: 4
    require: approved
    tags: [launch]
  clip:
    model: famc-v3
    prompt: Steam rises slowly from the spout
    startFrame: \${{ jobs.hero.output }}
    duration: 3
    tags: [launch]
  motion:
    model: famc-v3
    prompt: The camera moves around the \${{ matrix.colour }} teapot
    matrix: { colour: [celadon, red] }
    duration: 3
  voice:
    model: fama-tts
    prompt: Morning begins with water.
    tags: [launch]
`)
writeFileSync(join(project, 'prices.yaml'), 'currency: USD\nmodels:\n  fama-imagine-image: { perImage: 0.04 }\n  famc-v3: { perSecond: 0.1 }\n  fama-tts: { perRun: 0.02 }\n')
const said = { cwd: project, stdio: ['ignore', 'ignore', 'ignore'] }
// 4: the clip waits for an approval.
try { execFileSync(process.execPath, [bin, 'tea.yaml', '--local', '--quiet'], said) } catch (ended) { if (ended.status !== 4) throw ended }
const serving = spawn(process.execPath, [bin, 'review', 'tea.yaml', '--local', '--prices', 'prices.yaml', '--as', 'Lead', '--port', '0'], { cwd: project })
process.on('exit', () => serving.kill())
const url = await new Promise(found => serving.stdout.once('data', text => found(String(text).trim())))

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const faults = []
for (const folder of [beside, named]) if (folder) mkdirSync(folder, { recursive: true })
const keys = (...all) => async tab => { for (const key of all) await tab.keyboard.press(key) }
const views = {
  wall: keys('w', 'Home'),
  grid: keys('g', 'Home', 'ArrowDown', 'ArrowRight'),
  takes: keys('t', 'Home'),
  one: keys('w', 'Home', 'End', 'Home', 'Enter'),
  compare: keys('w', 'Home', 'c'),
  slider: keys('w', 'Home', 'c', 's'),
  sound: keys('w', 'End', 'Enter'),
  clip: async tab => { await search(tab, 'motion'); await keys('Home', 'Enter')(tab) },
  help: keys('?'),
  quote: keys('o'),
  nothing: tab => search(tab, 'nowhere'),
}
await judged()
for (const width of [360, 1280, 2560])
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width, height: width === 2560 ? 1440 : 800 }, colorScheme, reducedMotion: 'reduce' })
    for (const [name, open] of Object.entries(views)) await taken(context, url, `${name}-${width}-${colorScheme}`, open)
    await context.close()
  }
execFileSync(process.execPath, [bin, 'report', 'tea.yaml', '--local', '--prices', 'prices.yaml'], said)
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
await taken(context, pathToFileURL(join(project, 'out/tea.preview/report.html')).href, 'report-1280-light', keys('Home'))
await browser.close()
serving.kill('SIGINT')
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exit(faults.length > 0 ? 1 : 0)

/** A sitting that is half done. */
async function judged() {
  const tab = await browser.newPage()
  await tab.goto(url)
  await ready(tab)
  await keys('4', 'p', 'x', 'p', 'x', 'x', '5', 'p', 'u', 'x')(tab)
  await search(tab, 'hero')
  await keys('Home', 'x', 'p')(tab)
  await tab.getByText('all saved').waitFor()
  await tab.close()
}

/** Its first results are to be looked at only, until all of it is there. */
async function ready(tab) {
  await tab.locator('.app:not([inert]) .card').first().waitFor()
}

async function search(tab, words) {
  await tab.getByRole('searchbox').fill(words)
  await tab.keyboard.press('Escape')
}

async function taken(context, at, name, open) {
  const tab = await context.newPage()
  tab.on('pageerror', error => faults.push(`${name}: ${error}`))
  await tab.goto(at)
  await ready(tab)
  await open(tab)
  await tab.waitForTimeout(700)
  const wide = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
  if (wide > 0) faults.push(`${name} is ${wide} pixels wider than its window`)
  const picture = await tab.screenshot()
  if (kept[name]) writeFileSync(join(beside, `${kept[name]}.png`), picture)
  if (named) writeFileSync(join(named, `${name}.png`), picture)
  await tab.close()
}
