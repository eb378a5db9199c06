import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { freshFolder, genrun } from '../e2e/executable.ts'
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
function mounted(kibibytes: number, { skip }: TestContext): { folder: string; enlarge(): void } {
  const folder = freshFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'genrun-test', folder], {
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
