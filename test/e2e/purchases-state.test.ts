// State, locks and manifests that were copied, moved or lost: nothing is bought twice, and nothing becomes another's.
import { cpSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { copyState, openProject, stopUnderWay, underWay } from './project.ts'
import { openShop, sold } from './shop.ts'

/** A project with the state of another one, which owes what its second job asks for. */
async function withTheirState() {
  const shop = await openShop()
  const theirs = openProject(shop, { storm: 'Storm' })
  await stopUnderWay(theirs)
  await shop.finish()
  const ours = openProject(shop, { rain: 'Rain' })
  await ours.exits(0, 'm.yaml')
  copyState(theirs, ours)
  ours.write({ rain: 'Rain', storm: 'Storm' })
  return { shop, ours }
}

describe('a state folder of another lineage', () => {
  test('is set aside, what it owes is told, and nothing of it is published', async () => {
    const shop = await openShop()
    const theirs = openProject(shop, { rain: 'Rain', wind: 'Wind' })
    await theirs.exits(0, 'm.yaml')
    theirs.write({ rain: 'Rain', wind: 'Wind', storm: 'Storm' })
    const [storm = ''] = await stopUnderWay(theirs)
    await shop.finish()
    const ours = openProject(shop, { rain: 'Rain', wind: 'Gale' })
    await ours.exits(0, 'm.yaml')
    const before = ours.snapshot()
    const sales = sold(shop)

    copyState(theirs, ours)
    const { stderr } = await ours.exits(0, 'm.yaml')
    expect(sold(shop)).toEqual(sales)
    expect(ours.outputs()).toEqual(['rain.wav', 'wind.wav'])
    for (const name of ['out/m/rain.wav', 'out/m/wind.wav', 'm.lock.json'])
      expect([name, ours.snapshot()[name]]).toEqual([name, before[name]])
    expect(stderr).toMatch(/lineage/)
    expect(stderr).toMatch(/aside/)
    expect(stderr).toMatch(new RegExp(`storm|${storm}`))
    const asides = readdirSync(ours.path('.genrun')).filter(name => !['m', '.gitignore'].includes(name))
    expect(asides.filter(name => stderr.includes(name))).toHaveLength(1)
    await ours.isAtRest()
  })

  test('does not hide what the project itself has under way', async () => {
    const shop = await openShop()
    const theirs = openProject(shop, { rain: 'Rain' })
    await theirs.exits(0, 'm.yaml')
    const ours = openProject(shop, { rain: 'Rain' })
    await stopUnderWay(ours)
    await shop.finish()
    copyState(theirs, ours)
    await ours.exits(0, 'm.yaml')
    expect(ours.says('rain')).toBe('Rain, order 2')
    expect(sold(shop)).toEqual(['Rain', 'Rain'])
    await ours.isAtRest()
  })

  test('that owes what a job asks for: nothing is bought before somebody says whose it is', async () => {
    const { shop, ours } = await withTheirState()
    const { stderr } = await ours.exits(2, 'm.yaml')
    expect(stderr).toMatch(/storm is paid for already \(run \S+ is not fetched yet\).*\[owed-elsewhere\]/)
    await ours.exits(0, 'recover', 'm.yaml', '--yes')
    await ours.exits(0, 'm.yaml')
    expect([ours.says('rain'), ours.says('storm')]).toEqual(['Rain, order 2', 'Storm, order 1'])
    expect(sold(shop)).toEqual(['Storm', 'Rain'])
    await ours.isAtRest()
  })

  test('that owes what a job asks for: it is bought anew by a word', async () => {
    const { shop, ours } = await withTheirState()
    await ours.exits(0, 'm.yaml', '--continue', 'none')
    expect(sold(shop)).toEqual(['Storm', 'Rain', 'Storm'])
    await ours.isAtRest()
  })
})

describe('a state folder of another branch of the same project', () => {
  test.each([
    ['edited too', 'Gale', 'Gale, order 4'],
    ['left as it was', 'Rain', 'Rain, order 1'],
  ])(
    'put into one that was %s replaces no file, and what it knows is not bought again',
    async (_, prompt, file) => {
      const shop = await openShop()
      const main = openProject(shop, { a: 'Rain' })
      await main.exits(0, 'm.yaml')
      main.write({ a: 'Rain', b: 'Wind' })
      await main.exits(0, 'm.yaml')
      const branch = main.copy()
      main.write({ a: 'Storm', b: 'Wind' })
      await main.exits(0, 'm.yaml')
      branch.write({ a: prompt, b: 'Wind' })
      await branch.exits(0, 'm.yaml')
      const [sales, bytes] = [sold(shop), branch.bytes('a')]

      copyState(main, branch)
      await branch.exits(0, 'm.yaml')
      expect(branch.says('a')).toBe(file)
      expect(branch.bytes('a').equals(bytes)).toBe(true)
      expect(sold(shop)).toEqual(sales)
      await branch.isAtRest()

      // Bought on the other branch, and the service still has it.
      branch.write({ a: 'Storm', b: 'Wind' })
      await branch.exits(0, 'm.yaml')
      expect(branch.says('a')).toBe('Storm, order 3')
      expect(sold(shop)).toEqual(sales)
      await branch.isAtRest()
    },
  )

  test('with a run under way: it is fetched and kept aside', async () => {
    const shop = await openShop()
    const main = openProject(shop, { a: 'Rain' })
    await main.exits(0, 'm.yaml')
    const branch = main.copy()
    branch.write({ a: 'Gale' })
    await branch.exits(0, 'm.yaml')
    main.write({ a: 'Storm' })
    await stopUnderWay(main)
    await shop.finish()

    copyState(main, branch)
    const { stderr } = await branch.exits(0, 'm.yaml')
    expect(branch.says('a')).toBe('Gale, order 2')
    expect(sold(shop)).toEqual(['Rain', 'Gale', 'Storm'])
    expect(stderr).toMatch(/aside/)
    expect(branch.keeps('Storm, order 3')).toBe(true)
    await branch.isAtRest()
  })
})

test('a state folder that vanishes in the middle of a run ends the buying, and the next run goes on', async () => {
  const shop = await openShop()
  const prompts = ['Rain', 'Wind', 'Storm', 'Gale', 'Hail', 'Snow']
  const project = openProject(shop, {})
  project.write(
    Object.fromEntries(prompts.map(prompt => [prompt.toLowerCase(), prompt])),
    'limits: { submit: 2 }\n',
  )
  const running = project.start('m.yaml')
  const accepted = await underWay(project, running, 2)
  rmSync(project.path('.genrun'), { recursive: true })
  // So long it may take to notice; then there is room for two more.
  await Promise.race([running.ended, new Promise(late => setTimeout(late, 2000))])
  await shop.finish()
  const { code, stderr } = await running.ended
  expect(sold(shop)).toHaveLength(2)
  expect(code, stderr).not.toBe(0)
  for (const id of accepted) expect(project.text('m.lock.json')).toContain(id)

  await project.exits(0, 'm.yaml')
  expect(sold(shop).toSorted()).toEqual(prompts.toSorted())
  for (const [nth, { prompt }] of shop.orders.entries())
    expect(project.says(prompt.toLowerCase())).toBe(`${prompt}, order ${nth + 1}`)
  await project.isAtRest()
})

describe('a manifest that is moved', () => {
  test('is not bought again: it goes on with the lock that it is told', async () => {
    const shop = await openShop()
    const project = openProject(shop, { a: 'Rain', b: 'Wind' })
    await project.exits(0, 'm.yaml')
    // A copy beside it is nobody's other name: it is bought for itself, and that is said before.
    cpSync(project.path('m.yaml'), project.path('copy.yaml'))
    expect((await project.exits(0, 'plan', 'copy.yaml')).stderr).toContain(
      'm.yaml has 2 results that are asked for here (m.lock.json): this manifest has bought nothing yet, and buys its own',
    )
    rmSync(project.path('copy.yaml'))
    renameSync(project.path('m.yaml'), project.path('n.yaml'))
    for (const verb of ['run', 'plan']) {
      const { stdout, stderr } = await project.exits(2, verb, 'n.yaml')
      expect(stdout + stderr).toContain('--continue m.lock.json')
    }
    expect(sold(shop)).toHaveLength(2)
    expect(project.has('n.lock.json')).toBe(false)

    await project.exits(0, 'run', 'n.yaml', '--continue', 'm.lock.json')
    expect(sold(shop)).toHaveLength(2)
    expect([project.has('m.lock.json'), project.has('n.lock.json')]).toEqual([false, true])
    expect(project.outputs('out/n')).toEqual(['a.wav', 'b.wav'])
    for (const [nth, { prompt }] of shop.orders.entries())
      expect(project.says(prompt === 'Rain' ? 'a' : 'b', 'out/n')).toBe(`${prompt}, order ${nth + 1}`)
    await project.isAtRest('n.yaml')
  })

  test('while a run is under way gets its file', async () => {
    const shop = await openShop()
    const project = openProject(shop, { a: 'Rain' })
    await stopUnderWay(project)
    await shop.finish()
    renameSync(project.path('m.yaml'), project.path('n.yaml'))
    expect((await project.exits(2, 'run', 'n.yaml')).stderr).toContain('--continue m.lock.json')
    await project.exits(0, 'run', 'n.yaml', '--continue', 'm.lock.json')
    expect(project.says('a', 'out/n')).toBe('Rain, order 1')
    expect(sold(shop)).toEqual(['Rain'])
    await project.isAtRest('n.yaml')
  })
})

test('with lock and state lost, the outputs are not bought again: `recover` makes the lock of them', async () => {
  const shop = await openShop()
  const project = openProject(shop, { a: 'Rain', b: 'Wind' })
  await project.exits(0, 'm.yaml')
  rmSync(project.path('m.lock.json'))
  rmSync(project.path('.genrun'), { recursive: true })
  expect((await project.exits(2, 'm.yaml')).stderr).toContain('genrun recover m.yaml')
  expect(sold(shop)).toHaveLength(2)

  const before = project.snapshot()
  const found = await project.exits(2, 'recover', 'm.yaml')
  expect(found.stdout + found.stderr).toMatch(/a\.wav[^]*b\.wav/)
  expect(project.snapshot()).toEqual(before)
  await project.exits(0, 'recover', 'm.yaml', '--yes')
  expect(project.has('m.lock.json')).toBe(true)
  await project.exits(0, 'm.yaml')
  expect([project.says('a'), project.says('b')].toSorted()).toEqual(['Rain, order 1', 'Wind, order 2'])
  expect(sold(shop)).toHaveLength(2)
  await project.isAtRest()
})
