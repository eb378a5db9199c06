import { expect, test } from 'vitest'
import type { JournalRecord } from '../../src/base/purchase.ts'
import type { RemoteFile } from '../../src/base/state.ts'
import { runEngine } from '../../src/engine/engine.ts'
import { foldJournal, recordOf } from '../../src/store/journal/fold.ts'
import type { JournalEntry } from '../../src/store/journal/journal-text.ts'
import { fakeWorld, job, purchaseOf, run, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const signed: RemoteFile = { from: 'link', url: 'https://files.example/1.png?signature=secret' }
const plain: RemoteFile = { from: 'link', url: 'https://files.example/1.png' }
const spooled: RemoteFile = { from: 'spool', path: 'spool/1' }

/** What the journal holds of an exchange that brought these files, when the process dies while it fetches them. */
async function noted(files: readonly RemoteFile[], id?: string): Promise<JournalRecord[]> {
  const world = fakeWorld({
    order: () => ({ got: 'files', files, ...(id !== undefined && { run: run(id) }) }),
    save: () => {
      world.stopNow()
      return { got: 'trouble', failure: { why: 'stopped' } }
    },
  })
  await world.clock.run(runEngine([task(job('a'))], world, limits))
  return world.records
}

function standing(records: readonly JournalRecord[]) {
  const entries = records.map((record, nth): JournalEntry => ({ ...record, at: nth }))
  const history = foldJournal(entries).get(purchaseOf('a'))
  return history && recordOf(history)
}

test.each<[string, readonly RemoteFile[]]>([
  ['links', [signed, { ...signed }]],
  ['links, one of them signed', [plain, signed]],
  ['a file of its own and a link', [spooled, signed]],
])('of an answer with a run and %s the run is written down, and no signature', async (_, files) => {
  const records = await noted(files, 'r1')
  expect(records.map(({ kind }) => kind)).toEqual(['INTENT', 'SENDING', 'ACCEPTED'])
  expect(JSON.stringify(records)).not.toContain('secret')
  expect(standing(records)).toMatchObject({ is: 'under-way', run: run('r1') })
})

test.each<[string, readonly RemoteFile[], string | undefined]>([
  ['links without a run, which are all there is of it', [signed], undefined],
  ['files of its own', [spooled], 'r1'],
  ['links that say nothing secret', [plain], 'r1'],
])('an answer is written down with %s', async (_, files, id) => {
  const records = await noted(files, id)
  expect(records.at(-1)).toMatchObject({ kind: 'RESULT', files })
  expect(standing(records)).toMatchObject({ is: 'under-way', files })
})

test('what is in doubt is given up when the order in its place is written down, and a take stays wanted when that is refused', async () => {
  const world = fakeWorld({
    order: () => ({
      got: 'refused',
      failure: { why: 'refused', status: 422, detail: 'no' },
      canRetry: false,
    }),
  })
  const other = purchaseOf('b')
  const anew = {
    ...task(job('a')),
    insteadOf: [{ purchase: other, decision: 'over' }],
    redo: true,
    resubmitted: true,
  } as const
  await world.clock.run(runEngine([anew], world, limits))
  const { records } = world
  expect(records.map(each => ('purchase' in each ? [each.kind, each.purchase] : []))).toEqual([
    ['INTENT', purchaseOf('a')],
    ['SENDING', purchaseOf('a')],
    ['RESOLVE', other],
    ['REFUSED', purchaseOf('a')],
    ['FAILED', purchaseOf('a')],
  ])
  expect(standing(records)).toMatchObject({ is: 'failed', billed: 'no', redo: true, resubmitted: true })
})
