import { expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from './fake.ts'

async function genrun(line: string) {
  const around = fakeSurroundings({ cwd: import.meta.dirname })
  const code = await main(line.split(' '), around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

// A program that reads JSON must not fail in its parser.
test.each([
  ['run m.yaml --json --bogus', 'usage', 'unknown option --bogus'],
  ['m.yaml --bogus --json', 'usage', 'unknown option --bogus'],
  ['run m.yaml --max-paid x --json', 'usage', 'x is no value for --max-paid'],
  ['run m.yaml --output a --output b --json', 'duplicate-flag', '--output is given twice'],
  ['plan --json', 'usage', 'no manifest is given'],
  ['pick m.yaml --json', 'usage', 'no take is named'],
  ['runn --json', 'usage', 'there is no command runn'],
  ['models --family nope --json', 'usage', 'nope'],
  ['models info nope --json', 'unknown-model', 'there is no model nope'],
  ['explain nope --json', 'usage', 'nope'],
  ['verify m.yaml --allow nope --json', 'bad-drift', 'there is no drift nope'],
  ['validate - --json', 'usage', ''],
])('%s tells its refusal as JSON, too', async (line, code, message) => {
  const told = await genrun(line)
  expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining(`[${code}]`) })
  const { error, ...rest } = JSON.parse(told.stdout)
  expect(rest).toEqual({ ok: false, exit: 2 })
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
  expect(Object.keys(error).filter(name => !['code', 'message', 'hint'].includes(name))).toEqual([])
  // What a person reads is the same without it.
  expect((await genrun(line.replace(' --json', ''))).stderr).toBe(told.stderr)
})

test.each([
  ['run m.yaml --bogus'],
  ['run m.yaml --bogus -- --json'],
  ['graph m.yaml --json'],
  ['completion fish fish --json'],
])('%s prints nothing', async line => {
  expect(await genrun(line)).toMatchObject({ code: 2, stdout: '' })
})
