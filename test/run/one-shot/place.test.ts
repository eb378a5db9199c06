import { expect, test } from 'vitest'
import { findModel } from '../../../src/catalog/index.ts'
import { askOf } from '../../../src/run/one-shot/ask.ts'
import { placeFor } from '../../../src/run/one-shot/place.ts'
import { thisMachine } from '../../../src/workspace/machine.ts'

test('the ending that a name is given with goes, also for a model of the user', () => {
  const { ask } = askOf('famb-v4', { prompt: 'A fox' })
  const model = findModel('famb-v4')
  if (!ask || !model) throw new Error('it can be asked')
  const own = { ...ask, model: { ...ask.model, id: 'acme-paint' } } as typeof ask // its place does not matter
  const modelSet = { find: () => model, ids: ['acme-paint'] } as never // nothing else is asked
  const about = { ask: own, cwd: '/work', name: 'real.png', service: { rehearsal: false }, modelSet }
  expect(placeFor(about, thisMachine)).toMatchObject({ name: 'real' })
})
