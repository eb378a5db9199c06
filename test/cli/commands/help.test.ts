import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exit } from '../../../src/base/exit.ts'
import { commands } from '../../../src/cli/declared/commands.ts'
import { main } from '../../../src/cli/main.ts'
import { readArgs } from '../../../src/cli/parser/read-args.ts'
import { topics } from '../../../src/cli/words/topics.ts'
import { shellWords } from '../../../src/text/shell.ts'
import { explainedWords } from '../../../src/verbs/explain.ts'
import { manifestLanguage } from '../../../src/verbs/language.ts'
import { fakeSurroundings } from '../fake.ts'

async function genrun(...words: string[]) {
  const around = fakeSurroundings()
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

describe.each(topics)('the topic $name', ({ name, title, text, page }) => {
  test('is shown with its page, in 80 columns', async () => {
    const { code, stdout } = await genrun('help', name)
    expect([code, stdout]).toEqual([0, `${name}: ${title}\n\n${text}\n\nThe whole page: ${page}\n`])
    expect(stdout.split('\n').filter(line => [...line].length > 80)).toEqual([])
    expect(existsSync(join(import.meta.dirname, '../../..', page))).toBe(true)
  })

  test('is called as no command is, and listed', async () => {
    expect(commands.map(command => command.name)).not.toContain(name)
    expect((await genrun('help', 'topics')).stdout).toContain(`  ${name} `)
  })

  test('types no line that cannot be typed', () => {
    const typed = text.split('\n').flatMap(line => /^ {2}genrun (.*?)(?: {2}|$)/.exec(line)?.[1] ?? [])
    const asked = typed.map(line => {
      const [words = []] = shellWords({ name: 'line', text: line })
      return readArgs(
        words.map(word => word.text),
        () => true,
      )
    })
    expect(asked.filter(each => each.do === 'misused')).toEqual([])
  })
})

test('the topic jobs names every key of a job', () => {
  const text = topics.find(({ name }) => name === 'jobs')?.text ?? ''
  const missing = manifestLanguage().job.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(text))
  expect(missing.map(({ name }) => name)).toEqual([])
})

test('every page of the guide has a topic, or is part of one', () => {
  // Settings have a command that shows them, profiles are part of services.
  const apart = ['settings.md', 'profiles.md']
  const pages = readdirSync(join(import.meta.dirname, '../../../docs/guide')).filter(
    name => !apart.includes(name),
  )
  expect(pages.filter(name => !topics.some(({ page }) => page === `docs/guide/${name}`))).toEqual([])
})

describe('help', () => {
  test('without a word, and of a command, is what it was', async () => {
    expect((await genrun('help')).stdout).toBe((await genrun('--help')).stdout)
    expect((await genrun('help', 'plan')).stdout).toBe((await genrun('plan', '--help')).stdout)
    expect((await genrun('help', 'models', 'info')).stdout).toBe(
      (await genrun('models', 'info', '--help')).stdout,
    )
  })
})

describe('explain', () => {
  test('tells what a state means, and what to do', async () => {
    const { code, stdout } = await genrun('explain', 'held')
    expect([code, stdout]).toEqual([
      0,
      `held (state)

  Nothing is done about it until something else is: a pick, a need, your word. Nothing was sent.

  what to do

    Do what its hint names: \`genrun status campaign.yaml\` lists it with the command.
`,
    ])
  })

  test('tells of a word that is a state and a code both', async () => {
    const { stdout } = await genrun('explain', 'failed')
    expect(stdout).toContain('failed (state)\n')
    expect(stdout).toMatch(/^failed\n\n {2}/m)
    expect(JSON.parse((await genrun('explain', 'failed', '--json')).stdout)).toMatchObject({
      code: 'failed',
      outcomes: [{ word: 'failed', is: 'state' }],
    })
  })

  test.each(Object.values(exit))('knows the exit code %i', async code => {
    const { code: ended, stdout } = await genrun('explain', String(code))
    expect([ended, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^exit code ${code}\\n\\n  \\S`))])
  })

  test('knows every word that it offers, and no other', async () => {
    for (const word of explainedWords()) expect((await genrun('explain', word)).code, word).toBe(0)
    const { code, stderr } = await genrun('explain', 'skiped')
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean skipped')])
    expect((await genrun('explain', '99')).code).toBe(2)
    expect((await genrun('explain', 'constructor')).code).toBe(2)
  })
})
