import { describe, expect, test } from 'vitest'
import { commands, genrun, groups } from '../../../src/cli/declared/commands.ts'
import { formsOf } from '../../../src/cli/flags/option.ts'
import { options } from '../../../src/cli/flags/options.ts'
import type { AskedLine } from '../../../src/cli/parser/asked.ts'
import { readArgs } from '../../../src/cli/parser/read-args.ts'

function read(line: string, files: readonly string[] = []): AskedLine {
  return readArgs(line === '' ? [] : line.split(' '), path => files.includes(path))
}

/** What a line comes to: the command, and the options that are neither blank nor absent. */
function given(line: string): readonly [command: string, args: object] {
  const asked = read(line)
  if (asked.do !== 'command') return [asked.do, {}]
  const isBlank = (value: unknown) =>
    value === undefined || value === false || (Array.isArray(value) && value.length === 0)
  return [
    asked.command.name,
    Object.fromEntries(Object.entries(asked.args).filter(([, value]) => !isBlank(value))),
  ]
}

const manifest = 'campaign.yaml'

describe('a command line is read', () => {
  test.each<[line: string, command: string, args: object]>([
    ['campaign.yaml', 'run', { manifest }],
    ['run campaign.yaml', 'run', { manifest }],
    ['-- campaign.yaml', 'run', { manifest }],
    ['campaign.yaml --json', 'run', { manifest, json: true }],
    ['--json campaign.yaml', 'run', { manifest, json: true }],
    ['campaign.yaml --local --failed --rebuy', 'run', { manifest, local: true, failed: true, rebuy: true }],
    ['campaign.yaml -o out/here', 'run', { manifest, output: 'out/here' }],
    ['campaign.yaml --output=out/here', 'run', { manifest, output: 'out/here' }],
    ['campaign.yaml --execute 2 --submit=30', 'run', { manifest, execute: 2, submit: 30 }],
    ['campaign.yaml -q', 'run', { manifest, quiet: true }],
    ['campaign.yaml --verbose --no-color', 'run', { manifest, verbose: true, noColor: true }],
    ['validate campaign.yaml', 'validate', { manifests: [manifest] }],
    [
      'validate a.yaml b.yaml - --var a=b=c',
      'validate',
      { manifests: ['a.yaml', 'b.yaml', '-'], vars: ['a=b=c'] },
    ],
    ['explain idle-axis', 'explain', { code: 'idle-axis' }],
    [
      'validate --strict campaign.yaml --json',
      'validate',
      { manifests: [manifest], strict: true, json: true },
    ],
    ['models', 'models', {}],
    ['models famc i2v --json', 'models', { words: ['famc', 'i2v'], json: true }],
    ['models info famc-v3 --json', 'models info', { id: 'famc-v3', json: true }],
    ['serve', 'serve', {}],
    ['serve --port 0 --host ::1 --outputs kept', 'serve', { port: 0, host: '::1', served: 'kept' }],
    ['run --version', 'version', {}],
    ['campaign.yaml hero still', 'run', { manifest, jobs: ['hero', 'still'] }],
    [
      'campaign.yaml --tag a --tag b --max-paid 0 --max-cost 1.5 --cache c --cache-size 5GB --yes',
      'run',
      {
        manifest,
        tags: ['a', 'b'],
        maxPaid: 0,
        maxCost: 1.5,
        cache: 'c',
        cacheSize: 5_000_000_000,
        yes: true,
      },
    ],
    ['redo campaign.yaml hero', 'redo', { manifest, jobs: ['hero'] }],
    [
      'pricing famc-v3 -d 10 --speed=pro --json',
      'pricing',
      { id: 'famc-v3', flags: ['-d', '10', '--speed=pro'], json: true },
    ],
    ['lock merge a b c', 'lock merge', { files: ['a', 'b', 'c'] }],
    [
      'resolve campaign.yaml --after 2026-01-31 --abandon',
      'resolve',
      { manifest, after: Date.UTC(2026, 0, 31), abandon: true },
    ],
    [
      'plan campaign.yaml -o saved --output-folder away',
      'plan',
      { manifest, outputFile: 'saved', outputFolder: 'away' },
    ],
  ])('genrun %s', (line, command, args) => {
    expect(given(line)).toEqual([command, args])
  })

  test('a word without dot or slash is a manifest when there is such a file', () => {
    expect(read('campaign', ['campaign'])).toMatchObject({ do: 'command', args: { manifest: 'campaign' } })
  })

  test('after the word run everything is a manifest', () => {
    expect(given('run campaign')).toEqual(['run', { manifest: 'campaign' }])
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
    [
      'pick a.yaml',
      'no take is named',
      'for instance `genrun pick campaign.yaml hero#2`; `genrun audit campaign.yaml` lists what there is',
    ],
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
    ['models --stricter', 'unknown option --stricter', 'add --help to see what there is'],
    ['audit c.yaml --csvs', 'unknown option --csvs', 'did you mean --csv?'],
    [
      'plan c.yaml --trust',
      'unknown option --trust',
      '--trust is for run, work, apply, redo, review and mcp',
    ],
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
      'campaign.yaml --cache=',
      'an empty text is no value for --cache <place>: it must be a folder or a bucket, for instance /mnt/results or s3://results/team',
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
    ['tea.yaml --max-paid 1 --max-paid 2', '--max-paid is given twice', '--max-paid takes one value'],
    ['tea.yaml -o a --output=b', '--output is given twice', '--output takes one value'],
    ['tea.yaml --max-cost 1 --max-cost 1', '--max-cost is given twice', '--max-cost takes one value'],
    ['tea.yaml --var brand=A --var brand=B', '--var brand is given twice', 'a variable has one value'],
  ])('genrun %s', (line, message, hint) => {
    const command = read(line)
    expect(command).toMatchObject({ do: 'misused', message })
    if (hint !== undefined) expect(command).toHaveProperty('hint', hint)
  })

  test('a flag of one value that is given twice has a code of its own', () => {
    for (const line of ['tea.yaml -o a -o b', 'generate -m famc-v3 -o a -o b'])
      expect(read(line)).toMatchObject({ do: 'misused', code: 'duplicate-flag' })
  })

  test('one variable may be given the same value twice, and several their own', () => {
    expect(given('tea.yaml --var a=1 --var a=1 --var b=2')).toEqual([
      'run',
      { manifest: 'tea.yaml', vars: ['a=1', 'a=1', 'b=2'] },
    ])
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
      for (const flag of usage.flags) expect(text).toContain(options[flag].flag)
      expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    },
  )

  test('are all in the help of genrun, each once, but for words that only lead to others', () => {
    const names = commands.map(({ name }) => name)
    const leading = names.filter(
      name => !name.includes(' ') && names.some(each => each.startsWith(`${name} `)),
    )
    const grouped = groups.flatMap(([, each]) =>
      each.flatMap(({ name, isLeading }) => (isLeading ? [] : name)),
    )
    expect(grouped.toSorted()).toEqual(
      names.filter(name => name === 'models' || !leading.includes(name)).toSorted(),
    )
  })

  test('have an argument that is called by a word where it is missing', () => {
    // `gen-ai` without a word shows its help.
    for (const { name, arguments: args = '' } of commands.filter(each => each.name !== 'gen-ai'))
      for (const [, argument = ''] of args.matchAll(/^<(\w+)(?:\.{3})?>/g))
        expect(read(name), argument).toMatchObject({
          message: expect.stringMatching(/^no .* is (given|named)$/),
        })
  })

  test('name no flag twice in one command', () => {
    for (const { flags } of all) {
      const forms = flags.flatMap(flag => formsOf(options[flag]))
      expect(forms).toEqual([...new Set(forms)])
    }
  })

  test('help of a command is the same asked either way', () => {
    expect(read('help models')).toEqual(read('models --help'))
  })
})
