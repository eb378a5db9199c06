import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from './fake.ts'

// Each case is two files: `<name>.cmd` with command lines and `<name>.out` with what they print, piped. `UPDATE=1` writes
// the second anew. The commands of a case run in one fresh folder with a copy of `files/`.
const golden = join(import.meta.dirname, '..', 'golden', 'cli')
const cases = readdirSync(golden).flatMap(name => /^(.*)\.cmd$/.exec(name)?.[1] ?? [])
const home = mkdtempSync(join(tmpdir(), 'genrun-cli-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

test.each(cases)('the transcript of %s is as written', async name => {
  const folder = join(home, name)
  mkdirSync(folder)
  cpSync(join(golden, 'files'), folder, { recursive: true })
  const lines = readFileSync(join(golden, `${name}.cmd`), 'utf8')
    .trim()
    .split('\n')
  const said: string[] = []
  for (const line of lines) said.push(await transcript(line, folder))
  const text = said.join('\n')
  const expected = join(golden, `${name}.out`)
  if (process.env.UPDATE) writeFileSync(expected, text)
  expect(text).toBe(readFileSync(expected, 'utf8'))
})

test('there is a transcript for every command', () => {
  const all = cases.map(name => readFileSync(join(golden, `${name}.cmd`), 'utf8')).join('\n')
  for (const command of ['validate', 'models', 'models info', 'serve --help', 'campaign.yaml', 'run'])
    expect(all).toContain(`genrun ${command}`)
})

/** Runs `NAME=value … genrun words…` and writes down everything that can be seen of it. */
async function transcript(line: string, cwd: string): Promise<string> {
  const words = line.split(' ')
  const start = words.indexOf('genrun')
  const env = Object.fromEntries(words.slice(0, start).map(word => word.split('=') as [string, string]))
  const around = fakeSurroundings({ env, cwd, clock: systemClock })
  const code = await main(words.slice(start + 1), around)
  const parts = [
    `$ ${line}`,
    section('stdout', around.stdout.text()),
    section('stderr', around.stderr.text()),
  ]
  return `${parts.join('')}--- exit ${code}\n`
}

function section(name: string, text: string): string {
  return text === ''
    ? name === 'stdout'
      ? '\n'
      : ''
    : `${name === 'stdout' ? '\n' : ''}--- ${name}\n${steady(text)}`
}

/** What differs from run to run is written as what it is. */
function steady(text: string): string {
  return text
    .replaceAll(/\+\d+\.\ds/g, '+0.0s')
    .replaceAll(/\b\d+\.\d s\b/g, '0.0 s')
    .replaceAll(/\b\d+(\.\d)? [kM]B\b/g, '0 kB')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/"(bytes|seconds)": [\d.]+/g, '"$1": 0')
    .replaceAll(/sha256:[0-9a-f]{64}/g, '<digest>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z/g, '<date>')
    .replaceAll(/"since": \d+/g, '"since": 0')
    .replaceAll(home, '<home>')
}
