import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XmlDocument, XsdValidator } from 'libxml2-wasm'
import { describe, expect, test } from 'vitest'
import { type Diagnostic, error, warning } from '../../src/base/diagnostic.ts'
import { jobAddress, type RunId, runId } from '../../src/base/names.ts'
import { spanOf } from '../../src/base/source.ts'
import { jobAnnotations } from '../../src/reports/annotations.ts'
import { junitXml } from '../../src/reports/junit.ts'
import { cleanedEnd, type RunEnd } from '../../src/reports/run-end.ts'
import { sarifLog } from '../../src/reports/sarif.ts'
import { runSummary } from '../../src/reports/summary.ts'
import { jobReport, report, savedFile } from '../cli/fake.ts'

const began = Date.UTC(2026, 0, 31, 12)
const file = { name: 'campaign.yaml', text: 'jobs:\n  hero: bad\n' }
const refused = [
  error('bad-value', spanOf(file, 8, 12), 'a <b> & "c" \u0007', 'write good'),
  warning('unused-var', spanOf(file, 0, 4), 'nothing reads it'),
]

const jobs = [
  jobReport('hero', 'made', { files: [savedFile('hero.png', { width: 8, height: 4 })], seconds: 1.5 }),
  jobReport('old', 'kept', { files: [savedFile('old.png')] }),
  jobReport('clip<1>', 'failed', {
    failure: { why: 'remote', detail: 'no ]]> steam & \u0000 today' },
    message: 'the run failed at the service: no ]]> steam & \u0000 today',
    hint: 'order it again with --failed',
    line: 7,
    run: runId('r-1') as RunId, // it is well formed
  }),
  jobReport('intro', 'doubt', { failure: { why: 'in-doubt', detail: '' }, message: 'no answer | @team' }),
  jobReport('next', 'skipped', { failure: { why: 'stopped' }, message: 'the run was stopped' }),
  jobReport('small', 'made', {
    files: [savedFile('small.png')],
    failure: { why: 'unlike-asked', detail: 'smaller' },
    message: 'what came is not what was asked: smaller',
  }),
  jobReport('short', 'made', {
    failure: { why: 'short-delivery', asked: 2, got: 1 },
    message: '1 of 2 files were delivered',
  }),
]

function ended(more: Partial<RunEnd> = {}): RunEnd {
  const all = report(jobs, { exit: 3, paid: 5, cost: { estimated: 4.2, currency: 'USD', credits: 12 } })
  return { manifest: 'campaign.yaml', version: '1.2.3', began, exit: 3, problems: [], report: all, ...more }
}

const looked = {
  verdict: 'fail',
  found: [
    { look: 'blank', verdict: 'fail', why: 'it is one color' },
    { look: 'twice', verdict: 'warn' },
  ],
} as const
const broken = jobReport('broken', 'made', {
  files: [savedFile('a.png', { looked })],
  failure: { why: 'unlike-asked', detail: 'a.png: it is one color', fails: true },
  message: 'what came is not what was asked: a.png: it is one color',
})
const unseen = jobReport('unseen', 'made', {
  files: [savedFile('b.mp4', { looked: { verdict: 'not looked at', why: 'no ffmpeg' } })],
})

describe('JUnit XML', () => {
  const schema = XmlDocument.fromString(
    readFileSync(join(import.meta.dirname, '../fixtures/junit.xsd'), 'utf8'),
  )
  const validator = XsdValidator.fromDoc(schema)

  /** What a real parser reads, after the schema has let it through. */
  function read(end: RunEnd) {
    const document = XmlDocument.fromString(junitXml(end))
    validator.validate(document)
    const all = (path: string) => document.find(path).map(node => node.content)
    return { all, suite: (name: string) => document.get(`/testsuites/testsuite/@${name}`)?.content }
  }

  test('has a case for each job, counted as CI systems count', () => {
    const { all, suite } = read(ended())
    expect(all('//testcase/@name')).toEqual(['hero', 'old', 'clip<1>', 'intro', 'next', 'small', 'short'])
    expect(['name', 'tests', 'failures', 'errors', 'skipped', 'time', 'timestamp'].map(suite)).toEqual([
      'campaign',
      '7',
      '3',
      '0',
      '1',
      '12.340',
      '2026-01-31T12:00:00',
    ])
    expect(all('//failure/../@name')).toEqual(['clip<1>', 'intro', 'short'])
    expect(all('//failure')[0]).toBe(
      'campaign.yaml:7: the run failed at the service: no ]]> steam & \\u{0} today\norder it again with --failed',
    )
    const taken = jobReport('old', 'kept', {
      files: [savedFile('old.png')],
      accepted: ['prompt tea → red tea (m.yaml:3)'],
    })
    const accepted = read(ended({ report: report([taken], { exit: 0 }) }))
    expect(accepted.all('//system-out')).toEqual(['old.png\naccepted: prompt tea → red tea (m.yaml:3)'])
    expect(all('//skipped/@message')).toEqual(['the run was stopped'])
    expect(all('//testcase[@name="hero"]/system-out')).toEqual(['hero.png'])
    expect(all('//testcase[@name="small"]/system-out')).toEqual([
      'small.png\nwhat came is not what was asked: smaller',
    ])
  })

  test('names the looks that found something, and says what was not looked at', () => {
    const all = read(ended({ report: report([broken, unseen]) })).all
    expect(all('//failure/@type')).toEqual(['looks: blank, twice'])
    expect(all('//system-out')).toEqual([
      'a.png\na.png: blank (fail): it is one color\na.png: twice (warn)',
      'b.mp4\nb.mp4: not looked at: no ffmpeg',
    ])
  })

  test('of a manifest that is refused has a case for each problem', () => {
    const { all, suite } = read(ended({ report: undefined, exit: 2, problems: refused }))
    expect(all('//error/../@name')).toEqual(['campaign.yaml:2:3 bad-value'])
    expect(all('//error')).toEqual(['a <b> & "c" \\u{7}\nwrite good'])
    expect([suite('tests'), suite('errors'), suite('failures')]).toEqual(['2', '1', '0'])
  })

  test('of a comparison has a case for each job, and one for what no job is to blame for', () => {
    const at = spanOf(file, 8, 12)
    const stale = error('stale', at, 'hero is not what the manifest asks for')
    const gone = error('missing', at, 'hero.png of hero is gone')
    const unknown = error('untracked', at, 'x.png is in the output folder and not in the lock')
    const compared = (address: string, problems: readonly Diagnostic[], allowed?: string) => ({
      ...{ address, model: 'fama-imagine-image', problems },
      ...(allowed && { allowed }),
    })
    const { all, suite } = read(
      ended({
        report: undefined,
        exit: 8,
        problems: [stale, gone, unknown],
        verdict: {
          says: '3 differences',
          jobs: [compared('hero', [stale, gone]), compared('old', []), compared('rain', [], 'rain is gone')],
          others: [unknown],
        },
      }),
    )
    expect(all('//testcase/@name')).toEqual(['campaign.yaml:2:3 untracked', 'hero', 'old', 'rain'])
    expect(all('//failure/../@name')).toEqual(['campaign.yaml:2:3 untracked', 'hero'])
    expect(all('//failure/@type')).toEqual(['untracked', 'stale, missing'])
    expect(all('//testcase[@name="hero"]/failure')).toEqual([
      'campaign.yaml:2: hero is not what the manifest asks for\ncampaign.yaml:2: hero.png of hero is gone',
    ])
    expect(all('//testcase[@name="rain"]/system-out')).toEqual(['allowed: rain is gone'])
    expect([suite('tests'), suite('errors'), suite('failures')]).toEqual(['4', '0', '2'])
  })

  test('of a run that never began says why', () => {
    const { all } = read(
      ended({ report: undefined, error: { code: 'no-key', message: 'no key', hint: 'set it' } }),
    )
    expect(all('//error/@message')).toEqual(['no key'])
  })

  test('is refused by the parser when a text is not escaped', () => {
    const raw = junitXml(ended()).replace('clip&#60;1&#62;', 'clip<1>')
    expect(() => XmlDocument.fromString(raw)).toThrow()
  })
})

test('a summary names what went wrong and what was made, and nothing in it is markup', () => {
  expect(runSummary(ended())).toBe(
    [
      '### ❌ campaign',
      '**7 jobs: 3 made, 1 up to date, 1 in doubt, 1 failed, 1 skipped; 12.3 s, 5 paid requests (about 4.20 USD; the service says 12 credits).**',
      [
        '| | job | line | model | why | what to do |',
        '|---|---|---|---|---|---|',
        '| **failed** | `clip<1>` | campaign.yaml:7 | fama-imagine-image | the run failed at the service: no &#93;&#93;&#62; steam & \\u&#123;0&#125; today | order it again with --failed |'.replace(
          '\\u',
          '&#92;u',
        ),
        '| **in doubt** | `intro` | campaign.yaml:2 | fama-imagine-image | no answer &#124; &#64;team |  |',
        '| **skipped** | `next` | campaign.yaml:2 | fama-imagine-image | the run was stopped |  |',
        '| **made** | `small` | campaign.yaml:2 | fama-imagine-image | what came is not what was asked: smaller |  |',
        '| **made** | `short` | campaign.yaml:2 | fama-imagine-image | 1 of 2 files were delivered |  |',
      ].join('\n'),
      '<details><summary>2 files</summary>',
      [
        '| file | job | model | |',
        '|---|---|---|---|',
        '| `hero.png` | `hero` | fama-imagine-image | 8x4, 1.2 MB |',
        '| `small.png` | `small` | fama-imagine-image | 1.2 MB |',
      ].join('\n'),
      '</details>\n',
    ].join('\n\n'),
  )
})

test('a summary says what to do about what was not sent because of another job', () => {
  const stopped = [
    jobReport('clip', 'skipped', {
      failure: { why: 'needs', address: jobAddress('hero') },
      message: 'not started: hero did not finish',
    }),
    jobReport('cup', 'skipped', {
      failure: { why: 'closed', because: { why: 'no-credit', detail: 'no credit' } },
      message: 'not sent: no credit',
    }),
  ]
  const rows = runSummary(ended({ report: report(stopped, { exit: 1 }) })).split('\n')
  expect(rows.filter(row => row.includes('**skipped**'))).toEqual([
    '| **skipped** | `clip` | campaign.yaml:2 | fama-imagine-image | not started: hero did not finish | nothing: it follows when hero is made |',
    '| **skipped** | `cup` | campaign.yaml:2 | fama-imagine-image | not sent: no credit | mend that, then run again: nothing was sent for it |',
  ])
})

test('a summary has no tick where results fail their looks, though all else is well', () => {
  const { failure: _, ...told } = broken
  const kept = { ...told, ending: 'kept' as const }
  const text = runSummary(ended({ report: report([kept, unseen], { exit: 0 }), exit: 0 }))
  expect(text.split('\n')[0]).toBe('### ⚠️ campaign')
  expect(text).toContain('1 result fails its looks.')
  expect(runSummary(ended({ report: report([unseen], { exit: 0 }), exit: 0 }))).toMatch(/^### ✅ campaign/)
})

test('a summary of ten thousand jobs stays within what a CI step may show', () => {
  const many = Array.from({ length: 10_000 }, (_, nth) =>
    nth % 2 === 0
      ? jobReport(`job-${nth}`, 'failed', { message: 'x'.repeat(500) })
      : jobReport(`job-${nth}`, 'made', { files: [savedFile(`job-${nth}.png`)] }),
  )
  const text = runSummary(ended({ report: report(many, { exit: 1 }) }))
  expect(text.length).toBeLessThan(100_000)
  expect(text).toContain('… and 4,950 more jobs')
  expect(text).toContain('… and 4,800 more files')
})

test('a summary of a refused manifest lists its problems', () => {
  expect(runSummary(ended({ report: undefined, exit: 2, problems: refused }))).toBe(
    [
      '### ❌ campaign.yaml',
      '* **error** `campaign.yaml:2:3` a &#60;b&#62; & "c" &#92;u&#123;7&#125; (write good)\n* **warning** `campaign.yaml:1:1` nothing reads it\n',
    ].join('\n\n'),
  )
})

test('jobs that did not end well stand in SARIF at their lines', () => {
  const log = sarifLog([], '1.2.3', () => undefined, jobs) as any
  const found = log.runs[0].results.map((each: any) => [
    each.ruleId,
    each.level,
    each.locations[0].physicalLocation.region.startLine,
    log.runs[0].tool.driver.rules[each.ruleIndex].id,
  ])
  expect(found).toEqual([
    ['remote', 'error', 7, 'remote'],
    ['in-doubt', 'error', 2, 'in-doubt'],
    ['stopped', 'warning', 2, 'stopped'],
    ['unlike-asked', 'warning', 2, 'unlike-asked'],
    ['short-delivery', 'warning', 2, 'short-delivery'],
  ])
})

test('jobs that failed mark their lines in Actions, ten at most, and cannot give orders', () => {
  const [first = ''] = jobAnnotations(jobs).split('\n')
  expect(first).toBe(
    '::error file=campaign.yaml,line=7,title=clip<1>::the run failed at the service: no ]]> steam & \\u{0} today%0Aorder it again with --failed',
  )
  const evil = Array.from({ length: 40 }, (_, nth) =>
    jobReport(`j${nth}`, 'failed', { message: 'x\n::stop::' }),
  )
  const lines = jobAnnotations(evil).split('\n')
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe('::error file=campaign.yaml,line=2,title=j0::x\\u{a}::stop::')
})

test('what fails its looks marks its line as an error, with the looks in the title', () => {
  expect(jobAnnotations([broken, unseen])).toBe(
    '::error file=campaign.yaml,line=2,title=broken%3A blank%2C twice::what came is not what was asked: a.png: it is one color',
  )
})

test('a secret is taken out before a format can hide it behind its escapes', () => {
  const clean = (text: string) => text.replaceAll('k_3&y', '[secret]')
  const leaky = jobReport('hero', 'failed', { message: 'the key k_3&y', hint: 'not k_3&y' })
  const end = ended({
    report: report([leaky]),
    problems: [error('bad-value', spanOf(file, 0, 1), 'k_3&y', 'k_3&y')],
  })
  const cleaned = cleanedEnd(end, clean)
  for (const text of [junitXml(cleaned), runSummary(cleaned)]) expect(text).not.toMatch(/k(_|&#95;)3/)
  expect(junitXml(end)).toMatch(/k_3/)
  expect(cleaned.problems[0]?.at.file).toBe(file)
})
