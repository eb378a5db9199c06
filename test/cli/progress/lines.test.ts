import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import { openLines } from '../../../src/cli/progress/lines.ts'
import { silentView } from '../../../src/cli/progress/view.ts'
import { done, handClock, happens, planned, run, savedFile, work } from '../fake.ts'

const start = 1_000_000

function opened(isVerbose = false) {
  const clock = handClock(start)
  const said: string[] = []
  return { clock, said, view: openLines({ say: line => said.push(line), clock, isVerbose }) }
}

const two = [work('hero'), work('clip', { model: 'famc-v3', needs: ['hero'] })]
const busy = { why: 'busy', detail: '' } as const

describe('lines', () => {
  test('say each change of state once, with our prefix and the time since the start', async () => {
    const { said, view } = opened()
    view.show(planned(start + 40, two, { jobs: 4, steps: { ...planned(0, two).steps, keep: 2 } }))
    view.show(happens(start + 100, 'hero', { event: 'sending', model: 'fama-imagine-image', attempt: 1 }))
    view.show(happens(start + 2000, 'hero', { event: 'made' }))
    view.show(happens(start + 2100, 'hero', { event: 'bytes', bytes: 500, total: 1000 }))
    view.show(happens(start + 2200, 'hero', { event: 'settled', state: done('hero.png') }))
    view.show(happens(start + 2300, 'clip', { event: 'sending', model: 'famc-v3', attempt: 1 }))
    view.show(happens(start + 2400, 'clip', { event: 'accepted', run: run('7f3a') }))
    view.show(happens(start + 65_000, 'clip', { event: 'progress', fraction: 0.4 }))
    view.show(
      happens(start + 75_000, 'clip', { event: 'settled', state: done('clip.mp4', { bytes: 99_000_000 }) }),
    )
    await view.close()
    expect(said).toEqual([
      'genrun    +0.0s  4 jobs: 2 to make, 2 up to date',
      'genrun    +0.1s  hero  sending  fama-imagine-image',
      'genrun    +2.2s  hero  made  hero.png (1.2 MB)',
      'genrun    +2.3s  clip  sending  famc-v3',
      'genrun    +2.4s  clip  accepted  run 7f3a',
      'genrun   +1m15s  clip  made  clip.mp4 (99 MB)',
    ])
  })

  test('say how a job ended otherwise', async () => {
    const { said, view } = opened()
    const ends = [
      { is: 'failed', failure: { why: 'remote', detail: 'no steam' }, billed: 'unknown' },
      { is: 'doubt', detail: 'the connection broke' },
      { is: 'detached', run: run('7f3a'), because: { why: 'stopped' } },
      { is: 'skipped', because: { why: 'stopped' } },
      {
        is: 'done',
        files: [savedFile('a-1.png'), savedFile('a-2.png'), savedFile('a-3.png')],
        flaw: { why: 'short-delivery', asked: 4, got: 3 },
      },
    ] as const
    for (const state of ends) view.show(happens(start, 'hero', { event: 'settled', state }))
    await view.close()
    expect(said.map(line => line.slice('genrun    +0.0s  hero  '.length))).toEqual([
      'failed  the run failed at the service: no steam',
      'in doubt  a paid request was sent and no answer proves what became of it: the connection broke',
      'unfinished  stopped while it was under way',
      'skipped  the run was stopped',
      'made  a-1.png (1.2 MB) and 2 more files; 3 of 4 files were delivered',
    ])
  })

  test('tell a stop once, by its rule, with the count and what was ordered', async () => {
    const { clock, said, view } = opened()
    const tasks = Array.from({ length: 3000 }, (_, nth) => ({ ...work(`tea${nth}`), cost: 0.01 }))
    view.show(planned(start, tasks, { currency: 'USD' }))
    for (const { address, model } of tasks.slice(0, 5))
      view.show(happens(start, address, { event: 'sending', model, attempt: 1 }))
    said.length = 0
    const remote = { why: 'remote', detail: '' } as const
    const failed = { is: 'failed', failure: remote, billed: 'unknown' } as const
    view.show(happens(start + 100, 'tea0', { event: 'settled', state: failed }))
    const because = { why: 'closed', because: remote, rule: { is: 'useless', orders: 5 } } as const
    for (const { address } of tasks.slice(5, 2990))
      view.show(happens(start + 200, address, { event: 'settled', state: { is: 'skipped', because } }))
    view.show(happens(start + 300, 'tea1', { event: 'settled', state: failed }))
    for (const { address } of tasks.slice(2990))
      view.show(happens(start + 400, address, { event: 'settled', state: { is: 'skipped', because } }))
    view.show(happens(start + 500, 'tea2', { event: 'settled', state: failed }))
    await clock.move(15_000)
    await view.close()
    const why =
      'not sent, because 5 paid orders in a row brought nothing of use, the last: the run failed at the service; 5 orders until then for about 0.05 USD'
    expect(said).toEqual([
      'genrun    +0.1s  tea0  failed  the run failed at the service',
      `genrun    +0.2s  tea5, tea6, tea7 and 2,982 more jobs  skipped  ${why}`,
      'genrun    +0.3s  tea1  failed  the run failed at the service',
      'genrun    +0.5s  tea2  failed  the run failed at the service',
      `genrun   +15.0s  tea2990, tea2991, tea2992 and 7 more jobs  skipped  ${why}`,
      // By the three that ended, as what is skipped takes no time and says nothing of the two that run.
      'genrun   +15.0s  still at work: 0 of 3000 done, 3 failed, 2995 skipped, 2 running (tea3, tea4); about 10s left',
    ])
  })

  test('tell a paid retry, and no further attempt of it', async () => {
    const { said, view } = opened()
    const send = (attempt: number, again?: number) =>
      view.show(
        happens(start, 'hero', {
          event: 'sending',
          model: 'famc-v3',
          attempt,
          ...(again !== undefined && { again }),
        }),
      )
    send(1)
    send(2)
    send(3, 1)
    send(4, 1)
    send(5, 2)
    await view.close()
    expect(said).toEqual([
      'genrun    +0.0s  hero  sending  famc-v3',
      'genrun    +0.0s  hero  sending again  famc-v3  its run failed; paid retry 1',
      'genrun    +0.0s  hero  sending again  famc-v3  its run failed; paid retry 2',
    ])
  })

  test('tell jobs that need different ones together', async () => {
    const { said, view } = opened()
    for (const nth of [1, 2, 3, 4]) {
      const because = { why: 'needs', address: jobAddress(`still${nth}`) } as const
      view.show(happens(start, `clip${nth}`, { event: 'settled', state: { is: 'skipped', because } }))
    }
    await view.close()
    expect(said).toEqual([
      'genrun    +0.0s  clip1, clip2, clip3 and 1 more job  skipped  what they need did not finish',
    ])
  })

  test('tell why jobs wait once between two signs of life, and second attempts not at all', async () => {
    const { clock, said, view } = opened()
    const wait = (address: string) =>
      view.show(
        happens(clock.now(), address, { event: 'waiting', failure: busy, untilMs: clock.now() + 2000 }),
      )
    wait('hero')
    wait('clip')
    view.show(happens(start, 'hero', { event: 'sending', model: 'fama-imagine-image', attempt: 2 }))
    await clock.move(15_000)
    wait('clip')
    await view.close()
    expect(said).toEqual([
      'genrun    +0.0s  hero  waiting  the service is busy',
      'genrun   +15.0s  clip  waiting  the service is busy',
    ])
  })

  test('count nothing where nothing is to be made', async () => {
    const { clock, said, view } = opened()
    const plan = planned(clock.now(), [])
    view.show({ ...plan, jobs: 10_000, steps: { ...plan.steps, buy: 0, keep: 10_000 } })
    await clock.move(15_000)
    await view.close()
    expect(said).toEqual([
      'genrun    +0.0s  10,000 jobs: 10,000 up to date',
      'genrun   +15.0s  still at work',
    ])
  })

  test('give a sign of life every 15 seconds, from the plan to the end', async () => {
    const { clock, said, view } = opened()
    await clock.move(16_000)
    const tasks = ['a', 'b', 'c', 'd', 'e', 'f'].map(address => work(address))
    view.show(planned(clock.now(), tasks))
    said.length = 0
    for (const { address, model } of tasks)
      view.show(happens(clock.now(), address, { event: 'sending', model, attempt: 1 }))
    view.show(happens(clock.now(), 'a', { event: 'settled', state: done('a.png') }))
    view.show(happens(clock.now(), 'b', { event: 'progress', fraction: 0.42 }))
    said.length = 0
    await clock.move(29_000)
    expect(said).toEqual([
      'genrun   +30.0s  still at work: 1 of 6 done, 5 running (b 42 %, c, d, 2 more)',
      'genrun   +45.0s  still at work: 1 of 6 done, 5 running (b 42 %, c, d, 2 more)',
    ])
    await view.close()
    await clock.move(60_000)
    expect(said).toHaveLength(2)
  })

  test('with --verbose tell what happens in between', async () => {
    const { said, view } = opened(true)
    view.show(happens(start, 'hero', { event: 'sending', model: 'fama-imagine-image', attempt: 2 }))
    view.show(happens(start, 'hero', { event: 'progress', fraction: 0.425 }))
    view.show(happens(start, 'hero', { event: 'made' }))
    view.show(happens(start, 'hero', { event: 'bytes', bytes: 65_536 }))
    await view.close()
    expect(said.map(line => line.slice('genrun    +0.0s  hero  '.length))).toEqual([
      'sending  fama-imagine-image  attempt 2',
      'progress  43 %',
      'ready  fetching its files',
      'received  66 kB',
    ])
  })

  test('hold no control character of the service or the manifest', async () => {
    const { said, view } = opened()
    const failure = { why: 'remote', detail: 'a\u001b[2J\nforged  made  x.png' } as const
    view.show(happens(start, 'hero', { event: 'settled', state: { is: 'failed', failure, billed: 'no' } }))
    view.show(planned(start, two, { remarks: ['left\u0007over'] }))
    await view.close()
    expect(said).toEqual([
      'genrun    +0.0s  hero  failed  the run failed at the service: a\\u{1b}[2J\\u{a}forged  made  x.png',
      'genrun    +0.0s  2 jobs: 2 to make',
      'genrun    +0.0s  left\\u{7}over',
    ])
  })
})

test('the quiet view shows notes and nothing else', async () => {
  const said: string[] = []
  const view = silentView(line => said.push(line))
  view.show(planned(start, two))
  view.note('stopping')
  await view.close()
  expect(said).toEqual(['stopping'])
})
