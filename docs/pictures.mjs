// Looks at the built manual as a reader does: `npm run docs && node docs/pictures.mjs [folder]` serves it on this machine, opens five pages
// and the search, narrow and wide, light and dark, and leaves pictures: five beside this file, all of them in a folder that is named. It
// ends with 1 where a page is wider than its window, asks another host or breaks, or where the search finds nothing.
import { createServer } from 'node:http'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright-core'

const site = new URL('.vitepress/dist/', import.meta.url).pathname
const beside = new URL('pictures/', import.meta.url).pathname
const kept = ['index-1280-light', 'start-360-dark', 'guide-matrix-1280-dark', 'review-360-light', 'search-1280-light']
const named = process.argv[2]
const pages = ['index', 'start', 'guide/matrix', 'review', 'reference/commands']
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

const server = createServer(({ url = '/' }, answer) => {
  const path = normalize(join(site, decodeURIComponent(new URL(url, 'http://here').pathname)))
  const file = [path, `${path}.html`, join(path, 'index.html')].find(each => each.startsWith(site) && existsSync(each) && extname(each))
  if (!file) return answer.writeHead(404).end()
  answer.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file))
}).listen(0, '127.0.0.1')
await new Promise(begun => server.once('listening', begun))
const base = `http://127.0.0.1:${server.address().port}`

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const faults = []
for (const folder of [beside, named]) if (folder) mkdirSync(folder, { recursive: true })
for (const width of [360, 1280])
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
    // Nothing but the site itself is there.
    await context.route('**/*', route => {
      if (route.request().url().startsWith(base)) return route.continue()
      faults.push(`${route.request().url()} is asked`)
      return route.abort()
    })
    const tab = await context.newPage()
    tab.on('pageerror', error => faults.push(`${width} ${colorScheme}: ${error}`))
    for (const page of pages) {
      await tab.goto(`${base}/${page}.html`, { waitUntil: 'networkidle' })
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (wide > 0) faults.push(`${page} is ${wide} pixels wider than ${width}`)
      await keep(tab, `${page.replace('/', '-')}-${width}-${colorScheme}`)
    }
    await tab.locator('.VPNavBarSearch button').first().click()
    await tab.locator('#localsearch-input').fill('doubt')
    const found = tab.locator('.VPLocalSearchBox .result')
    await found.first().waitFor({ timeout: 20_000 }).catch(() => faults.push(`${width} ${colorScheme}: the search finds nothing`))
    await keep(tab, `search-${width}-${colorScheme}`)
    await context.close()
  }
await browser.close()
server.close()
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0

async function keep(tab, name) {
  const folders = [...(kept.includes(name) ? [beside] : []), ...(named ? [named] : [])]
  if (folders.length === 0) return
  // The picture of a run moves, and begins with nothing.
  if (name.startsWith('index')) await tab.waitForTimeout(4000)
  const picture = await tab.screenshot()
  for (const folder of folders) writeFileSync(join(folder, `${name}.png`), picture)
}
