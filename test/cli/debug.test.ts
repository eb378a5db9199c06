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

test('--debug shows requests, answers and why an order waits, on stderr and without secrets', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-debug-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const gateway = await startGateway({ outputs: 'memory', key, linkSeconds: 600 })
  onTestFinished(() => gateway.close())
  const job = (prompt: string) => `{ model: famc-t2a, prompt: ${prompt}, duration: 3 }`
  writeFileSync(join(cwd, 'm.yaml'), `jobs:\n  rain: ${job('Rain')}\n  wind: ${job('Wind')}\n`)
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: key, HOME: cwd }
  const around = { ...fakeSurroundings(), env, cwd }
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

test('an order tells each gate that holds it back', async () => {
  const admission = openAdmission(systemClock)
  const gates: string[] = []
  await admission.enter('w', 'submit')
  void admission.enter('w', 'submit', gate => gates.push(gate))
  await admission.enter('other', 'submit')
  void admission.enter('third', 'submit', gate => gates.push(`third ${gate}`))
  expect(gates).toEqual(['canary', 'third unproven'])
})
