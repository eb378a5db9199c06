import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { pruneManifest } from '../../src/verbs/prune.ts'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { closeBench, manifestName, openBench, openBenchWith, paidAt, toldSteps } from '../verbs/bench.ts'

const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot }
  edit: { model: famb-character, prompt: The same in blue, imageUrls: '\${{ jobs.hero.output }}' }
  rain: { model: famc-t2a, prompt: Rain, duration: 3 }
`

/** The hero is there, the edit is in doubt, the rain has failed. */
async function afterTrouble() {
  const gateway = await startGateway({
    outputs: 'memory',
    faults: {
      rules: [
        { fault: { does: 'lose' }, model: 'famb-character', first: 1 },
        { fault: { does: 'fail' }, model: 'famc-t2a', first: 1 },
      ],
    },
  })
  const bench = openBench(gateway)
  onTestFinished(async () => {
    closeBench(bench)
    await gateway.close()
  })
  bench.write(manifestName, manifest)
  const counts = { made: 1, doubt: 1, failed: 1 }
  expect(await bench.run()).toMatchObject({ report: { exit: 3, paid: 3, counts } })
  return { bench, gateway }
}

/** The first sound fails at the service. */
async function failingOnce() {
  const gateway = await startGateway({
    outputs: 'memory',
    faults: { rules: [{ fault: { does: 'fail' }, model: 'famc-t2a', first: 1 }] },
  })
  const bench = openBench(gateway)
  onTestFinished(async () => {
    closeBench(bench)
    await gateway.close()
  })
  return { bench, gateway }
}

const again = { choices: { failed: true }, select: { failed: true } } as const

test('what failed is ordered again beside a job in doubt, which is told and ends the run with exit 3', async () => {
  const { bench } = await afterTrouble()
  // What the doubt was made from is not ordered for its sake.
  bench.edit(manifestName, 'A teapot', 'A jug')
  expect(await bench.run(again)).toMatchObject({
    report: { exit: 3, paid: 1, counts: { made: 1, doubt: 1 } },
  })
  const alone = await bench.run(again)
  expect(alone).toMatchObject({
    report: { exit: 3, paid: 0, jobs: [{ address: 'edit', ending: 'doubt' }] },
  })
})

test('a job in doubt that other words leave out is left out', async () => {
  const { bench, gateway } = await afterTrouble()
  const select = { ...again.select, words: ['rain'] }
  expect(await bench.run({ ...again, select })).toMatchObject({ report: { exit: 0, counts: { made: 1 } } })
  expect(paidAt(gateway)).toBe(4)
})

test('what failed or is in doubt under another name is meant by its name of now', async () => {
  const { bench } = await afterTrouble()
  bench.edit(manifestName, 'rain:', 'drizzle:')
  bench.edit(manifestName, 'edit:', 'blue:')
  const counts = { made: 1, doubt: 1 }
  expect(await bench.run(again)).toMatchObject({ report: { exit: 3, paid: 1, counts } })
})

test('what failed after an edit is held by the lock alone, beside what the job had before', async () => {
  const { bench, gateway } = await failingOnce()
  bench.write(manifestName, 'jobs:\n  it: { model: fama-imagine-image, prompt: One }\n')
  await bench.run()
  bench.write(manifestName, 'jobs:\n  it: { model: famc-t2a, prompt: Two, duration: 3 }\n')
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
  bench.remove('.genrun')
  expect(await bench.run()).toMatchObject({ report: { paid: 0, counts: { held: 1 } } })
  expect(paidAt(gateway)).toBe(2)
})

const all = { choices: { failed: true, resubmit: true }, select: { failed: true, resubmit: true } } as const

test('one command finishes what failed and what is in doubt, where a person says so', async () => {
  const { bench, gateway } = await afterTrouble()
  expect(toldSteps(bench.plan(all))).toEqual([
    'buy edit: asked for by --resubmit',
    expect.stringMatching(/^buy rain: asked for by --failed: the run \w+ is asked once more first/),
  ])
  expect(await bench.run(all)).toMatchObject({ report: { exit: 0, paid: 2, counts: { made: 2 } } })
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(paidAt(gateway)).toBe(5)
})

test('a result whose file is gone is part of it: it is fetched, or told again as lost', async () => {
  const { bench } = await afterTrouble()
  bench.remove('out')
  expect(await bench.run(again)).toMatchObject({ report: { counts: { fetched: 1, made: 1, doubt: 1 } } })
})

test('a doubt that --resubmit could not order anew stays one: no place under a cap, a stop, or only looked at', async () => {
  const { bench, gateway } = await afterTrouble()
  const stop = new AbortController()
  stop.abort()
  bench.plan(all)
  await bench.run({ ...all, caps: { maxPaid: 0 } })
  await bench.run({ ...all, stop: stop.signal })
  expect(toldSteps(bench.plan())).toContainEqual(expect.stringMatching(/^doubt edit/))
  expect(await bench.run()).toMatchObject({ report: { exit: 3, paid: 0 } })
  expect(paidAt(gateway)).toBe(3)
})

test('--resubmit alone orders doubts anew and what is new, and no failure', async () => {
  const { bench } = await afterTrouble()
  bench.edit(manifestName, 'in blue', 'in green')
  expect(await bench.run({ choices: { resubmit: true } })).toMatchObject({
    report: { exit: 4, paid: 1, counts: { made: 1, held: 1 } },
  })
  expect(bench.read('m.lock.json')).not.toContain('"doubt"')
})

test.each(['beside its state', 'by the lock alone'])(
  'what --resubmit of other words gives up is held once the edit is undone, %s',
  async how => {
    const { bench, gateway } = await afterTrouble()
    bench.edit(manifestName, 'in blue', 'in green')
    expect(toldSteps(bench.plan())).toContainEqual(
      expect.stringContaining('it is of what the job asked for before'),
    )
    const anew = { choices: { resubmit: true }, select: { words: ['edit'] } } as const
    expect(bench.plan(anew).remarks).toContainEqual(expect.stringContaining('given up as --resubmit says'))
    expect(await bench.run(anew)).toMatchObject({ report: { exit: 0, paid: 1, counts: { made: 1 } } })
    expect(await bench.run({ select: { words: ['edit'] } })).toMatchObject({ report: { exit: 0, paid: 0 } })
    bench.edit(manifestName, 'in green', 'in blue')
    if (how === 'by the lock alone') bench.remove('.genrun')
    expect(await bench.run({ select: { words: ['edit'] } })).toMatchObject({
      report: { exit: 4, paid: 0, counts: { held: 1 } },
    })
    expect(paidAt(gateway)).toBe(4)
    expect(await bench.run({ ...again, select: { ...again.select, words: ['edit'] } })).toMatchObject({
      report: { exit: 0, paid: 1 },
    })
  },
)

test('what failed before an edit is held by the lock alone once the edit is undone, and the order after it is known', async () => {
  const { bench, gateway } = await failingOnce()
  const failing = 'jobs:\n  it: { model: famc-t2a, prompt: One, duration: 3 }\n'
  const edited = failing.replace('One', 'Two')
  const lockLines = () => bench.read('m.lock.json').match(/"(state":"\w+|past":true)"?/g)
  bench.write(manifestName, failing)
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
  expect(lockLines()).toEqual(['"state":"failed"'])
  bench.write(manifestName, edited)
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(lockLines()?.toSorted()).toEqual(['"past":true', '"state":"done"', '"state":"failed"'].toSorted())
  // A clone has the lock alone.
  bench.remove('.genrun')
  expect(await bench.run(again)).toMatchObject({ report: { exit: 0, paid: 0 } })
  bench.write(manifestName, failing)
  expect(await bench.run()).toMatchObject({ report: { paid: 0, counts: { held: 1 } } })
  bench.remove('.genrun')
  expect(await bench.run()).toMatchObject({ report: { paid: 0, counts: { held: 1 } } })
  expect(paidAt(gateway)).toBe(2)
  // Ordered again in the same words, there is no doubt left that the failure could speak of.
  expect(await bench.run(again)).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(lockLines()?.toSorted()).toEqual(['"state":"aside"', '"state":"done"'])
})

test('of what failed and is pruned with its job, it is said that it may be billed', async () => {
  const { bench } = await afterTrouble()
  bench.edit(manifestName, '  rain: { model: famc-t2a, prompt: Rain, duration: 3 }\n', '')
  const request = { ...bench.request(), isConfirmed: false }
  expect(await pruneManifest(request)).toMatchObject({
    entries: [{ address: 'rain', files: [], mayBeBilled: true }],
  })
})

test('a failure goes to the job whose result its own job takes over, and holds that when it comes back', async () => {
  const { bench, gateway } = await failingOnce()
  const rain = '{ model: famc-t2a, prompt: Rain, duration: 3 }'
  const both = `jobs:\n  one: ${rain}\n  two: ${rain}\nlimits: { submit: 1 }\n`
  bench.write(manifestName, both)
  expect(await bench.run()).toMatchObject({ report: { paid: 2, counts: { made: 1, failed: 1 } } })
  expect(await bench.run()).toMatchObject({ report: { paid: 0, counts: { kept: 1, held: 1 } } })
  // The one that was made is taken out: the other has its result.
  bench.edit(manifestName, `  two: ${rain}\n`, '')
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  bench.write(manifestName, both)
  expect(await bench.run()).toMatchObject({ report: { paid: 0, counts: { kept: 1, held: 1 } } })
  bench.remove('.genrun')
  expect(await bench.run()).toMatchObject({ report: { paid: 0, counts: { kept: 1, held: 1 } } })
  expect(paidAt(gateway)).toBe(2)
})

test('`redo` of what failed says before the order that the earlier one may have been billed, and is asked first', async () => {
  const { bench } = await afterTrouble()
  const anew = { redo: true, select: { words: ['rain'] } }
  const said =
    '1 job failed before and may have been billed: ordered again; the earlier run is asked once more first, which is free'
  expect(bench.plan(anew).remarks).toContain(said)
  expect(bench.plan(again).remarks).not.toContain(said)
})

test('status and resolve tell of what is in doubt, and settle it, without the file that it was made from', async () => {
  const { bench } = await openBenchWith(
    'jobs:\n  still: { model: famc-3.0-image, prompt: A teapot, imageUrls: in.png }\n',
    { faults: 'lose first=1' },
  )
  bench.write('in.png', readFileSync('examples/models.png'))
  expect(await bench.run()).toMatchObject({ report: { exit: 3, paid: 1 } })
  bench.remove('in.png')
  expect(await bench.run()).toMatchObject({ got: 'refused', problems: [{ code: 'missing-file' }] })
  const lacking = [expect.stringContaining('there is no file in.png: no run begins before it is back')]
  expect(statusOf(bench.request())).toMatchObject({
    status: { open: [{ address: 'still', is: 'doubt' }], lacking },
  })
  const word = { words: ['still'], resolution: { is: 'abandon' } } as const
  expect(await resolveOrders({ ...bench.request(), ...word })).toMatchObject({
    got: 'resolved',
    record: { resolved: [{ address: 'still' }], lacking },
  })
  expect(statusOf(bench.request())).toMatchObject({ status: { open: [{ address: 'still', is: 'failed' }] } })
  bench.write('in.png', readFileSync('examples/models.png'))
  expect(bench.plan()).toMatchObject({ paid: 0, steps: [{ do: 'hold', address: 'still' }] })
})
