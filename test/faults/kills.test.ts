import { expect, test } from 'vitest'
import { budget, hangsAfterMs } from './budget.ts'
import { killAndFinish, listCalls, type Outcome } from './killed.ts'

// Of one batch: the first run dies at another call each time, and those that go on from there die as well.
const killsInRow = 4

test('real processes, killed at every write and sync, pay nothing twice and lose nothing', async () => {
  const calls = await listCalls()
  const outcomes = await killAll(calls.length)
  const sum = (name: 'kills' | 'paid' | 'billed' | 'doubts') =>
    outcomes.reduce((total, outcome) => total + outcome[name], 0)
  const accusations = outcomes.flatMap(outcome => outcome.accusations)
  const count = (promise: string) => accusations.filter(each => each.startsWith(promise)).length
  const ofJournal = calls.filter(call => call.endsWith('of the journal')).length
  console.log(
    `${sum('kills')} processes killed, in ${outcomes.length} batches of ${calls.length} writes and syncs each, ` +
      `${ofJournal} of them of the journal\n` +
      `${sum('paid')} paid requests, ${sum('billed')} billed, ${sum('doubts')} doubts that the user settled\n` +
      `paid twice: ${count('P1')}, paid and shown as failed or absent: ${count('P2')}, lost results: ${count('P3')}, ` +
      `hangs: ${count('P20')}`,
  )
  expect(accusations).toEqual([])
  expect(sum('kills')).toBeGreaterThanOrEqual(budget.kills)
  expect(ofJournal).toBeGreaterThan(20)
}, 3_600_000)

/** Three batches at a time, until every call had its turn and enough processes are dead. */
async function killAll(calls: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let next = 0
  let kills = 0
  async function task(): Promise<void> {
    while (kills < budget.kills || next < calls) {
      const nth = next++
      const outcome = await killAndFinish({ nth, first: 1 + (nth % calls), most: killsInRow })
      kills += outcome.kills
      outcomes.push(outcome)
    }
  }
  await Promise.all([task(), task(), task()])
  return outcomes
}

// The zeros above mean something because this is not one.
test(
  'a journal that never reaches the disk is noticed by the ledger',
  async () => {
    const calls = await listCalls()
    // The first paid request leaves right after the second: before it, the journal was opened.
    const sync = 'fdatasync of the journal'
    const sending = 1 + calls.indexOf(sync, 1 + calls.indexOf(sync))
    const accusations: string[] = []
    for (let first = sending + 1; first < sending + 10 && accusations.length === 0; first++) {
      const outcome = await killAndFinish({ nth: first, first, most: 1, isForgetful: true })
      accusations.push(...outcome.accusations)
    }
    console.log(`caught: ${accusations[0]}`)
    expect(accusations.join('\n')).toMatch(/^P1: /m)
  },
  hangsAfterMs,
)
