import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { freshFolder, genrun, startGenrun } from './executable.ts'

async function served(options: Partial<GatewayOptions>) {
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  return { gateway, env: { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key } }
}

test('a `generate` that was killed is told by the next one, and `result` fetches what it paid for', async () => {
  const { gateway, env } = await served({ manual: true })
  const cwd = freshFolder()
  const line = ['generate', '-m', 'famc-t2a', '-p', 'Rain', '-d', '3', '-o', 'rain.wav', '-v']
  const first = startGenrun(line, { cwd, env })
  const run = await gateway.nextRun()
  await first.shows('stderr', run.id)
  first.child.kill('SIGKILL')
  await first.ended
  const again = await genrun(line.with(4, 'Wind'), { cwd, env })
  expect(again).toMatchObject({ code: 2 })
  expect(again.stderr).toContain(
    `an earlier order of famc-t2a is paid for and was not fetched: run ${run.id}`,
  )
  await run.finish()
  const fetched = await genrun(['result'], { cwd, env })
  expect(fetched).toMatchObject({ code: 0, stdout: 'rain.wav\n' })
  expect(fetched.stderr).toContain(`rain  resumed  run ${run.id}`)
  expect(existsSync(join(cwd, 'rain.wav'))).toBe(true)
  expect(readdirSync(join(cwd, '.genrun'))).toEqual(['.gitignore'])
  expect(gateway.ledger().requests).toEqual({ execute: 0, submit: 1 })
  expect((await genrun(['result'], { cwd, env })).stderr).toContain('nothing was left behind here')
  expect(await genrun(['result', run.id, '-m', 'famc-t2a', '-o', 'again'], { cwd, env })).toMatchObject({
    code: 0,
    stdout: 'again.wav\n',
  })
})

test.each([
  ['generate -m famc-t2a -p Rain -d 3'],
  ['generate -m famc-t2a -p Rain -d 3 -o rain.wav'],
  ['gen-ai generate -m famc-t2a -p Rain -d 3'],
])('`%s`, stopped when it was accepted and given again, pays once', async text => {
  const { gateway, env } = await served({ manual: true })
  const cwd = freshFolder()
  const line = [...text.split(' '), '-v']
  const first = startGenrun(line, { cwd, env })
  const run = await gateway.nextRun()
  await first.shows('stderr', run.id)
  first.child.kill('SIGINT')
  await first.ended
  await run.finish()
  const again = await genrun(line, { cwd, env })
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rain.*\.wav\n$/) })
  expect(again.stderr).toContain('its order is gone on with, and nothing is ordered now')
  expect(gateway.ledger().requests).toEqual({ execute: 0, submit: 1 })
})

test('killed while it waited for an answer: in doubt, exit 3, until it is given up', async () => {
  const { gateway, env } = await served({ manual: true })
  const cwd = freshFolder()
  const line = ['generate', '-m', 'fama-imagine-image', '-p', 'Tea', '-o', 'tea.png', '-v']
  const first = startGenrun(line, { cwd, env })
  await gateway.nextRun()
  first.child.kill('SIGKILL')
  await first.ended
  const told = await genrun(['result'], { cwd, env })
  expect(told).toMatchObject({ code: 3, stdout: '' })
  expect(told.stderr).toContain(
    'tea: an earlier order of fama-imagine-image is in doubt: genrun stopped before an answer came [in-doubt]',
  )
  expect((await genrun(line, { cwd, env })).code).toBe(2)
  expect(gateway.ledger().requests).toEqual({ execute: 1, submit: 0 })
  expect(await genrun(['result', '--forget'], { cwd, env })).toMatchObject({ code: 0 })
  expect((await genrun(['result', '--json'], { cwd, env })).stdout).toContain('"open": []')
})

test('a run that nobody here knows needs its model, and nothing is fetched without a service', async () => {
  const { env } = await served({})
  const cwd = freshFolder()
  const unknown = await genrun(['result', 'r_1'], { cwd, env })
  expect(unknown).toMatchObject({ code: 2 })
  expect(unknown.stderr).toContain('nothing is known here of the run r_1 [unknown-run]')
  expect(await genrun(['result'], { cwd })).toMatchObject({ code: 2 })
})
