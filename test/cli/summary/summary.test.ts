import { describe, expect, test } from 'vitest'
import { jobAddress, type RunId } from '../../../src/base/names.ts'
import { colours } from '../../../src/cli/io/colour.ts'
import { closingLines } from '../../../src/cli/summary/closing.ts'
import { madePaths, madeTable } from '../../../src/cli/summary/made.ts'
import { troubleLines } from '../../../src/cli/summary/trouble.ts'
import { jobReport, report, savedFile } from '../fake.ts'

const paint = colours(false)
const cwd = '/project'
const onlooker = { cwd, gallery: 'genrun report tea.yaml' }

const hero = jobReport('hero', 'made', { files: [savedFile('hero.png', { width: 1024, height: 576 })] })
const clip = jobReport('clip', 'fetched', {
  files: [savedFile('clip.mp4', { width: 1280, height: 720, seconds: 5.01, bytes: 512_000 })],
})
const kept = jobReport('voice', 'kept', { files: [savedFile('voice.mp3')] })
const moved = jobReport('rain', 'moved', { files: [savedFile('rain-1.wav'), savedFile('rain-2.wav')] })
const remote = { why: 'remote', detail: 'no steam' } as const

describe('the files', () => {
  test('that this run brought are listed for a script by their paths alone', () => {
    expect(madePaths(report([hero, clip, kept, moved]), cwd)).toEqual([
      'out/campaign/hero.png',
      'out/campaign/clip.mp4',
      'out/campaign/rain-1.wav',
      'out/campaign/rain-2.wav',
    ])
  })

  test('are named as they are reached from where genrun was called', () => {
    expect(madePaths(report([hero]), '/project/out')).toEqual(['campaign/hero.png'])
    expect(madePaths(report([hero]), '/elsewhere')).toEqual(['../project/out/campaign/hero.png'])
  })

  test('are shown to a person with their measures', () => {
    expect(madeTable(report([hero, clip, kept]), onlooker, paint)).toEqual([
      '  out/campaign/hero.png  1024x576, 1.2 MB',
      '  out/campaign/clip.mp4  5.0 s, 1280x720, 512 kB',
    ])
  })

  test('are not shown to a person without end', () => {
    const many = Array.from({ length: 1234 }, (_, nth) =>
      jobReport(`a${nth}`, 'made', { files: [savedFile(`a${nth}.png`)] }),
    )
    const lines = madeTable(report(many), onlooker, paint)
    expect([lines.length, lines.at(-1)]).toEqual([
      31,
      '  … and 1,204 more files in out/campaign; `genrun report tea.yaml` makes a page of them',
    ])
    expect(madePaths(report(many), cwd)).toHaveLength(1234)
  })
})

describe('the closing lines', () => {
  test('of an unchanged run say that nothing was asked for', () => {
    const unchanged = report([kept, { ...kept, address: jobAddress('b') }], { requests: 0 })
    expect(closingLines(unchanged, cwd, paint)).toEqual([
      'nothing to do: 2 jobs are up to date, no request was made',
    ])
    expect(closingLines(report([kept], { requests: 0 }), cwd, paint)).toEqual([
      'nothing to do: 1 job is up to date, no request was made',
    ])
    expect(closingLines(report([], { requests: 0 }), cwd, paint)).toEqual([
      'nothing to do: these words are about no job, no request was made',
    ])
  })

  test('of a run that only published say so', () => {
    const published = { ...report([kept], { requests: 0 }), published: true } as const
    expect(closingLines(published, cwd, paint)).toEqual([
      'nothing to make: 1 job is up to date, and what was not published yet is published now; nothing was paid',
    ])
  })

  test('tell what this run brought and could not look at, and why the first was not', () => {
    const found = [{ look: 'brand', verdict: 'not looked at', why: 'it ended with 3: broken' }] as const
    const unseen = { looked: { verdict: 'not looked at', found } } as const
    const made = (name: string) => jobReport(name, 'made', { files: [savedFile(`${name}.png`, unseen)] })
    const last = (...names: string[]) => closingLines(report(names.map(made)), cwd, paint).at(-1)
    expect(last('a')).toBe('not looked at: a.png (brand: it ended with 3: broken)')
    expect(last('a', 'b')).toBe('not looked at: 2 files, for instance a.png (brand: it ended with 3: broken)')
    expect(closingLines(report([kept]), cwd, paint)).toHaveLength(1)
  })

  test('do not claim that nothing was asked for when something was', () => {
    expect(closingLines(report([kept], { requests: 1 }), cwd, paint)).toEqual([
      '1 job: 1 up to date; 12.3 s, 0 paid requests, files in out/campaign',
    ])
  })

  test('count every ending, the requests that were paid for, and name the folder', () => {
    const jobs = [
      hero,
      clip,
      kept,
      moved,
      jobReport('x', 'failed'),
      jobReport('y', 'doubt'),
      jobReport('z', 'held'),
    ]
    expect(closingLines(report(jobs, { paid: 3 }), cwd, paint)).toEqual([
      '7 jobs: 1 made, 1 fetched again, 1 moved, 1 up to date, 1 in doubt, 1 failed, 1 held; 12.3 s, 3 paid requests, files in out/campaign',
    ])
  })

  test('of a rehearsal say that nothing was paid', () => {
    expect(
      closingLines(report([hero], { rehearsal: true, paid: 1 }), '/project/out/campaign', paint),
    ).toEqual([
      '1 job: 1 made; 12.3 s, files in .',
      'rehearsal: the files are placeholders, nothing was paid',
    ])
  })

  test('say how to go on after a stop, unless every job says it itself', () => {
    const open = jobReport('clip', 'detached', { failure: { why: 'stopped' } })
    const goOn = 'run the same command again to go on; what is paid for is not paid again'
    expect(closingLines(report([open]), cwd, paint)).toContain(goOn)
    expect(closingLines(report([{ ...open, hint: 'run again' }]), cwd, paint)).not.toContain(goOn)
  })
})

describe('trouble', () => {
  test('is told with its hint, gravest first, once for all jobs that share it', () => {
    const jobs = [
      jobReport('a', 'skipped', { failure: { why: 'needs', address: jobAddress('e') } }),
      jobReport('b', 'skipped', { failure: { why: 'needs', address: jobAddress('f') } }),
      jobReport('e', 'failed', { failure: remote, hint: 'order it again with --failed' }),
      jobReport('f', 'failed', { failure: remote, hint: 'order it again with --failed' }),
      jobReport('g', 'held', { message: 'it failed at the service before' }),
      jobReport('h', 'doubt', {
        failure: { why: 'in-doubt', detail: '' },
        hint: 'look for it at the service',
      }),
      jobReport('i', 'made', {
        failure: { why: 'short-delivery', asked: 4, got: 3 },
        files: [savedFile('i.png')],
      }),
      jobReport('j', 'detached', { failure: { why: 'stopped' } }),
      hero,
      kept,
    ]
    expect(troubleLines(report(jobs), '/work', paint)).toEqual([
      'in doubt: h (fama-imagine-image)',
      '  a paid request was sent and no answer proves what became of it',
      '  = hint: look for it at the service',
      'failed: e, f',
      '  the run failed at the service: no steam',
      '  = hint: order it again with --failed',
      'held: g (fama-imagine-image)',
      '  it failed at the service before',
      'unfinished: j (fama-imagine-image)',
      '  stopped while it was under way',
      'delivered, but: i (fama-imagine-image)',
      '  3 of 4 files were delivered',
      'skipped: a, b',
      '  what they need did not finish',
    ])
  })

  test('of many jobs is cut to a few names', () => {
    const jobs = Array.from({ length: 500 }, (_, nth) => jobReport(`a${nth}`, 'failed', { failure: remote }))
    expect(troubleLines(report(jobs), '/work', paint)).toEqual([
      'failed: a0, a1, a2, a3 and 496 more jobs',
      '  the run failed at the service: no steam',
    ])
  })

  test('of many kinds is cut to the gravest', () => {
    const jobs = Array.from({ length: 500 }, (_, nth) =>
      jobReport(`a${nth}`, 'failed', { failure: { why: 'remote', detail: `code ${nth}` } }),
    )
    const lines = troubleLines(report(jobs), '/work', paint)
    expect([lines.length, lines.at(-1)]).toEqual([
      41,
      '… and 480 more jobs in trouble; --json lists all of them',
    ])
  })

  test('of runs that no record names is told with every id, before all else', () => {
    const unsaved = (nth: number) => ({ why: 'unsaved', path: `a${nth}.part`, detail: 'no space' }) as const
    const jobs = Array.from({ length: 30 }, (_, nth) => {
      const run = `r_${nth}` as RunId
      return jobReport(`a${nth}`, 'detached', { failure: unsaved(nth), run, hint: `keep the id ${run}` })
    })
    const doubt = jobReport('h', 'doubt', { failure: { why: 'in-doubt', detail: '' } })
    const lines = troubleLines(report([doubt, ...jobs]), '/work', paint)
    expect(lines[0]).toBe('unfinished: a0, a1, a2, a3 and 26 more jobs')
    for (const { address, run } of jobs) expect(lines).toContain(`  ${address}: run ${run}`)
    expect(lines).toContain('  = hint: for instance keep the id r_0')
  })

  test('of runs that are gone is told once, with one of them for all', () => {
    const jobs = Array.from({ length: 30 }, (_, nth) =>
      jobReport(`a${nth}`, 'failed', {
        failure: { why: 'gone', run: `r_${nth}` as RunId, detail: '' },
        hint: `resolve a${nth}`,
      }),
    )
    expect(troubleLines(report(jobs), '/work', paint)).toEqual([
      'failed: a0, a1, a2, a3 and 26 more jobs',
      '  for instance the service does not know the run r_0 (any more)',
      '  = hint: for instance resolve a0',
    ])
  })

  test('is nothing when all is well', () => {
    expect(troubleLines(report([hero, kept]), '/work', paint)).toEqual([])
  })

  test('holds no control character of the service', () => {
    const failure = { why: 'remote', detail: '\u001b[2Jgone\nforged' } as const
    expect(troubleLines(report([jobReport('a', 'failed', { failure })]), '/work', paint)[1]).toBe(
      '  the run failed at the service: \\u{1b}[2Jgone\\u{a}forged',
    )
  })
})
