import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { modelIds } from '../../../src/catalog/index.ts'
import type { Render } from '../../../src/gateway/runs/work.ts'
import type { Gateway } from '../../../src/gateway/server.ts'
import { echo, order, start } from '../start.ts'

const page = (gateway: Gateway) => fetch(gateway.pageUrl)

test('it shows every model and how to reach the gateway', async () => {
  const gateway = await start()
  const response = await page(gateway)
  const html = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  for (const id of modelIds) expect(html).toContain(`<code>${id}</code>`)
  expect(html).toContain(`<code>${gateway.baseUrl}</code>`)
  expect(html).toContain('<p>None yet.</p>')
})

test('it shows recent runs with their media, the latest first', async () => {
  const gateway = await start()
  const image = await order(gateway, 'execute', { model: 'famb-v4', prompt: 'A teapot' })
  const video = await order(
    gateway,
    'execute',
    { model: 'famc-v3', prompt: 'Steam' },
    { 'x-gateway-job': 'clip[fox]' },
  )
  const sound = await order(gateway, 'execute', { model: 'famc-t2a', prompt: 'Rain' })
  const html = await (await page(gateway)).text()
  const media = [sound, video, image].map(reply => html.indexOf(`src="${reply.body.outputs[0].url}"`))
  expect(media.every(at => at > 0)).toBe(true)
  expect(media).toEqual(media.toSorted((a, b) => a - b))
  expect(html).toContain('<h3>clip[fox], famc-v3</h3>')
  expect(html).toMatch(/<audio [^>]+><\/audio>/)
  expect(html).toMatch(/<video [^>]+><\/video>/)
})

test('it shows what failed', async () => {
  const gateway = await start({ faults: {} })
  await order(gateway, 'execute', { model: 'famb-v4', prompt: 'A teapot' }, { 'x-gateway-fault': 'reject' })
  const html = await (await page(gateway)).text()
  expect(html).toContain('<p class="failure">the request was rejected by the content policy</p>')
})

test('it shows what a person should know about files', async () => {
  const render: Render = async request =>
    (await echo(request)).map(file => ({ ...file, warning: 'only <a> tone' }))
  const gateway = await start({ render })
  await order(gateway, 'execute', { model: 'famb-v3', prompt: 'A teapot', count: 2 })
  const html = await (await page(gateway)).text()
  expect(html.match(/<p class="remark">only &#60;a&#62; tone<\/p>/g)).toHaveLength(1)
})

test('it comes anew by itself while something is under way', async () => {
  const gateway = await start({ manual: true })
  await order(gateway, 'submit', { model: 'famb-v4', prompt: 'A teapot' })
  const refresh = '<meta http-equiv="refresh" content="3">'
  expect(await (await page(gateway)).text()).toContain(refresh)
  await (await gateway.nextRun()).finish()
  expect(await (await page(gateway)).text()).not.toContain(refresh)
})

test('prompts and job names are text, whatever they say', async () => {
  const gateway = await start()
  const nasty = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  await order(gateway, 'execute', { model: 'famb-v4', prompt: nasty }, { 'x-gateway-job': nasty })
  const html = await (await page(gateway)).text()
  expect(html).not.toContain('<script')
  expect(html).not.toContain('<img src=x')
  expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
})

test('its policy allows no script and nothing from elsewhere, and its own styles', async () => {
  const gateway = await start()
  const response = await page(gateway)
  const policy = response.headers.get('content-security-policy') ?? ''
  const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(await response.text()) ?? []
  const hash = createHash('sha256').update(styles).digest('base64')
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "img-src 'self'",
    "media-src 'self'",
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
})

const basic = (password: string) => ({ headers: { authorization: `Basic ${btoa(`anyone:${password}`)}` } })

test.each(['0.0.0.0', '127.0.0.1'])(
  'others, of this machine too, are asked for the key as a password: on %s',
  async host => {
    const gateway = await start({ host, key: 'a-key-of-mine' })
    const local = gateway.baseUrl.replace('0.0.0.0', '127.0.0.1')
    await order({ ...gateway, baseUrl: local }, 'execute', { model: 'famb-v4', prompt: 'A teapot' })
    const asked = (path: string, init?: RequestInit) => fetch(new URL(path, local), init)
    const refused = await asked('/')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="genrun gateway", charset="UTF-8"',
    ])
    const others = [refused, await asked('/', basic('another')), await asked('/page/0123456789abcdef')]
    expect(others.map(each => each.status)).toEqual([401, 401, 404])
    for (const each of others) expect(await each.text()).not.toContain('A teapot')
    const own = [await asked('/', basic('a-key-of-mine')), await asked(new URL(gateway.pageUrl).pathname)]
    for (const each of own)
      expect([each.status, await each.text()]).toEqual([200, expect.stringContaining('A teapot')])
  },
)

test('it says so where files are no longer kept, and shows no broken pictures', async () => {
  const gateway = await start({ maxStoreBytes: 30 })
  for (const prompt of ['one', 'two']) await order(gateway, 'execute', { model: 'famb-v4', prompt })
  const html = await (await page(gateway)).text()
  expect(html.match(/<img /g)).toHaveLength(1)
  expect(html.match(/<p class="remark">its files are no longer kept<\/p>/g)).toHaveLength(1)
})
