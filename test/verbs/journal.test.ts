import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type JournalResult, journalOf } from '../../src/verbs/journal.ts'
import { type Bench, manifestName } from './bench.ts'
import { openSeller, pictures } from './seller.ts'

const look = (bench: Bench) => journalOf({ manifest: manifestName, cwd: bench.folder })

function told(result: JournalResult): string[] {
  if (result.got !== 'journal') throw new Error(JSON.stringify(result))
  return result.lines.map(({ kind, of, says }) => `${kind} ${of?.replace(/@.*/, '') ?? '-'}: ${says}`)
}

test('a journal tells what was written down, in its order and by the names of the jobs', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  expect(look(bench)).toEqual({ got: 'journal', lines: [], cutBytes: 0 })
  await bench.run()
  seller.does = 'refuse'
  bench.edit(manifestName, 'tea', 'mud')
  await bench.run()
  const orders = told(look(bench)).filter(line => !line.startsWith('LOCK'))
  expect(orders).toEqual([
    'OPEN -: a run of genrun begins, without a lock',
    'INTENT hero: to be ordered: fama-imagine-image by submit',
    'SENDING hero: its first byte leaves',
    'ACCEPTED hero: accepted as run r1',
    'SAVED hero: a file of it is here',
    'DONE hero: done: hero.png',
    'CLOSE -: the run came to its end',
    'OPEN -: a run of genrun begins',
    'INTENT hero: to be ordered: fama-imagine-image by submit',
    'SENDING hero: its first byte leaves',
    'REFUSED hero: refused, and not billed: refused',
    'FAILED hero: failed (billed: no): the service refused the request (400): no',
    'CLOSE -: the run came to its end',
  ])
})

test('what a crash cut off is counted, and what was altered is told with its place', async () => {
  const { bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  const before = look(bench)
  if (before.got !== 'journal' || before.file === undefined) throw new Error('no journal')
  const whole = readFileSync(before.file)
  appendFileSync(before.file, '\n0123456789abcdef {"len')
  expect(look(bench)).toMatchObject({ got: 'journal', lines: before.lines, cutBytes: 23 })
  const altered = Buffer.from(whole)
  altered[200] = (altered[200] ?? 0) ^ 1
  writeFileSync(before.file, altered)
  expect(look(bench)).toMatchObject({ got: 'damaged', message: expect.stringMatching(/at byte \d+$/) })
})
