// What an edit does to what is bought: the service's own account of what it sold is compared with what was asked for.
import { describe, expect, test } from 'vitest'
import { type Jobs, openProject, stopUnderWay } from './project.ts'
import { openShop, sold } from './shop.ts'

describe('an edit that is undone', () => {
  test.each(['SIGINT', 'SIGKILL'] as const)(
    'while its run is under way (%s) keeps the finished file, and each is there again when it is asked for',
    async signal => {
      const shop = await openShop()
      const project = openProject(shop, { b: 'Quiet' })
      await project.exits(0, 'm.yaml')
      const quiet = project.bytes('b')

      project.write({ b: 'Storm' })
      await stopUnderWay(project, 1, signal)
      expect(project.says('b')).toBe('Quiet, order 1')
      await shop.finish()
      project.write({ b: 'Quiet' })
      const undone = await project.exits(0, 'm.yaml')
      expect(project.says('b')).toBe('Quiet, order 1')
      expect(project.bytes('b').equals(quiet)).toBe(true)
      expect(undone.stderr).toMatch(/aside/)
      expect(project.keeps('Storm, order 2')).toBe(true)
      expect(sold(shop)).toEqual(['Quiet', 'Storm'])
      const status = await project.exits(0, 'status', 'm.yaml')
      expect(status.stdout + status.stderr).toMatch(/aside/)
      await project.isAtRest()

      project.write({ b: 'Storm' })
      await project.exits(0, 'm.yaml')
      expect(project.says('b')).toBe('Storm, order 2')
      await project.isAtRest()

      project.write({ b: 'Quiet' })
      await project.exits(0, 'm.yaml')
      expect(project.says('b')).toBe('Quiet, order 1')
      expect(project.bytes('b').equals(quiet)).toBe(true)
      await project.isAtRest()
      expect(sold(shop)).toEqual(['Quiet', 'Storm'])
    },
  )

  test('when both are finished brings the first file back, and the second again, unpaid', async () => {
    const shop = await openShop()
    const project = openProject(shop, { b: 'Quiet' })
    await project.exits(0, 'm.yaml')
    for (const [prompt, file] of [
      ['Storm', 'Storm, order 2'],
      ['Quiet', 'Quiet, order 1'],
      ['Storm', 'Storm, order 2'],
      ['Quiet', 'Quiet, order 1'],
    ] as const) {
      project.write({ b: prompt })
      await project.exits(0, 'm.yaml')
      expect(project.says('b')).toBe(file)
      await project.isAtRest()
    }
    expect(sold(shop)).toEqual(['Quiet', 'Storm'])
  })
})

describe('jobs under way', () => {
  test.each<[string, Jobs]>([
    ['prompts', { a: 'Wind', b: 'Rain' }],
    ['names', { b: 'Rain', a: 'Wind' }],
  ])('that swap their %s get the file of the prompt that each asks for now', async (_, swapped) => {
    const shop = await openShop()
    const project = openProject(shop, { a: 'Rain', b: 'Wind' })
    await stopUnderWay(project, 2)
    const made = shop.orders.map(({ prompt }, nth) => `${prompt}, order ${nth + 1}`)
    await shop.finish()
    project.write(swapped)
    await project.exits(0, 'm.yaml')
    expect([project.says('b'), project.says('a')].toSorted()).toEqual(made.toSorted())
    expect(project.says('a')).toMatch(/^Wind/)
    expect(sold(shop).toSorted()).toEqual(['Rain', 'Wind'])
    await project.isAtRest()
  })

  // One purchase made anew is far below the number that needs a yes.
  test('that are edited are bought once more, and the older result is kept aside', async () => {
    const shop = await openShop()
    const project = openProject(shop, { a: 'Rain' })
    await stopUnderWay(project)
    await shop.finish()
    project.write({ a: 'Storm' })
    const { stderr } = await project.exits(0, 'm.yaml')
    expect(project.says('a')).toBe('Storm, order 2')
    expect(sold(shop)).toEqual(['Rain', 'Storm'])
    expect(project.keeps('Rain, order 1')).toBe(true)
    expect(stderr).toMatch(/aside/)
    const status = await project.exits(0, 'status', 'm.yaml')
    expect(status.stdout + status.stderr).toMatch(/aside/)
    await project.isAtRest()
  })

  test('that are renamed are published under the new name, and nothing knows the old one', async () => {
    const shop = await openShop()
    const project = openProject(shop, { oldtea: 'Rain', other: 'Wind' })
    await stopUnderWay(project, 2)
    project.write({ newtea: 'Rain', other: 'Wind' })
    const early = await project.exits(0, 'status', 'm.yaml')
    expect(early.stdout + early.stderr).not.toContain('oldtea')
    await shop.finish()
    await project.exits(0, 'm.yaml')
    expect(project.outputs()).toEqual(['newtea.wav', 'other.wav'])
    expect(project.says('newtea')).toMatch(/^Rain/)
    expect(sold(shop).toSorted()).toEqual(['Rain', 'Wind'])
    expect(project.text('m.lock.json')).not.toContain('oldtea')
    const { stdout, stderr } = await project.exits(0, 'status', 'm.yaml')
    expect(stdout + stderr).not.toContain('oldtea')
    await project.isAtRest()
  })
})
