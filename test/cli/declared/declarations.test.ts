import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { builtIn } from '../../../src/catalog/model-set.ts'
import { candidates } from '../../../src/cli/completion/candidates.ts'
import { commands } from '../../../src/cli/declared/commands.ts'
import type { FlagOption } from '../../../src/cli/flags/given.ts'
import { formOf, formsOf, longName, type Option } from '../../../src/cli/flags/option.ts'
import { options } from '../../../src/cli/flags/options.ts'
import { main } from '../../../src/cli/main.ts'
import { helpText } from '../../../src/cli/parser/help.ts'
import { readArgs } from '../../../src/cli/parser/read-args.ts'
import { settingsDeclared } from '../../../src/cli/settings/declared.ts'
import { withSettings } from '../../../src/cli/settings/fill.ts'
import { settingsSchema } from '../../../src/cli/settings/schema.ts'
import { openSettings } from '../../../src/cli/settings/settle.ts'
import { fakeSurroundings } from '../fake.ts'

const home = mkdtempSync(join(tmpdir(), 'genrun-declared-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const all = Object.entries<Option>(options)
const flags = all.filter(([, { flag }]) => flag !== undefined)
const used = new Set<string>(commands.flatMap(command => command.flags))

/** A value that an option takes, as it is written. */
function sample(option: Option): string {
  const form = formOf(option)
  switch (form.is) {
    case 'switch':
      return 'true'
    case 'choice':
      return form.values[0] ?? ''
    case 'count':
      return String(form.least)
    case 'amount':
      return '12.50'
    case 'size':
      return '5GB'
    case 'date':
      return '2026-01-31'
    case 'shard':
      return '3/16'
    case 'variables':
      return 'season=winter'
    case 'address':
      return 'https://media.example/gw-v2'
    default:
      return 'some'
  }
}

/** A line of a command with all arguments that it needs. */
function lineOf(command: (typeof commands)[number]): string[] {
  const words = [...(command.arguments ?? '').matchAll(/<(\w+)/g)].map(([, name = '']) => `./${name}`)
  return [...command.name.split(' '), ...words]
}

describe('every option', () => {
  test.each(flags)('%s is a flag of some command, and has one long name', (name, option) => {
    expect(name === 'noColor' || used.has(name)).toBe(true)
    expect(formsOf(option).filter(form => form.startsWith('--'))).toEqual([`--${longName(option)}`])
  })

  test.each(all.filter(([, option]) => option.not ?? option.about))(
    '%s names another that there is',
    (_, option) => expect(Object.keys(options)).toContain(option.not ?? option.about),
  )

  test('that no flag and no setting has says nothing, and is not there', () => {
    expect(all.filter(([, { flag, setting }]) => flag === undefined && setting === undefined)).toEqual([])
  })

  test.each(settingsDeclared)(
    '$name is in `genrun settings`, the schema, and heard from its variable',
    async declared => {
      const { name, option, variable, builtIn: usual } = declared
      const section = name.split('.').map(part => ['properties', part])
      expect(settingsSchema()).toHaveProperty([...section.flat(), 'description'].join('.'))
      const around = fakeSurroundings({ cwd: home })
      expect(await main(['settings'], around)).toBe(0)
      expect(around.stdout.text()).toMatch(new RegExp(`^${name.replace('.', '\\.')} `, 'm'))
      if (variable === undefined) return
      const value = (await openSettings(home, { [variable]: sample(options[option]) })).given(name)
      expect(value).not.toBe(undefined)
      expect(value).not.toBe(usual === 'warn' ? undefined : usual)
    },
  )
})

describe.each(commands.map(command => [command.name, command] as const))('%s', (name, command) => {
  const own = [...command.flags, 'noColor'] as const

  test('has every option that it declares in its help and in completion', () => {
    const text = helpText(command)
    const known = { commands, modelSet: builtIn, jobs: () => [], codes: () => [] }
    const offered = candidates([...name.split(' '), '--'], known).map(({ word }) => word)
    for (const flag of own) {
      expect(text).toContain(options[flag].flag)
      expect(offered).toContain(`--${longName(options[flag])}`)
    }
  })
})

// Words that lead to others take nothing but the next; those of two are not for the usual parser.
const usual = commands.filter(({ name, isLeading }) => !isLeading && !['generate', 'gen-ai'].includes(name))

test.each(usual.map(command => [command.name, command] as const))(
  '%s reads what it declares by the form of each option, and nothing else',
  (name, command) => {
    const own = [...command.flags, 'noColor'] as const
    for (const flag of own) {
      const words = [...lineOf(command), `--${longName(options[flag])}`]
      const value = formOf(options[flag]).is === 'switch' ? [] : [sample(options[flag])]
      const asked = readArgs([...words, ...value, ...decisionOf(name, flag)], () => true)
      expect(asked, words.join(' ')).toMatchObject({ do: 'command', args: { [flag]: expect.anything() } })
      if (asked.do === 'command') expect([undefined, false], flag).not.toContain(asked.args[flag])
    }
    // Commander hears those of `models` behind `models info`, too.
    const above = commands.filter(each => name.startsWith(`${each.name} `)).flatMap(each => each.flags)
    const declared = new Set([...above, ...own].map(flag => longName(options[flag])))
    const strange = flags.filter(([, option]) => !declared.has(longName(option)))
    if (command.anyFlags) return
    for (const [, option] of strange)
      expect(
        readArgs([...lineOf(command), `--${longName(option)}`, ...decisionOf(name)], () => true),
      ).toMatchObject({
        do: 'misused',
        message: `unknown option --${longName(option)}`,
      })
  },
)

/** `resolve` wants to know what became of the orders. */
function decisionOf(name: string, flag?: FlagOption): string[] {
  const isDecision = flag === 'adopt' || flag === 'resubmit' || flag === 'abandon'
  return name === 'resolve' ? ['--all-doubts', ...(isDecision ? [] : ['--abandon'])] : []
}

describe('what the settings say', () => {
  const given = (values: { [name: string]: string | number | boolean | string[] }) => ({
    given: (name: string) => values[name],
  })

  test.each<[string, object, Parameters<typeof given>[0], object]>([
    ['fills what no flag says', {}, { profile: 'p', 'limits.submit': 3 }, { profile: 'p', submit: 3 }],
    ['gives way to a flag', { profile: 'mine' }, { profile: 'p' }, { profile: 'mine' }],
    [
      'lowers a cap, and lifts none',
      { maxPaid: 5, maxCost: 1 },
      { 'limits.maxPaid': 3, 'limits.maxCost': 2 },
      { maxPaid: 3, maxCost: 1 },
    ],
    ['gives way to a flag that is a list', { catalog: ['b'] }, { catalog: ['a'] }, { catalog: ['b'] }],
    ['switches on', { strict: false }, { strict: true }, { strict: true }],
    ['switches nothing off', { strict: true }, { strict: false }, { strict: true }],
    [
      'about a cache is about that of the settings',
      { cache: 'c', cacheReadOnly: false },
      { cache: 'theirs', cacheReadOnly: true, cacheSize: 9 },
      { cache: 'c', cacheReadOnly: false },
    ],
    [
      'about the service goes by the environment',
      {},
      { ca: 'ca.pem', baseUrl: 'https://a.example/gw-v2' },
      {},
    ],
  ])('%s', (_, args, settings, filled) => {
    const defined = Object.entries(withSettings(args, given(settings))).filter(
      ([, value]) => value !== undefined,
    )
    expect(Object.fromEntries(defined)).toEqual(filled)
  })
})
