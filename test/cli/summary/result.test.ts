import { expect, test } from 'vitest'
import { error, warning } from '../../../src/base/diagnostic.ts'
import type { ExitCode } from '../../../src/base/exit.ts'
import { spanOf } from '../../../src/base/source.ts'
import { openOut } from '../../../src/cli/io/out.ts'
import { type ReportContext, tellResult } from '../../../src/cli/summary/result.ts'
import type { RunResult } from '../../../src/verbs/run.ts'
import { fakeSurroundings, jobReport, report, savedFile } from '../fake.ts'

const file = { name: 'campaign.yaml', text: 'jobs:\n  a: { duration: 7 }\n' }
const wrong = error('bad-value', spanOf(file, 13, 24), 'duration must be one of 3, 5, 8', 'the nearest is 8')
const odd = warning('unused-var', spanOf(file, 0, 4), 'nothing uses this')
const hero = jobReport('hero', 'made', { files: [savedFile('hero.png')] })

function emit(
  result: RunResult,
  given: Partial<ReportContext['args']> & { isScreen?: boolean; stopped?: ExitCode | undefined } = {},
) {
  const around = fakeSurroundings()
  const { isScreen = false, stopped, ...args } = given
  const telling = {
    args: { json: false, ...args } as const,
    cwd: '/project',
    isScreen,
    stopped,
  }
  const code = tellResult(result, telling, openOut(around, false))
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

test('a manifest that is wrong is told with its lines, exit 2', () => {
  expect(emit({ got: 'refused', problems: [wrong, odd] })).toEqual({
    code: 2,
    stdout: '',
    stderr: `campaign.yaml:2:8: error: duration must be one of 3, 5, 8 [bad-value]
2 |   a: { duration: 7 }
  |        ^^^^^^^^^^^
  = hint: the nearest is 8
campaign.yaml:1:1: warning: nothing uses this [unused-var]
1 | jobs:
  | ^^^^

2 problems in campaign.yaml: 1 error, 1 warning
`,
  })
})

test('another genrun at work is exit 5, damaged state is exit 7', () => {
  expect(emit({ got: 'busy', message: 'another genrun is at work', hint: 'wait for it' })).toEqual({
    code: 5,
    stdout: '',
    stderr: 'genrun: error: another genrun is at work [busy]\n  = hint: wait for it\n',
  })
  expect(emit({ got: 'damaged', message: 'the lock is cut', hint: 'put it back' })).toMatchObject({ code: 7 })
})

test('a run that went well gives paths to stdout and a summary to stderr', () => {
  expect(emit({ got: 'report', problems: [], report: report([hero], { paid: 1 }) })).toEqual({
    code: 0,
    stdout: 'out/campaign/hero.png\n',
    stderr: '1 job: 1 made; 12.3 s, 1 paid request, files in out/campaign\n',
  })
})

test('on a terminal the paths come with their measures', () => {
  const result = { got: 'report', problems: [], report: report([hero]) } as const
  expect(emit(result, { isScreen: true }).stdout).toBe('  out/campaign/hero.png  1.2 MB\n')
})

test('warnings come before the summary and do not change the code', () => {
  const { code, stderr } = emit({ got: 'report', problems: [odd], report: report([hero]) })
  expect(code).toBe(0)
  expect(stderr.split('\n')).toEqual([
    'campaign.yaml:1:1: warning: nothing uses this [unused-var]',
    '1 | jobs:',
    '  | ^^^^',
    '',
    '1 problem in campaign.yaml: 1 warning',
    '',
    '1 job: 1 made; 12.3 s, 0 paid requests, files in out/campaign',
    '',
  ])
})

test('quiet says which orders in doubt nobody asks for: they are why the run ends with 3', () => {
  const doubts = ['hero@3a8a9e', 'clip@0b1c2d']
  const result = { got: 'report', problems: [], report: report([hero], { exit: 3, doubts }) } as const
  expect(emit(result, { quiet: true })).toEqual({
    code: 3,
    stdout: 'out/campaign/hero.png\n',
    stderr: `in doubt: hero@3a8a9e, clip@0b1c2d
  no job of the manifest has them now, and they may be paid for
  = hint: \`genrun status campaign.yaml\` tells what is known and how to settle them
`,
  })
})

test('quiet says only what went wrong', () => {
  const failed = jobReport('clip', 'failed', { failure: { why: 'remote', detail: '' } })
  const result = (jobs: (typeof hero)[], exit: ExitCode) =>
    ({ got: 'report', problems: [], report: report(jobs, { exit }) }) as const
  expect(emit(result([hero], 0), { quiet: true })).toEqual({
    code: 0,
    stdout: 'out/campaign/hero.png\n',
    stderr: '',
  })
  expect(emit(result([failed], 1), { quiet: true })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'failed: clip (fama-imagine-image)\n  the run failed at the service\n',
  })
})

test.each<[string, RunResult, object]>([
  [
    'a report',
    { got: 'report', problems: [odd], report: report([hero], { exit: 1 }) },
    {
      ok: false,
      ...report([hero], { exit: 1 }),
      problems: [
        {
          code: 'unused-var',
          severity: 'warning',
          message: 'nothing uses this',
          file: 'campaign.yaml',
          line: 1,
          column: 1,
          endLine: 1,
          endColumn: 5,
        },
      ],
    },
  ],
  [
    'a refusal',
    { got: 'refused', problems: [wrong] },
    {
      ok: false,
      exit: 2,
      problems: [
        {
          code: 'bad-value',
          severity: 'error',
          message: 'duration must be one of 3, 5, 8',
          file: 'campaign.yaml',
          line: 2,
          column: 8,
          endLine: 2,
          endColumn: 19,
          hint: 'the nearest is 8',
        },
      ],
    },
  ],
  [
    'damage',
    { got: 'damaged', message: 'the lock is cut', hint: 'put it back' },
    { ok: false, exit: 7, error: { code: 'damaged', message: 'the lock is cut', hint: 'put it back' } },
  ],
])('with --json %s is one document on stdout, the words stay on stderr', (_, result, document) => {
  const { stdout, stderr } = emit(result, { json: true })
  expect(JSON.parse(stdout)).toEqual(document)
  expect(stderr).not.toBe('')
})

test.each<[string, ExitCode, ExitCode | undefined, ExitCode]>([
  ['a stop outranks jobs that are not finished', 4, 130, 130],
  ['a stop outranks jobs that failed', 1, 143, 143],
  ['a doubt outranks a stop', 3, 130, 3],
  ['a stop after the end changes nothing', 0, 130, 0],
  ['without a stop the report decides', 6, undefined, 6],
])('%s', (_, exit, stopped, code) => {
  const told = emit(
    { got: 'report', problems: [], report: report([hero], { exit }) },
    { stopped, json: true },
  )
  expect([told.code, JSON.parse(told.stdout).exit]).toEqual([code, code])
})
