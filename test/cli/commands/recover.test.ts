import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../../src/cli/main.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { rescuePlace } from '../../../src/store/lock/rescued.ts'
import { thisMachine } from '../../../src/workspace/machine.ts'
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

// A purchase as a lock has it.
const cup = readFileSync(join(files, 'lost.lock.json'), 'utf8').split('\n')[1] ?? ''
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

const found = (many: string) => ` as the lock could not be written: ${many} that nothing else told of\n`

test.each([
  {
    beside: 'an older one',
    left: lockOf(),
    told: `${found('1 order')}there is nothing more to recover: the next run writes what was found there into lock and journal\n`,
  },
  {
    beside: 'one that is damaged',
    left: '{',
    told: `${found('1 order')}taken up: 1 purchase; nothing was bought\n`,
  },
  { beside: 'one of another lineage', left: lockOf('d'), told: 'there is nothing to recover\n' },
])('a lock that was saved outside the project is told of beside $beside', async ({ left, told }) => {
  const { around } = answering(undefined)
  const lock = join(around.cwd, 'kept.lock.json')
  const saved = rescuePlace(thisMachine.refuge ?? '', lock, systemDisk)
  onTestFinished(saved.remove)
  saved.writeNow(lockOf('c', cup))
  writeFileSync(lock, left)
  writeFileSync(
    join(around.cwd, 'kept.yaml'),
    'jobs: { hat: { model: fama-imagine-image, prompt: A hat } }\n',
  )
  expect(await main(['recover', 'kept.yaml', '--yes'], around)).toBe(0)
  const lines = around.stderr.text().split(/(?<=\n)/)
  const said = lines.filter(line => !line.startsWith('kept.lock.json:') && !line.startsWith('the damaged'))
  expect(said.join('').replace(/^found in .*?,/, '')).toBe(told)
})

function lockOf(lineage = 'c', ...entries: string[]): string {
  const head = { genrun: 2, lineage: lineage.repeat(32), manifest: 'kept.yaml' }
  return `${JSON.stringify(head).slice(0, -1)},"jobs":[\n${entries.map(each => `${each}\n`).join('')}null]}\n`
}
