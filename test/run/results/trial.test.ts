// What is ordered must find its place: the way of a result is tried before the first order.
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Machine, thisMachine } from '../../../src/workspace/machine.ts'
import { manifestName } from '../../verbs/bench.ts'
import { endings, openSeller, pictures } from '../../verbs/seller.ts'

/** A machine on which no download can be saved. */
function withoutSync(): void {
  const spy = vi.spyOn(thisMachine as Required<Machine>, 'tryPart')
  spy.mockImplementation(async path => ({ why: 'unsaved', path, detail: 'Method not implemented.' }))
  onTestFinished(() => spy.mockRestore())
}

test('where no result can be saved nothing is ordered, and why is told', async () => {
  const { bench, seller } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  withoutSync()
  expect(await bench.run()).toMatchObject({
    got: 'damaged',
    message: expect.stringContaining('Method not implemented.'),
  })
  expect(seller.orders).toEqual([])
})

test('where no answer can be put down nothing is ordered', async () => {
  const { bench, seller } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  // A folder in its place takes no file, whoever asks.
  mkdirSync(join(bench.folder, '.genrun/m/spool/a trial'), { recursive: true, mode: 0o700 })
  expect(await bench.run()).toMatchObject({ got: 'damaged', message: expect.stringContaining('a trial') })
  expect(seller.orders).toEqual([])
})

test('the trial leaves nothing behind', async () => {
  const { bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  expect(endings(await bench.run())).toEqual(['hero: made'])
  expect(readdirSync(join(bench.folder, 'out/m/.genrun')).filter(name => name.endsWith('.part'))).toEqual([])
  expect(readdirSync(join(bench.folder, '.genrun/m/spool'))).toEqual([])
})
