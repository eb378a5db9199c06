import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { blocksOf, textOf } from './pages.ts'
import { Shell } from './shell.ts'

// Ten tasks of somebody who has the pages and nothing else: what is typed and what it says stands on the page that is named.

// For hangs only: a busy machine is slow.
const slow = { timeout: 180_000 }

interface Desk {
  readonly folder: string
  /** Takes a file from a page, by its name there. */
  take(page: string, file: string, as?: string): void
  /** Types a line; what it says, when it ends with this code. */
  type(line: string, code?: number): Promise<string>
}

async function sitDown(): Promise<Desk> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'genrun-docs-')))
  const folder = join(home, 'project')
  mkdirSync(folder)
  const shell = new Shell(folder, home)
  onTestFinished(async () => {
    await shell.close()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    folder,
    take(page, file, as = file) {
      const block = blocksOf(textOf(`docs/${page}`)).find(each => each.file === file)
      if (!block) throw new Error(`docs/${page} has no ${file}`)
      mkdirSync(dirname(join(folder, as)), { recursive: true })
      writeFileSync(join(folder, as), block.body)
    },
    async type(line, code = 0) {
      const said = await shell.run(line)
      expect({ line, code: said.code }, said.text).toEqual({ line, code })
      return said.text
    },
  }
}

/** A service on this machine, as the page about recovery starts one. */
async function serve(desk: Desk, more = ''): Promise<() => Promise<number>> {
  await desk.type(`GENRUN_API_KEY=try genrun serve --ledger ${more} &`)
  await desk.type('export GENRUN_BASE_URL=http://127.0.0.1:4040/gw-v2')
  await desk.type('export GENRUN_API_KEY=try')
  const base = (await desk.type('echo $GENRUN_BASE_URL')).trim()
  return async () => {
    const answer = await fetch(new URL('/__ledger', base), { headers: { authorization: 'Bearer try' } })
    const { billed } = (await answer.json()) as { billed: { execute: number; submit: number } }
    return billed.execute + billed.submit
  }
}

test('1: a first manifest (start)', async () => {
  const desk = await sitDown()
  await desk.type('genrun init tea --make video')
  expect(await desk.type('genrun validate tea.yaml --strict')).toContain('2 jobs')
  expect(await desk.type('genrun plan tea.yaml')).toContain('2 paid requests')
})

test('2: a file of prices (guide/prices)', async () => {
  const desk = await sitDown()
  desk.take('guide/prices.md', 'prices.yaml')
  desk.take('guide/prices.md', 'tea.yaml')
  expect(await desk.type('genrun plan tea.yaml --prices prices.yaml')).toContain('about 0.74 USD')
})

test('3: a model of one’s own (guide/models)', async () => {
  const desk = await sitDown()
  for (const file of ['acme.models.yaml', 'shop.yaml']) desk.take('guide/models.md', file)
  expect(await desk.type('genrun validate shop.yaml --strict')).toContain('2 jobs')
  expect(await desk.type('genrun convert shop.yaml tile')).toContain('acme-paint')
})

test('4: forEach over a table (guide/matrix)', async () => {
  const desk = await sitDown()
  for (const file of ['lines.csv', 'voices.yaml']) desk.take('guide/matrix.md', file)
  expect(await desk.type('genrun plan voices.yaml')).toContain('voice[morning], voice[evening]')
})

test('5: a service that speaks otherwise (guide/profiles)', async () => {
  const desk = await sitDown()
  for (const file of ['acme.profile.yaml', 'tea.yaml']) desk.take('guide/profiles.md', file)
  await desk.type('genrun profile check acme.profile.yaml')
  const sent = await desk.type('genrun convert tea.yaml hero --to curl --profile acme.profile.yaml')
  expect(sent).toContain('"input": {')
})

test(
  '6, 7 and 8: in doubt, verify, and a second machine with only the lock (money/recovery, ci)',
  slow,
  async () => {
    const desk = await sitDown()
    const billed = await serve(desk, "--fault 'lose first=1'")
    desk.take('money/recovery.md', 'tea.yaml')
    await desk.type('genrun tea.yaml --quiet', 3)
    await desk.type('genrun resolve tea.yaml hero --resubmit')
    await desk.type('genrun tea.yaml --quiet')
    expect(await billed()).toBe(2)
    await desk.type('CI=true genrun verify tea.yaml')
    // The other machine has what is in git: the manifest and the lock.
    await desk.type('rm -r out .genrun')
    await desk.type('CI=true genrun verify tea.yaml', 8)
    await desk.type('genrun tea.yaml --quiet')
    expect([await billed(), existsSync(join(desk.folder, 'out/tea/hero.png'))]).toEqual([2, true])
  },
)

test('9: a lost lock (money/recovery)', slow, async () => {
  const desk = await sitDown()
  const billed = await serve(desk)
  desk.take('money/recovery.md', 'tea.yaml')
  await desk.type('genrun tea.yaml --quiet')
  await desk.type('rm -r .genrun tea.lock.json')
  await desk.type('genrun recover tea.yaml --yes')
  expect(await desk.type('genrun tea.yaml')).toContain('no request was made')
  expect(await billed()).toBe(1)
})

test('10: an expired result (money/recovery)', slow, async () => {
  const desk = await sitDown()
  const billed = await serve(desk, '--fault gone=410')
  writeFileSync(join(desk.folder, 'late.yaml'), 'jobs:\n  rain: { model: famc-t2a, prompt: Light rain }\n')
  expect(await desk.type('genrun late.yaml --quiet', 1)).toContain('does not know the run')
  expect(await desk.type('genrun late.yaml --quiet', 4)).toContain('--rebuy')
  expect(await billed()).toBe(1)
})
