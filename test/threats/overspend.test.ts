import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { JournalRecord } from '../../src/base/purchase.ts'
import { main } from '../../src/cli/main.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { encodeJournal } from '../../src/store/journal/journal-text.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'
import { pixel } from '../verbs/bench.ts'

/** What one image of a workflow costs at this shop; every other workflow is dear. */
const shop = (workflow: string) => (workflow === 'fama-imagine-image' ? 1 : 100)

/** Any workflow is served here, and every order that comes is billed: by what is asked for, whatever is answered. */
async function openShop({ doubts = 0, manner = 'honest' }: Pick<Way, 'doubts' | 'manner'> = {}) {
  const orders: { readonly workflow: string; readonly cost: number }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      const isUpload = /multipart/.test(request.headers['content-type'] ?? '')
      const [, workflow = '', verb] = /\/workflows\/([^/]+)\/(execute|submit)$/.exec(request.url ?? '') ?? []
      if (request.url?.endsWith('.png'))
        return response.writeHead(200, { 'content-type': 'image/png' }).end(pixel)
      if (verb === undefined) {
        const outputs = [`http://${request.headers.host}/files/a.png`]
        const [id] = /r\d+/.exec(request.url ?? '') ?? []
        if (manner === 'fails') return response.end(JSON.stringify({ id, status: 'failed' }))
        return response.end(JSON.stringify({ id, status: 'succeeded', outputs }))
      }
      const counts = [...body.matchAll(/"(?:count|n)":\s*"?(\d+)/g)].map(([, count]) => Number(count))
      if (manner === 'redirects' && workflow !== 'dear-flow')
        return response.writeHead(307, { location: '/gw-v2/workflows/dear-flow/submit' }).end()
      orders.push({ workflow, cost: shop(workflow) * Math.max(1, ...counts) })
      if (manner === 'cuts') return request.socket.destroy()
      if (isUpload) return response.end(JSON.stringify({ url: `http://${request.headers.host}/files/a.png` }))
      if (orders.length <= doubts) return response.writeHead(503).end('{"message":"try again"}')
      return response.end(JSON.stringify({ id: `r${orders.length}`, status: 'queued' }))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { orders, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/gw-v2` }
}

const five = (more = '', head = '') =>
  `${head}jobs:\n${['one', 'two', 'three', 'four', 'five']
    .map(name => `  ${name}: { model: fama-imagine-image, mode: submit, prompt: ${name}${more} }\n`)
    .join('')}`

const cheap = 'currency: USD\nmodels: { "*": { perRun: 0 } }\n'

interface Way {
  readonly files: { readonly [path: string]: string | Uint8Array }
  readonly line?: string
  /** So many orders are answered by something that proves nothing. */
  readonly doubts?: number
  /** A shop that is no help: runs fail, orders lead elsewhere, answers break off. */
  readonly manner?: 'honest' | 'fails' | 'redirects' | 'cuts'
  /** What becomes of the saved plan. */
  readonly edit?: (text: string) => string
}

const profile = (text: string, more = ''): Way => ({
  files: { 'm.yaml': five(more), 'p.yaml': text, 'genrun.config.yaml': 'profile: p.yaml\n' },
})

const withPlan = (edit: (plan: Editable) => unknown, files = {}): Way => ({
  files: { 'm.yaml': five(), ...files },
  line: 'apply saved.plan',
  edit: text => JSON.stringify(edit(JSON.parse(text) as Editable)),
})

/** A saved plan, as JSON. */
interface Editable {
  readonly asked: { readonly [name: string]: unknown }
  readonly means?: { readonly [name: string]: unknown }
  readonly [name: string]: unknown
}

const one = (more: string, head = '') =>
  `${head}jobs:\n  one: { model: fama-imagine-image, mode: submit, prompt: one${more} }\n`

const priced = (prices: string, manifest = five()): Way => ({
  files: { 'm.yaml': manifest, 'p.yaml': prices, 'genrun.config.yaml': 'prices: p.yaml\n' },
})

/** A journal whose chain is right. */
function journalOf(records: readonly JournalRecord[]): Uint8Array {
  return encodeJournal(records.map(record => ({ ...record, at: 1_000 }))).whole
}

const catalog = (model: string) =>
  `models:\n  ${model}:\n    name: Own\n    inputType: t2i\n    params:\n      prompt: { type: text, required: true, maxLength: 40 }\n`

/** Further ones, tried against the two flags alone: what keeps them is the same. */
const more: { readonly [name: string]: Way } = {
  'takes of a job': { files: { 'm.yaml': one(', takes: 9') } },
  'cells of a matrix': { files: { 'm.yaml': one(', matrix: { a: [1, 2, 3], b: [1, 2, 3] }') } },
  'a job for each item': { files: { 'm.yaml': one(', matrix: { item: [a, b, c, d, e] }') } },
  'a table of rows': {
    files: { 'm.yaml': one(', matrix: { r: { rows: r.csv } }'), 'r.csv': 'a\n1\n2\n3\n4\n' },
  },
  'a table of costly cells': {
    files: {
      'm.yaml': one(', matrix: { r: { rows: r.csv } }, count: "${{ r.count }}"'),
      'r.csv': 'count\n4\n4\n4\n',
    },
  },
  'other values for cells': {
    files: { 'm.yaml': one(', matrix: { a: [1, 2, 3] }, override: [{ match: { a: 2 }, count: 4 }]') },
  },
  'values for all jobs of a model': {
    files: { 'm.yaml': five('', 'defaults: { fama-imagine-image: { count: 4 } }\n') },
  },
  'a variable': { files: { 'm.yaml': five(', count: "${{ vars.n }}"', 'vars: { n: 4 }\n') } },
  'jobs of a part': {
    files: { 'm.yaml': `include: part.yaml\n${one('')}`, 'part.yaml': five().replace('one', 'six') },
  },
  'caps of a part': {
    files: {
      'm.yaml': `include: part.yaml\n${five()}`,
      'part.yaml': 'limits: { maxPaid: 99, maxCost: 99 }\n',
    },
  },
  'caps of a tag': {
    files: { 'm.yaml': five(', tags: [x]', 'limits: { tags: { x: { maxPaid: 99, maxCost: 99 } } }\n') },
  },
  'orders at once': { files: { 'm.yaml': five('', 'limits: { submit: 64, execute: 64 }\n') } },
  'exchanges at once': { files: { 'm.yaml': five().replaceAll('submit', 'execute') } },
  'the same job under five names': { files: { 'm.yaml': five().replaceAll(/prompt: \w+/g, 'prompt: same') } },
  'jobs that need each other': {
    files: {
      'm.yaml': `${five()}  six: { model: fama-imagine-image, prompt: six, needs: [one, two, three, four, five] }\n`,
    },
  },
  'runs that fail, ordered again': { files: { 'm.yaml': five(', retries: 9') }, manner: 'fails' },
  'runs that fail, ordered again by a later run': {
    files: { 'm.yaml': five() },
    line: 'run m.yaml --failed',
    manner: 'fails',
  },
  'fewer files than ordered, and more of them': {
    files: { 'm.yaml': five(', count: 4, shortDelivery: top-up') },
  },
  'orders made again': { files: { 'm.yaml': five() }, line: 'redo m.yaml * --yes' },
  'orders in doubt, ordered anew': { files: { 'm.yaml': five() }, line: 'run m.yaml --resubmit', doubts: 9 },
  'everything ordered anew that can be': {
    files: { 'm.yaml': five(', retries: 9') },
    line: 'run m.yaml --resubmit --failed --rebuy --yes',
    manner: 'fails',
  },
  'doubts, ordered anew by redo': {
    files: { 'm.yaml': five() },
    line: 'redo m.yaml one two three --resubmit --yes',
    doubts: 9,
  },
  'one shard after the other': { files: { 'm.yaml': five() }, line: 'run m.yaml --shard 1/2' },
  'a shard whose caps stand in its lock': {
    files: {
      'm.yaml': five(),
      'm.1-of-2.lock.json': '{"genrun":2,"manifest":"m.yaml","jobs":[],"caps":{"maxPaid":99},"paid":-99}\n',
    },
    line: 'run m.yaml --shard 1/2',
  },
  'results that look broken, and are ordered again': {
    files: { 'm.yaml': five(', retries: 9, gate: fail') },
    line: 'run m.yaml --gate fail',
  },
  'what is made from results that somebody approved in the checkout': {
    files: {
      'm.yaml': `${five()}${['six', 'seven', 'eight']
        .map(
          name =>
            `  ${name}: { model: fama-imagine-image, mode: submit, prompt: ${name}, needs: [one], require: approved }\n`,
        )
        .join('')}`,
      'm.review.json':
        '{"genrunReview":1,"manifest":"m.yaml","verdicts":[\n{"address":"one","is":"approved","who":"x","when":"2026-01-01T00:00:00Z","seen":[]},\nnull]}\n',
    },
  },
  'takes that a verdict wants': {
    files: {
      'm.yaml': five(', takes: 2'),
      'm.review.json':
        '{"genrunReview":1,"manifest":"m.yaml","verdicts":[\n{"address":"one","is":"rejected","who":"x","when":"2026-01-01T00:00:00Z","seen":[]},\nnull]}\n',
    },
  },
  'orders that a journal of the checkout says a person waits for': {
    files: {
      'm.yaml': five(),
      '.genrun/m/journal/000001.jnl': journalOf([
        { kind: 'OPEN', format: 2, lineage: '0'.repeat(32), tool: 'genrun' },
        ...['one', 'two', 'three', 'four', 'five'].flatMap(address =>
          [2, 3, 4].map(
            take =>
              ({
                kind: 'STANDS',
                purchase: `${address}-${take}`,
                record: {
                  is: 'open',
                  id: `${address}-${take}`,
                  address: `${address}#${take}`,
                  resubmitted: true,
                  redo: true,
                  recipe: {
                    version: 1,
                    model: 'fama-imagine-image',
                    params: { prompt: address },
                    defaults: {},
                    inputs: {},
                    take,
                  },
                },
              }) as unknown as JournalRecord, // as a checkout may have written it
          ),
        ),
      ] as JournalRecord[]),
    },
  },
  'orders that lead elsewhere': { files: { 'm.yaml': five(', retries: 9') }, manner: 'redirects' },
  'answers that break off': { files: { 'm.yaml': five(', retries: 9') }, manner: 'cuts' },
  'prices of nothing': priced('currency: USD\nmodels: { "*": { perImage: 0 } }\n'),
  'prices below nothing': priced('currency: USD\nmodels: { fama-imagine-image: { perImage: -9 } }\n'),
  'prices in another currency': priced('currency: XXX\nmodels: { fama-imagine-image: { perImage: 1 } }\n'),
  'prices of its workflow': priced(
    'currency: USD\nmodels: { "*": { perImage: 0 } }\nworkflows: { dear-flow: { perRun: 0 } }\n',
    five(', workflow: dear-flow'),
  ),
  'prices that are none': priced('models: { "*": { perImage: 1e-300 } }\n'),
  'prices in package.json': {
    files: { 'm.yaml': five(), 'p.yaml': cheap, 'package.json': '{ "genrun": { "prices": "p.yaml" } }' },
  },
  'a file of variables': {
    files: {
      'm.yaml': five(),
      '.env': 'GENRUN_MAX_PAID=99\nGENRUN_MAX_COST=99\nGENRUN_PRICES=p.yaml\n',
      'p.yaml': cheap,
    },
  },
  'settings that trust it': {
    files: { ...profile('request: { constants: { count: 9 } }\n').files, '.genrunrc': 'trust: [p.yaml]\n' },
  },
  'settings that call it its own': {
    files: { 'm.yaml': five(), 'genrun.config.yaml': 'untrusted: false\nlimits: { maxPaid: -1 }\n' },
  },
  'settings whose caps are no numbers': {
    files: { 'm.yaml': five(), 'genrun.config.yaml': 'limits: { maxPaid: .inf, maxCost: .nan }\n' },
  },
  'settings with another service’s prices': {
    files: {
      'm.yaml': five(),
      '.genrunrc': 'baseUrl: http://127.0.0.1:9/gw-v2\nprices: p.yaml\n',
      'p.yaml': cheap,
    },
  },
  'a model of its own, with a dear workflow': {
    files: {
      'm.yaml':
        'catalog: c.yaml\njobs:\n  a: { model: dear-flow, prompt: a }\n  b: { model: dear-flow, prompt: b }\n  c: { model: dear-flow, prompt: c }\n',
      'c.yaml': catalog('dear-flow'),
    },
  },
  'a model of its own by the name of another': {
    files: { 'm.yaml': `catalog: c.yaml\n${five()}`, 'c.yaml': catalog('fama-imagine-image') },
  },
  'another model, which has no price': {
    files: { 'm.yaml': five().replaceAll('fama-imagine-image', 'famc-3.0-image') },
  },
  'files that its profile sends to where orders go': {
    files: {
      ...profile(
        'request: { files: { upTo: 0 } }\nupload: { url: workflows/dear-flow/submit, field: f, urlAt: /url }\n',
      ).files,
      'm.yaml': `jobs:\n${['a', 'b', 'c'].map(name => `  ${name}: { model: famc-3.0-image, mode: submit, prompt: a, imageUrls: [${name}.png] }\n`).join('')}`,
      ...Object.fromEntries(
        ['a', 'b', 'c'].map(name => [`${name}.png`, Buffer.concat([pixel, Buffer.from(name)])]),
      ),
    },
  },
  'a header of its profile': profile('headers: { X-Count: "9" }\n'),
  'another order by its profile, asked as a result': profile(
    "endpoints: { result: 'POST /workflows/dear-flow/submit' }\n",
  ),
  'modes by its profile': profile('mode: { "*": execute }\n'),
  'answers that are read as failures, ordered again': {
    ...profile('response: { words: { failed: [queued, running, succeeded] } }\n', ', retries: 9'),
  },
  'a saved plan with enormous caps': withPlan(plan => ({
    ...plan,
    asked: { ...plan.asked, caps: { maxPaid: 1e9, maxCost: 1e9 } },
  })),
  'a saved plan with caps below nothing': withPlan(plan => ({
    ...plan,
    asked: { ...plan.asked, caps: { maxPaid: -1, maxCost: -1 } },
  })),
  'a saved plan that buys doubts again': {
    ...withPlan(plan => ({ ...plan, asked: { ...plan.asked, rebuy: true, failed: true } })),
    doubts: 9,
  },
  'a saved plan that makes everything again': withPlan(plan => ({
    ...plan,
    asked: { ...plan.asked, redo: ['one', 'two', 'three', 'four', 'five'] },
  })),
  'a saved plan with prices of its own': withPlan(
    plan => ({ ...plan, means: { ...plan.means, prices: 'p.yaml' } }),
    { 'p.yaml': cheap },
  ),
  'a saved plan of another manifest': withPlan(plan => ({ ...plan, manifest: 'n.yaml' }), {
    'n.yaml': five(', count: 4'),
  }),
  'a saved plan with a cap of a tag': withPlan(plan => ({
    ...plan,
    asked: { ...plan.asked, caps: { tags: { x: { maxPaid: 99 } } } },
  })),
  'a lock that knows of spending in hand': {
    files: {
      'm.yaml': five(),
      'm.lock.json': '{"genrun":2,"manifest":"m.yaml","jobs":[],"caps":{"maxPaid":99},"paid":-99}\n',
    },
  },
  'a journal that knows of spending in hand': {
    files: {
      'm.yaml': five(),
      '.genrun/m/journal/000001.jnl': 'deadbeefdeadbeef {"kind":"OPEN","format":2,"paid":-99}\n',
    },
  },
}

/** What a checkout tries. */
const ways: { readonly [name: string]: Way } = {
  'more jobs': { files: { 'm.yaml': five() } },
  'more images a job': { files: { 'm.yaml': five(', count: 4') } },
  'caps of its own, in its settings': {
    files: { 'm.yaml': five(), 'genrun.config.yaml': 'limits: { maxPaid: 999, maxCost: 999 }\n' },
  },
  'caps of its own, in package.json': {
    files: {
      'm.yaml': five(),
      'package.json': '{ "genrun": { "limits": { "maxPaid": 999, "maxCost": 999 } } }',
    },
  },
  'caps of its own, in the manifest': {
    files: { 'm.yaml': five('', 'limits: { maxPaid: 999, maxCost: 999 }\n') },
  },
  'prices of its own': {
    files: { 'm.yaml': five(), 'p.yaml': cheap, 'genrun.config.yaml': 'prices: p.yaml\n' },
  },
  'a workflow of its own': { files: { 'm.yaml': five(', workflow: dear-flow') } },
  'the workflow of another model': { files: { 'm.yaml': five(', workflow: famc-v3') } },
  'another workflow by its profile': profile('workflow: { fama-imagine-image: dear-flow }\n'),
  'more by a constant of its profile': profile('request: { constants: { count: 9 } }\n'),
  'more by the values of its profile': profile('request: { values: { count: { 1: 9 } } }\n', ', count: 1'),
  'more by another name in its profile': profile('request: { rename: { take: n } }\n', ', count: 2'),
  'more by a body of its profile': profile(
    'request: { body: { fama-imagine-image: { n: 9, prompt: "${{ params.prompt }}" } } }\n',
  ),
  'more by what its profile says for one model': profile(
    'request: { models: { "*": { constants: { count: 9 } } } }\n',
  ),
  'another address by its profile': profile(
    "endpoints: { order: '/workflows/dear-flow/submit', result: '/workflows/dear-flow/${{ id }}/result' }\n",
  ),
  'answers whose words its profile calls refusals': {
    ...profile('refusedWhen: { at: /message, is: try again, means: busy }\n', ', retries: 5'),
    doubts: 4,
  },
  'answers that its profile calls refusals': {
    ...profile('refused: { 503: always }\n', ', retries: 5'),
    doubts: 4,
  },
  'keys that its profile calls honoured': {
    ...profile('idempotency: { header: Idempotency-Key, honoured: true, ttl: 1h }\n', ', retries: 5'),
    doubts: 4,
  },
  'a saved plan without caps': { files: { 'm.yaml': five() }, line: 'apply saved.plan' },
  'a saved plan whose caps are no numbers': {
    files: { 'm.yaml': five() },
    line: 'apply saved.plan',
    edit: text => text.replace(/"caps": \{[^}]*\}/, '"caps": { "maxPaid": "x", "maxCost": {} }'),
  },
  'a saved plan with a profile': {
    files: { 'm.yaml': five(), 'p.yaml': 'request: { constants: { count: 9 } }\n' },
    line: 'apply saved.plan',
  },
}

const own = 'currency: USD\nmodels:\n  fama-imagine-image: { perImage: 1 }\n'
const mostPaid = { env: {}, most: { paid: 2 } }
const mostCost = { env: { GENRUN_PRICES: '<home>/prices.yaml' }, most: { cost: 2 } }

interface Cap {
  readonly env: { readonly [name: string]: string }
  readonly flags?: string
  readonly settings?: string
  readonly most: { readonly paid?: number; readonly cost?: number }
}

/** How a person says what may be spent. */
const caps: { readonly [name: string]: Cap } = {
  '--max-paid': { ...mostPaid, flags: '--max-paid 2' },
  GENRUN_MAX_PAID: { ...mostPaid, env: { GENRUN_MAX_PAID: '2' } },
  'maxPaid of the own settings': { ...mostPaid, settings: 'limits: { maxPaid: 2 }\n' },
  '--max-cost': { ...mostCost, flags: '--max-cost 2' },
  GENRUN_MAX_COST: { ...mostCost, env: { ...mostCost.env, GENRUN_MAX_COST: '2' } },
  'maxCost and prices of the own settings': {
    env: {},
    settings: 'limits: { maxCost: 2 }\nprices: <home>/prices.yaml\n',
    most: { cost: 2 },
  },
}

/** One command of a person in the checkout; the files of their home lie beside it. */
async function genrun(line: string, home: string, env: { readonly [name: string]: string }) {
  const [stdout, stderr] = [fakeSink(), fakeSink()]
  const placed = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replaceAll('<home>', home)]),
  )
  const around = fakeSurroundings({
    cwd: join(home, 'repo'),
    stdout,
    stderr,
    env: { HOME: home, GENRUN_API_KEY: 'k3y-of-the-person', ...placed },
  })
  const code = await main(line.split(' '), around)
  return { code, said: `${stdout.text()}${stderr.text()}` }
}

function checkout(files: Way['files'], settings = ''): string {
  const repo = Object.fromEntries(Object.entries(files).map(([path, text]) => [`repo/${path}`, text]))
  const home = freshFolder({ 'repo/.git/HEAD': '', 'prices.yaml': own, ...repo })
  if (settings === '') return home
  return freshFolder({
    'repo/.git/HEAD': '',
    'prices.yaml': own,
    '.config/genrun/config.yaml': settings.replaceAll('<home>/prices.yaml', '../../prices.yaml'),
    ...repo,
  })
}

test('as many ways are tried as are told of', () => {
  expect(Object.keys({ ...ways, ...more }).length).toBeGreaterThanOrEqual(60)
})

describe.each(Object.entries(caps))('a person says it by %s', (flag, cap) => {
  // Said by other means a cap is kept by the same gate: what matters are those that may be set against each other.
  const isAbout = (name: string) => /^(caps|prices) of its own|^more|without caps/.test(name)
  const tried = Object.entries({ ...ways, ...more }).filter(
    ([name]) => flag.startsWith('--') || isAbout(name),
  )
  test.each(tried)('and %s does not lead past it', async (name, way) => {
    const { orders, baseUrl } = await openShop(way)
    const home = checkout(way.files, cap.settings)
    const env = { GENRUN_BASE_URL: baseUrl, ...cap.env }
    if (way.line?.includes('saved.plan')) {
      // Somebody else planned it, with what they liked.
      const theirs = name.includes('profile') ? ' --profile p.yaml' : ''
      await genrun(`plan m.yaml -o saved.plan${theirs}`, home, { HOME: join(home, 'repo') })
      const plan = join(home, 'repo/saved.plan')
      if (way.edit) writeFileSync(plan, way.edit(readFileSync(plan, 'utf8')))
    }
    const line = [way.line ?? 'run m.yaml', cap.flags].filter(Boolean).join(' ')
    const ends = [await genrun(line, home, env), await genrun(line, home, env)]
    const said = ends.map(end => end.said).join('\n')
    // Two runs, each with its cap; a stack or an internal error is no way to keep it.
    const runs = ends.length
    if (cap.most.paid !== undefined) expect(orders.length, said).toBeLessThanOrEqual(cap.most.paid * runs)
    const cost = orders.reduce((sum, each) => sum + each.cost, 0)
    if (cap.most.cost !== undefined) expect(cost, said).toBeLessThanOrEqual(cap.most.cost * runs)
    expect(ends.map(end => end.code)).not.toContain(70)
    expect(said).not.toContain('k3y-of-the-person')
  })
})

const money = 'request: { constants: { count: 9 } }\n'

describe('a profile that only the project names', () => {
  const files = { 'm.yaml': five(), 'p.yaml': money, 'genrun.config.yaml': 'profile: p.yaml\n' }

  test('is followed when it was read, and read again when it changed', async () => {
    const { orders, baseUrl } = await openShop()
    const home = checkout(files)
    const env = { GENRUN_BASE_URL: baseUrl }
    const first = await genrun('run m.yaml --max-paid 1', home, env)
    expect(first.said).toMatch(
      /p\.yaml:1.*\n?.*says what is ordered or billed: `request\.constants` count: 9/,
    )
    expect([first.code, orders.length]).toEqual([2, 0])
    expect((await genrun('plan m.yaml', home, env)).code).toBe(0)
    expect((await genrun('run m.yaml --max-paid 1 --trust', home, env)).code).toBe(6)
    expect((await genrun('run m.yaml --max-paid 1', home, env)).code).toBe(6)
    expect(orders.length).toBe(2)
    const again = checkout({ ...files, 'p.yaml': `${money}# and more\n` })
    expect((await genrun('run m.yaml --max-paid 1', again, env)).code).toBe(2)
    const named = { ...env, GENRUN_TRUST: digestBytes(`${money}# and more\n`) }
    expect((await genrun('run m.yaml --max-paid 1', again, named)).code).toBe(6)
  })

  test('needs no word where it says how answers are read, nor where a person names it', async () => {
    const { orders, baseUrl } = await openShop()
    const home = checkout({ ...files, 'p.yaml': 'response: { pending: [404, 423] }\n' })
    expect((await genrun('run m.yaml --max-paid 1', home, { GENRUN_BASE_URL: baseUrl })).code).toBe(6)
    const theirs = checkout(files)
    expect(
      (await genrun('run m.yaml --max-paid 1 --profile p.yaml', theirs, { GENRUN_BASE_URL: baseUrl })).code,
    ).toBe(6)
    expect(orders.length).toBe(2)
  })

  test('there is nothing to trust where none is named', async () => {
    const end = await genrun('run m.yaml --trust', checkout({ 'm.yaml': five() }), {})
    expect([end.code, end.said]).toEqual([2, expect.stringContaining('there is nothing to trust')])
  })
})

describe("a stranger's checkout", () => {
  const ci = { CI: 'true', GENRUN_MAX_PAID: '2' }
  const pull = { GITHUB_EVENT_NAME: 'pull_request' }

  test.each<[string, { readonly [name: string]: string }, string, number]>([
    ['in CI without a cap', { CI: 'true' }, 'run m.yaml', 2],
    ['in CI with a cap', ci, 'run m.yaml', 6],
    ['in CI, rehearsed', { CI: 'true' }, 'run m.yaml --local', 0],
    ['in CI, taken for one’s own', { CI: 'true', GENRUN_UNTRUSTED: 'false' }, 'run m.yaml --max-paid 5', 0],
    ['of a pull request without a cap', pull, 'run m.yaml', 2],
    ['of a pull request with a cap', pull, 'run m.yaml --max-paid 2', 6],
    ['by a word', {}, 'run m.yaml --untrusted', 2],
    ['by a word, with a cap on the cost and no prices', {}, 'run m.yaml --untrusted --max-cost 2', 2],
    ['by a word, without a cap, to look at', {}, 'plan m.yaml', 0],
    ['by a merge request', { CI_PIPELINE_SOURCE: 'merge_request_event' }, 'redo m.yaml one', 2],
    ['by an empty variable', { CIRCLE_PULL_REQUEST: '', TRAVIS_PULL_REQUEST: 'false' }, 'run m.yaml', 0],
  ])('%s', async (_, env, line, code) => {
    const { orders, baseUrl } = await openShop()
    const end = await genrun(line, checkout({ 'm.yaml': five() }), { GENRUN_BASE_URL: baseUrl, ...env })
    expect(end.code, end.said).toBe(code)
    expect(orders.length).toBe(
      { 0: line.startsWith('plan') || line.includes('--local') ? 0 : 5, 2: 0, 6: 2 }[code],
    )
    if (code === 2 && !line.includes('--max-cost')) expect(end.said).toContain('no-cap')
  })

  test.each<[string, { readonly [name: string]: string }, string, number, number]>([
    ['the project’s prices and a cap on the cost', { CI: 'true' }, 'run m.yaml --max-cost 2', 2, 0],
    ['the same, by a variable', { CI: 'true', GENRUN_MAX_COST: '2' }, 'run m.yaml', 2, 0],
    ['the same, and a cap on the orders', { CI: 'true' }, 'run m.yaml --max-cost 2 --max-paid 1', 6, 1],
    ['prices that the line names', { CI: 'true' }, 'run m.yaml --max-cost 2 --prices cheap.yaml', 0, 5],
    ['where somebody watches', {}, 'run m.yaml --max-cost 2', 0, 5],
  ])('in CI a cap in money is not held by what the project says: %s', async (_, env, line, code, paid) => {
    const { orders, baseUrl } = await openShop()
    const home = checkout({
      'm.yaml': five(),
      'cheap.yaml': cheap,
      'genrun.config.yaml': 'prices: cheap.yaml\n',
    })
    const end = await genrun(line, home, { GENRUN_BASE_URL: baseUrl, ...env })
    expect([end.code, orders.length], end.said).toEqual([code, paid])
    if (code === 2) expect(end.said).toContain('GENRUN_TRUST=sha256:')
  })

  test('its profile and prices count for nothing, whoever names them, until somebody has read them', async () => {
    const { orders, baseUrl } = await openShop()
    const home = checkout({ 'm.yaml': five(), 'p.yaml': money, 'cheap.yaml': cheap })
    const env = { GENRUN_BASE_URL: baseUrl, CI: 'true', ...pull }
    const byFlag = await genrun('run m.yaml --max-paid 1 --profile p.yaml', home, env)
    expect([byFlag.code, byFlag.said]).toEqual([
      2,
      expect.stringContaining(`GENRUN_TRUST=${digestBytes(money)}`),
    ])
    const priced = { ...env, GENRUN_PRICES: 'cheap.yaml' }
    const bought = await genrun('run m.yaml --max-cost 1', home, priced)
    expect([bought.code, bought.said]).toEqual([
      2,
      expect.stringContaining('prices of this checkout count for nothing'),
    ])
    expect(orders.length).toBe(0)
    const trusted = { ...priced, GENRUN_TRUST: `${digestBytes(money)},${digestBytes(cheap)}` }
    expect((await genrun('run m.yaml --max-paid 1 --max-cost 1 --profile p.yaml', home, trusted)).code).toBe(
      6,
    )
    expect(orders.length).toBe(1)
  })

  test('is one also where somebody stands elsewhere', async () => {
    const { orders, baseUrl } = await openShop()
    const home = freshFolder({
      'repo/.git/HEAD': '',
      'cross/.git/HEAD': '',
      'cross/m.yaml': five(),
      'cross/p.yaml': money,
      'cross/cheap.yaml': cheap,
    })
    const env = { GENRUN_BASE_URL: baseUrl }
    const line = 'run ../cross/m.yaml --untrusted --max-paid 1'
    expect((await genrun(`${line} --profile ../cross/p.yaml`, home, env)).code).toBe(2)
    expect((await genrun(`${line} --max-cost 1 --prices ../cross/cheap.yaml`, home, env)).code).toBe(2)
    expect(orders).toEqual([])
  })

  test('sends nothing again that is in doubt, also where keys are honoured by a profile of the person', async () => {
    const honours = 'idempotency: { header: Idempotency-Key, honoured: true, ttl: 1h }\n'
    for (const [untrusted, sent] of [
      ['', 2],
      [' --untrusted', 1],
    ] as const) {
      const { orders, baseUrl } = await openShop({ doubts: 1 })
      const home = freshFolder({
        'repo/.git/HEAD': '',
        'own.yaml': honours,
        'repo/m.yaml': 'jobs: { one: { model: fama-imagine-image, mode: submit, prompt: one } }\n',
      })
      const env = { GENRUN_BASE_URL: baseUrl, GENRUN_PROFILE: join(home, 'own.yaml') }
      await genrun(`run m.yaml --max-paid 2${untrusted}`, home, env)
      await genrun(`run m.yaml --max-paid 2${untrusted}`, home, env)
      expect(orders.length).toBe(sent)
    }
  })
})

describe('a saved plan', () => {
  test('keeps the cap of whoever carries it out, and names no cache and nothing outside', async () => {
    const { orders, baseUrl } = await openShop()
    const home = checkout({ 'm.yaml': five() })
    const env = { GENRUN_BASE_URL: baseUrl }
    const plan = async (words: string) => genrun(`plan m.yaml -o saved.plan${words}`, home, env)
    await plan(' --cache ../cache')
    const cached = await genrun('apply saved.plan', home, env)
    expect([cached.code, cached.said]).toEqual([2, expect.stringContaining('`cache` that only you can name')])
    await plan(' --output-folder ../media --prices ../prices.yaml')
    const outside = await genrun('apply saved.plan', home, env)
    expect(outside.said).toContain('give --output and --prices once more')
    expect(orders.length).toBe(0)
    expect(
      (await genrun('apply saved.plan --output ../media --prices ../prices.yaml --max-paid 3', home, env))
        .code,
    ).toBe(6)
    expect(orders.length).toBe(3)
  })
})
