import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askedHere, cases, expectGolden, folderOfCase, isAskedHere, masked } from './command-cases.ts'
import { type Ended, freshFolder, startGenrun } from './executable.ts'
import { steady } from './on-terminal.ts'

// What a script or a log gets of every command: nobody is there, both streams are pipes. `UPDATE=1` writes the texts in
// test/golden/piped anew.
const golden = join(import.meta.dirname, '../golden/piped')

/** Of commands that go on until they are stopped: what they say when they are ready. */
const ready: { readonly [line: string]: string } = {
  'watch campaign.yaml': 'watching ',
  'serve --port 0': 'can be seen at',
}

test.each(cases)('the texts of %s are as written', { timeout: 120_000 }, async (name, ...rest) => {
  const lines = rest as string[][] // what follows the name
  const cwd = folderOfCase()
  const said: string[] = []
  for (const words of lines) {
    const { code, stdout, stderr } = isAskedHere(words) ? await askedHere(words) : await piped(words, cwd)
    said.push(
      `$ genrun ${words.join(' ')}\n${part('stdout', stdout)}${part('stderr', stderr)}--- exit ${code}\n`,
    )
  }
  const text = masked(said.join('\n'), cwd)
  expect(text).not.toContain('\u001B')
  expectGolden(join(golden, `${name}.out`), text)
})

async function piped(words: readonly string[], cwd: string): Promise<Ended> {
  const { child, ended, shows } = startGenrun(words, { cwd })
  const wanted = ready[words.join(' ')]
  if (wanted !== undefined) {
    await Promise.any([shows('stdout', wanted), shows('stderr', wanted)])
    child.kill('SIGINT')
  }
  return ended
}

function part(stream: string, text: string): string {
  if (text === '') return ''
  return `--- ${stream}\n${steady(text.replace(/\n$/, '').split('\n')).join('\n')}\n`
}

test('every text that is written down belongs to a case', () => {
  expect(readdirSync(golden).toSorted()).toEqual(cases.map(([name]) => `${name}.out`).toSorted())
})

test.each([
  ['validate', ['validate', '-'], /<stdin> is valid: 9,000 jobs/],
  ['import', ['import', '--from', 'cli', '-'], /jobs:/],
])('two megabytes that come slowly are read whole by %s', async (_, words, expected) => {
  const job = (nth: number) =>
    `  j${nth}: { model: fama-imagine-image, prompt: A teapot ${nth} ${'on wet slate '.repeat(14)} }\n`
  const line = (nth: number) => `gen-ai generate -m fama-imagine-image -p 'A teapot ${nth}'\n`
  const text =
    words[0] === 'validate'
      ? `jobs:\n${Array.from({ length: 9000 }, (_, nth) => job(nth)).join('')}`
      : Array.from({ length: 40_000 }, (_, nth) => line(nth))
          .join('')
          .slice(0, 2_000_000)
          .replace(/\n[^\n]*$/, '\n')
  const { child, ended } = startGenrun(words, { cwd: freshFolder(), piped: true })
  for (let at = 0; at < text.length; at += 200_000) {
    child.stdin?.write(text.slice(at, at + 200_000))
    await new Promise(resolve => setTimeout(resolve, 40))
  }
  child.stdin?.end()
  const { code, stdout, stderr } = await ended
  expect([code, stderr.slice(0, 300)]).toEqual([0, expect.not.stringContaining('cannot be read')])
  expect(stdout).toMatch(expected)
})
