import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { samples } from '../media/samples.ts'
import { certificate } from '../wire/certificate.ts'
import { rawServer } from '../wire/servers.ts'
import { proxyServer, secureServer } from '../wire/tunnel.ts'
import { filesIn, freshFolder, genrun } from './executable.ts'

let png: Uint8Array
beforeAll(async () => {
  png = (await samples()).png
})

const manifest = 'jobs:\n  still: { model: fama-imagine-image, prompt: a teapot }\n'
const files = { 'tea.yaml': manifest, 'own.pem': `${certificate}\n` }

/** A service of a name that only the proxy knows. */
async function behindProxy() {
  const service = await secureServer((_, response) => response.end(png))
  const proxy = await proxyServer()
  const env = {
    GENRUN_BASE_URL: `https://service.test:${service.port}/gw-v2`,
    GENRUN_API_KEY: 'key-of-the-test',
    HTTPS_PROXY: `http://ann:p%40ss@127.0.0.1:${proxy.port}`,
    CI: '1',
    GENRUN_UNTRUSTED: 'false',
  }
  return { service, proxy, env }
}

describe('the way to the service', () => {
  test.each<[string, string[], { [name: string]: string }]>([
    ['by --ca', ['--ca', 'own.pem'], {}],
    ['by GENRUN_CA', [], { GENRUN_CA: 'own.pem' }],
    ['by NODE_EXTRA_CA_CERTS', [], { NODE_EXTRA_CA_CERTS: 'own.pem' }],
  ])('leads through the proxy of the environment, with an authority %s', async (_, words, more) => {
    const { service, proxy, env } = await behindProxy()
    const cwd = freshFolder(files)
    const given = 'NODE_EXTRA_CA_CERTS' in more ? { NODE_EXTRA_CA_CERTS: join(cwd, 'own.pem') } : more
    const ended = await genrun(['tea.yaml', ...words], { cwd, env: { ...env, ...given } })
    expect(ended.stderr).toContain('1 job: 1 made')
    expect(ended.stdout.trim()).toBe('out/tea/still.png')
    expect(proxy.asked).toHaveLength(1)
    expect(service.seen).toHaveLength(1)
  })

  test('ends at a certificate that nobody vouches for: nothing is sent, and it is said what to do', async () => {
    const { service, env } = await behindProxy()
    const ended = await genrun(['tea.yaml'], { cwd: freshFolder(files), env })
    expect(ended.code).toBe(4)
    expect(ended.stderr).toContain('SELF_SIGNED')
    expect(ended.stderr).toContain('--ca')
    expect(service.seen).toEqual([])
  })

  test('ends at a proxy that is down, without showing its password', async () => {
    const closed = await rawServer({ connect: socket => socket.destroy() })
    const { env } = await behindProxy()
    const cwd = freshFolder({ ...files, 'tea.yaml': manifest.replace('}', ', timeout: 1s }') })
    const proxied = { ...env, HTTPS_PROXY: `http://ann:hush-hush@127.0.0.1:${closed.port}` }
    const ended = await genrun(['tea.yaml', '--ca', 'own.pem'], { cwd, env: proxied })
    expect(ended.code).toBe(4)
    expect(ended.stderr).toContain(`the proxy 127.0.0.1:${closed.port}: it closed the connection`)
    expect(ended.stderr).toContain('HTTPS_PROXY')
    expect(`${ended.stdout}${ended.stderr}`).not.toContain('hush')
    expect(filesIn(cwd).filter(name => name.startsWith('out/') && !name.includes('.genrun'))).toEqual([])
  })

  test('is not looked for by a rehearsal', async () => {
    const env = { HTTPS_PROXY: 'socks5://nowhere', GENRUN_CA: 'none.pem' }
    expect(await genrun(['tea.yaml', '--local'], { cwd: freshFolder(files), env })).toMatchObject({ code: 0 })
  })
})

test('a base address without gw-v2 at its end is used, with a warning', async () => {
  const { env, service } = await behindProxy()
  const odd = { ...env, GENRUN_BASE_URL: env.GENRUN_BASE_URL.replace('gw-v2', 'v3/') }
  const ended = await genrun(['tea.yaml', '--ca', 'own.pem'], { cwd: freshFolder(files), env: odd })
  expect(ended.code).toBe(0)
  expect(ended.stderr).toContain(
    'warning: it does not end in gw-v2, as the specification has it [odd-base-url]',
  )
  expect(service.seen[0]).toContain('/v3/workflows/fama-imagine-image/execute')
  const quiet = freshFolder({ ...files, 'tea.yaml': `lint: odd-base-url\n${files['tea.yaml']}` })
  const silenced = await genrun(['tea.yaml', '--ca', 'own.pem'], { cwd: quiet, env: odd })
  expect(silenced.code).toBe(0)
  expect(silenced.stderr).not.toContain('odd-base-url')
})
