import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { renderProblem } from '../../src/base/excerpt.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { askOf, type GivenValue } from '../../src/run/one-shot/ask.ts'
import type { GenerateRequest } from '../../src/run/one-shot/generation.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import { pixel } from './bench.ts'
import { generateHeard } from './heard.ts'

async function served(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  return gateway
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'genrun-once-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

interface Call extends Partial<Omit<GenerateRequest, 'ask'>> {
  readonly gateway: Gateway
  readonly cwd: string
}

async function make(model: string, params: { [name: string]: GivenValue }, { gateway, ...more }: Call) {
  const { ask, problems } = askOf(model, params)
  if (!ask) throw new Error(problems.map(problem => renderProblem(problem)).join('\n'))
  const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: false }
  return generateHeard({ ask, service, ...more })
}

async function generation(...given: Parameters<typeof make>) {
  const result = await make(...given)
  if (result.got === 'generation') return result.generation
  throw new Error(
    result.got === 'refused' ? result.problems.map(each => renderProblem(each)).join('\n') : result.message,
  )
}

async function refusal(...given: Parameters<typeof make>): Promise<string> {
  const result = await make(...given)
  if (result.got !== 'refused') throw new Error(`it was not refused: ${JSON.stringify(result)}`)
  return result.problems.map(problem => renderProblem(problem)).join('\n')
}

/** What is there besides genrun's own folder. */
function outputsIn(path: string): string[] {
  return readdirSync(path).filter(name => name !== '.genrun')
}

test('one job is made, saved and measured, and leaves nothing else behind', async () => {
  const [gateway, cwd] = [await served(), folder()]
  const made = await generation(
    'fama-imagine-image',
    { prompt: 'A teapot', count: 2 },
    { gateway, cwd, name: 'hero' },
  )
  expect(made).toMatchObject({ model: 'fama-imagine-image', kind: 'image', ending: 'made', paid: 1, exit: 0 })
  expect(made.files).toMatchObject([
    { path: join(cwd, 'hero-1.png'), type: 'image/png', width: 1024, height: 1024 },
    { path: join(cwd, 'hero-2.png'), type: 'image/png', width: 1024, height: 1024 },
  ])
  expect(made.files[0]?.bytes).toBe(readFileSync(join(cwd, 'hero-1.png')).length)
  expect(outputsIn(cwd)).toEqual(['hero-1.png', 'hero-2.png'])
  expect(readdirSync(join(cwd, '.genrun'))).toEqual(['.gitignore'])
})

test('a submitted job is polled, tells its run, and its length is measured', async () => {
  const [gateway, cwd] = [await served(), folder()]
  const events: RunEvent['event'][] = []
  const emit = (event: RunEvent) => void events.push(event.event)
  const made = await generation('famc-t2a', { prompt: 'Rain', duration: 3.5 }, { gateway, cwd, emit })
  expect(made).toMatchObject({ kind: 'audio', ending: 'made', files: [{ seconds: 3.5 }] })
  expect(made.run).toMatchObject({ workflow: 'famc-t2a' })
  expect(made.files[0]?.path).toMatch(/\/rain-[0-9a-f]{6}\.\w+$/)
  expect(events).toEqual(expect.arrayContaining(['planned', 'sending', 'accepted', 'made', 'settled']))
})

test('files are taken as paths, links, data URIs and bytes', async () => {
  const [gateway, cwd] = [await served(), folder()]
  writeFileSync(join(cwd, 'in.png'), pixel)
  const asData = `data:image/png;base64,${pixel.toString('base64')}`
  const made = await generation(
    'famc-3.0-image',
    { prompt: 'Tea', imageUrls: ['in.png', join(cwd, 'in.png'), asData, pixel] },
    { gateway, cwd, name: 'tea' },
  )
  expect(made).toMatchObject({ ending: 'made', files: [{ path: join(cwd, 'tea.png') }] })
})

test('what is wrong is told at its place, all of it, and nothing is sent', async () => {
  const [gateway, cwd] = [await served(), folder()]
  const text = await refusal(
    'famc-v3',
    { prompt: 'Tea', duration: 7, startFrame: 'no.png', colour: 'red' },
    { gateway, cwd },
  )
  expect(text).toBe(`params:4:15: error: duration must be one of 3, 5, 8, 10, 12, 15 [bad-value]
4 |   "duration": 7,
  |               ^
  = hint: the nearest are 5 and 8; famc-v3 takes these seconds only
params:5:17: error: there is no file no.png [missing-file]
5 |   "startFrame": "no.png",
  |                 ^^^^^^^^
  = hint: a path is read from the current folder on
params:6:3: error: famc-v3 has no parameter colour [unknown-param]
6 |   "colour": "red"
  |   ^^^^^^^^
  = hint: it takes prompt, aspectRatio, duration, startFrame, endFrame, negativePrompt, generateAudio, multiShot, shotType, multiPrompt, voiceList, elementList, staticMask and renderingSpeed`)
  expect(gateway.requests()).toMatchObject({ execute: 0, submit: 0 })
  expect(outputsIn(cwd)).toEqual([])
})

test('an unknown model gets the nearest one', async () => {
  const [gateway, cwd] = [await served(), folder()]
  expect(await refusal('famc-v33', { prompt: 'Tea' }, { gateway, cwd })).toContain(
    'there is no model famc-v33 [unknown-model]',
  )
})

test('nothing is overwritten: a name that is taken is refused before anything is bought', async () => {
  const [gateway, cwd] = [await served(), folder()]
  writeFileSync(join(cwd, 'hero.jpg'), 'mine')
  const text = await refusal('fama-imagine-image', { prompt: 'Tea' }, { gateway, cwd, name: 'hero.png' })
  expect(text).toContain('hero.jpg is there already, and nothing is overwritten [file-in-the-way]')
  expect(gateway.requests()).toMatchObject({ execute: 0 })
})

test('callers that are not the user get no files from outside their folder', async () => {
  const [gateway, cwd, other] = [await served(), folder(), folder()]
  writeFileSync(join(other, 'private.png'), pixel)
  const params = { prompt: 'Tea', imageUrls: join(other, 'private.png') }
  expect(await refusal('fama-imagine-image', params, { gateway, cwd, within: cwd })).toContain(
    '[outside-file]',
  )
  expect(await generation('fama-imagine-image', params, { gateway, cwd })).toMatchObject({ ending: 'made' })
})

test('a cap holds a request back before it is sent', async () => {
  const [gateway, cwd] = [await served(), folder()]
  const held = await generation(
    'fama-imagine-image',
    { prompt: 'Tea' },
    { gateway, cwd, caps: { maxPaid: 0 } },
  )
  expect(held).toMatchObject({ ending: 'skipped', paid: 0, exit: 6, failure: { why: 'budget' } })
})

test('a stop leaves a run at the service, with its id', async () => {
  const [gateway, cwd] = [await served({ manual: true }), folder()]
  const stop = new AbortController()
  const emit = (event: RunEvent) => {
    if (event.event === 'accepted') stop.abort()
  }
  const left = await generation(
    'famc-v2a',
    { videoUrl: 'https://example.com/clip.mp4' },
    { gateway, cwd, emit, stop: stop.signal },
  )
  expect(left).toMatchObject({
    ending: 'detached',
    paid: 1,
    failure: { why: 'stopped' },
    run: { workflow: 'famc-v2a' },
  })
  expect(left.hint).toBe('it is paid for: `genrun result` fetches it')
})

test('two at a time do not meet', async () => {
  const [gateway, cwd] = [await served(), folder()]
  const both = await Promise.all(
    [1, 2].map(() => generation('fama-imagine-image', { prompt: 'Tea' }, { gateway, cwd })),
  )
  expect(both.map(each => each.ending)).toEqual(['made', 'made'])
  expect(outputsIn(cwd)).toHaveLength(2)
})
