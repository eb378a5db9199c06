import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const outfile = join(root, 'node_modules', `.genrun-canvas-${process.pid}.mjs`)

/** In a process of its own: what a package does when it is loaded, it does once. */
const script = `
  import { createRequire } from 'node:module'
  const { fontFamilies, registerFont } = await import(process.argv[1])
  const require = createRequire(process.argv[1])
  const { GlobalFonts } = require('@napi-rs/canvas')
  const before = GlobalFonts.families.length
  const { readFileSync } = await import('node:fs')
  registerFont(readFileSync(require.resolve('@fontsource/inter/files/inter-latin-400-normal.woff2')), 'ours')
  const isLeft = 'DISABLE_SYSTEM_FONTS_LOAD' in process.env
  const asked = fontFamilies()
  process.stdout.write(JSON.stringify({ before, isLeft, asked, again: fontFamilies().length }))`

test('the fonts of the machine are read when somebody asks for them, and not when pictures are', async () => {
  onTestFinished(() => rmSync(outfile, { force: true }))
  const entryPoints = [join(root, 'src/media/canvas.ts')]
  await build({ entryPoints, outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' })
  const words = ['--input-type=module', '-e', script, outfile]
  const seen = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }))
  expect(seen).toMatchObject({ before: 0, isLeft: false, again: seen.asked.length })
  expect(seen.asked).toContain('ours')
})
