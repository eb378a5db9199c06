import { expect, test } from 'vitest'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { manifestName, toldSteps } from '../verbs/bench.ts'
import { locked, openSeller, pictures } from '../verbs/seller.ts'

/** A lock of two, with a purchase of a colleague's in it. */
async function withColleague() {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  const theirs = seller.clone()
  theirs.write('m.lock.json', bench.read('m.lock.json'))
  theirs.write(manifestName, pictures({ hero: 'tea', clip: 'rain' }))
  await theirs.run()
  return { seller, bench, theirs: theirs.read('m.lock.json') }
}

test('what a pull brings into the lock while a run is at work stays in it, and is not bought again', async () => {
  const { seller, bench, theirs } = await withColleague()
  bench.write(manifestName, pictures({ hero: 'tea', edit: 'snow' }))
  seller.onOrder = () => bench.write('m.lock.json', theirs)
  await bench.run()
  delete seller.onOrder
  expect(locked(bench)).toEqual(['clip done r2', 'edit done r3', 'hero done r1'])
  bench.write(manifestName, pictures({ hero: 'tea', edit: 'snow', clip: 'rain' }))
  await bench.run()
  expect(seller.orders).toEqual(['tea', 'rain', 'snow'])
})

test('what only this machine has is in the lock that a run leaves after a pull, and not added by the next one without work', async () => {
  const { seller, bench, theirs } = await withColleague()
  for (const prompt of ['mud', 'tea']) {
    bench.write(manifestName, pictures({ hero: prompt }))
    await bench.run()
  }
  // Theirs alone, as one settles a conflict.
  bench.write('m.lock.json', theirs)
  bench.write(manifestName, pictures({ hero: 'tea', clip: 'rain' }))
  await bench.run()
  const left = bench.read('m.lock.json')
  await bench.run()
  expect(bench.read('m.lock.json')).toBe(left)
  const third = seller.clone()
  third.write('m.lock.json', left)
  third.write(manifestName, pictures({ hero: 'mud', clip: 'rain' }))
  await third.run()
  expect(seller.orders).toEqual(['tea', 'rain', 'mud'])
})

test('a run without work after a pull leaves the lock as it is, with what only this machine has beside it', async () => {
  const { bench, theirs } = await withColleague()
  bench.write('m.lock.json', theirs)
  bench.write(manifestName, pictures({ hero: 'tea', clip: 'rain', last: 'ice' }))
  await bench.run()
  bench.write('m.lock.json', theirs)
  bench.write(manifestName, pictures({ hero: 'tea', clip: 'rain' }))
  for (const _ of [1, 2]) await bench.run()
  expect(bench.read('m.lock.json')).toBe(theirs)
})

test('another recipe for an order of this run is not taken from a lock that changes while it is at work', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  seller.does = 'lose'
  await bench.run()
  const lost = bench.read('m.lock.json')
  const theirs = seller.clone()
  for (const name of [manifestName, 'm.lock.json']) theirs.write(name, bench.read(name))
  const resolution = { is: 'adopt', id: 'r77' } as const
  await resolveOrders({ manifest: manifestName, cwd: theirs.folder, words: ['hero'], resolution })
  const forged = theirs.read('m.lock.json').replaceAll('tea', 'mud')
  bench.write(manifestName, pictures({ hero: 'tea', edit: 'snow' }))
  expect(bench.read('m.lock.json')).toBe(lost)
  seller.does = 'take'
  seller.onOrder = () => bench.write('m.lock.json', forged)
  await bench.run()
  delete seller.onOrder
  expect(bench.read('m.lock.json')).toContain('r77')
  expect(bench.read('m.lock.json')).not.toContain('mud')
})

test('a conflict that a pull leaves in the lock ends the buying, and nothing of either side is lost', async () => {
  const { seller, bench } = await withColleague()
  const three = { hero: 'tea', edit: 'snow', last: 'ice' }
  const text = bench.read('m.lock.json')
  const conflict = `<<<<<<< ours\n${text}=======\n>>>>>>> theirs\n`
  bench.write(manifestName, `limits: { total: 1 }\n${pictures(three)}`)
  seller.onOrder = () => bench.write('m.lock.json', conflict)
  const told: string[] = []
  const result = await bench.run({ emit: each => each.event === 'warned' && told.push(each.message) })
  expect(result).toMatchObject({
    report: { exit: 7, paid: 1, damage: expect.stringContaining('it holds the marks of a merge conflict') },
  })
  expect(told).toEqual([expect.stringContaining('nothing more is bought')])
  expect(bench.read('m.lock.json')).toBe(conflict)
  delete seller.onOrder
  bench.write('m.lock.json', text)
  expect(toldSteps(bench.plan())).toEqual(['buy last: not made yet'])
  await bench.run()
  expect(seller.orders).toEqual(['tea', 'rain', 'snow', 'ice'])
}, 20_000)

test('a run id that came with the lock outlives an older doubt of the journal', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  seller.does = 'lose'
  await bench.run()
  const theirs = seller.clone()
  for (const name of [manifestName, 'm.lock.json']) theirs.write(name, bench.read(name))
  const resolution = { is: 'adopt', id: 'r77' } as const
  await resolveOrders({ manifest: manifestName, cwd: theirs.folder, words: ['hero'], resolution })
  bench.write('m.lock.json', theirs.read('m.lock.json'))
  await bench.run()
  expect(locked(bench)).toEqual(['hero done r77'])
  expect(seller.orders).toEqual(['tea'])
})
