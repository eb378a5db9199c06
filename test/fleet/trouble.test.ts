import { expect, test } from 'vitest'
import { FleetStoreError, PassingTrouble, troubleOf } from '../../src/fleet/trouble.ts'

test('where several addresses were tried, what each answered is told', () => {
  const refused = ['::1', '127.0.0.1'].map(host => new Error(`connect ECONNREFUSED ${host}`))
  const trouble = troubleOf(Object.assign(new AggregateError(refused), { code: 'ECONNREFUSED' }))
  expect(trouble.message).toBe('connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1')
})

test.each([
  ['a lost connection', undefined, PassingTrouble],
  ['a socket that is not there', 'ENOENT', PassingTrouble],
  ['a pipe that broke', 'EPIPE', PassingTrouble],
  ['no connection that is free', '53300', PassingTrouble],
  ['a server that starts', '57P03', PassingTrouble],
  ['two that wait for each other', '40P01', PassingTrouble],
  ['a standby', '25006', PassingTrouble],
  ['a password that is wrong', '28P01', FleetStoreError],
  ['a table that is not there', '42P01', FleetStoreError],
  ['a value that no rule allows', '23514', FleetStoreError],
])('whether it passes: %s', (_, code, kind) => {
  expect(troubleOf(Object.assign(new Error('no'), { code }))).toBeInstanceOf(kind)
})
