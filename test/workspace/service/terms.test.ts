import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/base/diagnostic.ts'
import { planManifest } from '../../../src/verbs/plan.ts'
import { runManifest } from '../../../src/verbs/run.ts'
import { openTerms } from '../../../src/workspace/service/terms.ts'

const cwd = mkdtempSync(join(tmpdir(), 'genrun-terms-'))
const put = (name: string, text: string) => writeFileSync(join(cwd, name), text)
put('good.yaml', 'jobs:\n  a: { model: famc-v3, prompt: tea }\n')
put('wrong.yaml', 'jobs:\n  a: { model: famc-v3, prompt: tea, duration: 7 }\n')
put('prices.yaml', 'currency: 7\n')
put('service.profile.yaml', 'version: 1\nno-such-key: 1\n')

const service = { baseUrl: 'ftp://files.invalid/gw-v2', key: 'k'.repeat(20), rehearsal: false }
const named = { cwd, prices: 'prices.yaml', profile: 'service.profile.yaml' }
const files = (problems: readonly Diagnostic[]) => [...new Set(problems.map(({ at }) => at.file.name))]

test('address, prices and profile are told of together, in this order', () => {
  const { value, problems } = openTerms({ ...named, service }, [], 'GENRUN_BASE_URL')
  expect(value).toBeUndefined()
  expect(files(problems)).toEqual(['GENRUN_BASE_URL', 'prices.yaml', 'service.profile.yaml'])
})

test('a profile is not blamed for models that nobody could read', () => {
  expect(files(openTerms(named, undefined, 'GENRUN_BASE_URL').problems)).toEqual(['prices.yaml'])
})

test.each([
  ['good.yaml', ['GENRUN_BASE_URL', 'prices.yaml', 'service.profile.yaml']],
  ['wrong.yaml', ['wrong.yaml', 'GENRUN_BASE_URL', 'prices.yaml']],
])('run and plan say the same of %s, all of it at once', async (manifest, expected) => {
  const request = { ...named, manifest, service }
  const planned = planManifest(request)
  const ran = await runManifest({ ...request, emit: () => undefined, stop: new AbortController().signal })
  if (planned.got !== 'refused' || ran.got !== 'refused') return expect.fail('neither may go on')
  expect(files(planned.problems)).toEqual(expected)
  expect(ran.problems).toEqual(planned.problems)
})

test('a rehearsal asks for no address', () => {
  const { problems } = openTerms({ cwd }, [], 'GENRUN_BASE_URL')
  expect(problems).toEqual([])
})
