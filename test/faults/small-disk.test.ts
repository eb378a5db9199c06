import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { freshFolder, genrun } from '../e2e/executable.ts'
import { manifestName, openBenchAt } from '../verbs/bench.ts'
import { hangsAfterMs } from './budget.ts'
import { largePicture } from './large-picture.ts'

const jobs = 4
const manifest = `defaults: { model: fama-imagine-image }
jobs:
${Array.from({ length: jobs }, (_, nth) => `  job${nth}: { mode: submit, prompt: 'Teapot ${nth}' }\n`).join('')}`

// The chunk that no reader looks at makes it fill a disk.
const picture = largePicture(40 * 1024)

const sizes = [16, 24, 40, 64, 96, 160]

/** Gives a folder a file system of its own with so much room; skips the test, and says so, where that is not permitted. */
function mounted(
  kibibytes: number,
  { skip }: TestContext,
  folder = freshFolder(),
): { folder: string; enlarge(): void } {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k,mode=700`, 'genrun-test', folder], {
      stdio: 'pipe',
    })
  } catch (error) {
    const why = `no small file system can be mounted here: ${(error as Error).message.trim()}`
    console.warn(`skipped: ${why}`)
    skip(why)
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return { folder, enlarge: () => void execFileSync('mount', ['-o', 'remount,size=8m', folder]) }
}

test.for(sizes)(
  'a disk of %i KiB that is full: once there is room the batch is finished, and nothing is paid twice',
  { timeout: hangsAfterMs },
  async (kibibytes, context) => {
    const { folder: cwd, enlarge } = mounted(kibibytes, context)
    const gateway = await startGateway({
      outputs: 'memory',
      render: async () => [{ bytes: picture, type: 'image/png', extension: 'png' }],
    })
    context.onTestFinished(() => gateway.close())
    writeFileSync(join(cwd, 't.yaml'), manifest)
    const env = {
      GENRUN_BASE_URL: gateway.baseUrl,
      GENRUN_API_KEY: gateway.key,
      CI: '1',
      GENRUN_UNTRUSTED: 'false',
    }
    const full = await genrun(['t.yaml'], { cwd, env })
    expect(full.stdout + full.stderr).toMatch(/no space left on (the disk|device)/)
    expect([4, 6, 7, 2]).toContain(full.code)
    const { submit: bought } = gateway.ledger().billed
    enlarge()
    const after = await genrun(['t.yaml'], { cwd, env })
    expect(after).toMatchObject({ code: 0 })
    expect(gateway.ledger().billed.submit).toBe(jobs)
    expect(await genrun(['verify', 't.yaml'], { cwd })).toMatchObject({ code: 0 })
    console.log(`${kibibytes} KiB: exit ${full.code}, ${bought} bought before it was full; paid twice: 0`)
  },
)

test(
  'with .genrun alone on a full disk an answer is fetched by its run, and nothing more is bought',
  async context => {
    const cwd = freshFolder({
      't.yaml': manifest.replaceAll('mode: submit', 'mode: execute'),
      '.genrun/.gitignore': '*\n',
    })
    const { folder, enlarge } = mounted(64, context, join(cwd, '.genrun'))
    const gateway = await startGateway({ outputs: 'memory', manual: true })
    context.onTestFinished(() => gateway.close())
    const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
    const full = genrun(['t.yaml'], { cwd, env })
    const first = await gateway.nextRun()
    fill(join(folder, 'fill'))
    await first.finish()
    const { code, stdout, stderr } = await full
    expect(stderr).toContain('no space left on the disk [unsaved]')
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'out/t/job0.png\n' })
    expect(gateway.ledger().requests).toEqual({ execute: 1, submit: 0 })
    enlarge()
    const after = genrun(['t.yaml'], { cwd, env })
    for (let nth = 1; nth < jobs; nth++) await (await gateway.nextRun()).finish()
    expect(await after).toMatchObject({ code: 0 })
    expect(gateway.ledger().requests).toEqual({ execute: jobs, submit: 0 })
  },
  hangsAfterMs,
)

test.for([
  ['.genrun', '.genrun', false],
  ['.genrun, journal and all,', '.genrun', true],
  ['the whole project', '', false],
  ['the whole project, journal and all,', '', true],
] as const)(
  'with %s on a full disk a file that comes in the answer itself, without a run to ask for, is not lost',
  async ([, small, isPageFull], context) => {
    // A prompt of such a length that nothing fits behind it into the last page that the journal has.
    const [length = 0] = isPageFull ? (await ordered('Tea', small, context)).orders : []
    const prompt = isPageFull ? 'Tea'.padEnd(pageBytes - 50 - length, '.') : 'Tea'
    const { bench, orders, full, enlarge } = await ordered(prompt, small, context)
    expect(full.code, full.stderr).toBe(7)
    bench.remove(join(small, 'fill'))
    enlarge()
    // What may be ordered anew is not what came.
    expect(await bench.run({ choices: { resubmit: true } })).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(bench.bytes('out/m/a.png').equals(file)).toBe(true)
    expect(orders).toHaveLength(1)
    expect(await bench.run()).toMatchObject({ report: { requests: 0, exit: 0 } })
  },
)

const file = largePicture(300 * 1024)
const pageBytes = 4096

/** One order whose answer, a file, finds no room. `orders`: how long the journal was when each came. */
async function ordered(prompt: string, small: string, context: TestContext) {
  const lengths: number[] = []
  const bench = await openBenchAt((request, response) => {
    request.resume().on('end', () => {
      lengths.push(bench.bytes('.genrun/m/journal/000001.jnl').length)
      if (lengths.length === 1) fill(join(bench.folder, small, 'fill'))
      response.writeHead(200, { 'content-type': 'image/png' }).end(file)
    })
  })
  if (small) bench.makeFolder(small)
  const { enlarge } = mounted(64, context, join(bench.folder, small))
  bench.write(manifestName, `jobs: { a: { model: fama-imagine-image, prompt: ${prompt} } }\n`)
  const env = { GENRUN_BASE_URL: `${bench.origin}/gw-v2`, GENRUN_API_KEY: 'k3y', GENRUN_UNTRUSTED: 'false' }
  // A process of its own: one that cannot give its claim back on a full disk loses it by its end.
  const full = await genrun([manifestName], { cwd: bench.folder, env })
  return { bench, orders: lengths, full, enlarge }
}

/** Takes all the room that is left. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
  } finally {
    closeSync(file)
  }
}
