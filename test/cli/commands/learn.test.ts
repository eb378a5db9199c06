import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exit } from '../../../src/base/exit.ts'
import { modelIds } from '../../../src/catalog/index.ts'
import { commands } from '../../../src/cli/declared/commands.ts'
import { main } from '../../../src/cli/main.ts'
import { toolsFor } from '../../../src/mcp/tools.ts'
import { fakeSurroundings } from '../fake.ts'

async function guide(): Promise<string> {
  const around = fakeSurroundings({})
  expect(await main(['learn'], around)).toBe(0)
  return around.stdout.text()
}

test('the guide is as written, but for its version', async () => {
  const golden = join(import.meta.dirname, '..', '..', 'golden', 'learn.md')
  const text = (await guide()).replace(/^# genrun .*/, '# genrun <version>')
  if (process.env.UPDATE) writeFileSync(golden, text)
  expect(text).toBe(readFileSync(golden, 'utf8'))
})

test('it names the version, every model, command, tool and exit code', async () => {
  const text = await guide()
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8'),
  )
  expect(text.startsWith(`# genrun ${version}\n`)).toBe(true)
  const owed = [
    ...modelIds.map(id => `- \`${id}\` (`),
    ...commands.map(({ name }) => `- \`genrun ${name}`),
    ...toolsFor().map(({ name }) => `- \`${name}\`: `),
    ...Object.values(exit).map(code => `\n- ${code}: `),
  ]
  expect(owed.filter(each => !text.includes(each))).toEqual([])
})

test('every manifest in it is valid without a warning', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-learn-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const manifests = [...(await guide()).matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text)
  expect(manifests).toHaveLength(2)
  for (const text of manifests) {
    writeFileSync(join(cwd, 'm.yaml'), text)
    const around = fakeSurroundings({ cwd })
    const code = await main(['validate', 'm.yaml', '--strict'], around)
    expect({ code, said: around.stderr.text() }).toMatchObject({ code: 0, said: '' })
  }
})

test('what it says of expressions is so', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-learn-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const functions = [...(await guide()).matchAll(/^- `([a-z]+\(.*\))`$/gm)].map(([, call = '']) => call)
  expect(functions.length).toBeGreaterThan(5)
  writeFileSync(join(cwd, 'style.md'), 'soft')
  const prompt = functions.map(call => `\${{ ${call} }}`).join(' ')
  const manifest = `vars: { colours: [red] }
jobs:
  still:
    matrix: { animal: [fox], ratio: ['1:1'] }
    model: fama-imagine-image
    count: 2
    prompt: \${{ job.id }} \${{ job.key }}
  one:
    model: famc-3.0-image
    prompt: a
    imageUrls: \${{ jobs.still['fox,1:1'].outputs }}
  two:
    model: famc-3.0-image
    prompt: a
    imageUrls: [ "\${{ jobs.still['fox,1:1'].outputs[1] }}" ]
  three:
    model: fama-tts
    prompt: ${JSON.stringify(prompt)}
`
  writeFileSync(join(cwd, 'm.yaml'), manifest)
  const around = fakeSurroundings({ cwd })
  const code = await main(['validate', 'm.yaml'], around)
  expect({ code, said: code === 0 ? '' : around.stderr.text() + around.stdout.text() }).toEqual({
    code: 0,
    said: '',
  })
})
