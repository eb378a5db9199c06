import { expect, test } from 'vitest'
import { type JobAddress, type PurchaseId } from '../../src/base/names.ts'
import type { Task } from '../../src/engine/world.ts'
import { dividedTasks } from '../../src/run/fleet-tasks.ts'
import { job } from '../plan/world.ts'

const ready = { is: 'ready', tries: 0, notBefore: 0 } as const

function task(name: string, needs: readonly string[] = [], more: Partial<Task> = {}): Task {
  const made = { ...job(name, { prompt: name }), needs: needs as readonly JobAddress[] }
  return { job: made, start: ready, purchase: name as PurchaseId, ...more }
}

const redone = { redo: true } as const

test.each<[string, readonly Task[], string, string, string]>([
  ['what is bought for the first time goes away', [task('a'), task('b', ['a'])], '', 'a b', ''],
  [
    'what a person ordered anew is done here, before',
    [task('a', [], redone), task('b', ['a'])],
    'a',
    'b',
    '',
  ],
  [
    'and after what it needs, with all that needs it',
    [task('a'), task('b', ['a'], redone), task('c', ['b']), task('d', ['a'])],
    ...(['', 'a d', 'b c'] as const),
  ],
  [
    'what goes on is done here',
    [task('a', [], { start: { is: 'made', files: [], tries: 0, notBefore: 0 } }), task('b', ['a'])],
    ...(['a', 'b', ''] as const),
  ],
])('%s', (_, tasks, before, away, after) => {
  const named = Object.entries(dividedTasks(tasks)).map(([place, its]) => [
    place,
    (its as readonly Task[]).map(each => each.job.address).join(' '),
  ])
  expect(Object.fromEntries(named)).toEqual({ before, away, after })
})
