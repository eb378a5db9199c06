import { afterEach, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { type Gateway, readRules, startGateway } from '../../src/gateway/server.ts'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt, toldSteps } from '../verbs/bench.ts'
import { openSeller, pictures, shade } from '../verbs/seller.ts'

let gateway: Gateway
let bench: Bench

async function begin(faults: string, manifest: string): Promise<void> {
  const read = readRules(faults)
  if ('problem' in read) throw new Error(read.problem)
  gateway = await startGateway({ outputs: 'memory', faults: { seed: 1, rules: read.rules } })
  bench = openBench(gateway)
  bench.write(manifestName, manifest)
}

afterEach(async () => {
  closeBench(bench)
  await gateway.close()
})

async function exitOfRun(): Promise<number> {
  const result = await bench.run()
  if (result.got !== 'report') throw new Error(JSON.stringify(result))
  return result.report.exit
}

async function countsOfStatus(): Promise<string> {
  const around = { ...fakeSurroundings(), cwd: bench.folder, env: { HOME: bench.folder } }
  expect(await main(['status', manifestName], around)).toBe(0)
  return around.stderr.text()
}

test('an order in doubt ends every run with exit code 3 until it is settled, whatever its job is called by now', async () => {
  await begin('lose first=1', 'jobs:\n  hero: { model: fama-imagine-image, prompt: A teapot }\n')
  expect(await exitOfRun()).toBe(3)
  bench.write(manifestName, 'jobs:\n  lead: { model: fama-imagine-image, prompt: A green teapot }\n')
  expect(await exitOfRun()).toBe(3)
  expect(await exitOfRun()).toBe(3)
})

test('what is made from a file that did not come is held until its job is ordered anew, and no run ends as if it were made', async () => {
  await begin(
    'short=1 first=1 model=fama-imagine-image',
    `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot, count: 2 }
  clip: { model: famc-v3-turbo, prompt: Push in, startFrame: "\${{ jobs.hero.outputs[1] }}", duration: 3 }
`,
  )
  expect(await exitOfRun()).toBe(1)
  // What came short counts in every run.
  expect(await exitOfRun()).toBe(1)
  expect(toldSteps(bench.plan())).toEqual([
    'keep hero: 1 of 2 files were delivered; --failed orders the rest, `accept` takes it as it is',
    'hold clip: it is made from file 2 of hero, of which 1 came',
  ])
  expect(await countsOfStatus()).toBe('2 jobs: 1 delivered short, 1 held\n')
  expect(paidAt(gateway)).toBe(1)
  await bench.run({ redo: true, select: { words: ['hero'] } })
  expect(await exitOfRun()).toBe(0)
  expect(paidAt(gateway)).toBe(3)
})

test('status counts what is open of jobs that left the manifest beside those that are in it', async () => {
  const two = ['a', 'b'].map(name => `  ${name}: { model: fama-imagine-image, prompt: ${name} }\n`)
  await begin('fail', `jobs:\n${two.join('')}`)
  expect(await exitOfRun()).toBe(1)
  bench.write(manifestName, `jobs:\n${two[1]}`)
  expect(await countsOfStatus()).toBe('1 job: 1 failed; of jobs that are not in the manifest: 1 failed\n')
})

test('an order in doubt gets the new name of its job where it is written down here, and not where another checkout told it', async () => {
  const { seller, bench } = await openSeller()
  seller.does = 'lose'
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  const before = bench.read('m.lock.json')
  bench.edit(manifestName, 'hero', 'poster')
  await bench.run()
  expect(bench.read('m.lock.json')).toContain('"address":"poster"')
  // Whoever told it may have settled it by now.
  const clone = seller.clone()
  clone.write('m.lock.json', before)
  clone.write(manifestName, pictures({ poster: 'tea' }))
  await clone.run()
  expect(clone.read('m.lock.json')).toContain('"address":"hero"')
  expect(seller.orders).toEqual(['tea'])
})

test('an order in doubt that --rebuy sent for a lost result is told as its job’s, and ends a run of that job with 3', async () => {
  const { seller, bench } = await openSeller()
  const ran = async (request: Parameters<Bench['run']>[0] = {}) => {
    const result = await bench.run(request)
    if (result.got !== 'report') throw new Error(JSON.stringify(result))
    return result.report.exit
  }
  const { answer } = seller
  bench.write(manifestName, pictures({ hero: 'tea', other: 'coffee' }))
  expect(await ran()).toBe(0)
  bench.remove('out/m/hero.png')
  seller.answer = (run, response) =>
    run === 'r1' ? response.writeHead(410).end('{"message":"gone"}') : answer(run, response)
  expect(await ran()).toBe(1)
  seller.does = 'lose'
  expect(await ran({ choices: { rebuy: true } })).toBe(3)
  expect(await ran({ choices: { failed: true }, select: { failed: true } })).toBe(3)
  expect(await ran({ select: { words: ['hero'] } })).toBe(3)
  expect(await ran({ select: { words: ['other'] } })).toBe(0)
  const around = { ...fakeSurroundings(), cwd: bench.folder, env: { HOME: bench.folder } }
  expect(await main(['status', manifestName], around)).toBe(0)
  expect(around.stderr.text()).toBe(
    '2 jobs: 1 done, 1 made, and its files are gone; of jobs that have another order: 1 in doubt\n',
  )
  expect(around.stdout.text()).toContain('the next run leaves it alone: its job has another order')
  expect(around.stdout.text()).toContain(
    `another order of it is in doubt: genrun run ${manifestName} hero --rebuy --resubmit gives that up and orders it again`,
  )
  // And so it does.
  seller.does = 'take'
  expect(await ran({ choices: { rebuy: true, resubmit: true }, select: { words: ['hero'] } })).toBe(0)
  expect(seller.orders.toSorted()).toEqual(['coffee', 'tea', 'tea', 'tea'])
})

async function told(bench: Bench, ...words: readonly string[]): Promise<string> {
  const around = { ...fakeSurroundings(), cwd: bench.folder, env: { HOME: bench.folder } }
  expect(await main(['status', manifestName, ...words], around)).toBe(0)
  return around.stdout.text() + around.stderr.text()
}

test('what came again byte for byte is not told as kept aside where its job has it', async () => {
  const { seller, bench } = await openSeller()
  const { answer } = seller
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  bench.remove('out/m/hero.png')
  seller.answer = (run, response) =>
    run === 'r1' ? response.writeHead(410).end('{"message":"gone"}') : answer(run, response)
  await bench.run()
  await bench.run({ choices: { rebuy: true } })
  expect(seller.orders).toEqual(['tea', 'tea'])
  expect(await told(bench)).toBe('1 job: 1 done\n')
})

test('what lies aside and is gone is told as that, and as gone for good where the service had it no more', async () => {
  const { seller, bench } = await openSeller()
  const { answer } = seller
  seller.file = run => shade(Number(run.slice(1)))
  const ask = async (prompt: string) => {
    bench.write(manifestName, pictures({ hero: prompt }))
    await bench.run()
  }
  await ask('tea')
  await ask('coffee')
  expect(await told(bench)).toMatch(
    /^hero: paid for and kept aside: tea\n {2}\S+\n {2}it gets its name back when the manifest asks for it again\n/,
  )
  bench.remove('.genrun/m/kept')
  const heading = 'hero: paid for, and its file is gone: tea'
  expect(await told(bench)).toBe(`${heading}
  the service is asked for it, which is free, when the manifest asks for it again
1 job: 1 done
`)
  seller.answer = (run, response) =>
    run === 'r1' ? response.writeHead(410).end('{"message":"gone"}') : answer(run, response)
  await ask('tea')
  await ask('coffee')
  expect(await told(bench)).toBe(`${heading}
  the service had it no more when it was asked last: put it back, or it is missed when the manifest asks for it again
1 job: 1 done
`)
  expect(seller.orders).toEqual(['tea', 'coffee'])
})

test('one order is told once where its job asks for something else by now', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  seller.does = 'lose'
  await bench.run()
  await resolveOrders({ ...bench.request(), words: ['hero'], resolution: { is: 'adopt', id: 'r1' } })
  bench.write(manifestName, pictures({ hero: 'coffee' }))
  expect((await told(bench)).match(/run r1/g)).toHaveLength(1)
})

test('the line that settles all doubts names the output folder, as those of each do', async () => {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea', other: 'coffee' }))
  seller.does = 'lose'
  await bench.run({ output: `${bench.folder}/media` })
  expect(await told(bench, '-o', 'media')).toContain(
    `all 2 at once: genrun resolve ${manifestName} -o media --all-doubts --resubmit, or --abandon`,
  )
})
