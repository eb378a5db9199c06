import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { openAdmission } from '../../src/engine/gates/admission.ts'
import { startGateway } from '../../src/gateway/server.ts'
import { fakeSurroundings } from './fake.ts'

const key = 'k3y-of-a-service-0123456789'

async function workplace() {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-debug-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const gateway = await startGateway({ outputs: 'memory', key, linkSeconds: 600 })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: key, HOME: cwd }
  return { cwd, around: { ...fakeSurroundings(), env, cwd } }
}

test('--debug shows requests, answers and why an order waits, on stderr and without secrets', async () => {
  const { cwd, around } = await workplace()
  const job = (prompt: string) => `{ model: famc-t2a, prompt: ${prompt}, duration: 3 }`
  writeFileSync(join(cwd, 'm.yaml'), `jobs:\n  rain: ${job('Rain')}\n  wind: ${job('Wind')}\n`)
  expect(await main(['m.yaml', '--debug', '--json'], around)).toBe(0)
  const text = around.stderr.text()
  expect(JSON.parse(around.stdout.text())).toMatchObject({ ok: true })
  expect(text).toMatch(/^debug 1 > POST http\S+\/submit; .*idempotency-key: \w+$/m)
  expect(text).toMatch(/^debug 1 > \{"params":.*"prompt":"Rain"/m)
  expect(text).toMatch(/^debug 1 < 202; content-type: application\/json/m)
  expect(text).toMatch(/^debug 1 < \{"id":/m)
  expect(text).toMatch(/^debug \d+ < 529 kB of audio\/wav$/m)
  expect(text).toMatch(/^debug wind waits: the first order of its workflow goes alone$/m)
  // Links are signed: their queries are cut, in addresses and in bodies.
  expect(text).not.toMatch(/k3y-of|Bearer|\.wav\?\w/)
})

test('--debug tells the limit that an order waits for', async () => {
  const { cwd, around } = await workplace()
  const job = (prompt: string) => `{ model: famc-t2a, prompt: ${prompt}, duration: 3 }`
  const limits = 'limits:\n  models: { famc-t2a: 1 }\n'
  writeFileSync(join(cwd, 'm.yaml'), `${limits}jobs:\n  rain: ${job('Rain')}\n  wind: ${job('Wind')}\n`)
  expect(await main(['m.yaml', '--debug', '--json'], around)).toBe(0)
  expect(around.stderr.text()).toMatch(/^debug wind waits: as many of its model are out as may be at once$/m)
})

test('doctor --debug shows what it asks, and no key, not even one of a file', async () => {
  const { cwd, around } = await workplace()
  writeFileSync(join(cwd, 'key'), `${key}\n`, { mode: 0o600 })
  const { GENRUN_API_KEY: _, ...env } = around.env
  const keyed = { ...around, env: { ...env, GENRUN_API_KEY_FILE: join(cwd, 'key') } }
  await main(['doctor', '--debug', '--json'], keyed)
  const text = around.stderr.text()
  expect(text).toMatch(/^debug 1 > GET http\S+/m)
  expect(text).toMatch(/^debug 1 < \d{3}; content-type: application\/json/m)
  expect(text).not.toMatch(/k3y-of|Bearer/)
})

test('an order tells each gate that holds it back', async () => {
  const admission = openAdmission(systemClock)
  const gates: string[] = []
  await admission.enter('w', 'submit')
  void admission.enter('w', 'submit', gate => gates.push(gate))
  await admission.enter('other', 'submit')
  void admission.enter('third', 'submit', gate => gates.push(`third ${gate}`))
  expect(gates).toEqual(['canary', 'third unproven'])
})
