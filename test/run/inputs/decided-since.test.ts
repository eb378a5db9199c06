import { expect, test } from 'vitest'
import { type Bench, pixel, toldSteps } from '../../verbs/bench.ts'
import { openLookedShop } from '../looked-shop.ts'

// What a person decides while a run is at work counts for what it has not sent yet: nothing is made from a take that nobody wants by now.

const z = '  z: { model: fama-imagine-image, prompt: Other }\n'
const user = (needs: string) =>
  `  d: { model: fama-imagine-image, prompt: From it, imageUrls: '\${{ jobs.a.output }}'${needs} }\n`
const manifest = (a: string, ...more: string[]) =>
  `jobs:\n  a: { model: fama-imagine-image, prompt: Tea, ${a} }\n${more.join('')}`

const seenOf = (bench: Bench, address: string) => {
  const line =
    bench
      .read('m.lock.json')
      .split('\n')
      .find(each => each.includes(`"address":"${address}"`)) ?? ''
  const [, of] = /"id":"([^"]+)"/.exec(line) ?? []
  const [, digest] = /"digest":"([^"]+)"/.exec(line) ?? []
  const when = `${new Date().toISOString().slice(0, 19)}Z`
  return { address, who: 'Lead', when, seen: [digest], of }
}

function decide(bench: Bench, { verdict, pick }: { verdict?: object; pick?: object }): void {
  const lines = (all: (object | undefined)[]) =>
    all.flatMap(each => (each ? `${JSON.stringify(each)},\n` : [])).join('')
  const picks = pick ? `,"picks":[\n${lines([pick])}null]` : ''
  const head = '{"genrunReview":1,"manifest":"m.yaml","verdicts":[\n'
  bench.write('m.review.json', `${head}${lines([verdict])}null]${picks}}\n`)
}

const picked = 'another take of a was picked meanwhile: the next run makes it from that'

test('another take that is picked on the page holds what was planned from this one, and the next run makes it', async () => {
  const { bench, orders, during } = await openLookedShop(0, manifest('takes: 2', z, user(', needs: [z]')))
  await bench.run({ select: { words: ['a'] } })
  during(3, () => decide(bench, { pick: { ...seenOf(bench, 'a#2'), pick: 'take' } }))
  expect(await bench.run()).toMatchObject({
    report: {
      exit: 4,
      paid: 1,
      jobs: [{}, {}, { address: 'z', ending: 'made' }, { address: 'd', ending: 'held', message: picked }],
    },
  })
  const second = seenOf(bench, 'a#2').seen
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(bench.read('m.lock.json')).toContain(`"inputs":{"/imageUrls":["${second}"]}`)
  expect(bench.read('m.review.json')).not.toContain('picks')
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(orders()).toBe(4)
})

test('what only comes later is not held by a pick', async () => {
  const later = '  d: { model: fama-imagine-image, prompt: Later, needs: [a, z] }\n'
  const { bench, during } = await openLookedShop(0, manifest('takes: 2', z, later))
  await bench.run({ select: { words: ['a'] } })
  during(3, () => decide(bench, { pick: { ...seenOf(bench, 'a#2'), pick: 'take' } }))
  expect(await bench.run()).toMatchObject({
    report: { exit: 0, paid: 2, jobs: [{}, {}, {}, { ending: 'made' }] },
  })
})

test('an approval that is withdrawn holds what is not sent yet, in the words of a plan', async () => {
  const { bench, orders, during } = await openLookedShop(
    0,
    manifest('require: approved', z, user(', needs: [z]')),
  )
  await bench.run({ select: { words: ['a'] } })
  decide(bench, { verdict: { ...seenOf(bench, 'a'), is: 'approved' } })
  during(2, () => decide(bench, { verdict: { ...seenOf(bench, 'a'), is: 'rejected' } }))
  const held = { address: 'd', ending: 'held', message: 'it waits until a is approved: it is rejected' }
  for (const paid of [1, 0])
    expect(await bench.run()).toMatchObject({ report: { exit: 4, paid, jobs: [{}, {}, held] } })
  expect(orders()).toBe(2)
})

test('where nobody can tell what was decided, nothing is made from it', async () => {
  const { bench, orders, during } = await openLookedShop(0, manifest('takes: 2', z, user(', needs: [z]')))
  await bench.run({ select: { words: ['a'] } })
  during(3, () => bench.write('m.review.json', '<<<<<<< ours\n'))
  const message = expect.stringContaining('nobody can tell by now which take of a is picked: ')
  expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 1, jobs: [{}, {}, {}, { message }] } })
  expect(orders()).toBe(3)
})

test('whoever approves a take, and orders another by `redo` within the same second, has that one picked', async () => {
  const { bench } = await openLookedShop(0, manifest('takes: 2'))
  await bench.run()
  // No date tells which was first, as they are to the second.
  const when = `${new Date(Date.now() + 60_000).toISOString().slice(0, 19)}Z`
  const a2 = { ...seenOf(bench, 'a#2'), when }
  decide(bench, { verdict: { ...a2, is: 'approved' }, pick: { ...a2, pick: 'take' } })
  await bench.run({ redo: true, select: { words: ['a'] } })
  const picked = bench.read('m.lock.json').match(/"address":"[^"]+"(?=.*"picked":true)/g)
  expect(picked).toEqual(['"address":"a#3"'])
  expect(toldSteps(bench.plan())).toEqual([])
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
})

const failing = 'gate: { all: fail, retakes: 2 }'

test.each<[string, (bench: Bench) => object]>([
  ['picked', bench => ({ pick: { ...seenOf(bench, 'a'), pick: 'take' } })],
  ['approved', bench => ({ verdict: { ...seenOf(bench, 'a'), is: 'approved' } })],
])('a take that was %s while a retake was on its way stays the one that counts', async (_, decision) => {
  const { bench, orders, during } = await openLookedShop(1, manifest(failing, user('')))
  await bench.run()
  const first = seenOf(bench, 'a').seen
  during(2, () => decide(bench, decision(bench)))
  expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 1 } })
  expect(bench.bytes('out/m/a.png')).toEqual(pixel)
  expect(await bench.run()).toMatchObject({ report: { paid: 1 } })
  expect(bench.read('m.lock.json')).toContain(`"inputs":{"/imageUrls":["${first}"]}`)
  expect(bench.bytes('out/m/a.png')).toEqual(pixel)
  expect(await bench.run()).toMatchObject({ report: { paid: 0 } })
  expect(orders()).toBe(3)
})

test('a run that failed, and is not ordered anew for what was decided since, is told as failed', async () => {
  const text = manifest('require: approved', user(', retries: 1'))
  const { bench, orders, during, fail } = await openLookedShop(0, text)
  await bench.run({ select: { words: ['a'] } })
  decide(bench, { verdict: { ...seenOf(bench, 'a'), is: 'approved' } })
  fail(2)
  during(2, () => decide(bench, { verdict: { ...seenOf(bench, 'a'), is: 'rejected' } }))
  expect(await bench.run()).toMatchObject({
    report: { exit: 1, paid: 1, jobs: [{}, { address: 'd', ending: 'failed', failure: { why: 'remote' } }] },
  })
  expect(orders()).toBe(2)
})

test('a retake that is not sent yet is not ordered once a take is approved', async () => {
  const { bench, orders } = await openLookedShop(1, manifest(failing, user('')))
  await bench.run()
  const approved = () => decide(bench, { verdict: { ...seenOf(bench, 'a'), is: 'approved' } })
  const message = 'a take of a was chosen meanwhile: it is not ordered anew'
  expect(await bench.run({ emit: ({ event }) => void (event === 'planned' && approved()) })).toMatchObject({
    report: { exit: 4, paid: 0, jobs: [{}, { address: 'a#2', ending: 'held', message }, { address: 'd' }] },
  })
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(orders()).toBe(2)
})
