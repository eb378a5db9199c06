import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../../src/cli/main.ts'
import { type FakeSurroundings, fakeSurroundings } from '../fake.ts'

const files = join(import.meta.dirname, '..', '..', 'golden', 'cli', 'files')

/** A person who answers so to every question. */
function answering(answer: string | undefined): { around: FakeSurroundings; questions: string[] } {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-recover-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  cpSync(files, cwd, { recursive: true })
  const questions: string[] = []
  const ask = async (question: string) => {
    questions.push(question)
    return answer
  }
  return { around: { ...fakeSurroundings({ cwd }), ask }, questions }
}

const kept = 'lost.lock.json.damaged-1'

test.each([
  ['y', 0],
  ['', 2],
  [undefined, 2],
])('a person who answers %s to what was found', async (answer, exit) => {
  const { around, questions } = answering(answer)
  expect(await main(['recover', 'lost.yaml'], around)).toBe(exit)
  expect(questions).toEqual(['take them up? [y/N] '])
  expect(around.stdout.text()).toBe('cup: paid for and not fetched, run r_81\n')
  expect(existsSync(join(around.cwd, kept))).toBe(exit === 0)
})

test('nobody is asked by a script, or with --yes', async () => {
  const { around, questions } = answering('y')
  expect(await main(['recover', 'lost.yaml', '--json'], around)).toBe(2)
  expect(existsSync(join(around.cwd, kept))).toBe(false)
  expect(await main(['recover', 'lost.yaml', '--yes'], around)).toBe(0)
  expect(questions).toEqual([])
})
