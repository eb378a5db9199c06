import { lchownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { renderProblem } from '../../../src/base/excerpt.ts'
import { commands } from '../../../src/cli/declared/commands.ts'
import type { SettingName } from '../../../src/cli/flags/given.ts'
import { main } from '../../../src/cli/main.ts'
import { readArgs } from '../../../src/cli/parser/read-args.ts'
import { colourOf, withServiceSettings, withSettings } from '../../../src/cli/settings/fill.ts'
import { findSettings } from '../../../src/cli/settings/places.ts'
import { publishedSettingsSchema } from '../../../src/cli/settings/schema.ts'
import { openSettings } from '../../../src/cli/settings/settle.ts'
import { settingsStart } from '../../../src/cli/settings/start.ts'
import { startGateway } from '../../../src/gateway/server.ts'
import { userFolder } from '../../../src/workspace/read/user-folder.ts'
import { fakeSurroundings } from '../fake.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'genrun-settings-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(path: string, text: string): string {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
  return join(home, path)
}

const at = (path: string) => join(home, path)

test('later ones win: built-in, own file, project, environment; each value tells where it is from', async () => {
  write('.config/genrun/config.yaml', 'verify: off\noutput: own\nstrict: true\n')
  write('repo/.git/HEAD', '')
  write('repo/genrun.config.yaml', 'verify: fail\noutput: project\n')
  write('repo/deep/down/x', '')
  const { all, problems } = await openSettings(at('repo/deep/down'), { HOME: home, GENRUN_OUTPUT: 'here' })
  expect(problems).toEqual([])
  const found = (name: string) => all.find(each => each.name === name)
  expect(found('output')).toMatchObject({
    value: at('repo/deep/down/here'),
    from: 'GENRUN_OUTPUT',
    by: 'environment',
    over: [
      { value: at('repo/project'), from: '../../genrun.config.yaml:2' },
      { value: at('.config/genrun/own'), from: '~/.config/genrun/config.yaml:2' },
    ],
  })
  expect(found('verify')).toMatchObject({ value: 'fail', by: 'project' })
  expect(found('strict')).toMatchObject({ value: true, by: 'user' })
  expect(found('rebuyGuard')).toMatchObject({ value: 20, by: 'built-in', from: 'built-in' })
  expect(found('prices')).toMatchObject({ value: undefined, from: '' })
})

test.each<[string, Record<string, string>, readonly string[]]>([
  [
    'whose name is misspelled',
    { GENRUN_MAX_PIAD: '1', GENRUN_MAXPAID: '1' },
    [
      'GENRUN_MAX_PIAD unknown-key did you mean GENRUN_MAX_PAID?',
      'GENRUN_MAXPAID unknown-key did you mean GENRUN_MAX_PAID?',
    ],
  ],
  ['that is empty', { GENRUN_MAX_PAID: '', GENRUN_MAX_COST: '2' }, ['GENRUN_MAX_PAID bad-setting ']],
  [
    'of another program, of a manifest, or known',
    {
      GENRUN: 'x',
      GENRUN_COLOUR_SCHEME: 'x',
      GENRUN_VAR_MAX_PIAD: '1',
      GENRUN_STORE: 'x',
      GENRUN_CACHE: '',
      MY_GENRUN_MAX_PIAD: '1',
    },
    [],
  ],
])('a cap in a variable %s is warned of', async (_, env, told) => {
  const { problems, isWrong } = await openSettings(home, { HOME: home, ...env })
  expect(problems.map(({ at, code, hint = '' }) => `${at.file.name} ${code} ${hint}`)).toEqual(told)
  expect([isWrong, problems.every(({ severity }) => severity === 'warning')]).toEqual([false, true])
})

test("`~` in one's own file is the home, as the README writes it; a project has none", async () => {
  write('.config/genrun/config.yaml', 'apiKeyFile: ~/.config/genrun/key\ncatalog: [~/one.yaml, two.yaml]\n')
  const own = await openSettings(at('repo'), { HOME: home })
  expect(own.get('apiKeyFile')).toBe(at('.config/genrun/key'))
  expect(own.get('catalog')).toEqual([at('one.yaml'), at('.config/genrun/two.yaml')])
  write('repo/.git/HEAD', '')
  write('repo/genrun.config.yaml', 'output: ~/media\n')
  expect((await openSettings(at('repo'), { HOME: home })).get('output')).toBe(at('repo/~/media'))
})

test('a project makes the guard for re-buys stricter, and never wider', async () => {
  const guard = async (env = {}) => (await openSettings(home, { HOME: home, ...env })).get('rebuyGuard')
  write('genrun.config.yaml', 'rebuyGuard: 9000')
  expect(await guard()).toBe(20)
  write('genrun.config.yaml', 'rebuyGuard: 3')
  expect(await guard()).toBe(3)
  write('genrun.config.yaml', 'strict: true')
  write('.config/genrun/config.yaml', 'rebuyGuard: 500')
  expect(await guard()).toBe(500)
  expect(await guard({ GENRUN_REBUY_GUARD: '40' })).toBe(40)
})

test('of prices and profile those of the person count, if there are any', async () => {
  write('genrun.config.yaml', 'prices: cheap.yaml\nprofile: theirs.yaml\n')
  const alone = await openSettings(home, { HOME: home })
  expect([alone.given('prices'), alone.given('profile')]).toEqual([at('cheap.yaml'), at('theirs.yaml')])
  write('.config/genrun/config.yaml', 'prices: own.yaml')
  const settings = await openSettings(home, { HOME: home, GENRUN_PROFILE: 'mine.yaml' })
  expect(settings.given('prices')).toBe(at('.config/genrun/own.yaml'))
  expect(settings.given('profile')).toBe(at('mine.yaml'))
  expect(settings.all.find(each => each.name === 'prices')?.over).toMatchObject([{ value: at('cheap.yaml') }])
})

test('of caps the lowest counts, whoever gave it, and a flag cannot lift it', async () => {
  write('.config/genrun/config.yaml', 'limits: { maxPaid: 5 }')
  write('genrun.config.yaml', 'limits: { maxPaid: 90, maxCost: 3 }')
  const settings = await openSettings(home, { HOME: home, GENRUN_MAX_PAID: '40' })
  expect(settings.get('limits.maxPaid')).toBe(5)
  const command = (words: { maxPaid?: number; maxCost?: number }) => withSettings(words, settings)
  expect(command({ maxPaid: 100 })).toMatchObject({ maxPaid: 5, maxCost: 3 })
  expect(command({ maxPaid: 1, maxCost: 0.5 })).toMatchObject({ maxPaid: 1, maxCost: 0.5 })
})

test('how often results are asked for goes to the service by the environment, the lowest of all', async () => {
  write('.config/genrun/config.yaml', 'pollsPerSecond: 5')
  write('genrun.config.yaml', 'pollsPerSecond: 20')
  const env = { HOME: home, GENRUN_POLLS_PER_SECOND: '8' }
  expect(withServiceSettings(env, await openSettings(home, env))).toEqual({
    HOME: home,
    GENRUN_POLLS_PER_SECOND: '5',
  })
  const wrong = await openSettings(home, { GENRUN_POLLS_PER_SECOND: '51' })
  expect(wrong.problems.map(each => each.message)).toEqual(['it is a whole number from 1 to 50'])
})

describe('where the project puts its files', () => {
  const meant: { [name: string]: string } = {
    '<manifest>': 'c.yaml',
    '<address>': 'hero',
    '<run>': 'r_81',
    '<jobs...>': 'hero',
    '[jobs...]': 'hero',
  }
  const more: { [name: string]: string } = { resolve: '--abandon' }
  // Those that look at no result, wherever it lies.
  const blind = ['convert', 'journal']
  const verbs = commands.filter(
    ({ name, arguments: args = '' }) => args.startsWith('<manifest>') && !blind.includes(name),
  )

  test('there are verbs on manifests to look at', () => expect(verbs.length).toBeGreaterThan(12))

  test.each(verbs.map(({ name, arguments: args = '' }) => [name, args]))('is known to %s', (name, words) => {
    const argv = [name, ...words.split(' ').map(word => meant[word] ?? word), more[name] ?? []].flat()
    const asked = readArgs(argv, () => false)
    const given = { given: (setting: SettingName) => (setting === 'output' ? 'media' : undefined) }
    const args = asked.do === 'command' ? asked.args : {}
    expect(withSettings(args, given)).toMatchObject({ outputs: 'media' })
  })
})

test('above the root of a repository nothing is read', async () => {
  write('genrun.config.yaml', 'output: outside')
  write('repo/.git/HEAD', '')
  expect((await openSettings(at('repo'), {})).given('output')).toBe(undefined)
})

test('a project switches strict on, and never off: neither from nearer nor for whoever set it', async () => {
  write('genrun.config.yaml', 'strict: true')
  write('sub/genrun.config.yaml', 'strict: false')
  const strict = async (env: Record<string, string>, of = 'sub') =>
    (await openSettings(at(of), { HOME: at('home'), ...env })).given('strict')
  expect(await strict({})).toBe(true)
  expect(await strict({ GENRUN_STRICT: 'false' })).toBe(false)
  write('home/.config/genrun/config.yaml', 'strict: true')
  write('other/.git/HEAD', '')
  write('other/genrun.config.yaml', 'strict: false')
  expect(await strict({}, 'other')).toBe(true)
})

test('catalogs of the command line take the place of those of the settings', async () => {
  write('genrun.config.yaml', 'catalog: [own.yaml]')
  const settings = await openSettings(home, {})
  const filled = (catalog: readonly string[]) => withSettings({ catalog }, settings).catalog
  expect([filled([]), filled(['a.yaml', 'b.yaml'])]).toEqual([[at('own.yaml')], ['a.yaml', 'b.yaml']])
})

test('all files of a project count: the nearest first, of caps and guards the lowest', async () => {
  write('genrun.config.yaml', 'output: far\nverify: fail\nlimits: { maxPaid: 1, maxCost: 9 }\nrebuyGuard: 2')
  write('.genrunrc', '')
  write(
    'sub/genrun.config.json',
    '{ "output": "near", "limits": { "maxPaid": 5, "maxCost": 3 }, "mark": true }',
  )
  write('sub/deep/package.json', '{ "genrun": { "rebuyGuard": 7, "mark": false, "catalog": ["m.yaml"] } }')
  const settings = await openSettings(at('sub/deep'), {})
  expect(settings.problems).toEqual([])
  expect(settings.files).toEqual(['package.json', '../genrun.config.json', '../../genrun.config.yaml'])
  const given = ['output', 'verify', 'limits.maxPaid', 'limits.maxCost', 'rebuyGuard', 'mark', 'catalog']
  expect(given.map(name => settings.given(name as SettingName))).toEqual([
    at('sub/near'),
    'fail',
    1,
    3,
    2,
    true,
    [at('sub/deep/m.yaml')],
  ])
  expect(settings.all.find(({ name }) => name === 'output')?.over).toEqual([
    { value: at('far'), from: '../../genrun.config.yaml:1', by: 'project' },
  ])
})

test('what a project may not say is refused in each of its files; of gates the nearest file counts', async () => {
  write('.git/HEAD', '')
  write('genrun.config.yaml', 'baseUrl: https://evil.example\noutput: ../out\ngates: { brand: ./check }')
  write('sub/genrun.config.yaml', 'output: ../media\ngates: { faces: ./faces }')
  const { problems, theirGates } = await openSettings(at('sub'), {})
  expect(problems.map(({ code, at: { file } }) => [code, file.name])).toEqual([
    ['outside-only', '../genrun.config.yaml'],
    ['outside-project', '../genrun.config.yaml'],
  ])
  expect(theirGates).toMatchObject({ gates: [{ name: 'faces' }], folder: at('sub'), root: home })
})

test('nothing in a checkout is run or read beside the named files', async () => {
  const trap = at('sprung')
  const code = `require('fs').writeFileSync(${JSON.stringify(trap)}, ''); module.exports = {}`
  for (const name of ['.config/config.js', '.config/config.cjs', '.config/config.ts', 'genrun.config.js'])
    write(name, code)
  write('.config/config.yaml', 'searchPlaces: [evil.yaml]\n')
  write('evil.yaml', 'output: evil')
  write(
    'package.json',
    '{ "cosmiconfig": { "searchPlaces": ["evil.yaml"] }, "genrun": { "$import": "evil.yaml" } }',
  )
  write('genrun.config.yaml', 'strict: true')
  const before = process.cwd()
  process.chdir(home)
  try {
    const settings = await openSettings(home, {})
    expect(settings.files).toEqual(['genrun.config.yaml'])
    expect(settings.given('output')).toBe(undefined)
  } finally {
    process.chdir(before)
  }
  expect(() => readFileSync(trap)).toThrow('ENOENT')
})

const yaml = 'output: media\nlimits: { maxPaid: 3 }\n'
const json = '{ "output": "media", "limits": { "maxPaid": 3 } }'

test.each([
  ['genrun.config.yaml', yaml, 'genrun.config.yaml:1'],
  ['genrun.config.yml', yaml, 'genrun.config.yml:1'],
  ['genrun.config.json', json, 'genrun.config.json:1'],
  ['.genrunrc', yaml, '.genrunrc:1'],
  ['.genrunrc', json, '.genrunrc:1'],
  ['.genrunrc.yaml', yaml, '.genrunrc.yaml:1'],
  ['.genrunrc.yml', yaml, '.genrunrc.yml:1'],
  ['.genrunrc.json', json, '.genrunrc.json:1'],
  ['.config/genrunrc', yaml, '.config/genrunrc:1'],
  ['.config/genrunrc.yaml', yaml, '.config/genrunrc.yaml:1'],
  ['.config/genrunrc.json', json, '.config/genrunrc.json:1'],
  ['package.json', `{\n  "name": "shop",\n  "genrun": ${json}\n}\n`, 'package.json:3'],
])('the settings of a project are read from %s', async (name, text, from) => {
  write(`repo/${name}`, text)
  write('repo/.git/HEAD', '')
  write('repo/sub/keep', '')
  const settings = await openSettings(at('repo'), {})
  expect(settings.problems).toEqual([])
  // Paths count from the project, also for what lies in its folder of settings.
  expect(settings.all.find(each => each.name === 'output')).toMatchObject({
    value: at('repo/media'),
    from,
    by: 'project',
  })
  expect(settings.given('limits.maxPaid')).toBe(3)
  expect((await openSettings(at('repo/sub'), {})).given('limits.maxPaid')).toBe(3)
})

test('of two places in one folder the first counts, and a nearer folder before it', async () => {
  write('.genrunrc', 'output: rc')
  write('package.json', '{ "genrun": { "output": "package" } }')
  expect((await openSettings(home, {})).files).toEqual(['.genrunrc'])
  write('sub/package.json', '{ "genrun": { "output": "near" } }')
  expect((await openSettings(at('sub'), {})).given('output')).toBe(at('sub/near'))
})

test('settings beside others in a folder are told as not read', async () => {
  write('genrun.config.yaml', 'output: media')
  write('.genrunrc', 'limits: { maxPaid: 1 }')
  write('package.json', '{ "genrun": {} }')
  write('.config/genrun/config.json', '{}')
  write('.config/genrun/config.yaml', 'color: never')
  const { problems, files, isWrong } = await openSettings(home, { HOME: home })
  expect([files, isWrong]).toEqual([['genrun.config.yaml', '~/.config/genrun/config.yaml'], false])
  const told = (first: string) => `${first} counts alone of the settings in this folder: it is not read`
  expect(problems.map(({ code, at: { file }, message }) => [code, file.name, message])).toEqual([
    ['settings-not-read', '.genrunrc', told('genrun.config.yaml')],
    ['settings-not-read', 'package.json', told('genrun.config.yaml')],
    ['settings-not-read', '~/.config/genrun/config.json', told('config.yaml')],
  ])
})

describe('what stands where settings are looked for, and cannot be read', () => {
  const nowhere = 'it is a link that leads nowhere'
  const link = (to: string) => (path: string) => symlinkSync(to, path)

  test.each<[at: string, make: (path: string) => void, why: string]>([
    ['genrun.config.yaml', link('gone.yaml'), nowhere],
    ['genrun.config.yaml', link('genrun.config.yaml'), nowhere],
    ['genrun.config.yaml', mkdirSync, 'it is a folder'],
    ['.config', link('gone'), nowhere],
    ['.config/genrunrc', mkdirSync, 'it is a folder'],
    ['package.json', link('gone.json'), nowhere],
    ['~/.config/genrun/config.yaml', link('gone.yaml'), nowhere],
    ['~/.config/genrun/config.yml', mkdirSync, 'it is a folder'],
    ['~/.config/genrun', link('gone'), nowhere],
  ])('is told: %s', async (name, make, why) => {
    const path = at(name.replace('~', 'home'))
    write('repo/x', '')
    mkdirSync(dirname(path), { recursive: true })
    make(path)
    const { problems, files } = await findSettings(home, { HOME: at('home') })
    expect(files).toEqual([])
    expect(problems.map(({ code, at: { file }, message }) => [code, file.name, message])).toEqual([
      ['unreadable-settings', name, `the settings cannot be read: ${why}`],
    ])
    // It is in the way of what lies below, too.
    expect((await findSettings(at('repo'), { HOME: at('home') })).problems).toHaveLength(1)
  })

  test('is no matter as package.json beside other settings', async () => {
    write('.genrunrc', 'output: media')
    symlinkSync('gone.json', at('package.json'))
    expect(await findSettings(home, {})).toMatchObject({ problems: [], files: [{ folder: home }] })
  })

  test.runIf(process.getuid?.() === 0)(
    "is somebody else's: told where it may be settings, and not in the way",
    async () => {
      symlinkSync('gone', at('genrun.config.yaml'))
      symlinkSync('gone', at('package.json'))
      for (const name of ['genrun.config.yaml', 'package.json']) lchownSync(at(name), 65_533, 65_533)
      write('.genrunrc', 'output: media')
      const { files, problems } = await findSettings(home, {})
      expect(files.map(({ file }) => file.name)).toEqual(['.genrunrc'])
      expect(problems).toMatchObject([
        { code: 'settings-not-read', message: 'it belongs to another user, and is not read' },
      ])
    },
  )
})

test('the search begins where the manifest really lies, or the one that a saved plan is of', async () => {
  write('proj/tea.yaml', jobs)
  write('proj/cup.yaml', jobs)
  write('other/m.yaml', jobs)
  write('plans/saved.plan', JSON.stringify({ genrunPlan: 2, manifest: '../proj/tea.yaml' }))
  write('plans/none.plan', '{')
  write('stranger/.git/HEAD', '')
  write('proj/sub/x', '')
  symlinkSync(at('proj/tea.yaml'), at('proj/sub/link.yaml'))
  symlinkSync(at('proj/tea.yaml'), at('stranger/link.yaml'))
  const from = (args: object, cwd = 'other') =>
    settingsStart(args, at(cwd)).then(start => relative(home, start))
  expect(await from({ manifest: '../proj/tea.yaml' })).toBe('proj')
  expect(await from({ manifest: 'sub/link.yaml' }, 'proj')).toBe('proj')
  expect(await from({ manifests: ['../proj/tea.yaml', '../proj/cup.yaml'] })).toBe('proj')
  expect(await from({ manifests: ['../proj/tea.yaml', 'm.yaml'] })).toBe('other')
  expect(await from({ plan: '../plans/saved.plan' })).toBe('proj')
  // No checkout leads to the settings of others, and what cannot be read is told by the command.
  expect(await from({ manifest: 'link.yaml' }, 'stranger')).toBe('stranger')
  for (const args of [{}, { manifest: 'gone.yaml' }, { manifests: ['-'] }, { plan: '../plans/none.plan' }])
    expect(await from(args)).toBe('other')
})

test('a path that leads out of the project by a link is not taken from it, wherever one stands', async () => {
  write('outside.yaml', 'secret')
  write('proj/package.json', '{ "genrun": { "prices": "prices.yaml" } }')
  symlinkSync(at('outside.yaml'), at('proj/prices.yaml'))
  const { problems } = await openSettings(at('here'), {}, at('proj'))
  expect(problems).toMatchObject([{ code: 'outside-project' }])
})

test('variables count from where one stands, what a project sets from its file', async () => {
  write('proj/genrun.config.yaml', 'catalog: m.yaml')
  const settings = await openSettings(at('here'), { GENRUN_OUTPUT: 'out' }, at('proj'))
  expect([settings.given('output'), settings.given('catalog')]).toEqual([at('here/out'), [at('proj/m.yaml')]])
  expect(settings.files).toEqual(['../proj/genrun.config.yaml'])
})

test('a package.json that says nothing of genrun, or is none, is passed over', async () => {
  write('genrun.config.yaml', 'output: above')
  for (const [nth, text] of ['{ "name": "genrun" }', '{ "name": ', '{},', '[]', 'null'].entries()) {
    write(`sub${nth}/package.json`, text)
    expect((await openSettings(at(`sub${nth}`), {})).given('output')).toBe(at('above'))
  }
  write('last/package.json', '{ "genrun": [1] }')
  expect((await openSettings(at('last'), {})).problems).toMatchObject([{ code: 'not-settings' }])
})

test.each([
  ['a comma too many', '{\n  "genrun": { "limits": { "maxPaid": 1 }, }\n}\n', 2, 43],
  ['a comment', '{\n  // ours\n  "genrun": { "limits": { "maxPaid": 1 } }\n}\n', 2, 3],
  ['a comment behind a byte order mark', '\ufeff{ // ours\n  "genrun": {} }\n', 1, 4],
  ['no end', '{ "genrun": ', 1, 13],
])('a package.json with our name and %s is refused where that stands', async (_, text, line, column) => {
  write('genrun.config.yaml', 'output: above')
  write('sub/package.json', text)
  const { problems, isWrong } = await openSettings(at('sub'), {})
  expect(isWrong).toBe(true)
  expect(problems.map(problem => renderProblem(problem).split('\n')[0])).toEqual([
    `package.json:${line}:${column}: error: the settings cannot be read: it is no JSON [unreadable-settings]`,
  ])
  // Other settings beside it count before it, whatever it says.
  write('sub/.genrunrc', 'output: near')
  expect(await openSettings(at('sub'), {})).toMatchObject({ isWrong: false, problems: [] })
})

test('a package.json is read behind a byte order mark', async () => {
  write('package.json', '\ufeff{ "genrun": { "limits": { "maxPaid": 1 } } }')
  const { problems, given } = await openSettings(home, {})
  expect([problems, given('limits.maxPaid')]).toEqual([[], 1])
})

test('settings in a program are named as not read, and the rest counts', async () => {
  write('.git/HEAD', '')
  write('genrun.config.js', 'module.exports = { strict: true }')
  write('genrun.config.yaml', 'output: media')
  const { problems, isWrong, given } = await openSettings(home, {})
  expect(problems).toMatchObject([
    {
      code: 'settings-not-read',
      severity: 'warning',
      message: 'it is a program, and nothing in a checkout is run: it is not read',
      hint: 'write settings as data: genrun.config.yaml',
    },
  ])
  expect([isWrong, given('output'), given('strict')]).toEqual([false, at('media'), undefined])
})

test.each([
  [{ HOME: '/h' }, 'linux', '/h/.config/genrun'],
  [{ HOME: '/h', XDG_CONFIG_HOME: '/x' }, 'linux', '/x/genrun'],
  [{ HOME: '/h', XDG_CONFIG_HOME: 'relative' }, 'linux', '/h/.config/genrun'],
  [{ APPDATA: '/roaming', USERPROFILE: '/u' }, 'win32', '/roaming/genrun'],
  [{}, 'linux', undefined],
] as const)('with %j on %s the own settings are in %s', (env, platform, folder) => {
  expect(userFolder(env, platform)).toBe(folder)
})

test('a file that is no text, or far too long, is told', async () => {
  writeFileSync(at('genrun.config.yaml'), Uint8Array.of(0xff, 0xfe, 0x41))
  expect((await findSettings(home, {})).problems.map(each => each.message)).toEqual([
    'the settings cannot be read: it is not UTF-8 text',
  ])
  writeFileSync(at('genrun.config.yaml'), '#'.repeat(1_100_000))
  expect((await findSettings(home, {})).problems.map(each => each.message)).toEqual([
    'the settings cannot be read: it is larger than 1 MiB',
  ])
})

test('a wrong variable is told by its name', async () => {
  const { problems, isWrong } = await openSettings(home, { GENRUN_MAX_COST: 'cheap' })
  expect(isWrong).toBe(true)
  expect(problems).toMatchObject([{ code: 'bad-setting', message: 'it is an amount from 0' }])
  expect(problems[0]?.at.file).toEqual({ name: 'GENRUN_MAX_COST', text: 'cheap' })
})

test('a wrong address in the environment is no matter for a command that needs none', async () => {
  const settings = await openSettings(home, { GENRUN_BASE_URL: 'ftp://x' })
  expect(settings.problems).toEqual([])
  expect(settings.get('baseUrl')).toBe('ftp://x')
})

test('address and key of the own settings go together: the environment names both, or neither', async () => {
  write('.config/genrun/config.yaml', 'baseUrl: https://a.example/gw-v2\napiKeyFile: key')
  const settings = await openSettings(home, { HOME: home })
  expect(withServiceSettings({ HOME: home }, settings)).toEqual({
    HOME: home,
    GENRUN_BASE_URL: 'https://a.example/gw-v2',
    GENRUN_API_KEY_FILE: at('.config/genrun/key'),
  })
  const env = { GENRUN_BASE_URL: 'https://b.example/gw-v2' }
  expect(withServiceSettings(env, settings)).toEqual(env)
})

test.each([
  ['never', {}, false, { env: {}, noColour: true }],
  ['always', {}, false, { env: { FORCE_COLOR: '1' }, noColour: false }],
  ['always', { NO_COLOR: '1' }, false, { env: { NO_COLOR: '1' }, noColour: false }],
  ['always', {}, true, { env: {}, noColour: true }],
  ['auto', {}, false, { env: {}, noColour: false }],
] as const)('color: %s with %j and --no-color %s', (color, env, flag, expected) => {
  expect(colourOf(env, flag, { given: () => color })).toEqual(expected)
})

async function genrun(words: readonly string[], env = {}) {
  const around = fakeSurroundings({ cwd: home, env: { HOME: home, ...env } })
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

const jobs = 'jobs: { hero: { model: fama-imagine-image, prompt: A teapot } }\n'

test('a plan heeds the project: its prices, its cap, its folder', async () => {
  write('c.yaml', jobs)
  write('p.yaml', 'currency: USD\nmodels: { fama-imagine-image: { perImage: 2 } }')
  write('genrun.config.yaml', 'prices: p.yaml\noutput: media\nlimits: { maxCost: 1 }\n')
  const { code, stdout } = await genrun(['plan', 'c.yaml', '--json'])
  expect(code).toBe(6)
  expect(JSON.parse(stdout)).toMatchObject({ output: at('media/c'), caps: { maxCost: 1 } })
  // The manifest goes before the settings, and the flag before all.
  write('c.yaml', `output: own\n${jobs}`)
  expect(JSON.parse((await genrun(['plan', 'c.yaml', '--json'])).stdout).output).toBe(at('own'))
  const flag = await genrun(['plan', 'c.yaml', '--json', '--output-folder', 'exact'])
  expect(JSON.parse(flag.stdout).output).toBe(at('exact'))
})

test('a plan says how long a run takes with so many at a time as settings and environment let it have', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const service = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const pictures = (count: number, of: string) =>
    `jobs:\n${Array.from({ length: count }, (_, nth) => `  p${nth}: { model: fama-imagine-image, prompt: ${of} ${nth} }\n`).join('')}`
  write('c.yaml', pictures(3, 'Tea'))
  expect((await genrun(['c.yaml'], service)).code).toBe(0)
  write('c.yaml', pictures(9, 'Snow'))
  const seconds = async (words: readonly string[] = [], env = {}) => {
    const { stdout } = await genrun(['plan', 'c.yaml', '--json', ...words], { ...service, ...env })
    return JSON.parse(stdout).expectedSeconds as number
  }
  const one = await seconds(['--execute', '1'])
  expect(one).toBeGreaterThan(1.5 * (await seconds()))
  expect(await seconds([], { GENRUN_EXECUTE: '1' })).toBe(one)
  write('genrun.config.yaml', 'limits: { execute: 1 }\n')
  expect(await seconds()).toBe(one)
})

test('wrong settings stop a command before it does anything, with the line', async () => {
  write('c.yaml', jobs)
  write('genrun.config.yaml', 'output: media\nbase_url: https://evil.example/gw-v2\n')
  const { code, stdout, stderr } = await genrun(['c.yaml', '--local', '--json'])
  expect(code).toBe(2)
  expect(stderr).toContain('genrun.config.yaml:2:1: error: `base_url` decides where the key is sent')
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    exit: 2,
    problems: [{ code: 'outside-only', line: 2 }],
  })
})

test('strict of the settings makes warnings fail', async () => {
  write('c.yaml', `defaults: { voiceId: x }\n${jobs}`)
  expect((await genrun(['validate', 'c.yaml'])).code).toBe(0)
  expect((await genrun(['validate', 'c.yaml'], { GENRUN_STRICT: '1' })).code).toBe(2)
})

test('more rebuys than the guard allows need a word', async () => {
  write('c.yaml', jobs)
  const env = { GENRUN_REBUY_GUARD: '0' }
  expect((await genrun(['c.yaml', '--local'], env)).code).toBe(0)
  write('c.yaml', jobs.replace('A teapot', 'A cup'))
  const plan = await genrun(['plan', 'c.yaml', '--local'], env)
  expect(plan.stderr).toContain('would be bought again')
  expect((await genrun(['plan', 'c.yaml', '--local'])).stderr).not.toContain('would be bought again')
})

test('settings shows every value and where it is from, and never the key', async () => {
  write('.config/genrun/config.yaml', 'baseUrl: https://host.example/gw-v2\napiKeyFile: key\n')
  write('.config/genrun/key', 'sk-verysecret\n')
  const { code, stdout } = await genrun(['settings'], { GENRUN_VERIFY: 'fail' })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^baseUrl +https:\/\/host\.example\/gw-v2 +~\/\.config\/genrun\/config\.yaml:1$/m)
  expect(stdout).toMatch(/^verify +fail +GENRUN_VERIFY$/m)
  expect(stdout).toMatch(/^the key +set, not shown +~\/\.config\/genrun\/config\.yaml:2$/m)
  const json = await genrun(['settings', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: true,
    key: { is: 'set' },
    files: ['~/.config/genrun/config.yaml'],
  })
  expect(stdout + json.stdout).not.toContain('verysecret')
})

test('settings with a mistake shows it, and what is right beside it', async () => {
  write('genrun.config.yaml', 'verify: fail\ncolour: never\n')
  const { code, stdout, stderr } = await genrun(['settings'])
  expect(code).toBe(2)
  expect(stdout).toMatch(/^verify +fail +genrun\.config\.yaml:1$/m)
  expect(stderr).toContain('genrun.config.yaml:2:1: error: there is no setting `colour` [unknown-key]')
  expect(stderr).toContain('did you mean color')
})

// `UPDATE=1` writes it anew.
test('the published schema is what the list of settings gives', () => {
  const [path, text] = publishedSettingsSchema()
  if (process.env.UPDATE === '1') writeFileSync(path, text)
  expect(readFileSync(path, 'utf8')).toBe(text)
})
