import { describe, expect, test } from 'vitest'
import { problemRecord } from '../../../src/base/diagnostic.ts'
import { settingsDeclared } from '../../../src/cli/settings/declared.ts'
import { declaredIn, readSettings } from '../../../src/cli/settings/read.ts'

function read(text: string, of: 'project' | 'user' = 'project', root?: string) {
  const within = root !== undefined && { root }
  const file = { name: 's.yaml', text }
  const { value, problems } = readSettings({ file, folder: '/p', of, ...within })
  const told = problems.map(problemRecord).map(({ line, column, code, message, hint }) => {
    return `${line}:${column} ${message} [${code}]${hint ? ` (${hint})` : ''}`
  })
  return { values: Object.fromEntries((value ?? []).map(each => [each.name, each.value])), told }
}

test('every kind of value is read; paths count from the folder of the file', () => {
  const text = `
profile: acme.yaml
output: ../media
catalog: [models/a.yaml, /m/b.yaml]
cacheSize: 5GB
cacheReadOnly: true
verify: off
color: never
limits: { execute: 2, maxCost: 12.5 }
x-ours: anything
`
  expect(read(text, 'user')).toEqual({
    values: {
      profile: '/p/acme.yaml',
      output: '/media',
      catalog: ['/p/models/a.yaml', '/m/b.yaml'],
      cacheSize: 5e9,
      cacheReadOnly: true,
      verify: 'off',
      color: 'never',
      'limits.execute': 2,
      'limits.maxCost': 12.5,
    },
    told: [],
  })
})

test.each([
  ['outptu: x', '1:1 there is no setting `outptu` [unknown-key] (did you mean output)'],
  ['maxCost: 3', '1:1 there is no setting `maxCost` [unknown-key] (did you mean limits.maxCost)'],
  [
    'limits: { maxpaid: 3 }',
    '1:11 there is no setting `limits.maxpaid` [unknown-key] (did you mean maxPaid)',
  ],
  ['limits: 4', '1:9 `limits` is a mapping [wrong-type] (for instance `limits: { maxPaid: 20 }`)'],
  ['limits:\n  execute: 0', '2:12 `limits.execute` is a whole number from 1 to 10000 [bad-setting]'],
  [
    'limits: { maxCost: cheap }',
    '1:20 `limits.maxCost` is an amount from 0 [bad-setting] (for instance 12.50)',
  ],
  ['strict: yes', '1:9 `strict` is true or false [bad-setting]'],
  ['verify: warm', '1:9 `verify` is warn, fail or off [bad-setting] (did you mean warn)'],
  ['output:', '1:1 `output` is a path [bad-setting]'],
  ['- output', '1:1 settings are a mapping [not-settings] (for instance `output: media`)'],
])('%s is told with its place', (text, expected) => {
  expect(read(text)).toEqual({ values: {}, told: [expected] })
})

test('a size is told with its place', () => {
  expect(read('cacheSize: big', 'user').told).toEqual([
    '1:12 `cacheSize` is a size [bad-setting] (for instance 500MB or 5GB)',
  ])
})

test.each([
  ['catalog: [models.yaml, ../outside.yaml]', 'catalog', '1:10'],
  ['profile: /etc/passwd', 'profile', '1:10'],
  ['prices: a/../../b.yaml', 'prices', '1:9'],
  ['output: ../out', 'output', '1:9'],
])('a path that leads out of the project is not taken from it: %s', (text, name, at) => {
  expect(read(text, 'project', '/p').told).toEqual([
    expect.stringMatching(
      `^${at} \`${name}\` leads out of the project, and is not taken from it \\[outside-project\\]`,
    ),
  ])
  expect(read(text, 'project', '/').told).toEqual([])
  expect(read(text, 'user').told).toEqual([])
})

test('a cache is a folder by its path or its address, or a bucket', () => {
  const [path, address] = ['cache: /mnt/results', 'cache: file:///mnt/results'].map(text =>
    read(text, 'user'),
  )
  expect(address).toEqual(path)
  expect(read('cache: s3://results/team/', 'user').told).toEqual([])
  for (const wrong of ['https://host/results', "''", '7'])
    expect(read(`cache: ${wrong}`, 'user').told).toEqual([
      '1:8 `cache` is a folder or a bucket [bad-setting] (for instance /mnt/results or s3://results/team)',
    ])
})

test.each(['cache: .', 'cacheSize: 1GB'])(
  'a project does not say %s, which could empty a folder of others',
  text => {
    expect(read(text).told.join()).toMatch(
      /decides what is written and thrown away outside of the project.*\[outside-only\]/,
    )
    expect(read(text, 'user').told).toEqual([])
  },
)

test.each(['baseUrl', 'base_url', 'base-url', 'endpoint', 'apiKeyFile', 'uploadOrigins', 'allowHosts', 'ca'])(
  'a project does not say %s, which decides where the key goes',
  name => {
    const { values, told } = read(`output: o\n${name}: https://evil.example/gw-v2`)
    expect(values).toEqual({ output: '/p/o' })
    expect(told).toEqual([
      `2:1 \`${name}\` decides where the key is sent, so it is not taken from a project [outside-only] ` +
        '(set it in your own settings or in the environment; `genrun settings` names both)',
    ])
  },
)

test.each(['key', 'apiKey', 'api_key', 'API-KEY', 'token'])('no file holds the key itself, as %s', name => {
  const inProject = read(`${name}: sk-verysecret`).told.join()
  expect(inProject).toContain('a key is never kept in a project, where others read it [key-in-project]')
  const own = read(`${name}: sk-verysecret`, 'user').told.join()
  expect(own).toContain('the key itself stands in a file of its own [key-in-settings]')
  expect(inProject + own).not.toContain('verysecret')
})

test("the user's own settings name the service", () => {
  const text = 'baseUrl: https://host.example/gw-v2\napiKeyFile: key\nallowHosts: [a.example, b.example]'
  expect(read(text, 'user')).toEqual({
    values: {
      baseUrl: 'https://host.example/gw-v2',
      apiKeyFile: '/p/key',
      allowHosts: ['a.example', 'b.example'],
    },
    told: [],
  })
  expect(read('baseUrl: ftp://x', 'user').told).toEqual([
    expect.stringMatching(/^1:10 `baseUrl` is not an http or https address \[bad-setting\]/),
  ])
})

test.each(['', '\n\n', '# nothing yet\n', '{}'])('%j sets nothing and is fine', text => {
  expect(read(text)).toEqual({ values: {}, told: [] })
})

test('$import of the configuration library means nothing', () => {
  expect(read('$import: other.yaml').told).toEqual([expect.stringContaining('there is no setting `$import`')])
})

test('no two settings share a name, a variable or a flag; what decides about the key is never from a project', () => {
  for (const each of ['name', 'variable', 'flag'] as const) {
    const all = settingsDeclared.flatMap(setting => setting[each] ?? [])
    expect(new Set(all).size).toBe(all.length)
  }
  expect(settingsDeclared.filter(({ outside }) => outside).map(({ name }) => name)).toEqual([
    'baseUrl',
    'apiKeyFile',
    'uploadOrigins',
    'keyInQuery',
    'allowHosts',
    'ca',
    'trust',
    'cache',
    'cacheSize',
    'publish',
  ])
})

describe('services', () => {
  function services(text: string) {
    const file = { name: 's.yaml', text }
    const { value, problems } = declaredIn({ file, folder: '/p', of: 'user', home: '/home/me' })
    return {
      value: value?.services,
      told: problems
        .map(problemRecord)
        .map(({ line, column, message, code }) => `${line}:${column} ${message} [${code}]`),
    }
  }

  test("of one's own are read, with paths from the folder of the file or from home", () => {
    const text = `services:
  studio:
    baseUrl: https://studio.example
    apiKeyFile: ~/.studio-key
    profile: studio.profile.yaml
    uploadOrigins: https://eu.studio.example
    limits: { submit: 2, maxPaid: 20, maxCost: 1.5 }
  speech: { baseUrl: 'https://speech.example', apiKeyVariable: SPEECH_KEY }
`
    expect(services(text)).toEqual({
      value: [
        {
          name: 'studio',
          baseUrl: 'https://studio.example',
          apiKeyFile: '/home/me/.studio-key',
          profile: '/p/studio.profile.yaml',
          uploadOrigins: ['https://eu.studio.example'],
          limits: { submit: 2, maxPaid: 20, maxCost: 1.5 },
        },
        { name: 'speech', baseUrl: 'https://speech.example', apiKeyVariable: 'SPEECH_KEY' },
      ],
      told: [],
    })
    expect(read(text, 'user').told).toEqual([])
  })

  test('of a project are refused: they decide where keys go', () => {
    expect(read('services: { studio: { baseUrl: https://me.example, apiKeyFile: /etc/key } }').told).toEqual([
      '1:1 `services` decides where the key is sent, so it is not taken from a project [outside-only] (set it in your own settings or in the environment; `genrun settings` names both)',
    ])
  })

  test.each([
    ['services: studio', '1:11 `services` is a mapping from names to services [wrong-type]'],
    ['services: { studio: https://s.example }', '1:21 the service studio is a mapping [wrong-type]'],
    [
      'services: { Studio: { baseUrl: https://s.example, apiKeyFile: k } }',
      '1:13 the name of a service is one word of lower case letters, digits, `-` and `_` [bad-setting]',
    ],
    ['services: { studio: { apiKeyFile: k } }', '1:13 the service studio has no `baseUrl` [bad-setting]'],
    [
      'services: { studio: { baseUrl: https://s.example } }',
      '1:13 the service studio has no key [bad-setting]',
    ],
    [
      'services: { studio: { baseUrl: https://s.example, apiKeyFile: k, apiKeyVariable: K } }',
      '1:13 the service studio has two keys [bad-setting]',
    ],
    [
      'services: { studio: { baseUrl: https://s.example, apiKey: abc } }',
      '1:51 the key itself stands in a file of its own [key-in-settings]',
    ],
    [
      'services: { studio: { baseUrl: https://s.example, apiKeyFile: k, limits: 3 } }',
      '1:74 `limits` is a mapping [wrong-type]',
    ],
    [
      'services: { studio: { baseUrl: https://s.example, apiKeyFile: k, limits: { maxPaid: many } } }',
      '1:85 `maxPaid` is a whole number from 0 to 999999 [bad-setting]',
    ],
    [
      'services: { studio: { baseUrl: https://s.example, apiKeyFile: k, profil: x } }',
      '1:66 a service has no `profil` [unknown-key]',
    ],
    [
      'services: { studio: { baseUrl: http://s.example, apiKeyFile: k } }',
      expect.stringContaining('`baseUrl`'),
    ],
  ])('%s is told', (text, told) => {
    expect(services(text)).toEqual({ value: [], told: [told] })
  })
})

describe('gates', () => {
  const gates = (text: string) => {
    const file = { name: 's.yaml', text }
    const { value, problems } = declaredIn({ file, folder: '/p', of: 'user', home: '/home/me' })
    return [...(value?.gates ?? []), ...problems.map(({ message }) => message)]
  }

  test("of one's own are programs, as seen from the file's folder or from home, or addresses", () => {
    expect(gates('gates: { brand: ./check, faces: ~/bin/faces, x-note: 1 }')).toEqual([
      { name: 'brand', program: '/p/check' },
      { name: 'faces', program: '/home/me/bin/faces' },
    ])
    expect(gates('gates: { a: http://127.0.0.1:8000/check, b: "https://host/c?v=2" }')).toEqual([
      { name: 'a', url: 'http://127.0.0.1:8000/check' },
      { name: 'b', url: 'https://host/c?v=2' },
    ])
    expect(read('gates: { brand: ./check }', 'user').told).toEqual([])
  })

  test('are refused where they are none', () => {
    expect(gates('gates: ./check')).toEqual(['`gates` is a mapping from names to programs or addresses'])
    expect(gates('gates: { blank: ./check }')).toEqual(["blank is a look of genrun's own"])
    expect(gates('gates: { brand: [./check] }')).toEqual([
      'the gate brand is the path of a program, or an address',
    ])
    expect(gates('gates: { a: http://host/check, b: https://me:pw@host, c: ftp://host/c }')).toEqual([
      'the address of the gate a must begin with https://, because host is not this machine',
      'the address of the gate b holds a user name or a password',
      'the address of the gate c is not an http or https address',
    ])
  })

  test('of a project are known where they stand, and lie in it', () => {
    expect(read('gates: { brand: ./check }').told).toEqual([])
    const theirs = (text: string, section?: string) => {
      const file = { name: 's.yaml', text }
      const { value, problems } = declaredIn({
        file,
        folder: '/p/deep',
        of: 'project',
        root: '/p',
        ...(section !== undefined && { section }),
      })
      return [...(value?.gates ?? []), ...problems.map(({ message }) => message)]
    }
    const inside = [{ name: 'brand', program: '/p/check' }]
    expect(theirs('gates: { brand: ../check }')).toEqual(inside)
    expect(theirs('{ "genrun": { "gates": { "brand": "../check" } } }', 'genrun')).toEqual(inside)
    for (const out of ['../../check', '/bin/rm', '~/../../../x'])
      expect(theirs(`gates: { brand: ${out} }`)).toEqual(['the gate brand leads out of the project'])
    expect(theirs('gates: { a: http://host/check }')).toHaveLength(1)
  })
})
