import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { checkFolder, openChecks } from './checks.ts'
import { blocksOf, pages, root, textOf } from './pages.ts'
import { live, type Told } from './story.ts'

// Pages that are made from declarations, and those that tell of the house, have tests of their own.
const told = pages.filter(page => !/^docs\/(reference|cookbook)\//.test(page) && page !== 'docs/purchases.md')

/** What may stand between fences: a file with a name, lines that are typed, or a text that says so of itself. */
const unnamed = new Set(['console', 'sh', 'text', 'mermaid', 'ts'])

let checks: Awaited<ReturnType<typeof openChecks>>
beforeAll(async () => {
  checks = await openChecks()
  return () => checks.close()
})

test.each(told)('every block of %s is true', { timeout: 240_000 }, async page => {
  const text = textOf(page)
  const blocks = blocksOf(text)
  const strange = blocks.filter(({ language, file }) => file === undefined && !unnamed.has(language))
  expect(strange.map(({ body }) => body)).toEqual([])
  const story = await live(text)
  onTestFinished(() => story.end())
  if (process.env.UPDATE) rewrite(page, story.told)
  for (const { shown, came } of story.told) expect(came).toBe(shown)
  for (const manifest of story.manifests) await checkFolder(story.folder, manifest, checks)
})

/** Puts what came into the page: to be read before it is committed. */
function rewrite(page: string, told: readonly Told[]): void {
  let text = readFileSync(join(root, page), 'utf8')
  for (const { block, shown, came } of told.toReversed())
    if (block.language === 'console' && came !== shown)
      text = text.slice(0, block.start) + came + text.slice(block.start + shown.length)
  writeFileSync(join(root, page), text)
}
