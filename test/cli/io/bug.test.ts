import { expect, test } from 'vitest'
import { bugText, lastWords } from '../../../src/cli/io/bug.ts'
import { openOut } from '../../../src/cli/io/out.ts'
import { fakeSink } from '../fake.ts'

const bug = new TypeError('cannot read k3y-of-env\u001b[2J\nof nothing')

test('a bug is one line that says what to report, without the stack and without the key', () => {
  expect(bugText(bug, { GENRUN_API_KEY: 'k3y-of-env' })).toBe(
    `genrun: internal error: cannot read [secret]\\u{1b}[2J\\u{a}of nothing (genrun 0.1.0, node ${process.versions.node}: a bug; GENRUN_DEBUG=1 shows where, please report that)`,
  )
})

test('the stack comes with GENRUN_DEBUG=1, still without the key', () => {
  const text = bugText(bug, { GENRUN_API_KEY: 'k3y-of-env', GENRUN_DEBUG: '1' })
  expect(text).toMatch(/^genrun: internal error: cannot read \[secret\].*\n[\s\S]* at .*bug\.test\.ts:\d+/)
  expect(text).not.toContain('k3y-of-env')
})

test('nor with what this process was told to hide since', () => {
  const sink = fakeSink()
  openOut({ env: {}, stdout: sink, stderr: sink }, true).hide('k3y-of-a-file')
  expect(bugText(new Error('cannot read k3y-of-a-file'), {})).toContain('cannot read [secret] (')
})

test('what is thrown without being an error is told too', () => {
  expect(bugText('odd', {})).toContain('internal error: odd (')
})

test.each([
  ["EACCES: permission denied, stat '/closed/m.yaml'", 'could not use /closed/m.yaml: permission denied'],
  ['EMFILE: too many open files, watch', 'too many open files'],
])('what the system refuses is no bug: %s', (message, told) => {
  const refusal = Object.assign(new Error(message), { code: message.split(':')[0] })
  const text = `genrun: error: ${told} [damaged]\n  = hint: mend the disk or its permissions, then run again; nothing is paid twice`
  expect(lastWords(refusal, {}, process.cwd())).toEqual({ code: 7, text })
})

test('a folder that was moved away is no bug', () => {
  const missing = Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' })
  const away = lastWords(missing, {}, '/nowhere/at/all')
  expect(away).toEqual({ code: 7, text: expect.stringContaining('/nowhere/at/all was moved or removed') })
  expect(lastWords(missing, {}, process.cwd()).code).toBe(70)
  expect(lastWords(new Error('odd'), {}, '/nowhere/at/all').code).toBe(70)
})
