import { expect, test } from 'vitest'
import { modelIds, models } from '../../../src/catalog/index.ts'
import { builtIn } from '../../../src/catalog/model-set.ts'
import { candidates } from '../../../src/cli/completion/candidates.ts'
import { commands } from '../../../src/cli/declared/commands.ts'
import { formsOf } from '../../../src/cli/flags/option.ts'
import { options } from '../../../src/cli/flags/options.ts'
import { flagsOf } from '../../../src/forms/flags.ts'

const known = {
  commands,
  jobs: (manifest: string) => (manifest === 'c.yaml' ? ['hero', 'still', 'still[fox]', 'still[owl]'] : []),
  modelSet: builtIn,
  codes: () => ['bad-value', 'idle-axis'],
}

/** What may stand at the end of the line behind `genrun `. */
function at(line: string): string[] {
  return candidates(line.split(' '), known).map(({ word }) => word)
}

test('the first words of all commands come first', () => {
  const words = [...new Set(commands.map(({ name }) => name.split(' ')[0]))]
  expect(at('')).toEqual(words)
  expect(at('pri')).toEqual(['pricing'])
})

test.each([
  ['models ', ['info', 'fama', 'famb', 'famc', 't2v', 'i2v', 'v2v', 't2i', 'tts', 'i2i', 't2a', 'v2a']],
  ['lock ', ['merge']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['explain i', ['idle-axis']],
  ['graph c.yaml --form ', ['mermaid', 'dot']],
  ['convert c.yaml hero --to s', ['sdk']],
  ['verify c.yaml --allow ', ['stale', 'missing', 'altered', 'untracked']],
  ['plan c.yaml ', ['hero', 'still', 'still[fox]', 'still[owl]']],
  ['plan c.yaml hero still[', ['still[fox]', 'still[owl]']],
  ['plan c.yaml --tag x h', ['hero']],
  ['c.yaml st', ['still', 'still[fox]', 'still[owl]']],
  ['run c.yaml he', ['hero']],
  ['pick c.yaml he', ['hero']],
  ['plan other.yaml ', []],
  ['plan ', []],
  ['validate ', []],
  ['plan c.yaml --prices ', []],
  ['generate -m famc-v3 --ar ', ['16:9', '9:16', '1:1']],
  ['generate -m famc-v3 --ar=9', ['--ar=9:16']],
  ['graph c.yaml --form=m', ['--form=mermaid']],
  ['generate -m famc-v3 --aspect-ratio 1', ['16:9', '1:1']],
  ['generate -m famb-v3 --speed ', ['FLASH', 'TURBO', 'DEFAULT', 'QUALITY']],
  ['generate -m famc-v3 --start-frame ', []],
  ['generate -m famc-v3 -p ', []],
  ['generate --model=famc-t2a --du', ['--duration']],
  ['pricing famc-v3 --sp', ['--speed']],
  ['gen-ai ', ['generate', 'models', 'pricing']],
  ['gen-ai generate -m famc-v3 -d ', ['3', '5', '8', '10', '12', '15']],
])('behind `genrun %s` stand %j', (line, expected) => {
  expect(at(line)).toEqual(expected)
})

test.each(['generate -m ', 'generate --model ', 'models info ', 'pricing ', 'plan c.yaml -m ', 'schema '])(
  'behind `genrun %s` stand the ids of all models',
  line => {
    expect(at(line)).toEqual(modelIds)
  },
)

test.each(modelIds)('every flag of %s is offered, short and long', id => {
  const words = at(`generate -m ${id} -`)
  for (const { flag, longFlag } of flagsOf(models[id]))
    expect(words).toEqual(expect.arrayContaining([flag, longFlag]))
})

test('every long flag of every command is offered, and one that is given not again', () => {
  for (const { name, flags } of commands) {
    const words = at(`${name} --`)
    for (const flag of [...flags, 'noColor' as const])
      expect(words, `genrun ${name}`).toContain(formsOf(options[flag]).at(-1))
  }
  expect(at('plan c.yaml --local --lo')).toEqual([])
  expect(at('plan c.yaml --tag a --ta')).toEqual(['--tag'])
})
