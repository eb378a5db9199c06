import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { installedIn, type Packed, pack, unpacked } from '../pack/package.ts'
import { blocksOf } from './pages.ts'
import { Shell } from './shell.ts'

// Ten tasks of somebody who has the packed tarball and nothing else: files and lines come from the pages in it, and what
// is typed stands on the page that is named, but for the names of files.

const place = realpathSync(mkdtempSync(join(tmpdir(), 'genrun-newcomer-')))
let packed: Packed
beforeAll(() => {
  packed = pack(place)
  unpacked(packed, place, {})
  return () => rmSync(place, { recursive: true, force: true })
})

interface Desk {
  readonly folder: string
  /** Opens a page: from now on only what stands there is typed. */
  read(page: string): void
  /** Takes a file from that page, by its name there. */
  take(file: string): void
  /** Types a line; what it says, when it ends with this code. */
  type(line: string, code?: number): Promise<string>
  /** What no page advises: an accident, another machine. */
  happens(line: string): Promise<void>
}

async function sitDown(): Promise<Desk> {
  const home = mkdtempSync(join(place, 'home-'))
  const folder = join(home, 'project')
  mkdirSync(folder)
  const shell = new Shell(folder, home, installedIn(place))
  onTestFinished(() => shell.close())
  let text = ''
  const typed = async (line: string, code = 0) => {
    const said = await shell.run(line)
    expect({ line, code: said.code }, said.text).toEqual({ line, code })
    return said.text
  }
  return {
    folder,
    read: page => {
      text = readFileSync(join(place, 'node_modules/genrun/docs', page), 'utf8')
    },
    take(file) {
      const block = blocksOf(text).find(each => each.file === file)
      if (!block) throw new Error(`the page has no ${file}`)
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), block.body)
    },
    type(line, code) {
      expect(withoutNames(text)).toContain(withoutNames(line))
      return typed(line, code)
    },
    happens: async line => void (await typed(line)),
  }
}

/** Without what differs from task to task: names of manifests, the fault that is tried, how much is told. */
function withoutNames(line: string): string {
  return line.replaceAll(/[\w-]+\.yaml/g, '*.yaml').replaceAll(/ --quiet\b|'[^'\n]*=[^'\n]*'/g, '')
}

/** A service on this machine, as the page about recovery starts one; how many orders it has billed. */
async function serve(desk: Desk, trouble: string): Promise<() => Promise<number>> {
  desk.read('money/recovery.md')
  await desk.type(`GENRUN_API_KEY=try genrun serve --ledger ${trouble} &`)
  await desk.type('export GENRUN_BASE_URL=http://127.0.0.1:4040/gw-v2')
  await desk.type('export GENRUN_API_KEY=try')
  desk.take('tea.yaml')
  let base = ''
  await desk.happens('echo $GENRUN_BASE_URL > base')
  base = readFileSync(join(desk.folder, 'base'), 'utf8').trim()
  return async () => {
    const answer = await fetch(new URL('/__ledger', base), { headers: { authorization: 'Bearer try' } })
    const { billed } = (await answer.json()) as { billed: { execute: number; submit: number } }
    return billed.execute + billed.submit
  }
}

test('1: a first manifest, rehearsed (start)', async () => {
  const desk = await sitDown()
  desk.read('start.md')
  await desk.type('genrun init tea --make video')
  expect(await desk.type('genrun validate tea.yaml')).toContain('2 jobs')
  expect(await desk.type('genrun tea.yaml --quiet')).toBe(
    'out/tea.preview/hero.png\nout/tea.preview/clip.mp4\n',
  )
  expect(await desk.type('genrun plan tea.yaml')).toContain('2 paid requests')
})

test('2: a file of prices (guide/prices)', async () => {
  const desk = await sitDown()
  desk.read('guide/prices.md')
  for (const file of ['prices.yaml', 'tea.yaml']) desk.take(file)
  expect(await desk.type('genrun plan tea.yaml --prices prices.yaml')).toContain('about 0.74 USD')
})

test('3: a model of one’s own (guide/models)', async () => {
  const desk = await sitDown()
  desk.read('guide/models.md')
  for (const file of ['acme.models.yaml', 'shop.yaml']) desk.take(file)
  expect(await desk.type('genrun models info acme-paint --catalog acme.models.yaml')).toContain('--steps')
  expect(await desk.type('genrun plan shop.yaml')).toContain('acme-film')
})

test('4: forEach over a table (guide/matrix)', async () => {
  const desk = await sitDown()
  desk.read('guide/matrix.md')
  for (const file of ['lines.csv', 'voices.yaml']) desk.take(file)
  expect(await desk.type('genrun plan voices.yaml')).toContain('voice[morning], voice[evening]')
})

test('5: a service that speaks otherwise (guide/profiles)', async () => {
  const desk = await sitDown()
  desk.read('guide/profiles.md')
  for (const file of ['acme.profile.yaml', 'tea.yaml']) desk.take(file)
  await desk.type('genrun profile check acme.profile.yaml')
  const sent = await desk.type('genrun convert tea.yaml hero --to curl --profile acme.profile.yaml')
  expect(sent).toContain('"input": {')
})

test('6, 7 and 8: in doubt, verify, and a second machine with only the lock (money/recovery, ci)', async () => {
  const desk = await sitDown()
  const billed = await serve(desk, "--fault 'lose first=1'")
  await desk.type('genrun tea.yaml --quiet', 3)
  await desk.type('genrun resolve tea.yaml hero --resubmit')
  await desk.type('genrun tea.yaml --quiet')
  expect(await billed()).toBe(2)
  desk.read('ci.md')
  await desk.type('genrun verify tea.yaml')
  // The other machine has what is in git: the manifest and the lock.
  await desk.happens('rm -r out .genrun')
  await desk.type('genrun verify tea.yaml', 8)
  desk.read('money/recovery.md')
  await desk.type('genrun tea.yaml --quiet')
  expect([await billed(), existsSync(join(desk.folder, 'out/tea/hero.png'))]).toEqual([2, true])
})

test('9: a lost lock (money/recovery)', async () => {
  const desk = await sitDown()
  const billed = await serve(desk, "--fault 'delay=1'")
  await desk.type('genrun tea.yaml --quiet')
  await desk.happens('rm -r .genrun tea.lock.json')
  await desk.type('genrun recover tea.yaml --yes')
  await desk.type('genrun tea.yaml --quiet')
  expect(await billed()).toBe(1)
})

test('10: an expired result (money/recovery)', async () => {
  const desk = await sitDown()
  const billed = await serve(desk, '--result-seconds 1')
  writeFileSync(join(desk.folder, 'late.yaml'), 'jobs:\n  rain: { model: famc-t2a, prompt: Light rain }\n')
  await desk.type('genrun late.yaml --quiet')
  await desk.happens('sleep 1.1; rm out/late/rain.wav')
  expect(await desk.type('genrun late.yaml --quiet', 1)).toContain('pay again with --rebuy')
  expect(await billed()).toBe(1)
  await desk.type('genrun late.yaml --rebuy')
  expect([await billed(), existsSync(join(desk.folder, 'out/late/rain.wav'))]).toEqual([2, true])
})
