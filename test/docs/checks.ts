import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { render } from '../../src/gateway/render/index.ts'
import type { RenderedFile, RenderRequest } from '../../src/gateway/render/order/request.ts'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { fakeSurroundings } from '../cli/fake.ts'

/**
 * A service for manifests of the manual. Its files are real, of the kind and number that is asked for, and small, as nobody looks at
 * them: drawn once for all orders that ask for the same.
 */
export async function openChecks(): Promise<Gateway> {
  return startGateway({
    outputs: 'memory',
    render: ({ kind, count, sound, format, ...request }) => {
      const like = JSON.stringify([kind, count, sound, format])
      const files =
        drawn.get(like) ?? drawSmall({ ...request, kind, count, ...(sound !== undefined && { sound }) })
      drawn.set(like, files)
      return files
    },
  })
}

// Of all test files of a worker: drawing is most of what these tests cost.
const drawn = new Map<string, Promise<RenderedFile[]>>()

async function drawSmall(request: RenderRequest): Promise<RenderedFile[]> {
  const { width, seconds } = request
  return render({
    ...request,
    prompt: 'a page',
    inputs: [],
    ...(width !== undefined && { width: 160, height: 96 }),
    ...(seconds !== undefined && { seconds: 1 }),
  })
}

/** A manifest is valid without a warning, its plan can be made, and it makes what its plan says. */
export async function checkFolder(cwd: string, manifest: string, service: Gateway): Promise<string[]> {
  const usual = { GENRUN_BASE_URL: service.baseUrl, GENRUN_API_KEY: service.key }
  expect(await said(['validate', manifest, '--strict'], cwd, {})).toMatchObject({ code: 0 })
  expect(await said(['plan', manifest, '--quiet'], cwd, {})).toMatchObject({ code: 0 })
  const text = readFileSync(join(cwd, manifest), 'utf8')
  // Models of one's own are served by a rehearsal, which is told them.
  const isOwn = /^catalog:/m.test(text)
  const run = await said(
    [manifest, '--json', '--verify', 'off', ...(isOwn ? ['--local'] : [])],
    cwd,
    isOwn ? {} : usual,
  )
  const { jobs, output } = JSON.parse(run.stdout) as Made
  // A pick and an approval are for a person: what needs one is held, and nothing else may be.
  const isForPerson = /\.pick \}\}|require: approved/.test(text)
  const bad = jobs.filter(
    ({ ending }) => !['made', 'kept', ...(isForPerson ? ['held'] : [])].includes(ending),
  )
  expect({ code: run.code, bad }, run.stderr).toEqual({ code: isForPerson ? 4 : 0, bad: [] })
  const files = jobs.flatMap(job => job.files.map(({ path }) => path))
  expect(files.filter(path => !existsSync(join(output, path)))).toEqual([])
  return files
}

interface Made {
  readonly output: string
  readonly jobs: readonly { readonly ending: string; readonly files: readonly { readonly path: string }[] }[]
}

async function said(words: readonly string[], cwd: string, env: { [name: string]: string }) {
  const around = fakeSurroundings({ cwd, env, clock: systemClock })
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}
