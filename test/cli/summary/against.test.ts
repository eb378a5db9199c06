import { expect, test } from 'vitest'
import type { Code } from '../../../src/base/diagnostic.ts'
import { colours } from '../../../src/cli/io/colour.ts'
import { tellAgainst } from '../../../src/cli/summary/against.ts'
import { settingProblem } from '../../../src/planning/obstacles.ts'

test.each<[Code, number]>([
  ['busy', 5],
  ['file-in-the-way', 2],
])('a refusal of the kind %s ends with exit code %i, on the terminal and as JSON', (code, exit) => {
  const told: unknown[] = []
  const out = { json: (value: unknown) => told.push(value), talk: () => undefined, paint: colours(false) }
  const problems = [
    settingProblem({ name: 'lock', value: 'o.json' }, code, 'another genrun is at work on it'),
  ]
  const against = { got: 'refused', problems } as const
  expect(tellAgainst(against, { json: false }, out as never)).toBe(exit)
  expect(tellAgainst(against, { json: true }, out as never)).toBe(exit)
  expect(told).toMatchObject([{ ok: false, exit }])
})
