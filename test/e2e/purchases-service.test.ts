// Another service, or one that is wrong about its own runs: its word is not taken for more than it is.
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openProject, stopUnderWay } from './project.ts'
import { openShop, sold } from './shop.ts'
import { openStubShop } from './stub-shop.ts'

test('a run is asked for at the address that took it, whatever another one knows by its id', async () => {
  const first = await openStubShop({ name: 'first' })
  const project = openProject(first, { a: 'Rain' })
  expect(await stopUnderWay(project)).toEqual(['run-1'])
  await first.finish()

  const second = await openStubShop({ name: 'second' })
  second.sell('Thunder')
  const { stderr } = await project.at(second).exits(4, 'm.yaml')
  expect(second.paid()).toBe(0)
  expect(project.outputs()).toEqual([])
  expect(project.keeps('Thunder, order 1 of second')).toBe(false)
  expect(stderr).toContain(first.host)
  expect(stderr).toContain(second.host)

  await project.exits(0, 'm.yaml')
  expect(project.says('a')).toBe('Rain, order 1 of first')
  expect([sold(first), second.paid()]).toEqual([['Rain'], 0])
  await project.isAtRest()
})

/** The command that a hint names between backticks, as words. */
function commandIn(text: string, verb: string): string[] {
  const [, command = ''] = new RegExp(`\`genrun (${verb} [^\`]*)\``).exec(text) ?? []
  return command.split(' ')
}

test.each([
  ['while the run is under way', true],
  ['when the file is lost', false],
])('a service that moved, %s: what the hint says makes the run be asked for there', async (_, isUnderWay) => {
  const first = await openStubShop({ name: 'first' })
  const project = openProject(first, { a: 'Rain' })
  if (isUnderWay) await stopUnderWay(project)
  else {
    await project.exits(0, 'm.yaml')
    rmSync(project.path('out/m/a.wav'))
  }
  const second = await openStubShop({ name: 'second' })
  second.sell('Rain')
  const moved = project.at(second)
  const { stderr } = await moved.exits(4, 'm.yaml')
  const { stdout } = await moved.exits(0, 'status', 'm.yaml')
  expect(stdout).toContain('or say that it moved: genrun adopt m.yaml a run-1\n')
  expect(commandIn(stderr, 'adopt')).toEqual(['adopt', 'm.yaml', 'a', 'run-1'])
  await moved.exits(0, ...commandIn(stderr, 'adopt'))
  await moved.exits(0, 'm.yaml')
  expect(project.says('a')).toBe('Rain, order 1 of second')
  expect([sold(first), second.paid()]).toEqual([['Rain'], 0])
  await moved.isAtRest()
})

test('a run that is gone at the service and on disk is listed with its way out', async () => {
  const first = await openStubShop()
  const project = openProject(first, { a: 'Rain', b: 'Wind' })
  await project.exits(0, 'm.yaml')
  rmSync(project.path('out/m/a.wav'))
  first.says('gone', 'run-1')
  await project.exits(1, 'm.yaml')
  const { stdout, stderr } = await project.exits(0, 'status', 'm.yaml')
  expect(stdout).toMatch(/^a: made, and its files are gone, .*run run-1/)
  const [, command = ''] = /genrun (run m\.yaml a --rebuy)/.exec(stdout) ?? []
  expect(stderr).toContain('2 jobs: 1 done, 1 made, and its files are gone')
  await project.exits(0, ...command.split(' '))
  expect(sold(first)).toEqual(['Rain', 'Wind', 'Rain'])
  await project.isAtRest()
})

test('one run id for several orders makes all of them doubtful, and none of them a file', async () => {
  const shop = await openStubShop({ idOf: () => 'run-same' })
  shop.hold()
  const project = openProject(shop, { rain: 'Rain', wind: 'Wind', hail: 'Hail' })
  const running = project.start('m.yaml')
  await expect.poll(() => shop.orders.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
  // Time for the third order, which need not come, and for the answers.
  await Promise.race([running.ended, sleep(1000)])
  await shop.finish()
  const { code, stderr } = await running.ended
  expect(code, stderr).toBe(3)
  expect(project.outputs()).toEqual([])
  const sales = sold(shop)
  expect(sales).toEqual([...new Set(sales)])
  const doubtful = sales.map(prompt => prompt.toLowerCase())
  for (const name of doubtful) expect(stderr).toContain(name)

  const { stdout } = await project.exits(0, 'status', 'm.yaml')
  for (const name of doubtful) {
    const [, told = ''] = new RegExp(`^(${name}: .*\n(?: .*\n)*)`, 'm').exec(stdout) ?? []
    expect(told).toContain('in doubt')
    expect(
      doubtful.some(other => other !== name && told.includes(other)),
      told,
    ).toBe(true)
  }
  await project.exits(3, 'm.yaml')
  const later = sold(shop)
  expect(later).toEqual([...new Set(later)])
})

describe('a run that was called failed', () => {
  test('and is done after all: `--failed` fetches it', async () => {
    const shop = await openStubShop()
    shop.says('failed')
    const project = openProject(shop, { a: 'Rain' })
    await project.exits(1, 'm.yaml')
    shop.says('completed')
    await project.exits(0, 'm.yaml', '--failed')
    expect(project.says('a')).toBe('Rain, order 1 of here')
    expect(sold(shop)).toEqual(['Rain'])
    await project.isAtRest()
  })

  test('and still is: `--failed` asks, and orders once more', async () => {
    const shop = await openStubShop()
    shop.says('failed', 'run-1')
    const project = openProject(shop, { a: 'Rain' })
    await project.exits(1, 'm.yaml')
    const asked = shop.asked('run-1')
    expect(asked).toBeGreaterThanOrEqual(2)
    await project.exits(0, 'm.yaml', '--failed')
    expect(shop.asked('run-1')).toBeGreaterThan(asked)
    expect(project.says('a')).toBe('Rain, order 2 of here')
    expect(sold(shop)).toEqual(['Rain', 'Rain'])
    await project.isAtRest()
  })
})

test('orders that were refused leave a cap as it was: with one as `plan` says it everything is made', async () => {
  const refuse = { does: 'refuse', status: 429 } as const
  const shop = await openShop({ faults: { rules: [{ fault: refuse, on: ['submit'], first: 2 }] } })
  const project = openProject(shop, { a: 'Rain', b: 'Wind' })
  const { stdout } = await project.exits(0, 'm.yaml', '--max-paid', '2')
  expect(stdout).toBe('out/m/a.wav\nout/m/b.wav\n')
  expect(shop.orders.map(({ prompt }) => prompt).toSorted()).toEqual(['Rain', 'Wind'])
  expect(shop.paid()).toBe(4)
})
