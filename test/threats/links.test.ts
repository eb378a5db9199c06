import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'

// What nobody shall see in a log, looked for in everything that is told.
const canary = 'canary-3f9d2c'
const secret = `root:${canary}:0\nkey: ${canary}\n- ${canary}\n`

const manifest = 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea }\n'

/** A checkout in a folder of its own, with a secret beside it. */
function checkout(files: { readonly [path: string]: string } = {}) {
  const home = freshFolder({
    secret,
    'others/notes.txt': 'mine',
    'repo/.git/HEAD': '',
    'repo/m.yaml': manifest,
  })
  const repo = join(home, 'repo')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true })
    writeFileSync(join(repo, path), text.replaceAll('<home>', home))
  }
  const link = (path: string, to: string) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true })
    symlinkSync(join(home, to), join(repo, path))
  }
  const run = async (line: string) => {
    const [stdout, stderr] = [fakeSink(), fakeSink()]
    const code = await main(
      line.split(' '),
      fakeSurroundings({ cwd: repo, stdout, stderr, env: { HOME: home } }),
    )
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }
  return { home, repo, link, run }
}

const commands = [
  'validate m.yaml',
  'plan m.yaml --local',
  'run m.yaml --local',
  'status m.yaml',
  'why m.yaml tea --local',
  'graph m.yaml',
  'verify m.yaml --local',
  'report m.yaml --local',
  'convert m.yaml tea',
  'pricing fama-imagine-image',
  'models',
  'generate -m fama-imagine-image -p Tea --local',
  'accept m.yaml tea --local',
  'prune m.yaml --local',
  'settings',
]

const settings = ['catalog', 'profile', 'prices']

interface Trap {
  readonly files?: { readonly [path: string]: string }
  readonly links?: { readonly [path: string]: string }
}

const traps: { readonly [name: string]: Trap } = {
  ...Object.fromEntries(
    settings.flatMap(name => [
      [`${name} above the project`, { files: { 'genrun.config.yaml': `${name}: ../secret\n` } }],
      [`${name} by its whole path`, { files: { '.genrunrc': `${name}: <home>/secret\n` } }],
      [`${name} in package.json`, { files: { 'package.json': `{ "genrun": { "${name}": "../secret" } }` } }],
      [
        `${name}, a link`,
        { files: { 'genrun.config.yaml': `${name}: own.yaml\n` }, links: { 'own.yaml': 'secret' } },
      ],
      [
        `${name} below a link`,
        { files: { 'genrun.config.yaml': `${name}: own/secret\n` }, links: { own: '.' } },
      ],
    ]),
  ),
  'an include, a link': {
    files: { 'm.yaml': `include: part.yaml\n${manifest}` },
    links: { 'part.yaml': 'secret' },
  },
  'a catalog of the manifest, a link': {
    files: { 'm.yaml': `catalog: own.yaml\n${manifest}` },
    links: { 'own.yaml': 'secret' },
  },
  'settings, a link': { links: { 'genrun.config.yaml': 'secret' } },
  'settings without an ending, a link': { links: { '.genrunrc': 'secret' } },
  'package.json, a link': { links: { 'package.json': 'secret' } },
  'the lock, a link': { links: { 'm.lock.json': 'secret' } },
  'the lock of rehearsals, a link': { links: { 'm.preview.lock.json': 'secret' } },
}

describe('a line of a file outside is in no output', () => {
  test.each(Object.entries(traps))('%s', async (_, { files = {}, links = {} }) => {
    const { repo, link, run } = checkout(files)
    for (const [path, to] of Object.entries(links)) link(path, to)
    for (const line of commands) {
      const { stdout, stderr } = await run(line)
      expect(`${line}\n${stdout}${stderr}`).not.toContain(canary)
    }
    expect(existsSync(join(repo, 'm.yaml'))).toBe(true)
  })

  test('the manifest, a link: it is refused by name', async () => {
    const { link, run } = checkout()
    link('n.yaml', 'secret')
    for (const line of commands.filter(each => each.includes('m.yaml'))) {
      const { code, stdout, stderr } = await run(line.replace('m.yaml', 'n.yaml'))
      expect(`${line}\n${stdout}${stderr}`).not.toContain(canary)
      expect([line, code]).toEqual([line, 2])
      expect(stderr + stdout).toContain('it is a link that leads out of the project')
    }
  })
})

test('a home folder that is a repository is no part of a checkout in it', async () => {
  const { home, link, run } = checkout()
  mkdirSync(join(home, '.git'))
  link('n.yaml', 'secret')
  const { code, stdout, stderr } = await run('validate n.yaml')
  expect(code).toBe(2)
  expect(stdout + stderr).not.toContain(canary)
})

describe('nothing outside is removed or renamed', () => {
  const places = [
    '.genrun',
    '.genrun/m',
    '.genrun/m/spool',
    '.genrun/m/journal',
    '.genrun/m/kept',
    '.genrun/m/claim',
  ]
  const ofRehearsal = places.map(place => place.replace('/m', '/m.preview'))

  test.each([...new Set([...places, ...ofRehearsal])])('%s leads out', async place => {
    const { home, link, run } = checkout()
    link(place, 'others')
    for (const line of [
      'run m.yaml --local',
      'run m.yaml --local',
      'prune m.yaml --local --yes',
      'status m.yaml',
    ])
      expect((await run(line)).code).not.toBe(70)
    expect(readdirSync(join(home, 'others'))).toEqual(['notes.txt'])
  })

  test.each([
    ['m.1-of-2.preview', 7],
    ['m.1-of-2.preview.0123456789ab', 0],
    ['m.1-of-2.preview/kept', 7],
  ])('a merge takes no state of a shard from elsewhere: %s', async (name, code) => {
    const { home, link, run } = checkout({ '../others/journal/000001.jnl': 'mine' })
    expect((await run('run m.yaml --local --shard 2/2')).code).toBe(0)
    link(`.genrun/${name}`, 'others')
    for (const line of ['merge m.yaml --local', 'merge m.yaml --local --take-claim'])
      expect((await run(line)).code).toBe(code)
    expect(readdirSync(join(home, 'others'), { recursive: true }).toSorted()).toEqual([
      'journal',
      'journal/000001.jnl',
      'notes.txt',
    ])
  })

  test.each([
    ['a lineage', (lineage: string) => `.aside/${lineage}`],
    ['all lineages', () => '.aside'],
    ['a state', (lineage: string) => `.aside/${lineage}/m.preview`],
    ['a state, as an older genrun called it,', (lineage: string) => `m.preview.${lineage.slice(0, 12)}`],
  ])('nor does a run take state back behind a link: of %s', async (_, placeOf) => {
    const { home, repo, link, run } = checkout({ '../others/journal/000001.jnl': 'mine' })
    expect((await run('run m.yaml --local')).code).toBe(0)
    const lock = readFileSync(join(repo, 'm.preview.lock.json'), 'utf8')
    rmSync(join(repo, '.genrun/m.preview'), { recursive: true })
    const place = join('.genrun', placeOf(/"lineage":"(\w{32})/.exec(lock)?.[1] ?? ''))
    mkdirSync(dirname(join(repo, place)), { recursive: true })
    link(place, 'others')
    expect((await run('run m.yaml --local')).code).toBe(7)
    expect(readdirSync(join(home, 'others/journal'))).toEqual(['000001.jnl'])
    expect(readdirSync(join(home, 'others')).toSorted()).toEqual(['journal', 'notes.txt'])
  })

  test.each([['out/m.preview'], ['out']])('%s leads out', async place => {
    const { home, link, run } = checkout()
    link(place, 'others')
    const lines = ['run m.yaml --local', 'prune m.yaml --local --yes', 'report m.yaml --local']
    for (const line of lines) {
      const { code, stderr } = await run(line)
      expect([line, code]).toEqual([line, 2])
      expect(stderr).toContain('is a link that leads out of the project')
    }
    expect(readdirSync(join(home, 'others'))).toEqual(['notes.txt'])
  })

  test('what genrun keeps in an output folder is no link', async () => {
    const { home, link, run } = checkout()
    link('out/m.preview/.genrun', 'others')
    expect((await run('run m.yaml --local')).code).toBe(7)
    expect(readdirSync(join(home, 'others'))).toEqual(['notes.txt'])
  })

  test.each(['--events', '--junit', '--sarif', '--summary'])(
    'a report by %s takes the place of a link',
    async flag => {
      const { home, link, run } = checkout()
      link('report', 'others/notes.txt')
      expect((await run(`run m.yaml --local ${flag} report`)).code).toBe(0)
      expect(readFileSync(join(home, 'others/notes.txt'), 'utf8')).toBe('mine')
    },
  )

  test.each(['--events', '--junit', '--sarif', '--summary'])('nor behind one, by %s', async flag => {
    const { home, link, run } = checkout()
    link('behind', 'others')
    expect((await run(`run m.yaml --local ${flag} behind/notes.txt`)).code).toBe(2)
    expect(readFileSync(join(home, 'others/notes.txt'), 'utf8')).toBe('mine')
  })

  test.each(['saved.plan', 'behind/notes.txt', 'dangling'])(
    'a plan is not saved through a link: %s',
    async path => {
      const { home, link, run } = checkout()
      link('saved.plan', 'others/notes.txt')
      link('behind', 'others')
      link('dangling', 'others/new.txt')
      expect((await run(`plan m.yaml --local -o ${path}`)).code).toBe(7)
      expect(readdirSync(join(home, 'others'))).toEqual(['notes.txt'])
      expect(readFileSync(join(home, 'others/notes.txt'), 'utf8')).toBe('mine')
    },
  )

  test('an output folder that leads out is taken from whoever names it, and from nobody else', async () => {
    const { home, link, run } = checkout()
    link('out', 'others')
    link('gone', 'nowhere')
    for (const output of ['out', 'gone']) {
      writeFileSync(join(home, 'repo/genrun.config.yaml'), `output: ${output}\n`)
      expect((await run('run m.yaml --local')).code).toBe(2)
    }
    expect((await run('run m.yaml --local --output out/m')).code).toBe(0)
    expect((await run('report m.yaml --local --output out/m')).code).toBe(0)
    expect(readdirSync(join(home, 'others')).toSorted()).toEqual(['m.preview', 'notes.txt'])
  })

  test('an output folder among the files of git or of genrun is taken from nobody but who names it', async () => {
    const { home, link, run } = checkout()
    mkdirSync(join(home, 'repo/.git/hooks'), { recursive: true })
    link('out', 'repo/.git')
    for (const output of ['.git/hooks', '.genrun/c', 'media/../.git', 'out/hooks']) {
      writeFileSync(join(home, 'repo/genrun.config.yaml'), `output: ${output}\n`)
      expect([output, (await run('run m.yaml --local')).code]).toEqual([output, 2])
    }
    expect(readdirSync(join(home, 'repo/.git/hooks'))).toEqual([])
  })

  test('a cache is not the project’s to name, and one that is linked elsewhere is left alone', async () => {
    const { home, link, run } = checkout({ 'genrun.config.yaml': 'cache: cache\ncacheSize: 1kB\n' })
    link('cache.preview/files', 'others')
    link('cache.preview/results', 'others')
    expect((await run('run m.yaml --local')).code).toBe(2)
    writeFileSync(join(home, 'repo', 'genrun.config.yaml'), '')
    expect((await run('run m.yaml --local --cache cache --cache-size 1kB')).code).toBe(0)
    expect(readdirSync(join(home, 'others'))).toEqual(['notes.txt'])
  })

  test('of a cache only what a cache names is thrown away', async () => {
    const { repo, run } = checkout({
      'cache.preview/files/notes.txt': 'mine',
      'cache.preview/results/notes.json': '{}',
    })
    expect((await run('run m.yaml --local --cache cache --cache-size 1kB')).code).toBe(0)
    expect(existsSync(join(repo, 'cache.preview/files/notes.txt'))).toBe(true)
    expect(existsSync(join(repo, 'cache.preview/results/notes.json'))).toBe(true)
  })
})

describe('an imported file takes in nothing from outside', () => {
  test.each(['@../secret', '@<home>/secret', '@linked', '@.git/HEAD'])('%s', async text => {
    const { link, run } = checkout({
      'c.sh': `genrun generate -m fama-imagine-image -p ${text}\n`,
      'd.sh': `curl -X POST https://x.example/gw-v2/workflows/fama-imagine-image/execute -d ${text}\n`,
      'e.sh': 'genrun generate -m fama-imagine-image -p @tea.txt\n',
      'tea.txt': 'ours',
      '.git/HEAD': canary,
    })
    link('linked', 'secret')
    for (const line of ['import c.sh', 'import d.sh']) {
      const { code, stdout, stderr } = await run(line)
      expect(`${line}\n${stdout}${stderr}`).not.toContain(canary)
      expect([line, code]).toEqual([line, 2])
    }
    expect((await run('import e.sh')).stdout).toContain('ours')
  })
})
