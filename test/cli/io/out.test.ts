import { expect, test } from 'vitest'
import { openOut } from '../../../src/cli/io/out.ts'
import { fakeSink, fakeSurroundings } from '../fake.ts'

const escape = '\u001b'

test('results go to stdout, talk goes to stderr', () => {
  const around = fakeSurroundings()
  const out = openOut(around, false)
  out.result('out/hero.png\nout/clip.mp4')
  out.talk('2 jobs: 2 made')
  expect([around.stdout.text(), around.stderr.text()]).toEqual([
    'out/hero.png\nout/clip.mp4\n',
    '2 jobs: 2 made\n',
  ])
})

test('the key of the environment and keys that come later appear in no output, in no encoding', () => {
  const around = fakeSurroundings({ env: { GENRUN_API_KEY: 'k3y/of+env' } })
  const out = openOut(around, false)
  out.hide('k3y-of-file')
  out.talk('Bearer k3y/of+env, k3y%2Fof%2Benv')
  out.result(`k3y-of-file ${Buffer.from('k3y-of-file').toString('base64')}`)
  out.json({ detail: 'k3y/of+env', link: 'https://files.example/a.png?signature=1234' })
  expect(around.stderr.text()).toBe('Bearer [secret], [secret]\n')
  expect(around.stdout.text()).toBe(
    '[secret] [secret]\n{\n  "detail": "[secret]",\n  "link": "https://files.example/a.png?…"\n}\n',
  )
})

test('what a bucket is asked with appears in no output', () => {
  const env = { AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG', AWS_SESSION_TOKEN: 'of+some+hours' }
  const around = fakeSurroundings({ env })
  openOut(around, false).talk(`${env.AWS_SECRET_ACCESS_KEY} ${encodeURIComponent(env.AWS_SESSION_TOKEN)}`)
  expect(around.stderr.text()).toBe('[secret] [secret]\n')
})

test('foreign control characters are shown as escapes, our own colours pass on a terminal', () => {
  const around = fakeSurroundings({ stdout: fakeSink(80), stderr: fakeSink() })
  const out = openOut(around, false)
  const text = `a${escape}[2J${escape}[31mred${escape}[39m\u202eb\rc`
  out.result(text)
  out.talk(text)
  expect(around.stdout.text()).toBe(`a\\u{1b}[2J${escape}[31mred${escape}[39m\\u{202e}b\\u{d}c\n`)
  expect(around.stderr.text()).toBe('a\\u{1b}[2Jred\\u{202e}b\\u{d}c\n')
})

test('JSON stays JSON whatever it holds, and holds no raw control character', () => {
  const around = fakeSurroundings()
  const value = { prompt: `a${escape}[2J\u202e\u{e0041}\u009b\nb`, emoji: '🫖' }
  openOut(around, false).json(value)
  expect(JSON.parse(around.stdout.text())).toEqual(value)
  expect(around.stdout.text()).toBe(
    '{\n  "prompt": "a\\u001b[2J\\u202e\\udb40\\udc41\\u009b\\nb",\n  "emoji": "🫖"\n}\n',
  )
})

test('a line cannot pass for a command to the CI system', () => {
  const around = fakeSurroundings()
  openOut(around, false).talk('one\n  ::error::forged\n::stop-commands::x')
  expect(around.stderr.text()).toBe('one\n  \\u{3a}:error::forged\n\\u{3a}:stop-commands::x\n')
})

test.each<[string, boolean, object, boolean, boolean]>([
  ['a terminal', true, {}, false, true],
  ['a pipe', false, {}, false, false],
  ['a dumb terminal', true, { TERM: 'dumb' }, false, false],
  ['NO_COLOR', true, { NO_COLOR: '1' }, false, false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, false, true],
  ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, false, true],
  ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false, false],
  ['NO_COLOR against FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
  ['--no-color', true, { FORCE_COLOR: '1' }, true, false],
])('colours with %s', (_, isTerminal, env, isPlain, isColoured) => {
  const around = fakeSurroundings({ env: { ...env }, stderr: fakeSink(isTerminal ? 80 : undefined) })
  const out = openOut(around, isPlain)
  out.talk(out.paint.error('error'))
  expect(around.stderr.text() !== 'error\n').toBe(isColoured)
})
