import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runManifest } from '../../src/verbs/run.ts'
import { project, serve } from './served.ts'
import type { Habit } from './services.ts'

const hero = '  hero:\n    model: fama-imagine-image\n    prompt: a teapot\n'
const clip = `  clip:
    model: famc-v3
    prompt: steam
    duration: 5
    startFrame: \${{ jobs.hero.output }}
`

/** Makes a picture, and a clip that begins with it; what the clip was ordered with is the result. */
function service(jobs: string, mode: 'execute' | 'submit' = 'execute') {
  const frames: string[] = []
  const habit: Habit = {
    jobs,
    endings: {},
    paid: [],
    answer({ path, json }, { link }) {
      if (path.endsWith('famc-v3/submit')) {
        frames.push(String((json.params as { startFrame?: string }).startFrame)) // as the built-in profile sends it
        return { json: { id: 'r1' } }
      }
      if (path.endsWith('famc-v3/r1/result')) return { json: { status: 'done', url: link('a.mp4') } }
      if (path.endsWith('/h1/result'))
        return { json: { status: 'done', url: `${link('a.png')}?signed=again` } }
      return mode === 'submit' ? { json: { id: 'h1' } } : { json: { url: `${link('a.png')}?signed=1` } }
    },
  }
  return { habit, frames }
}

async function run(cwd: string, baseUrl: string, profile?: string): Promise<void> {
  const result = await runManifest({
    manifest: 'tea.yaml',
    cwd,
    service: { baseUrl, key: 'key-of-the-test', rehearsal: false },
    ...(profile !== undefined && { profile }),
    emit: () => {},
    stop: new AbortController().signal,
  })
  if (result.got !== 'report') return expect.fail(JSON.stringify(result))
  const made = result.report.jobs.filter(({ ending }) => ending === 'made' || ending === 'kept')
  expect(made).toHaveLength(result.report.jobs.length)
}

test('what the service has just made goes back to it as its own link', async () => {
  const { habit, frames } = service(hero + clip)
  const { baseUrl } = await serve(habit)
  await run(project(habit), baseUrl)
  expect(frames).toEqual([expect.stringMatching(/\/files\/a\.png\?signed=1$/)])
})

test('a profile can say that such links are of no use', async () => {
  const { habit, frames } = service(hero + clip)
  const { baseUrl } = await serve(habit)
  const cwd = project(habit)
  writeFileSync(join(cwd, 'bytes.yaml'), 'request: { files: { made: bytes } }\n')
  await run(cwd, baseUrl, 'bytes.yaml')
  expect(frames).toEqual([expect.stringMatching(/^data:image\/png;base64,/)])
})

test('what an earlier run has made goes as its bytes, because links expire', async () => {
  const { habit, frames } = service(hero)
  const { baseUrl } = await serve(habit)
  const cwd = project(habit)
  await run(cwd, baseUrl)
  writeFileSync(join(cwd, 'tea.yaml'), `jobs:\n${hero}${clip}`)
  await run(cwd, baseUrl)
  expect(frames).toEqual([expect.stringMatching(/^data:image\/png;base64,/)])
})

test('where the bytes fit nowhere, the link is asked for again by the id of the run', async () => {
  const jobs = hero.replace('prompt', 'mode: submit\n    prompt')
  const { habit, frames } = service(jobs, 'submit')
  const { baseUrl, seen } = await serve(habit)
  const cwd = project(habit)
  writeFileSync(join(cwd, 'small.yaml'), 'request: { files: { upTo: 10 } }\n')
  await run(cwd, baseUrl, 'small.yaml')
  writeFileSync(join(cwd, 'tea.yaml'), `jobs:\n${jobs}${clip}`)
  await run(cwd, baseUrl, 'small.yaml')
  expect(frames).toEqual([expect.stringMatching(/signed=again$/)])
  expect(seen.filter(({ method, path }) => method === 'POST' && path.includes('fama'))).toHaveLength(1)
})
