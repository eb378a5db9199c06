import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Model, models } from '../../../src/catalog/index.ts'
import {
  diskFindings,
  equipmentFindings,
  localeFinding,
  lookFindings,
  nodeFinding,
  terminalFinding,
} from '../../../src/cli/doctor/machine.ts'
import { main } from '../../../src/cli/main.ts'
import { programAt } from '../../../src/disk/program.ts'
import type { LookMeaning } from '../../../src/looks/names.ts'
import { checkDisk } from '../../../src/verbs/disk-check.ts'
import { fakeSink, fakeSurroundings } from '../fake.ts'

test.each([
  ['20.18.3', 'bad', 'Node 20.18.3 is too old'],
  ['20.19.0', 'good', 'Node 20.19.0'],
  ['22.1.0', 'good', 'Node 22.1.0'],
  ['18.20.0', 'bad', 'Node 18.20.0 is too old'],
])('Node %s is %s', (version, is, says) => {
  expect(nodeFinding(version)).toMatchObject({ check: 'node', is, says })
})

const well = {
  folder: '/d',
  sync: { tasks: true, ms: 2 },
  rename: true,
  link: true,
  isCaseSensitive: true,
  freeBytes: 5e10,
}

test.each([
  [well, 'good', 'out /d: durable, links, 50 GB free'],
  [{ ...well, isCaseSensitive: false }, 'good', 'out /d: durable, links, 50 GB free, A and a are one name'],
  [{ folder: '/d', unwritable: 'permission denied' }, 'bad', 'out /d cannot be written: permission denied'],
  [{ ...well, unsaved: 'no sync' }, 'bad', 'out /d takes no results: no sync'],
  [{ ...well, sync: { tasks: false, ms: 1 } }, 'bad', 'out /d cannot make files durable'],
  [{ ...well, sync: { tasks: true, ms: 900 } }, 'odd', 'out /d takes 900 ms to make a file durable'],
  [{ ...well, rename: false }, 'bad', 'out /d cannot replace a file in one step'],
  [{ ...well, link: false }, 'bad', 'out /d has no hard links, which keep two genruns apart'],
  [{ ...well, freeBytes: 2e8 }, 'odd', 'out /d has 200 MB free'],
])('of a disk %j it says %s: %s', (seen, is, says) => {
  expect(diskFindings(seen, 'out')).toEqual([expect.objectContaining({ is, says })])
})

test('a folder is tried out, and left as it was; one that is not there yet by the one above', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(await checkDisk(join(folder, 'not/yet'))).toMatchObject({
    folder,
    sync: { tasks: true },
    rename: true,
    link: true,
  })
  expect(readdirSync(folder)).toEqual([])
})

test.each([
  [{ LANG: 'de_DE.UTF-8' }, 'linux', 'good'],
  [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, 'linux', 'odd'],
  [{}, 'linux', 'odd'],
  [{}, 'win32', 'good'],
] as const)('the locale of %j on %s is %s', (env, platform, is) => {
  expect(localeFinding(env, platform).is).toBe(is)
})

test.each([
  [fakeSink(), {}, 'good', 'none: a run tells its progress line by line'],
  [fakeSink(120), {}, 'good', '120 columns, colours'],
  [fakeSink(120), { NO_COLOR: '1' }, 'good', '120 columns, no colours'],
  [fakeSink(30), {}, 'odd', '30 columns are few'],
  [fakeSink(80), { TERM: 'dumb' }, 'odd', 'TERM is dumb: progress is told line by line'],
])('terminal %#', (sink, env, is, says) => {
  expect(terminalFinding(sink, env)).toMatchObject({ is, says })
})

test('what is missing for rehearsals is told with the way to get it, and is never in the way', () => {
  const none = equipmentFindings({ pictures: 'no binary', fonts: 'no font', speech: undefined }, '')
  expect(none.map(({ check, is }) => [check, is])).toEqual([
    ['pictures', 'odd'],
    ['fonts', 'odd'],
    ['speech', 'odd'],
    ['ffmpeg', 'good'],
    ['ffprobe', 'good'],
  ])
  expect(none.slice(0, 3).every(({ hint }) => hint !== undefined)).toBe(true)
  expect(none[3]?.says).toBe(
    'not here: clips, and sounds other than WAV, are not looked at, and no report has pictures or waves of them',
  )
})

test('who asks for looks that nothing here can take is told, by the looks', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-doctor-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'ffmpeg'), '', { mode: 0o755 })
  const [hero, clip, voice] = [
    { model: models['fama-imagine-image'] },
    { model: models['famc-v3'] },
    { model: models['fama-tts'] },
  ]
  const gated = (job: { readonly model: Model }, ...gate: [string, LookMeaning][]) => ({
    ...job,
    gate: new Map(gate),
  })
  const told = (jobs: string, looks: string) => [
    {
      check: 'looks',
      is: 'odd',
      says: `clips, and sounds other than WAV, need the program ffmpeg, which is not here: of ${jobs} they are not looked at (${looks})`,
      hint: 'install ffmpeg, so that it is on your PATH',
    },
  ]
  const ofClips = 'blank, dark, letterbox, frozen, twice, silent, clipping, loudness, silence'
  const all = [hero, clip, voice]
  expect(lookFindings([gated(clip, ['all', 'warn'])], undefined, '')).toEqual(told('1 job', ofClips))
  expect(lookFindings(all, 'warn', '')).toEqual(told('2 jobs', `${ofClips}, pace`))
  const some = [gated(clip, ['silent', 'fail']), gated(voice, ['pace', 'warn'])]
  expect(lookFindings(some, undefined, '')).toEqual(told('2 jobs', 'silent, pace'))
  // Nobody asks, only for pictures, or it is there.
  expect(lookFindings([clip, gated(hero, ['all', 'fail'])], undefined, '')).toEqual([])
  expect(lookFindings([gated(clip, ['all', 'warn'])], 'off', '')).toEqual([])
  expect(lookFindings(all, 'warn', cwd)).toEqual([])
  // By the setting, and by the manifest that is named.
  writeFileSync(join(cwd, 'm.yaml'), 'jobs: { clip: { model: famc-v3, prompt: Tea } }')
  writeFileSync(join(cwd, 'genrun.config.yaml'), 'gate: warn\n')
  const around = { ...fakeSurroundings(), env: { HOME: cwd, PATH: '' }, cwd }
  await main(['doctor', '--offline', '--json', 'm.yaml'], around)
  const { findings } = JSON.parse(around.stdout.text())
  expect(findings).toContainEqual(told('1 job', ofClips)[0])
})

test('a program is found by PATH, if it may be run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-path-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'ffprobe'), '', { mode: 0o755 })
  writeFileSync(join(folder, 'notes'), '', { mode: 0o644 })
  expect(programAt('ffprobe', `/nowhere:${folder}`)).toBe(join(folder, 'ffprobe'))
  expect(programAt('notes', folder)).toBe(undefined)
  expect(programAt('ffprobe', undefined)).toBe(undefined)
  // A folder that is named from the folder of work may be a checkout's.
  expect(programAt('ffprobe', `:${relative(process.cwd(), folder)}`)).toBe(undefined)
})

test('says that under a cap of the cost nothing is ordered without prices', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-doctor-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(
    join(cwd, 'm.yaml'),
    'limits: { maxCost: 5 }\njobs: { tea: { model: fama-tts, prompt: Tea } }\n',
  )
  writeFileSync(join(cwd, 'prices.yaml'), 'models: { fama-tts: { perRun: 1 } }\n')
  const env = { GENRUN_BASE_URL: 'http://127.0.0.1:9/gw-v2', GENRUN_API_KEY: 'k', HOME: cwd }
  const seen = async (more: Readonly<Record<string, string>>, ...words: string[]) => {
    const around = { ...fakeSurroundings(), env: { ...env, ...more }, cwd }
    await main(['doctor', '--offline', '--json', ...words], around)
    const { findings } = JSON.parse(around.stdout.text())
    return findings.filter(({ check }: { check: string }) => check === 'prices')
  }
  const told = [{ check: 'prices', is: 'bad', says: expect.stringContaining('a run orders nothing') }]
  expect(await seen({}, 'm.yaml')).toMatchObject(told)
  expect(await seen({ GENRUN_MAX_COST: '5' })).toMatchObject(told)
  expect(await seen({})).toEqual([])
  expect(await seen({ GENRUN_PRICES: join(cwd, 'prices.yaml') }, 'm.yaml')).toEqual([])
})

test('a lock that no run can use is in the way', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-doctor-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'm.yaml'), 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }')
  const told = async () => {
    const around = { ...fakeSurroundings(), env: { HOME: cwd, PATH: '' }, cwd }
    await main(['doctor', '--offline', '--json', 'm.yaml'], around)
    return JSON.parse(around.stdout.text()).findings.filter(
      (each: { check: string }) => each.check === 'lock',
    )
  }
  expect(await told()).toEqual([])
  writeFileSync(join(cwd, 'm.lock.json'), 'no lock')
  expect(await told()).toMatchObject([
    { is: 'bad', says: expect.stringContaining('m.lock.json cannot be used: ') },
  ])
  rmSync(join(cwd, 'm.lock.json'))
  symlinkSync('elsewhere', join(cwd, 'm.lock.json'))
  expect(await told()).toMatchObject([
    { is: 'bad', says: expect.stringContaining('it is a link, and a lock is none') },
  ])
})
