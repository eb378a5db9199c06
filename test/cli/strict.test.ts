import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from './fake.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'genrun-strict-'))
  writeFileSync(join(cwd, 'odd.yaml'), `${manifest}    endFrame: https://example.com/a.png\n`)
  writeFileSync(
    join(cwd, 'meant.yaml'),
    `${manifest}    endFrame: https://example.com/a.png\n    lint: no-effect\n`,
  )
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const manifest = 'jobs:\n  clip:\n    model: famc-v3\n    prompt: x\n'

async function genrun(...words: string[]) {
  const around = fakeSurroundings({ cwd })
  const code = await main(words, around)
  return { code, said: around.stdout.text() + around.stderr.text() }
}

test.each([
  [['validate', 'odd.yaml']],
  [['plan', 'odd.yaml']],
  [['run', 'odd.yaml', '--local']],
  [['odd.yaml', '--local']],
])('%j --strict takes a warning for an error, and does nothing', async words => {
  const { code, said } = await genrun(...words, '--strict')
  expect(code).toBe(2)
  expect(said).toContain('odd.yaml:5:5: error: endFrame has no effect without startFrame [no-effect]')
  expect(existsSync(join(cwd, 'out'))).toBe(false)
})

test.each([[['validate']], [['plan']]])(
  'without it, and where it is silenced, %j goes through',
  async ([verb = '']) => {
    expect(await genrun(verb, 'odd.yaml')).toMatchObject({ code: 0 })
    expect(await genrun(verb, 'meant.yaml', '--strict')).toMatchObject({ code: 0 })
  },
)
