import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { begin, type Double, type Fate } from './double.ts'
import { atOnce, project, runAt } from './run.ts'
import { type ShapeName, shapes } from './shapes.ts'

const names = Object.keys(shapes) as ShapeName[] // The keys of the record.

/** So often each thing was ordered, by its words. */
function counts({ orders }: Double): number[] {
  const known = new Map<string, number>()
  for (const { body } of orders) {
    const prompt = /"(?:prompt|text)":"([^"]*)"/.exec(JSON.stringify(body))?.[1] ?? ''
    known.set(prompt, (known.get(prompt) ?? 0) + 1)
  }
  return [...known.values()]
}

/** The files that a report says were made, all of which are there. */
function made(cwd: string, report: Awaited<ReturnType<typeof runAt>>): number {
  const files = report.jobs.flatMap(job => (job.ending === 'made' || job.ending === 'kept' ? job.files : []))
  for (const { path } of files) expect(existsSync(join(cwd, 'out', path))).toBe(true)
  return new Set(report.jobs.flatMap(job => (job.files.length > 0 ? [job.address] : []))).size
}

test.each(names.flatMap(name => (['lost', '500'] as const).map((fate): [ShapeName, Fate] => [name, fate])))(
  'at "%s" an order whose answer is %s is in doubt, and never ordered again by itself',
  async (name, fate) => {
    const cwd = await project()
    const double = await begin(shapes[name])
    double.fates.push(fate)
    const first = await runAt(cwd, name, double)
    expect(first.jobs.map(({ ending }) => ending).toSorted()).toEqual(['doubt', 'made'])
    expect(first.exit).toBe(3)
    // What is in doubt stays so, whatever is done but a word of the person.
    const again = await runAt(cwd, name, double)
    expect(again).toMatchObject({ paid: 0, exit: 3 })
    expect(counts(double)).toEqual([1, 1])
    expect(made(cwd, again)).toBe(1)
  },
)

test.each(names)('at "%s" an order that was turned away is tried again, and bought once', async name => {
  const cwd = await project()
  const double = await begin(shapes[name])
  double.fates.push('busy', 'busy')
  const report = await runAt(cwd, name, double)
  expect(report.exit).toBe(0)
  expect(counts(double)).toEqual([1, 1])
  expect(made(cwd, report)).toBe(2)
})

test.each(names)('at "%s" a file that breaks off is never taken for the whole', async name => {
  const cwd = await project()
  const double = await begin(shapes[name])
  double.broken = 1
  const first = await runAt(cwd, name, double)
  const isLost = name === 'binary-speech' || name === 'multipart'
  expect(first.jobs.map(({ ending }) => ending).toSorted()).toEqual(
    isLost ? ['doubt', 'made'] : ['made', 'made'],
  )
  if (isLost) await runAt(cwd, name, double)
  expect(counts(double)).toEqual([1, 1])
  expect(made(cwd, first)).toBe(isLost ? 1 : 2)
})

test.each(names.filter(name => !atOnce.includes(name)))(
  'at "%s" a run that was stopped is gone on with, from another process and another checkout, for nothing',
  async name => {
    const cwd = await project()
    const double = await begin(shapes[name])
    const stop = new AbortController()
    let accepted = 0
    const first = await runAt(cwd, name, double, {
      stop: stop.signal,
      emit(told) {
        if (told.event === 'accepted' && ++accepted === 2) stop.abort()
      },
    })
    expect(first.jobs.map(({ ending }) => ending)).toContain('detached')
    // Only the lock is carried over, as by a commit.
    const elsewhere = await project()
    const lock = readFileSync(join(cwd, 'everywhere.lock.json'), 'utf8')
    writeFileSync(join(elsewhere, 'everywhere.lock.json'), lock)
    const there = await runAt(elsewhere, name, double)
    expect(there).toMatchObject({ paid: 0, exit: 0 })
    expect(made(elsewhere, there)).toBe(2)
    const here = await runAt(cwd, name, double)
    expect(here).toMatchObject({ paid: 0, exit: 0 })
    expect(made(cwd, here)).toBe(2)
    expect(counts(double)).toEqual([1, 1])
  },
)

test('what a service refuses for its content is told so, in each of their words', async () => {
  const cwd = await project()
  const manifest = readFileSync(join(cwd, 'everywhere.yaml'), 'utf8')
  writeFileSync(
    join(cwd, 'everywhere.yaml'),
    manifest.replaceAll(/(prompt: )[^,]+/g, '$1a forbidden thing').replace(/^ {2}badge-in-red.*\n/m, ''),
  )
  // The others say it with the run, and are asked a second time before they are believed.
  for (const name of ['base64-images', 'multipart', 'predictions', 'other-host-polling'] as const) {
    const double = await begin(shapes[name])
    const report = await runAt(cwd, name, double)
    const whys = new Set(report.jobs.map(({ failure }) => failure?.why))
    expect({ name, whys: [...whys] }).toEqual({ name, whys: ['rejected-content'] })
  }
})
