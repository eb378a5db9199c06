import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { createGenrun, GenrunError } from '../../src/index.ts'
import { executable, startProgram } from '../e2e/executable.ts'

const rain = { prompt: 'Rain', duration: 3 } as const

async function bench() {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-runs-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const means = { baseUrl: gateway.baseUrl, key: gateway.key, cwd }
  return { gateway, cwd, means, genrun: createGenrun(means), paid: () => gateway.ledger().requests.submit }
}

/** A program of its own, so that it can be killed. It says `ready` when the call has resolved. */
function program(call: string, { means }: Awaited<ReturnType<typeof bench>>) {
  const door = pathToFileURL(join(dirname(executable), 'index.js')).href
  const text = `import { createGenrun } from ${JSON.stringify(door)}
const genrun = createGenrun(${JSON.stringify(means)})
console.log('ready', JSON.stringify(await genrun.${call}))
setInterval(() => undefined, 1000)
`
  const path = join(means.cwd, 'program.mjs')
  writeFileSync(path, text)
  return startProgram(path, { cwd: means.cwd })
}

test('an order of a killed program is open, and is waited for by what stands there', async () => {
  const shop = await bench()
  const { genrun, gateway, cwd } = shop
  const first = program("submit('famc-t2a', { prompt: 'Rain', duration: 3 })", shop)
  await first.shows('stdout', 'ready')
  first.child.kill('SIGKILL')
  await first.ended
  const order = await gateway.nextRun()
  const [open, ...others] = genrun.open()
  expect(others).toEqual([])
  const run = { model: 'famc-t2a', workflow: 'famc-t2a', id: order.id, params: rain }
  expect(open).toEqual({
    model: 'famc-t2a',
    name: expect.stringMatching(/^rain-/),
    since: expect.any(Number),
    owes: 'run',
    message: `an earlier order of famc-t2a is paid for and was not fetched: run ${order.id}`,
    run,
    ids: [],
  })
  expect(await genrun.result(open?.run ?? run)).toMatchObject({ is: 'pending' })
  await order.finish()
  expect(await genrun.wait(open?.run ?? run, { name: 'rain' })).toMatchObject({ ending: 'made', paid: 0 })
  expect(genrun.open()).toEqual([])
  expect(readdirSync(cwd).toSorted()).toEqual(['.genrun', 'program.mjs', 'rain.wav'])
  expect(shop.paid()).toBe(1)
})

test('an order that was sent and not answered is open in doubt', async () => {
  const shop = await bench()
  const first = program("generate('fama-imagine-image', { prompt: 'Tea' }, { name: 'tea' })", shop)
  await shop.gateway.nextRun()
  first.child.kill('SIGKILL')
  await first.ended
  expect(shop.genrun.open()).toMatchObject([{ name: 'tea', owes: 'doubt', ids: [] }])
  expect(shop.genrun.open({ output: 'elsewhere' })).toEqual([])
})

test('a run that failed at the service is not open any more once that was told', async () => {
  const { genrun, gateway } = await bench()
  const run = await genrun.submit('famc-t2a', rain)
  expect(genrun.open()).toMatchObject([{ owes: 'run', run: { id: run.id } }])
  await (await gateway.nextRun()).fail('too wet')
  const error = await genrun.wait(run).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'GenrunError', failure: { why: 'remote', detail: 'too wet' } })
  expect(genrun.open()).toEqual([])
})

const once = { name: 'rain', lock: 'art.lock.json' } as const

test('with a lock one order is submitted once, and `generate` with the same words gets its files', async () => {
  const shop = await bench()
  const { genrun, gateway, cwd } = shop
  const first = await genrun.submit('famc-t2a', rain, once)
  const again = await createGenrun(shop.means).submit('famc-t2a', rain, once)
  expect(again).toEqual(first)
  expect(genrun.open()).toMatchObject([
    { owes: 'run', run: { id: first.id }, lock: join(cwd, 'art.lock.json') },
  ])
  await (await gateway.nextRun()).finish()
  expect(await genrun.generate('famc-t2a', rain, once)).toMatchObject({ ending: 'made', paid: 0 })
  expect(genrun.open()).toEqual([])
  expect(await genrun.generate('famc-t2a', rain, once)).toMatchObject({ again: 'kept', requests: 0 })
  // Its run is still known when it is made, and can be read again.
  expect(await genrun.submit('famc-t2a', rain, once)).toEqual(first)
  expect(shop.paid()).toBe(1)
  expect(readdirSync(cwd).toSorted()).toEqual(['.genrun', 'art.lock.json', 'rain.wav'])
})

test('with a lock a program that is killed and started again orders nothing twice', async () => {
  const shop = await bench()
  const call = `submit('famc-t2a', ${JSON.stringify(rain)}, ${JSON.stringify(once)})`
  const ids: unknown[] = []
  for (let nth = 0; nth < 2; nth++) {
    const running = program(call, shop)
    const said = await running.shows('stdout', '}')
    ids.push(JSON.parse(said.slice('ready '.length)).id)
    running.child.kill('SIGKILL')
    await running.ended
  }
  const run = await shop.gateway.nextRun()
  expect(ids).toEqual([run.id, run.id])
  await run.finish()
  expect(await shop.genrun.generate('famc-t2a', rain, once)).toMatchObject({ ending: 'made', paid: 0 })
  expect(shop.paid()).toBe(1)
})

test('a copy that `wait` made by the name of the lock is no obstacle to it', async () => {
  const { genrun, gateway, paid } = await bench()
  const run = await genrun.submit('famc-t2a', rain, once)
  await (await gateway.nextRun()).finish()
  await genrun.wait(run, { name: 'rain' })
  expect(await genrun.generate('famc-t2a', rain, once)).toMatchObject({ ending: 'made', paid: 0 })
  expect(paid()).toBe(1)
})

test('with a lock a name is needed, also to submit', async () => {
  const { genrun } = await bench()
  const error = await genrun
    .submit('famc-t2a', rain, { lock: 'art.lock.json' })
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(GenrunError)
  expect(error).toMatchObject({ code: 'refused', problems: [{ code: 'no-name' }] })
})

test('an order of another service is open with both addresses, and is not collected here', async () => {
  const [there, here] = [await bench(), await bench()]
  const { id } = await there.genrun.submit('famc-t2a', rain)
  const genrun = createGenrun({ ...here.means, cwd: there.cwd })
  const origins = [there, here].map(({ means }) => new URL(means.baseUrl).origin)
  const message = `an earlier order of famc-t2a is paid for and was not fetched: run ${id}; it was ordered at ${origins[0]}, and this service is ${origins[1]}`
  const hint = 'set GENRUN_BASE_URL and the key to that service to fetch it'
  expect(genrun.open()).toMatchObject([{ owes: 'run', message, hint }])
  expect(await genrun.collect()).toMatchObject({ made: [], failed: [], problems: [{ message, hint }] })
  expect(here.gateway.requests()).toMatchObject({ result: 0 })
  // There it is only what it was.
  expect(there.genrun.open()).toMatchObject([{ message: expect.not.stringContaining('ordered at') }])
})
