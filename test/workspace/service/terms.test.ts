import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/base/diagnostic.ts'
import type { JsonObject } from '../../../src/base/names.ts'
import { costOf } from '../../../src/forms/cost.ts'
import { planManifest } from '../../../src/verbs/plan.ts'
import { runManifest } from '../../../src/verbs/run.ts'
import { readCatalog } from '../../../src/workspace/read/own-models.ts'
import { openPrices } from '../../../src/workspace/read/prices.ts'
import { type Trust, trustDigest } from '../../../src/workspace/read/trust.ts'
import { openTerms } from '../../../src/workspace/service/terms.ts'

const cwd = mkdtempSync(join(tmpdir(), 'genrun-terms-'))
afterAll(() => rmSync(cwd, { recursive: true }))
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

describe('a price beside a model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-priced-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'genrun.yaml'), '')
  const catalog = (price: string) => `currency: USD
models:
  acme-paint:
    inputType: t2i
    price: ${price}
    params:
      prompt: { type: text, required: true }
      size: { type: enum, values: [small, large], default: small }
      count: { type: enum, values: [1, 2], default: 1 }
`
  const [stranger, unwatched] = [{ untrusted: true }, { isUnwatched: true }] as const
  const rates = '[{ when: { size: large }, perImage: 0.4 }, { perImage: 0.1 }]'

  test.each<[string, string, string | undefined, JsonObject, Partial<Trust>, string]>([
    ['counts by itself', rates, undefined, { count: 2 }, {}, '0.2 USD'],
    ['counts by its parameters', rates, undefined, { size: 'large' }, {}, '0.4 USD'],
    [
      'never makes an order cheaper than you say',
      rates,
      'models: { acme-paint: { perRun: 0.3 } }',
      {},
      {},
      '0.3',
    ],
    ['makes it dearer', rates, 'models: { acme-*: { perRun: 0.3 } }', { size: 'large' }, {}, '0.4'],
    [
      'makes it dearer in a stranger’s checkout too',
      rates,
      'models: { acme-*: { perRun: 0.3 } }',
      { size: 'large' },
      stranger,
      '0.4',
    ],
    [
      'makes nothing known in a stranger’s checkout',
      rates,
      undefined,
      {},
      stranger,
      'only this checkout says what acme-paint costs',
    ],
    [
      'makes nothing known where nobody watches',
      rates,
      'models: { fama-tts: { perRun: 1 } }',
      {},
      unwatched,
      'only this checkout says',
    ],
    [
      'fills no gap in yours',
      rates,
      'models: { acme-paint: { when: { size: large }, perRun: 1 } }',
      {},
      {},
      'no price of acme-paint is for these',
    ],
    [
      'is not counted in another currency',
      rates,
      'currency: EUR\nmodels: { fama-tts: { perRun: 1 } }',
      {},
      {},
      'acme-paint is priced in USD, not in EUR',
    ],
    [
      'is not that of a workflow',
      rates,
      undefined,
      { workflow: 'other' },
      {},
      'there is no price for the workflow other',
    ],
  ])('%s', (_, price, prices, { workflow, ...params }, trust, expected) => {
    const from = { name: 'acme.yaml', text: catalog(price) }
    writeFileSync(join(folder, from.name), from.text)
    const own = readCatalog(from).value ?? expect.fail('no catalog')
    const currency = prices?.startsWith('currency') ? '' : 'currency: USD\n'
    if (prices !== undefined) writeFileSync(join(folder, 'prices.yaml'), currency + prices)
    // The person's own, whatever they believe of the checkout.
    const digests = prices === undefined ? [] : [trustDigest({ text: currency + prices })]
    const found = openPrices(prices && 'prices.yaml', folder, { own, trust: { digests, ...trust } })
    expect(found.problems).toEqual([])
    const [model] = own
    const cost = costOf(model ?? expect.fail(), params, found.value, workflow as string | undefined)
    const said = cost.is === 'known' ? `${cost.amount} ${found.value?.currency}` : cost.why
    expect(said).toContain(expected)
  })

  test.each([
    ['{ perPicture: 1 }', '`perPicture` is no key of a price'],
    ['{ when: { colour: red }, perRun: 1 }', 'colour is no parameter of acme-paint'],
    ['{ when: { size: huge }, perRun: 1 }', 'this is no value of size'],
    ['{ perRun: -1 }', '`perRun` is a number from 0'],
    ['{}', 'this price names no amount'],
    ['free', 'the price of price is a mapping'],
  ])('that is wrong is told at its place: %s', (price, message) => {
    const { value, problems } = readCatalog({ name: 'acme.yaml', text: catalog(price) })
    expect(value).toBeUndefined()
    expect(problems[0]?.message).toContain(message)
  })
})
