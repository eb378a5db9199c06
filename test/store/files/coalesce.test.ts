import { expect, test } from 'vitest'
import { coalesce } from '../../../src/store/files/coalesce.ts'

/** A call that ends when it is told to. */
function calls() {
  const open: { thing: string; end: (error?: Error) => void }[] = []
  const call = coalesce(
    thing =>
      new Promise<void>((resolve, reject) => {
        open.push({ thing, end: error => (error ? reject(error) : resolve()) })
      }),
  )
  return { open, call }
}

const turns = () => new Promise(resolve => setImmediate(resolve))

test('who asks during a call shares the next one, and not that one', async () => {
  const { open, call } = calls()
  const ended: string[] = []
  const ask = (who: string) => void call('folder').then(() => ended.push(who))
  ask('first')
  ask('second')
  ask('third')
  await turns()
  expect(open).toHaveLength(1)
  open[0]?.end()
  await turns()
  expect(ended).toEqual(['first'])
  expect(open).toHaveLength(2)
  ask('fourth')
  open[1]?.end()
  await turns()
  expect(ended).toEqual(['first', 'second', 'third'])
  open[2]?.end()
  await turns()
  expect(ended).toEqual(['first', 'second', 'third', 'fourth'])
  ask('much later')
  expect(open).toHaveLength(4)
})

test('each thing has its own calls', () => {
  const { open, call } = calls()
  void call('one')
  void call('other')
  expect(open.map(({ thing }) => thing)).toEqual(['one', 'other'])
})

test('a call that fails fails for those who shared it, and for nobody else', async () => {
  const { open, call } = calls()
  const asked = [call('folder'), call('folder'), call('folder')]
  open[0]?.end(new Error('the first'))
  await expect(asked[0]).rejects.toThrow('the first')
  await turns()
  open[1]?.end(new Error('the second'))
  await expect(asked[1]).rejects.toThrow('the second')
  await expect(asked[2]).rejects.toThrow('the second')
  const after = call('folder')
  open[2]?.end()
  await after
})
