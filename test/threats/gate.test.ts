import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import { type Profiler, Session } from 'node:inspector'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'
import { pixel } from '../verbs/bench.ts'

// Every path of a checkout × every trap that can lie there, over real commands. What lies outside is looked at before and after, and
// looked for in everything that is said, written and sent. That every call of the gate is reached from here is counted at the end.

const canary = 'canary-5e81c0'
/** A picture that tells when it is sent or copied. */
const picture = Buffer.concat([pixel, Buffer.from(canary)])
const isRoot = process.getuid?.() === 0

const digits = '0'.repeat(64)

/** One place of a checkout, and what looks there. */
interface Site {
  /** Where it lies. */
  readonly at: string
  readonly is: 'file' | 'folder'
  /** What lies there honestly, where no command makes it. */
  readonly holds?: string | Uint8Array
  /** The files that name it by its path, where one does. */
  readonly named?: (path: string) => { readonly [path: string]: string }
  /** Run before the trap is laid: so that there is something to be trapped. */
  readonly first?: readonly string[]
  readonly lines: readonly string[]
  /** Traps that are none here, and why. */
  readonly but?: { readonly [trap: string]: string }
}

const tea = 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea }\n'
const rehearse = 'run m.yaml --local'
const sheet = 'report m.yaml --local --sheet s.png'
const own = (name: string, at: string, holds: string): Site => ({
  at,
  is: 'file',
  holds,
  named: path => ({ 'genrun.config.yaml': `${name}: ${JSON.stringify(path)}\n` }),
  lines: ['settings', 'plan m.yaml --local'],
})
const state = (at: string, is: Site['is'] = 'folder'): Site => ({
  at,
  is,
  first: [rehearse],
  lines: ['redo m.yaml tea --local --yes', 'prune m.yaml --local --yes'],
})
const shard = (at: string, is: Site['is']): Site => ({
  at,
  is,
  first: [`${rehearse} --shard 1/2`, `${rehearse} --shard 2/2`],
  lines: ['merge m.yaml --local', 'status m.yaml --local'],
})
const report = (flag: string, at: string, line = rehearse): Site => ({
  at,
  is: 'file',
  but: { pipe: 'whoever names one reads it: it is written to, and waited for' },
  ...(line !== rehearse && { first: [rehearse] }),
  lines: [`${line} --${flag} ${at}`],
})
/** Who only looks at what was made. */
const lookers = [
  'audit m.yaml --local --copies copies',
  'report m.yaml --local --single-file one.html --sheet s.png',
  'verify m.yaml --local',
  'doctor m.yaml --offline',
  'recover m.yaml',
]
const looked = (at: string, is: Site['is']): Site => ({
  ...state(at, is),
  lines: [...lookers, ...state(at).lines],
})

const sites: { readonly [name: string]: Site } = {
  manifest: { at: 'm.yaml', is: 'file', holds: tea, lines: ['validate m.yaml', rehearse] },
  'a part': {
    at: 'parts/p.yaml',
    is: 'file',
    holds: 'vars: { a: 1 }\n',
    named: path => ({ 'm.yaml': `include: ${JSON.stringify(path)}\n${tea}` }),
    lines: ['validate m.yaml', 'graph m.yaml'],
  },
  'a catalog': {
    at: 'parts/c.yaml',
    is: 'file',
    holds: 'models: {}\n',
    named: path => ({ 'm.yaml': `catalog: ${JSON.stringify(path)}\n${tea}` }),
    lines: ['validate m.yaml', 'plan m.yaml --local'],
  },
  'a table': {
    at: 'parts/r.csv',
    is: 'file',
    holds: 'a\n1\n',
    named: path => ({
      'm.yaml': `jobs:\n  tea: { model: fama-imagine-image, prompt: "\${{ r.a }}", matrix: { r: { rows: ${JSON.stringify(path)} } } }\n`,
    }),
    lines: ['validate m.yaml', 'plan m.yaml --local'],
  },
  'a folder of items': {
    at: 'parts/pics',
    is: 'folder',
    named: path => ({
      'm.yaml': `jobs:\n  tea: { model: fama-imagine-image, prompt: "\${{ item }}", forEach: ${JSON.stringify(`${path}/*`)} }\n`,
    }),
    lines: ['validate m.yaml', 'plan m.yaml --local'],
  },
  'an input': {
    at: 'parts/in.png',
    is: 'file',
    holds: pixel,
    named: path => ({
      'm.yaml': `jobs:\n  tea: { model: famc-3.0-image, prompt: Tea, imageUrls: [${JSON.stringify(path)}] }\n`,
    }),
    lines: ['validate m.yaml', rehearse],
  },
  'a profile': own('profile', 'parts/p.yaml', 'mode: submit\n'),
  prices: own('prices', 'parts/p.yaml', 'models: {}\n'),
  'a catalog of the settings': own('catalog', 'parts/c.yaml', 'models: {}\n'),
  settings: { at: 'genrun.config.yaml', is: 'file', holds: 'verify: warn\n', lines: ['settings', rehearse] },
  'settings without an ending': { at: '.genrunrc', is: 'file', holds: 'verify: warn\n', lines: ['settings'] },
  'settings of a package': {
    at: 'package.json',
    is: 'file',
    holds: '{}\n',
    lines: ['settings', 'validate m.yaml'],
  },
  'the lock': {
    at: 'm.lock.json',
    is: 'file',
    lines: ['status m.yaml', 'plan m.yaml --local', 'verify m.yaml'],
  },
  'the lock of a rehearsal': looked('m.preview.lock.json', 'file'),
  'all state': { ...state('.genrun'), lines: [...state('.genrun').lines, sheet] },
  'what keeps state out of git': state('.genrun/.gitignore', 'file'),
  'the state of a manifest': state('.genrun/m.preview'),
  'the journal’s folder': state('.genrun/m.preview/journal'),
  'the journal': state('.genrun/m.preview/journal/000001.jnl', 'file'),
  'the claim': state('.genrun/m.preview/claim'),
  'the spool': state('.genrun/m.preview/spool'),
  'what is kept': state('.genrun/m.preview/kept'),
  'what gates answered': state('.genrun/m.preview/gates'),
  'a program that is a gate': {
    at: 'parts/check',
    is: 'file',
    holds: '#!/bin/sh\n',
    named: path => ({ 'genrun.config.yaml': `gates: { brand: ${JSON.stringify(path)} }\n` }),
    lines: ['settings', 'plan m.yaml --local', rehearse],
  },
  'all outputs': state('out'),
  'the output folder': looked('out/m.preview', 'folder'),
  'genrun’s own in the output folder': state('out/m.preview/.genrun'),
  'a result': looked('out/m.preview/tea.png', 'file'),
  'the small pictures of results': {
    ...state('.genrun/m.preview/thumbnails'),
    first: [rehearse, sheet],
    lines: [sheet],
  },
  'the page of results': { ...state('out/m.preview/report.html', 'file'), lines: ['report m.yaml --local'] },
  'a saved plan': {
    at: 'parts/saved.plan',
    is: 'file',
    first: ['plan m.yaml --local -o parts/saved.plan'],
    named: path => ({
      'parts/saved.plan': JSON.stringify({ genrunPlan: 2, manifest: path, means: { output: path } }),
    }),
    lines: ['apply parts/saved.plan --local'],
  },
  'verdicts that somebody sent': {
    at: 'parts/v.json',
    is: 'file',
    holds: '{"genrunReview":1,"manifest":"m.yaml","verdicts":[\nnull]}\n',
    lines: ['review m.yaml --take parts/v.json'],
  },
  'verdicts of a manifest': {
    at: 'm.preview.review.json',
    is: 'file',
    holds: '{"genrunReview":1,"manifest":"m.yaml","verdicts":[\nnull]}\n',
    first: [rehearse],
    lines: ['audit m.yaml --local', 'report m.yaml --local', 'plan m.yaml --local'],
  },
  'an index of results': {
    at: `out/m/.genrun/results-${'0123456789abcdef'.repeat(2)}.jsonl`,
    is: 'file',
    holds: '{"genrunResults":1}\n',
    lines: ['recover m.yaml', 'recover m.yaml --yes', 'status m.yaml'],
  },
  'the lock of a shard': shard('m.1-of-2.preview.lock.json', 'file'),
  'the state of a shard': shard('.genrun/m.1-of-2.preview', 'folder'),
  'what of a shard was set aside': shard(
    `.genrun/.aside/${'0123456789abcdef'.repeat(2)}/m.1-of-2.preview`,
    'folder',
  ),
  'what an older genrun set aside of a shard': shard('.genrun/m.1-of-2.preview.0123456789ab', 'folder'),
  'what is kept of a shard': shard('.genrun/m.1-of-2.preview/kept', 'folder'),
  'the journal of a shard': shard('.genrun/m.1-of-2.preview/journal/000001.jnl', 'file'),
  'copies for others': {
    at: 'copies/tea.png',
    is: 'file',
    first: [rehearse],
    lines: ['audit m.yaml --local --copies copies'],
  },
  'a new manifest': { at: 'parts/new.yaml', is: 'file', lines: ['init parts/new --make image --yes'] },
  'an OpenAPI document': {
    at: 'parts/api.json',
    is: 'file',
    holds: '{"openapi":"3.0.0","paths":{}}',
    lines: ['catalog import parts/api.json', 'catalog import parts/api.json -o drafts.yaml'],
  },
  'a catalog to be written': {
    at: 'parts/drafts.yaml',
    is: 'file',
    lines: ['catalog import api.json -o parts/drafts.yaml'],
  },
  'a profile to be checked': {
    at: 'parts/p.yaml',
    is: 'file',
    holds: 'mode: submit\n',
    lines: ['profile check parts/p.yaml'],
  },
  'a sheet of results': report('sheet', 'parts/s.png', 'report m.yaml --local'),
  'a page in one file': report('single-file', 'parts/one.html', 'report m.yaml --local'),
  'where a plan is saved': {
    but: { pipe: 'whoever names one reads it' },
    at: 'parts/new.plan',
    is: 'file',
    lines: ['plan m.yaml --local -o parts/new.plan'],
  },
  events: report('events', 'parts/e.jsonl'),
  junit: report('junit', 'parts/j.xml'),
  sarif: report('sarif', 'parts/s.sarif'),
  summary: report('summary', 'parts/s.md'),
  'a cache’s files': {
    but: { 'link in the middle': 'whoever names a cache on the line means it, wherever it leads' },
    at: 'cache.preview/files',
    is: 'folder',
    first: [`${rehearse} --cache cache`],
    lines: ['redo m.yaml tea --local --yes --cache cache --cache-size 1kB'],
  },
  'a cache’s results': {
    but: { 'link in the middle': 'whoever names a cache on the line means it, wherever it leads' },
    at: 'cache.preview/results',
    is: 'folder',
    first: [`${rehearse} --cache cache`],
    lines: ['redo m.yaml tea --local --yes --cache cache --cache-size 1kB'],
  },
  'lines to import': {
    at: 'parts/x.sh',
    is: 'file',
    holds: 'genrun generate -m fama-imagine-image -p Tea\n',
    named: path => ({ 'x.sh': `genrun generate -m fama-imagine-image -p @${path}\n` }),
    lines: ['import parts/x.sh', 'import x.sh'],
  },
  'a side of a merge': {
    at: 'parts/ours.json',
    is: 'file',
    holds: '{"genrun":2}\n',
    lines: ['lock merge base.json parts/ours.json theirs.json m.lock.json'],
  },
  'a single result': {
    at: 'parts/cup.preview.png',
    is: 'file',
    lines: ['generate -m fama-imagine-image -p Tea --local -o parts/cup'],
  },
}

interface Place {
  readonly home: string
  readonly repo: string
  readonly site: Site
  /** Where it lies. */
  readonly path: string
  /** What lies outside, with what a command made there honestly. */
  readonly outside: string
}

/** Lays a trap; false where there is no such trap at this place. */
type Trap = (at: Place) => boolean

function remove(path: string) {
  fs.rmSync(path, { recursive: true, force: true })
  fs.mkdirSync(dirname(path), { recursive: true })
}

/** What lies there, or might, at another place outside. */
function victim({ site, path, outside }: Place, name: string): string {
  const to = join(outside, name)
  fs.mkdirSync(dirname(to), { recursive: true })
  if (fs.existsSync(path)) fs.cpSync(path, to, { recursive: true })
  else if (site.is === 'folder') fs.mkdirSync(to)
  // The second as in a store that calls its files by their digests: as genrun calls some of its own.
  if (site.is === 'folder')
    for (const each of ['notes.txt', `${digits}.webp`, `${digits}-${digits}`])
      fs.writeFileSync(join(to, each), canary)
  else fs.appendFileSync(to, site.at.endsWith('.png') ? canary : `\n# ${canary}\n`)
  return to
}

function write(repo: string, files: { readonly [path: string]: string | Uint8Array }) {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(repo, path)), { recursive: true })
    fs.writeFileSync(join(repo, path), text)
  }
}

function byName(place: Place, path: (to: string) => string): boolean {
  const { site, repo } = place
  if (!site.named) return false
  write(repo, site.named(path(victim(place, basename(site.at)))))
  return true
}

const swap = { on: undefined as string | undefined, act: () => {} }

const traps: { readonly [name: string]: Trap } = {
  '..': at => byName(at, to => relative(at.repo, to)),
  absolute: at => byName(at, to => to),
  'link to a file': at => {
    const to = join(at.outside, 'secret.txt')
    remove(at.path)
    fs.symlinkSync(to, at.path)
    return true
  },
  'link to a folder': at => {
    const to = at.site.is === 'folder' ? victim(at, basename(at.site.at)) : at.outside
    remove(at.path)
    fs.symlinkSync(to, at.path)
    return true
  },
  'link in the middle': at => {
    const parent = dirname(at.site.at)
    if (parent === '.') return false
    victim(at, join('middle', basename(at.site.at)))
    remove(dirname(at.path))
    fs.symlinkSync(join(at.outside, 'middle'), dirname(at.path))
    return true
  },
  'swapped while running': at => {
    const to = victim(at, join('swapped', basename(at.site.at)))
    swap.on = at.path
    swap.act = () => {
      if (!fs.existsSync(at.path)) return
      fs.renameSync(at.path, `${at.path}.was`)
      fs.symlinkSync(to, at.path)
    }
    return true
  },
  device: at => {
    if (!isRoot) return false
    remove(at.path)
    execFileSync('mknod', [at.path, 'c', '1', '5'])
    return true
  },
  pipe: at => {
    if (process.platform === 'win32') return false
    remove(at.path)
    execFileSync('mkfifo', [at.path])
    return true
  },
  huge: at => {
    if (at.site.is === 'folder') return false
    remove(at.path)
    fs.writeFileSync(at.path, '')
    fs.truncateSync(at.path, 2 ** 40)
    return true
  },
  'foreign owner': at => {
    if (!isRoot) return false
    if (!fs.existsSync(at.path)) {
      if (at.site.is === 'folder') fs.mkdirSync(at.path, { recursive: true })
      else write(at.repo, { [at.site.at]: '' })
    }
    fs.chownSync(at.path, 4242, 4242)
    return true
  },
}

/** Another process does it in the moment after somebody has looked. */
const looks = ['lstatSync', 'statSync', 'realpathSync', 'openSync', 'readdirSync', 'existsSync'] as const
const originals = Object.fromEntries(looks.map(name => [name, fs[name]]))
const session = new Session()

beforeAll(() => {
  for (const name of looks) {
    const original = originals[name] as (...words: unknown[]) => unknown
    const hooked = (...words: unknown[]) => {
      const path = String(words[0])
      const isIt = swap.on !== undefined && (path === swap.on || path.startsWith(`${swap.on}/`))
      try {
        return original(...words)
      } finally {
        if (isIt) {
          swap.on = undefined
          swap.act()
        }
      }
    }
    Object.assign(fs, { [name]: Object.assign(hooked, original) })
  }
  syncBuiltinESMExports()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
})

afterAll(() => {
  Object.assign(fs, originals)
  syncBuiltinESMExports()
  session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
})

/** Every name outside, with what lies there and when it was written. */
function looksOf(folder: string): unknown[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map(name => {
      const { mtimeMs, size, mode, nlink, uid } = fs.lstatSync(join(folder, name))
      return [name, mtimeMs, size, mode, nlink, uid]
    })
}

/** What stands in the regular files of a checkout, but in the trap itself. */
function textsIn(repo: string, but: string): string {
  return fs
    .readdirSync(repo, { recursive: true, withFileTypes: true })
    .map(entry => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ entry, path }) => entry.isFile() && !path.startsWith(but) && fs.lstatSync(path).size < 1e6)
    .map(({ path }) => fs.readFileSync(path, 'latin1'))
    .join('\n')
}

/** What is left of a command that waits for a pipe: somebody opens its other end after a while, and says so. */
function patience(path: string): () => boolean {
  const child = spawn('sh', ['-c', `sleep 10; : <> '${path}'`], { stdio: 'ignore' })
  const began = Date.now()
  return () => {
    child.kill('SIGKILL')
    return Date.now() - began < 9_000
  }
}

/** A checkout as it is before somebody lays a trap in it, with what commands make there. */
async function honest(site: Site): Promise<string> {
  const home = freshFolder({
    'outside/secret.txt': `key: ${canary}\n- ${canary}\n`,
    'outside/in.png': picture,
    'repo/.git/HEAD': '',
    'repo/m.yaml': tea,
    'repo/base.json': '{}',
    'repo/theirs.json': '{}',
    'repo/api.json': '{}',
  })
  const repo = join(home, 'repo')
  write(repo, { ...site.named?.(site.at), ...(site.holds !== undefined && { [site.at]: site.holds }) })
  if (site.is === 'folder' && site.named) fs.mkdirSync(join(repo, site.at), { recursive: true })
  fs.mkdirSync(dirname(join(repo, site.at)), { recursive: true })
  for (const line of site.first ?? []) expect(await runIn(home, line)).toMatchObject({ code: 0 })
  return home
}

async function runIn(home: string, line: string) {
  const [stdout, stderr] = [fakeSink(), fakeSink()]
  const env = { HOME: join(home, 'nobody') }
  const code = await main(line.split(' '), fakeSurroundings({ cwd: join(home, 'repo'), stdout, stderr, env }))
  return { code, said: `${stdout.text()}${stderr.text()}` }
}

async function tried(site: Site, before: string, [name, trap]: readonly [string, Trap]): Promise<string[]> {
  const home = fs.realpathSync(freshFolder())
  fs.cpSync(before, home, { recursive: true })
  const [repo, outside] = [join(home, 'repo'), join(home, 'outside')]
  const place = { home, repo, site, path: join(repo, site.at), outside }
  if (!trap(place)) return []
  const untouched = looksOf(outside)
  const isPatient = name === 'pipe' ? patience(place.path) : () => true
  const broken: string[] = []
  for (const line of site.lines) {
    const { code, said } = await runIn(home, line)
    if (code === 70) broken.push(`${line}: internal error: ${said.slice(0, 300)}`)
    if (said.includes(canary)) broken.push(`${line}: shown: ${said.slice(0, 300)}`)
  }
  swap.on = undefined
  if (!isPatient()) broken.push('waited for a pipe')
  const after = looksOf(outside)
  const changed = after.filter(each => !JSON.stringify(untouched).includes(JSON.stringify(each)))
  if (JSON.stringify(untouched) !== JSON.stringify(after))
    broken.push(`outside was changed: ${JSON.stringify(changed)}`)
  if (textsIn(repo, place.path).includes(canary)) broken.push('copied into the checkout')
  return broken.map(each => `${name}: ${each}`)
}

describe('nothing outside is read, sent, written, renamed or removed', () => {
  test.each(Object.entries(sites))('by way of %s', async (_, site) => {
    const broken: string[] = []
    const home = await honest(site)
    for (const [name, trap] of Object.entries(traps))
      if (site.but?.[name] === undefined) broken.push(...(await tried(site, home, [name, trap])))
    expect(broken).toEqual([])
  })
})

const packaged = 'a file of an installed package, which no checkout names'
const temporary = 'a name that genrun made among the system’s temporary files'
const given = 'a path that the program which calls genrun has given'
const gateway = 'below a folder that whoever starts the gateway names; names are its own (test/gateway/files)'

/** Every call of the gate: reached from here, by the sites above, or why no checkout says what it is given. */
const calls: { readonly [call: string]: string } = {
  isThere: 'here',
  statAt: 'here',
  nameAt: 'here',
  asFarAsSeen: 'here',
  exactStatAt: 'a look alone: what is in an input comes by withOpenFile',
  mayRead: 'here',
  isClosed: 'here',
  looksAt: 'here',
  hearLooks: 'only tells our own code which paths are looked at',
  realPathAt: 'here',
  nativeRealPathAt: 'a look alone: what is in an input comes by withOpenFile',
  namesIn: 'names alone: what is in them comes by readRegular',
  filesIn: gateway,
  mustBeWritable: 'here',
  isProgram: 'a name on the PATH',
  programAt: 'a name on the PATH, of whose folders those alone count that are named whole',
  freeBytesAt: 'here',
  makeFolder: 'here',
  makeFolderIn: temporary,
  removeLeftFolder: temporary,
  removeOwnState: 'here',
  withMedia: 'a part of a mebibyte and more, that genrun named',
  smallMedia: 'here',
  readMedia: given,
  streamMedia: given,
  isOwnFolder: temporary,
  noteNames: temporary,
  moveNote: temporary,
  leaveNote: temporary,
  removeNote: temporary,
  withOpenFile: 'here',
  readRegular: 'here',
  proveWithin: 'here',
  isBelow: 'here',
  readAsset: packaged,
  isAsset: packaged,
  readSystemText: 'what Linux tells of itself',
  readSystemLink: 'what Linux tells of itself',
  readPiped: 'what is piped in',
  writeGiven: 'the file that genrun was given as stdout',
  openPieces: 'here',
  openDrawer: 'here',
  openNewPart: 'here',
  openOldPart: 'a part that genrun named, opened anew: openNewPart has looked at it',
  syncPart: 'an open file',
  partBytes: 'a part that genrun named (test/wire/transfer)',
  copyPart: 'a part that genrun named (test/wire/transfer)',
  replacePart: 'a part that genrun named (test/wire/transfer)',
  removePart: 'an answer that genrun spooled a moment ago (secrets.test.ts)',
  readPart: 'an answer that genrun spooled a moment ago',
  shelve: gateway,
  takenFromShelf: gateway,
  unshelve: gateway,
  openShelf: gateway,
  tryOut: 'here',
  writeNewFile: 'here',
  writeNewFolder: 'a new name that a person gives (EEXIST for whatever is there)',
  replaceFile: 'here',
  tryFolderOf: 'here',
  openLineFile: 'here',
  appendText:
    'a page of the CI, and the attributes of a repository where `lock merge --install` is asked for',
}

const disk = join(import.meta.dirname, '..', '..', 'src', 'disk')

test('every call of the gate has its row, and those that a checkout reaches were reached by the commands above', async () => {
  const texts = fs.readdirSync(disk).map(name => fs.readFileSync(join(disk, name), 'utf8'))
  const offered = texts.flatMap(text =>
    [...text.matchAll(/^export (?:async )?function\*? ?(\w+)/gm)].map(([, name]) => name ?? ''),
  )
  expect(Object.keys(calls).toSorted()).toEqual(offered.toSorted())
  const reached = reachedIn(disk, await told())
  const here = Object.entries(calls).flatMap(([name, how]) => (how === 'here' ? [name] : []))
  expect(here.filter(name => !reached.has(name))).toEqual([])
})

test('and so was every call of the disk that keeps what was paid for', async () => {
  const reached = reachedIn(join(disk, '..', 'store', 'files', 'disk.ts'), await told())
  const unreached = Object.keys(systemDisk).filter(name => !reached.has(name))
  // A journal that broke off is cut: not on the way of these.
  expect(unreached).toEqual(['truncate'])
})

type Told = readonly Profiler.ScriptCoverage[]
let counted: Promise<Told> | undefined

/** What has been called since this file began. Counted once: whoever asks sets the counts back. */
function told(): Promise<Told> {
  counted ??= new Promise((resolve, reject) => {
    session.post('Profiler.takePreciseCoverage', (error, { result }) =>
      error ? reject(error) : resolve(result),
    )
  })
  return counted
}

/** The functions of a file, or of those in a folder, that were called. */
function reachedIn(path: string, scripts: Told): Set<string> {
  const functions = scripts.filter(({ url }) => url.includes(path)).flatMap(script => script.functions)
  return new Set(functions.flatMap(each => (each.ranges[0]?.count ? [each.functionName] : [])))
}
