import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import type { ShownPage } from '../../../src/page/data/shown.ts'
import { pageDocument } from '../../../src/page/document.ts'
import { freshFolder } from '../../e2e/executable.ts'
import { has, whereIs } from '../../gateway/tools.ts'

/** In a browser for all tests of a file, a page in a tab of its own, in which a script runs first. What goes wrong in it fails the test. */
export function tabs() {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (has('chromium'))
      browser = await chromium.launch({ executablePath: whereIs('chromium'), args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(() => browser?.close())
  return async (data: ShownPage, script = '', options: BrowserContextOptions = {}): Promise<Page> => {
    const folder = freshFolder()
    const at = join(folder, 'report.html')
    writeFileSync(at, pageDocument('tea', data))
    writeFileSync(join(folder, 'dot.bmp'), dot(1))
    const tab = await browser!.newPage(options)
    const broken: string[] = []
    tab.on('pageerror', error => broken.push(String(error)))
    onTestFinished(async () => {
      await tab.close()
      expect(broken).toEqual([])
    })
    await tab.addInitScript(script)
    await tab.goto(pathToFileURL(at).href)
    return tab
  }
}

/** A picture that no other number has: a bitmap of one pixel. */
export function dot(nth: number): Buffer {
  const bitmap = Buffer.alloc(58)
  bitmap.write('BM')
  for (const [at, value] of [
    [2, 58],
    [10, 54],
    [14, 40],
    [18, 1],
    [22, 1],
    [34, 4],
  ] as const)
    bitmap.writeUInt32LE(value, at)
  bitmap.writeUInt16LE(1, 26)
  bitmap.writeUInt16LE(24, 28)
  bitmap.set([nth, 255 - nth, 90], 54)
  return bitmap
}
