import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { probe } from '../../src/media/probe.ts'
import { freshFolder, start } from './start.ts'
import { needs } from './tools.ts'

const script = new URL('../../examples/gateway.sh', import.meta.url).pathname

test('a client of a few lines executes, submits, polls and downloads', async context => {
  needs(context, 'curl')
  const gateway = await startGateway({ outputs: 'memory', speed: 0.3 })
  onTestFinished(() => gateway.close())
  const folder = freshFolder()
  const env = { PATH: process.env.PATH, GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const { stdout, stderr } = await promisify(execFile)('sh', [script, folder], { env })
  expect(stderr).toBe('')
  expect(stdout.trim().split('\n')).toEqual([join(folder, 'teapot.png'), join(folder, 'steam.mp4')])
  expect(await probe(readFileSync(join(folder, 'teapot.png')))).toMatchObject({
    media: { type: 'image/png', width: 1024, height: 576 },
  })
  expect(await probe(readFileSync(join(folder, 'steam.mp4')))).toMatchObject({
    media: { type: 'video/mp4', width: 1280, height: 720, seconds: 3, sound: true },
  })
  expect(gateway.ledger().billed).toEqual({ execute: 1, submit: 1 })
  expect(gateway.requests().result).toBeGreaterThan(1)
})

test('it ends with the answer when the gateway refuses', async context => {
  needs(context, 'curl')
  const gateway = await start()
  const env = { PATH: process.env.PATH, GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: 'another' }
  const running = promisify(execFile)('sh', [script, freshFolder()], { env })
  await expect(running).rejects.toMatchObject({
    stderr: expect.stringMatching(/401[^]*"code":"unauthorized"/),
  })
})
