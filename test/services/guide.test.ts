import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { blocksOf, textOf } from '../docs/pages.ts'
import { begin } from './double.ts'
import { shapes } from './shapes.ts'

/** The lines of the last step, as they stand on the page. */
function lines(): { readonly names: readonly string[]; readonly command: string } {
  const step = blocksOf(textOf('docs/services.md')).find(({ body }) => body.includes('export '))?.body ?? ''
  const names = [...step.matchAll(/^export (\w+)=/gm)].map(match => match[1] ?? '')
  return { names, command: /^genrun (.*)$/m.exec(step)?.[1] ?? expect.fail('no command') }
}

// What only needs genrun itself is lived by test/docs; here is the service that the page speaks of.
test('the guide, followed as it is written, makes the file with one paid order', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'guide-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  for (const { file, body } of blocksOf(textOf('docs/services.md')))
    if (file !== undefined) writeFileSync(join(cwd, file), body)
  const double = await begin(shapes.predictions)
  writeFileSync(join(cwd, 'key'), `${double.key}\n`, { mode: 0o600 })
  const { names, command } = lines()
  expect(names).toEqual(['GENRUN_BASE_URL', 'GENRUN_API_KEY_FILE'])
  const env = { GENRUN_BASE_URL: double.origin, GENRUN_API_KEY_FILE: join(cwd, 'key'), HOME: cwd }
  const around = fakeSurroundings({ cwd, env })
  const code = await main(command.split(' '), around)
  expect({ code, said: code === 0 ? '' : around.stderr.text() }).toEqual({ code: 0, said: '' })
  expect(double.unknown).toEqual([])
  expect(double.orders.map(({ body }) => body)).toEqual([
    { version: '5c7d1e', input: { prompt: 'A harbour in pencil', guidance: 4.5 } },
  ])
  expect(existsSync(join(cwd, 'out/sketch/harbour.png')) || existsSync(join(cwd, 'out/harbour.png'))).toBe(
    true,
  )
})
