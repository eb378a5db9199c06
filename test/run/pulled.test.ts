import { expect, test } from 'vitest'
import { pickTake } from '../../src/verbs/pick.ts'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { manifestName, toldSteps } from '../verbs/bench.ts'
import { locked, openSeller, pictures, shade } from '../verbs/seller.ts'

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

/** Two clones, of which each bought the same. */
async function withTwins(takes: string) {
  const { seller, bench } = await openSeller()
  seller.file = run => shade(Number(run.slice(1)))
  bench.write(manifestName, pictures({ edit: 'snow' }))
  await bench.run()
  const theirs = seller.clone()
  theirs.write('m.lock.json', bench.read('m.lock.json'))
  for (const each of [theirs, bench]) {
    each.write(manifestName, pictures({ edit: 'snow', hero: 'tea' }).replace('tea }', `tea${takes} }`))
    await each.run()
  }
  return { seller, bench, theirs }
}

/** Another clone, with lock and manifest of that one. */
async function thirdOf({ seller, bench }: Pick<Awaited<ReturnType<typeof withTwins>>, 'seller' | 'bench'>) {
  const third = seller.clone()
  for (const name of [manifestName, 'm.lock.json']) third.write(name, bench.read(name))
  await third.run()
  return third
}

test('of two clones that bought the same, who takes the lock of the other has its results and its pick, and loses none of either', async () => {
  const { seller, bench, theirs } = await withTwins(', takes: 2')
  await pickTake({ manifest: manifestName, cwd: theirs.folder, address: 'hero#2' })
  bench.write('m.lock.json', theirs.read('m.lock.json'))
  await bench.run()
  const picked = theirs.bytes('out/m/hero.png')
  expect(bench.bytes('out/m/hero.png')).toEqual(picked)
  const all = ['edit done r1', 'hero aside r4', 'hero done r2', 'hero#2 aside r5', 'hero#2 done r3']
  expect(locked(bench).toSorted()).toEqual(all)
  // The own second take had the name under which nobody has anything now.
  expect([bench.has('out/m/takes/hero.take1.png'), bench.has('out/m/takes/hero.take2.png')]).toEqual([
    true,
    false,
  ])
  const left = bench.read('m.lock.json')
  await bench.run()
  expect(bench.read('m.lock.json')).toBe(left)
  const third = await thirdOf({ seller, bench })
  expect([third.read('m.lock.json'), seller.orders.length]).toEqual([left, 5])
  expect(third.bytes('out/m/hero.png')).toEqual(picked)
})

test('of several results of one job, a clone without their files keeps what it does not fetch in the lock', async () => {
  const { seller, bench, theirs } = await withTwins(', takes: 2')
  await pickTake({ manifest: manifestName, cwd: theirs.folder, address: 'hero#2' })
  const linesOf = (clone: typeof bench) =>
    clone
      .read('m.lock.json')
      .split('\n')
      .filter(line => line.includes('"hero'))
  const [first = '', ...mine] = linesOf(bench)
  const others = linesOf(theirs).map(line =>
    line.includes('"picked"') ? line.replace('"state":"done"', '"state":"aside"') : line,
  )
  bench.edit('m.lock.json', [first, ...mine].join('\n'), [first, ...mine, ...others].join('\n'))
  const third = await thirdOf({ seller, bench })
  const runs = locked(third).map(line => line.split(' ').at(-1))
  expect([runs.toSorted(), seller.orders.length]).toEqual([['r1', 'r2', 'r3', 'r4', 'r5'], 5])
})

test('what is in doubt here stays so when the lock of a clone that began apart takes the place of the own, and its doubt is settled', async () => {
  const { seller, bench } = await openSeller()
  const theirs = seller.clone()
  seller.does = 'lose'
  for (const clone of [bench, theirs]) {
    clone.write(manifestName, pictures({ hero: 'tea' }))
    await clone.run()
  }
  bench.write('m.lock.json', theirs.read('m.lock.json'))
  bench.remove('out')
  await bench.run()
  const abandon = { ...bench.request(), words: ['hero'], resolution: { is: 'abandon' } } as const
  expect(await resolveOrders(abandon)).toMatchObject({ got: 'resolved' })
  seller.does = 'take'
  expect(await bench.run({ select: { failed: true }, choices: { failed: true } })).toMatchObject({
    got: 'refused',
    problems: [{ code: 'owed-elsewhere' }],
  })
  expect(seller.orders).toEqual(['tea', 'tea'])
})
