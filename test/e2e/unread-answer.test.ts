import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { executable, freshFolder } from './executable.ts'

// What a killed process had not handed to its pipe is gone with it.
test('an answer that its client did not read before the server was killed is handed out again, and nothing is ordered', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder()
  const start = () => {
    const env = {
      PATH: process.env.PATH,
      HOME: cwd,
      GENRUN_BASE_URL: gateway.baseUrl,
      GENRUN_API_KEY: gateway.key,
    }
    const server = spawn(process.execPath, [executable, 'mcp'], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    onTestFinished(() => void server.kill('SIGKILL'))
    const send = (message: object) =>
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '0' },
    }
    send({ id: 1, method: 'initialize', params: client })
    send({ method: 'notifications/initialized' })
    return { server, send }
  }
  const call = { model: 'fama-imagine-image', prompt: 'Teapot' }
  const asked = { id: 2, method: 'tools/call', params: { name: 'service_generate', arguments: call } }
  const first = start()
  // So much that the pipe is full.
  for (let id = 10; id < 200; id++) first.send({ id, method: 'tools/list' })
  first.send(asked)
  const paid = () => gateway.ledger().billed.execute + gateway.ledger().billed.submit
  while (paid() === 0) await pause(50)
  await pause(1500)
  first.server.kill('SIGKILL')
  const second = start()
  let said = ''
  second.server.stdout.on('data', data => (said += data))
  second.send(asked)
  while (!said.includes('"id":2')) await pause(50)
  expect(said).toContain('nothing is ordered now')
  expect(paid()).toBe(1)
}, 60_000)
