import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { startGateway } from '../../src/gateway/server.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { blocksOf, textOf } from './pages.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: { readonly path?: string }
}

interface Workflow {
  readonly jobs: { readonly [job in 'divide' | 'make' | 'merge']: { readonly steps: readonly Step[] } }
}

function block(file: string): string {
  const found = blocksOf(textOf('docs/scale.md')).find(each => each.file === file)
  if (!found) throw new Error(`docs/scale.md has no ${file}`)
  return found.body
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-scale-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Each machine has a checkout of its own: what one made reaches another by an artifact alone. */
test('the matrix of machines on the page makes everything once, and one lock of all', {
  timeout: 120_000,
}, async () => {
  const gateway = await startGateway({ outputs: 'memory', ledger: true })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key, CI: 'true' }
  const { jobs } = parse(block('.github/workflows/shards.yml')) as Workflow
  const artifacts = newFolder()

  /** Does the steps of a job as far as genrun and artifacts are concerned; what genrun said. */
  async function machine({ steps }: { steps: readonly Step[] }, matrix: { [name: string]: string } = {}) {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'campaign.yaml'), block('campaign.yaml'))
    let said = ''
    for (const { uses = '', run = '', with: given } of steps) {
      if (uses.startsWith('actions/download-artifact')) cpSync(artifacts, cwd, { recursive: true })
      if (uses.startsWith('actions/upload-artifact'))
        for (const path of globSync(given?.path?.trim().split('\n') ?? [], { cwd, dot: true }))
          cpSync(join(cwd, path), join(artifacts, path))
      const filled = run.replaceAll(/\$\{\{ matrix\.(\w+) \}\}/g, (_, name: string) => matrix[name] ?? '')
      for (const [, words = ''] of filled.matchAll(/(?:^|\$\()genrun ([a-z-]+ campaign[^)\n]*)/gm)) {
        const around = fakeSurroundings({ cwd, env, clock: systemClock })
        const code = await main(words.split(' '), around)
        expect({ words, code }, around.stderr.text()).toEqual({ words, code: 0 })
        said += around.stdout.text()
      }
    }
    return { cwd, said }
  }

  const { said } = await machine(jobs.divide)
  const { include } = JSON.parse(said) as { include: { [name: string]: string }[] }
  expect(include).toHaveLength(3)
  for (const each of include) await machine(jobs.make, each)
  const merged = await machine(jobs.merge)
  const { execute, submit } = gateway.ledger().billed
  expect(execute + submit).toBe(12)
  expect(readdirSync(merged.cwd).filter(name => name.endsWith('.lock.json'))).toEqual(['campaign.lock.json'])
})
