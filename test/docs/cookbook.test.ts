import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkFolder, openChecks } from './checks.ts'
import { anchorsOf, blocksOf, pages, root, textOf } from './pages.ts'

// Every manifest of the cookbook is whole: valid without a warning, planned, and made by one gateway for all of them.
const recipes = pages.filter(page => page.startsWith('docs/cookbook/') && !page.endsWith('index.md'))
const blocks = recipes.flatMap(page => blocksOf(textOf(page)))
const isManifest = ({ file, body }: (typeof blocks)[number]) =>
  file?.endsWith('.yaml') && /^jobs:/m.test(body)
const manifests = blocks.filter(isManifest).flatMap(({ file }) => file ?? [])

const cwd = mkdtempSync(join(tmpdir(), 'genrun-cookbook-'))
let service: Awaited<ReturnType<typeof openChecks>>
beforeAll(async () => {
  service = await openChecks()
  cpSync(join(root, 'examples/photos'), join(cwd, 'photos'), { recursive: true })
  for (const { file = '', body } of blocks) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true })
    writeFileSync(join(cwd, file), body)
  }
  return () => service.close()
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

test('there are twenty, each with a file of its own, and the first page leads to all', () => {
  expect(new Set(manifests).size).toBe(20)
  expect(blocks.filter(({ file }) => file === undefined)).toEqual([])
  const index = textOf('docs/cookbook/index.md')
  const linked = [...index.matchAll(/\]\((\w+)\.md#([\w-]+)\)/g)].map(
    ([, page, anchor]) => `${page}#${anchor}`,
  )
  const written = recipes.flatMap(page =>
    anchorsOf(textOf(page))
      .slice(1)
      .map(anchor => `${page.replace(/.*\/(\w+)\.md/, '$1')}#${anchor}`),
  )
  expect(linked.toSorted()).toEqual(written.toSorted())
})

test.each(manifests)('%s makes what it says', { timeout: 180_000 }, async manifest => {
  const files = await checkFolder(cwd, manifest, service)
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) expect(file).not.toMatch(/\$|undefined/)
})
