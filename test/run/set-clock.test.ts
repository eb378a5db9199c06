import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { type PurchaseId, type RunId, sha256Digest } from '../../src/base/names.ts'
import type { DoubtfulPurchase, RunningPurchase } from '../../src/base/purchase.ts'
import { systemRandom } from '../../src/base/random.ts'
import type { Reason } from '../../src/plan/shapes/reasons.ts'
import type { Plan } from '../../src/plan/shapes/step.ts'
import { openFreshLinks } from '../../src/run/inputs/fresh-links.ts'
import { writeNote } from '../../src/run/one-shot/note.ts'
import { resendOf, tasksOf } from '../../src/run/tasks.ts'
import { takeClaim } from '../../src/store/claim/claim.ts'
import { digestOf } from '../../src/store/files/digest.ts'
import { agesIn } from '../../src/store/journal/ages.ts'
import { readJournal } from '../../src/store/journal/journal.ts'
import { openJournal } from '../../src/store/journal/open-journal.ts'
import { thisMachine } from '../../src/workspace/machine.ts'
import { savedFile } from '../cli/fake.ts'
import { job, purchaseOf, recipe } from '../engine/fake.ts'
import { project } from '../profiles/hostile.ts'

const [minute, hour] = [60_000, 3_600_000]
const noon = Date.parse('2026-03-01T12:00:00Z')

describe('an order in doubt', () => {
  const keys = { honoured: true, header: 'Idempotency-Key', ttlMs: 24 * hour } as const
  const keysOf = () => keys
  const its = job('clip')
  const sent = { request: digestOf('r'), workflow: 'w', origin: 'https://x', at: noon }
  const order = { id: purchaseOf('clip'), address: its.address, recipe, sent }
  const purchase: DoubtfulPurchase = { ...order, is: 'doubt', detail: 'reset', raws: [] }
  const doubt = { do: 'doubt', job: its, purchase } as const

  test.each<[string, number, boolean]>([
    ['a moment ago', 0, true],
    ['an hour ago', hour, true],
    ['nearly half the life of its key ago', 12 * hour - 1, true],
    ['half the life of its key ago', 12 * hour, false],
    ['long ago', 48 * hour, false],
    ['in the future, by a clock that was set back', -1, false],
    ['in ten minutes, by such a clock', -10 * minute, false],
    ['in two hours, by such a clock', -2 * hour, false],
  ])('that was sent %s: sent again under its key?', (_, ageMs, isSent) => {
    const ages = { latest: noon, unknown: new Set<PurchaseId>() }
    const resend = resendOf(doubt, { keysOf, now: 5000, wall: noon + ageMs, ages })
    expect(resend !== undefined).toBe(isSent)
    if (!resend) return
    expect(resend.until).toBe(5000 + 12 * hour - ageMs)
    expect(resend.young).toEqual({ from: noon, until: noon + 12 * hour })
  })

  test.each<[string, readonly Reason[], boolean]>([
    ['that is all there is to say', [{ why: 'asked', word: '--resubmit' }], true],
    ['it was for what the job asked for before', [{ why: 'new' }], false],
  ])(
    'given up by --resubmit is sent under its own key where the service knows that: %s',
    (_, because, isOwn) => {
      const plan: Plan = {
        steps: [{ do: 'buy', job: its, because, insteadOf: [{ doubt: purchase, isOther: true }] }],
        buys: 1,
      }
      const at = {
        now: 5000,
        wall: noon + hour,
        random: systemRandom,
        keysOf,
        ages: agesIn([]),
        redone: new Set<never>(),
      }
      const [task] = tasksOf(plan, { ...at, jobAside: () => undefined })
      expect([task?.purchase === purchase.id, task?.resend !== undefined]).toEqual([isOwn, isOwn])
      expect(task?.insteadOf).toEqual(isOwn ? undefined : [{ purchase: purchase.id, decision: 'abandon' }])
    },
  )

  test('of which a later record is dated before an earlier one: nobody knows how old it is', () => {
    const entries = [noon, noon + 5 * hour, noon + hour].map(at => {
      return { kind: 'SENDING', purchase: purchase.id, attempt: 'a', at } as const
    })
    const at = { keysOf, now: 5000, wall: noon + 2 * hour }
    expect(resendOf(doubt, { ...at, ages: agesIn(entries.slice(0, 1)) })).toBeDefined()
    expect(resendOf(doubt, { ...at, ages: { ...agesIn(entries), latest: 0 } })).toBeUndefined()
    // Written later than it is now.
    expect(resendOf(doubt, { ...at, ages: agesIn(entries.slice(0, 2)) })).toBeUndefined()
    // Put right by a little, as clocks are all the time.
    const slewed = agesIn(
      [noon, noon + 2 * hour + 50_000, noon + 2 * hour].map(
        (when, nth) => ({ kind: 'SENDING', purchase: purchase.id, attempt: `${nth}`, at: when }) as const,
      ),
    )
    expect(resendOf(doubt, { ...at, ages: slewed })).toBeDefined()
  })
})

describe('a run that is gone on with', () => {
  const its = job('clip')
  const run = { workflow: 'w', id: 'r1' as RunId } // short, printable
  const order = { id: purchaseOf('clip'), address: its.address, recipe }
  const purchase: RunningPurchase = { ...order, is: 'under-way', run, acceptedAt: noon, saved: [], parts: [] }
  const steps: Plan['steps'] = [{ do: 'resume', job: its, purchase }]

  test.each<[string, number[], number, number]>([
    ['as old as its date says', [noon], noon + hour, hour],
    ['young where its date is in the future, by a clock that was set back since', [noon], noon - hour, 0],
    [
      'young where the clock was set back in the middle of its order',
      [noon + hour, noon],
      noon + 2 * hour,
      0,
    ],
  ])('is %s', (_, dates, wall, ageMs) => {
    const entries = dates.map(at => ({ kind: 'SENDING', purchase: purchase.id, attempt: 'a', at }) as const)
    const [task] = tasksOf(
      { steps, buys: 0 },
      {
        now: 5 * hour,
        wall,
        random: thisMachine.random,
        keysOf: () => ({ honoured: false, header: undefined }),
        ages: agesIn(entries),
        redone: new Set(),
        jobAside: () => undefined,
      },
    )
    expect(task?.start).toMatchObject({ is: 'remote', acceptedAt: 5 * hour - ageMs })
  })
})

test.each<[string, number, boolean, number?]>([
  ['at once', 0, true],
  ['half an hour later, where links work for an hour', 30 * minute, true, hour],
  ['later than that', 30 * minute + 1, false, hour],
  ['a minute later, where links work for a minute', minute, false, minute],
  ['five minutes later', 5 * minute, true],
  ['later, as after a sleep or with a clock that was set forward', 5 * minute + 1, false],
  ['before it came, by a clock that was set back', -1, false],
])('the service’s own link to a file, %s: is it given on?', (_, ageMs, isYoung, lifeMs) => {
  let wall = noon
  const never = () => Promise.reject(new Error('nothing is read'))
  const links = openFreshLinks({ read: never }, { wall: () => wall }, new AbortController().signal, lifeMs)
  const url = 'https://files.example/1.png'
  const digest = sha256Digest('a'.repeat(64))
  links.remember([{ from: 'link', url }], [savedFile('hero.png', { digest })])
  wall += ageMs
  expect(links.young(digest)).toBe(isYoung ? url : undefined)
})

describe('what another process reads is dated by the wall clock', () => {
  const clock: Clock = { ...systemClock, wall: () => noon }

  test('in a claim', async () => {
    const folder = join(project(''), 'claim')
    expect(await takeClaim(folder, { clock })).toMatchObject({ got: 'claim' })
    const [name = ''] = readdirSync(folder)
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toMatchObject({ since: noon })
  })

  test('in the note of a generation, and in its journal', async () => {
    const state = join(project(''), 'once')
    const note = { name: 'rain', model: 'fama-imagine-image', named: true, rehearsal: false }
    await writeNote(state, note, { ...thisMachine, clock })
    expect(JSON.parse(readFileSync(join(state, 'order.json'), 'utf8'))).toMatchObject({ since: noon })
    const folder = join(state, 'journal')
    const opened = await openJournal({ folder, lineage: 'l', tool: 'genrun', clock })
    if (opened.got === 'journal') await opened.journal.close()
    expect(readJournal(folder)).toMatchObject({
      got: 'records',
      entries: [
        { kind: 'OPEN', at: noon },
        { kind: 'CLOSE', at: noon },
      ],
    })
  })
})
