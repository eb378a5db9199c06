import { expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type {
  DonePurchase,
  DoubtfulPurchase,
  FailedPurchase,
  Purchase,
  RunningPurchase,
} from '../../src/base/purchase.ts'
import type { Step } from '../../src/plan/shapes/step.ts'
import { remarksOn } from '../../src/wording/remarks.ts'
import { job, purchaseOf, recipe, run } from '../engine/fake.ts'
import { named } from '../store/records.ts'

const atWork = { manifest: 'tea.yaml', cwd: '/home/tea' }
const one = job('hero')
const order = { id: purchaseOf('hero'), address: one.address, recipe }
const entry: DonePurchase = { ...order, is: 'done', files: [] }
const running: RunningPurchase = { ...order, is: 'under-way', run: run('r1'), saved: [], parts: [] }
const come = { ...running, files: [{ from: 'spool', path: 'a' }] } as const
const doubt: DoubtfulPurchase = { ...order, is: 'doubt', detail: 'reset', raws: [] }
const flaw = { why: 'remote', message: 'no' } as const
const failed: FailedPurchase = { ...order, is: 'failed', flaw, billed: 'no' }
const drop = (purchase: Purchase): Step => ({ do: 'drop', address: jobAddress('old'), purchase })
const aside: Step = { do: 'aside', address: jobAddress('old'), purchase: running }
const hold = (because: (Step & { do: 'hold' })['because']): Step => ({ do: 'hold', job: one, because })

test.each<[string, readonly Step[], readonly string[]]>([
  [
    'nothing to say',
    [
      { do: 'keep', job: one, entry },
      { do: 'buy', job: one, because: [] },
    ],
    [],
  ],
  [
    'runs that go on',
    [
      { do: 'resume', job: one, purchase: running },
      { do: 'resume', job: one, purchase: running },
    ],
    ['2 jobs were paid for by an earlier run: going on with them, nothing is paid again'],
  ],
  [
    'a result that had come',
    [{ do: 'resume', job: one, purchase: come }],
    ['1 result was paid for by an earlier run and had come: saving it, nothing is paid again'],
  ],
  [
    'lost files',
    [{ do: 'fetch', job: one, entry, run: run('r1'), missing: ['a'] }],
    ['the files of 1 job are gone: fetching them again, nothing is paid again'],
  ],
  [
    'lost files that the service had no more',
    [
      { do: 'fetch', job: one, entry, run: run('r1'), missing: ['a'] },
      { do: 'fetch', job: one, entry: { ...entry, isGone: true }, run: run('r2'), missing: ['b'] },
    ],
    [
      'the files of 1 job are gone: fetching them again, nothing is paid again',
      'the files of 1 job are gone, and the service had them no more when it was asked last: it is asked once more, which is free',
    ],
  ],
  [
    'doubts',
    [{ do: 'doubt', job: one, purchase: doubt }],
    [
      '1 order is in doubt since an earlier run: not sent again; `genrun status tea.yaml` tells more and how to settle it',
    ],
  ],
  [
    'what is held',
    [
      hold({ why: 'failed-before', purchase: named('k1'), message: 'no' }),
      hold({ why: 'failed-before', purchase: named('k2'), message: 'no such run', isGone: true }),
      hold({ why: 'files-gone', paths: ['a'] }),
      hold({ why: 'unpicked', address: one.address }),
      hold({ why: 'needs', address: one.address }),
    ],
    [
      '1 job failed in an earlier run and may have been billed: not ordered again without --failed',
      '1 run is gone at the service and may have been billed: not ordered anew without --rebuy',
      '1 result is gone and cannot be fetched: not bought again without --rebuy',
      '1 job waits until a take is picked',
    ],
  ],
  [
    'altered files and other defaults',
    [
      { do: 'keep', job: one, entry, altered: ['a.png'] },
      { do: 'keep', job: one, entry, outdated: [{ field: 'ar', was: '1:1', is: '16:9' }] },
    ],
    [
      'a.png was altered since genrun made it, and is left as it is',
      'the catalog has other defaults by now (ar 1:1 → 16:9); what was made before is kept',
    ],
  ],
  [
    'what came without buying',
    [
      { do: 'restore', job: one, entry },
      { do: 'adopt', job: one, entry, from: jobAddress('old') },
      { do: 'adopt', job: one, entry, from: one.address, accepted: [] },
    ],
    ['1 result is in the cache: copied, not bought', '1 result has a new name: moved, not bought'],
  ],
  [
    'what left the manifest',
    [drop(entry), drop(doubt), drop(doubt), drop(failed)],
    [
      '2 orders are in doubt, and nothing in the manifest asks for what they were',
      '1 entry of the lock is no longer in the manifest; the files stay',
      '1 order came to nothing, and the manifest asks for no other',
    ],
  ],
  [
    'what nobody asks for any more',
    [aside, aside],
    [
      '2 runs are paid for, and nothing asks for them any more: fetched and kept aside, nothing is paid again',
    ],
  ],
  [
    'one of those',
    [aside, drop(doubt)],
    [
      '1 run is paid for, and nothing asks for it any more: fetched and kept aside, nothing is paid again',
      '1 order is in doubt, and nothing in the manifest asks for what it was',
    ],
  ],
  [
    'what comes back from aside',
    [{ do: 'adopt', job: one, entry: { ...entry, aside: true }, from: one.address }],
    ['1 result was put aside before, and asked for again: not bought'],
  ],
  [
    'a run of another service',
    [hold({ why: 'other-service', run: run('r1'), origin: 'https://x' })],
    ['1 job waits for a run of another service'],
  ],
])('a run begins by telling %s', (_, steps, remarks) => {
  expect(remarksOn({ steps, buys: 0 }, atWork)).toEqual(remarks)
})

test('a call of generate hears of no flag that it does not have', () => {
  const held = hold({ why: 'failed-before', purchase: named('k1'), message: 'no' })
  expect(remarksOn({ steps: [held], buys: 0 }, { ...atWork, isOfCalls: true })).toEqual([
    '1 job failed in an earlier run and may have been billed: not ordered again by itself; `genrun status tea.yaml` tells how to settle it',
  ])
})

test('orders that go once more under their keys are told as such', () => {
  const doubts = [1, 2].map((): Step => ({ do: 'doubt', job: one, purchase: doubt }))
  expect(remarksOn({ steps: doubts, buys: 0 }, atWork, 1)).toEqual([
    '1 order is in doubt since an earlier run: sent again under the same key, which this service takes for the same order',
    '1 order is in doubt since an earlier run: not sent again; `genrun status tea.yaml` tells more and how to settle it',
  ])
})
