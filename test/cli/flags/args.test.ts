import { describe, expect, test } from 'vitest'
import { readArgs } from '../../../src/cli/flags/args.ts'
import type { Args } from '../../../src/cli/flags/arguments.ts'
import { commandGroups } from '../../../src/cli/usage/command-groups.ts'
import { commands, genrun } from '../../../src/cli/usage/usage.ts'

function read(line: string, files: readonly string[] = []): Args {
  return readArgs(line === '' ? [] : line.split(' '), path => files.includes(path))
}

const run = {
  do: 'run',
  manifest: 'campaign.yaml',
  noColour: false,
  json: false,
  output: undefined,
  local: false,
  failed: false,
  rebuy: false,
  execute: undefined,
  submit: undefined,
  talk: 'usual',
}
const selection = {
  selectors: [],
  vars: [],
  tags: [],
  models: [],
  changed: false,
  prices: undefined,
  maxCost: undefined,
  maxPaid: undefined,
  cache: undefined,
  cacheReadOnly: false,
  cacheBytes: undefined,
  redo: false,
  yes: false,
  frozen: false,
}
const validate = {
  do: 'validate',
  manifests: ['campaign.yaml'],
  vars: [],
  noColour: false,
  json: false,
  sarif: false,
  strict: false,
}

describe('a command line is read', () => {
  test.each<[string, object]>([
    ['campaign.yaml', run],
    ['run campaign.yaml', run],
    ['-- campaign.yaml', run],
    ['campaign.yaml --json', { ...run, json: true }],
    ['--json campaign.yaml', { ...run, json: true }],
    ['campaign.yaml --local --failed --rebuy', { ...run, local: true, failed: true, rebuy: true }],
    ['campaign.yaml -o out/here', { ...run, output: 'out/here' }],
    ['campaign.yaml --output=out/here', { ...run, output: 'out/here' }],
    ['campaign.yaml --execute 2 --submit=30', { ...run, execute: 2, submit: 30 }],
    ['campaign.yaml -q', { ...run, talk: 'quiet' }],
    ['campaign.yaml --verbose --no-color', { ...run, talk: 'verbose', noColour: true }],
    ['validate campaign.yaml', validate],
    [
      'validate a.yaml b.yaml - --var a=b=c',
      { ...validate, manifests: ['a.yaml', 'b.yaml', '-'], vars: ['a=b=c'] },
    ],
    ['explain idle-axis', { do: 'explain', code: 'idle-axis', noColour: false, json: false }],
    ['validate --strict campaign.yaml --json', { ...validate, strict: true, json: true }],
    ['models', { do: 'models', words: [], noColour: false, json: false }],
    ['models famc i2v --json', { do: 'models', words: ['famc', 'i2v'], noColour: false, json: true }],
    ['models info famc-v3 --json', { do: 'model-info', id: 'famc-v3', noColour: false, json: true }],
    ['serve', { do: 'serve', noColour: false, port: undefined, host: undefined, outputs: undefined }],
    [
      'serve --port 0 --host ::1 --outputs kept',
      { do: 'serve', noColour: false, port: 0, host: '::1', outputs: 'kept' },
    ],
    ['run --version', { do: 'version' }],
    ['campaign.yaml hero still', { ...run, selection: { ...selection, selectors: ['hero', 'still'] } }],
    [
      'campaign.yaml --tag a --tag b --max-paid 0 --max-cost 1.5 --cache c --cache-size 5GB --yes',
      {
        ...run,
        selection: {
          ...selection,
          tags: ['a', 'b'],
          maxPaid: 0,
          maxCost: 1.5,
          cache: 'c',
          cacheBytes: 5_000_000_000,
          yes: true,
        },
      },
    ],
    ['redo campaign.yaml hero', { ...run, selection: { ...selection, selectors: ['hero'], redo: true } }],
    [
      'pricing famc-v3 -d 10 --speed=pro --json',
      {
        do: 'pricing',
        noColour: false,
        id: 'famc-v3',
        flags: ['-d', '10', '--speed=pro'],
        prices: undefined,
        json: true,
      },
    ],
    ['lock merge a b c', { do: 'lock-merge', noColour: false, files: ['a', 'b', 'c'], install: false }],
  ])('genrun %s', (line, command) => {
    expect(read(line)).toEqual(command)
  })

  test('a word without dot or slash is a manifest when there is such a file', () => {
    expect(read('campaign', ['campaign'])).toMatchObject({ do: 'run', manifest: 'campaign' })
  })

  test('after the word run everything is a manifest', () => {
    expect(read('run campaign')).toMatchObject({ do: 'run', manifest: 'campaign' })
  })
})

describe('a command line that makes no sense is told what would', () => {
  test.each<[string, string, string | undefined]>([
    [
      '',
      'no manifest is given',
      '`genrun init` writes one to begin with; `genrun --help` shows what else there is',
    ],
    ['run', 'no manifest is given', 'for instance `genrun campaign.yaml`'],
    ['--local', 'no manifest is given', 'for instance `genrun campaign.yaml`'],
    ['validate --json', 'no manifest is given', 'for instance `genrun validate campaign.yaml`'],
    ['models info', 'no model is named', 'for instance `genrun models info fama-imagine-image`'],
    ['why a.yaml', 'no job is named', 'for instance `genrun why campaign.yaml hero`'],
    ['redo a.yaml', 'no job is named', 'for instance `genrun redo campaign.yaml hero`'],
    ['adopt a.yaml hero', 'no id of a run is given', 'for instance `genrun adopt tea.yaml clip r_81`'],
    ['apply', 'no saved plan is given', 'for instance `genrun apply saved.plan`'],
    ['profile check', 'no file is given', 'for instance `genrun profile check acme.profile.yaml`'],
    ['completion', 'no shell is named', 'for instance `eval "$(genrun completion bash)"`'],
    ['valdate campaign.yaml --strict', 'there is no command valdate', 'did you mean `genrun validate`?'],
    ['--json modles', 'there is no command modles', 'did you mean `genrun models`?'],
    [
      'paint',
      'there is no command paint',
      'a manifest is given by its path, for instance campaign.yaml; `genrun --help` lists the commands',
    ],
    ['help paints', 'there is no command paints', undefined],
    ['resume', 'there is no command resume', expect.stringContaining('`genrun campaign.yaml` goes on')],
    ['retry c.yaml', 'there is no command retry', expect.stringContaining('--failed')],
    ['clean c.yaml', 'there is no command clean', expect.stringContaining('genrun prune')],
    ['c.yaml --dry-run', 'unknown option --dry-run', expect.stringContaining('genrun plan')],
    ['c.yaml --concurrency 4', 'unknown option --concurrency', expect.stringContaining('--execute')],
    ['c.yaml --force', 'unknown option --force', expect.stringContaining('genrun redo')],
    ['campaign.yaml --jsn', 'unknown option --jsn', 'did you mean --json?'],
    ['serve --prt 80', 'unknown option --prt', 'did you mean --port?'],
    ['models --strict', 'unknown option --strict', 'add --help to see what there is'],
    [
      'campaign.yaml other.yaml',
      'other.yaml is a second manifest, and one run is about one',
      'behind the manifest stand jobs; run genrun once for each manifest',
    ],
    [
      'campaign.yaml -o',
      '-o, --output <folder> is given without its value',
      'add --help to see what there is',
    ],
    [
      'campaign.yaml --execute 0',
      '0 is no value for --execute <count>: it must be a whole number from 1 to 10000',
      undefined,
    ],
    [
      'serve --port 80x',
      '80x is no value for --port <port>: it must be a whole number from 0 to 65535',
      undefined,
    ],
    [
      'campaign.yaml -q -v',
      'option -q, --quiet cannot be used with option -v, --verbose',
      'add --help to see what there is',
    ],
    [
      'serve --key secret',
      'the key is not taken from the command line, where other users of the machine can read it',
      'set GENRUN_API_KEY, or GENRUN_API_KEY_FILE to a file that only you can read',
    ],
  ])('genrun %s', (line, message, hint) => {
    const command = read(line)
    expect(command).toMatchObject({ do: 'misused', message })
    if (hint !== undefined) expect(command).toHaveProperty('hint', hint)
  })

  test('the manifest of that name is offered before a command', () => {
    expect(read('serv', ['serv.yml'])).toMatchObject({ hint: 'did you mean the manifest serv.yml?' })
  })
})

describe('the declarations', () => {
  const all = [genrun, ...commands]

  test.each(all.flatMap(({ name, examples }) => examples.map(([line]) => [name, line] as const)))(
    'of %j give an example that is understood: %s',
    (_, line) => {
      const bare = line.replace(/^eval "\$\((.*)\)"$/, '$1').replace(/ (>|\|) .*$/, '')
      const words = bare.replace(/^(\w+=\w+ )*genrun ?/, '')
      expect(read(words).do).not.toBe('misused')
    },
  )

  test.each(all.map(usage => [usage.name, usage] as const))(
    'of %j have a help screen with examples first',
    (name, usage) => {
      const command = read(`${name} --help`.trim())
      const text = command.do === 'help' ? command.text : ''
      expect(text.split('\n').slice(0, 3)).toEqual([
        `${`genrun ${name}`.trim()}: ${usage.says}`,
        '',
        'Examples:',
      ])
      for (const { flags } of usage.options) expect(text).toContain(flags)
      expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    },
  )

  test('are all in the help of genrun, each once, but for words that only lead to others', () => {
    const names = commands.map(({ name }) => name)
    const leading = names.filter(
      name => !name.includes(' ') && names.some(each => each.startsWith(`${name} `)),
    )
    const grouped = commandGroups.flatMap(([, each]) => each)
    expect(grouped.toSorted()).toEqual(
      names.filter(name => name === 'models' || !leading.includes(name)).toSorted(),
    )
  })

  test('have an argument that is called by a word where it is missing', () => {
    // `gen-ai` without a word shows its help.
    for (const { name, args = '' } of commands.filter(each => each.name !== 'gen-ai'))
      for (const [, argument = ''] of args.matchAll(/^<(\w+)(?:\.{3})?>/g))
        expect(read(name), argument).toMatchObject({
          message: expect.stringMatching(/^no .* is (given|named)$/),
        })
  })

  test('name no flag twice in one command', () => {
    for (const { options } of all) {
      const flags = options.flatMap(option => option.flags.match(/--?[a-zA-Z-]+/g) ?? [])
      expect(flags).toEqual([...new Set(flags)])
    }
  })

  test('help of a command is the same asked either way', () => {
    expect(read('help models')).toEqual(read('models --help'))
  })
})
