import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'

const manifest = 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea }\n'
/** A user that nobody here is. */
const somebody = 4242
const isRoot = process.getuid?.() === 0

/** A folder of one's own in a place that everybody may write to, outside of any repository. */
function shared(files: { readonly [path: string]: string } = {}) {
  const home = freshFolder({ 'shared/mine/m.yaml': manifest, 'home/.config/none': '', ...files })
  const mine = join(home, 'shared/mine')
  const run = async (line: string) => {
    const [stdout, stderr] = [fakeSink(), fakeSink()]
    const env = { HOME: join(home, 'home') }
    const code = await main(line.split(' '), fakeSurroundings({ cwd: mine, stdout, stderr, env }))
    return { code, said: `${stdout.text()}${stderr.text()}` }
  }
  return { home, mine, run }
}

describe.skipIf(!isRoot)('what belongs to another user (tried as root only, who can give files away)', () => {
  test.each([
    '.genrun',
    '.genrun/m.preview',
    '.genrun/m.preview/journal',
    '.genrun/m.preview/spool',
    'out/m.preview/.genrun',
  ])('is no state of ours: %s', async place => {
    const { mine, run } = shared()
    mkdirSync(join(mine, place), { recursive: true })
    writeFileSync(join(mine, place, 'theirs'), 'theirs')
    chownSync(join(mine, place), somebody, somebody)
    const { code, said } = await run('run m.yaml --local')
    expect([code, said]).toEqual([7, expect.stringContaining('it belongs to another user (4242)')])
    expect(readFileSync(join(mine, place, 'theirs'), 'utf8')).toBe('theirs')
    expect(readdirSync(join(mine, place))).toEqual(['theirs'])
  })

  test('is ours all the same where the folder around it is theirs, as in a container', async () => {
    const { mine, run } = shared()
    mkdirSync(join(mine, '.genrun'))
    for (const each of [mine, join(mine, '.genrun')]) chownSync(each, somebody, somebody)
    expect((await run('run m.yaml --local')).code).toBe(0)
  })

  test.each(['../genrun.config.yaml', '../.genrunrc', '../.config/genrunrc', '../package.json'])(
    'are no settings above one’s own folder: %s',
    async path => {
      const { mine, run } = shared()
      const full = join(mine, path)
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, path.endsWith('json') ? '{ "genrun": { "output": "theirs" } }' : 'output: theirs\n')
      expect((await run('settings')).said).toContain('theirs')
      chownSync(full, somebody, somebody)
      const { said } = await run('settings')
      expect(said).not.toContain('theirs')
      expect(said).toContain('it belongs to another user, and is not read')
      expect((await run('run m.yaml --local')).code).toBe(0)
      expect(readdirSync(mine)).toContain('out')
    },
  )

  test('hides no settings of ours further up, and is no word of our own', async () => {
    const { home, mine, run } = shared({
      'genrun.config.yaml': 'output: ours\n',
      'home/.config/genrun/config.yaml': 'verify: false\nbaseUrl: https://theirs.example/gw-v2\n',
    })
    writeFileSync(join(mine, '../genrun.config.yaml'), 'output: theirs\n')
    for (const path of [join(mine, '../genrun.config.yaml'), join(home, 'home/.config/genrun/config.yaml')])
      chownSync(path, somebody, somebody)
    const { said } = await run('settings')
    expect(said).toContain('ours')
    expect(said).not.toMatch(/theirs/)
  })
})

describe.skipIf(process.platform === 'win32')('genrun’s own folders', () => {
  test('are not open to everybody, where the project is not', async () => {
    const { mine, run } = shared()
    mkdirSync(join(mine, '.genrun'))
    chmodSync(join(mine, '.genrun'), 0o777)
    const { code, said } = await run('run m.yaml --local')
    expect([code, said]).toEqual([7, expect.stringContaining('everybody can write to it')])
    // Some disks give every right to everybody.
    chmodSync(mine, 0o777)
    expect((await run('run m.yaml --local')).code).toBe(0)
  })

  const written = ['.genrun/m.preview/journal/000001.jnl', 'm.preview.lock.json']
  test.each(written)('%s, a link: what it leads to is not written to', async path => {
    const { home, mine, run } = shared({ 'others/a.txt': '' })
    mkdirSync(dirname(join(mine, path)), { recursive: true })
    symlinkSync(join(home, 'others/a.txt'), join(mine, path))
    const { code, said } = await run('run m.yaml --local')
    expect(said).not.toContain('internal error')
    expect([0, 2, 7]).toContain(code)
    expect(readFileSync(join(home, 'others/a.txt'), 'utf8')).toBe('')
    expect(readdirSync(join(home, 'others'))).toEqual(['a.txt'])
  })

  test.each(['link', 'pipe'])(
    'a %s in the place of a file that grows is not written to, and not waited for',
    trap => {
      const { home, mine } = shared({ 'others/a.txt': '' })
      const path = join(mine, 'grows.jsonl')
      if (trap === 'link') symlinkSync(join(home, 'others/a.txt'), path)
      else execFileSync('mkfifo', [path])
      expect(() => systemDisk.open(path, 'append', 0o644)).toThrow(StorageError)
      const plain = systemDisk.open(join(mine, 'plain.jsonl'), 'append', 0o600)
      systemDisk.close(plain)
    },
  )
})
