import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SteeredRun } from '../../src/gateway/runs/steering.ts'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { openScreen } from '../cli/terminal.ts'
import { freshFolder } from './executable.ts'
import { needsTerminal, started, steady } from './on-terminal.ts'
import { frameOf, svgOf } from './recording.ts'

// A run in a pseudo-terminal, looked at frame by frame, of which the README shows a picture. `UPDATE=1` makes it anew.
const picture = join(import.meta.dirname, '../../examples/run.svg')
const isUpdate = process.env.UPDATE === '1'

const tea = `limits: { submit: 2 }
jobs:
  hero:
    model: fama-imagine-image-2.0
    prompt: A celadon teapot on wet slate at dawn
    aspectRatio: '16:9'
  clip:
    model: famc-v3-turbo
    prompt: Slow push-in on the teapot
    startFrame: \${{ jobs.hero.output }}
    duration: 5
  voice:
    model: fama-tts
    prompt: Morning begins with water.
  rain:
    model: famc-t2a
    prompt: Light rain on a tin roof
`
const prices = "currency: USD\nmodels:\n  '*': { perRun: 0.35 }\n"

/** A run over HTTP whose every step is in our hands, on a pseudo-terminal and on an emulated screen. */
async function watchedRun(columns: number, rows: number) {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder({ 'tea.yaml': tea, 'prices.yaml': prices })
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const run = started(['tea.yaml', '--prices', 'prices.yaml'], columns, { cwd, env, rows })
  const screen = openScreen(columns, rows)
  await screen.write('$ genrun tea.yaml --prices prices.yaml\r\n')
  let seen = 0
  /** Brings the screen up to date, frame by frame; each is looked at. */
  async function follow(): Promise<void> {
    const all = run.bytes()
    for (;;) {
      const end = all.indexOf(endOfFrame, seen)
      if (end < 0) return
      await screen.write(all.subarray(seen, end + endOfFrame.length))
      seen = end + endOfFrame.length
      const lines = screen.visible()
      expect(lines.filter(line => /of 4 done/.test(line)).length).toBeLessThan(2)
      const names = lines.flatMap(line => /^ {2}\S .*?(hero|clip|voice|rain) /.exec(line)?.[1] ?? [])
      expect(new Set(names).size).toBe(names.length)
    }
  }
  async function until(isSo: (text: string) => boolean): Promise<void> {
    for (;;) {
      await follow()
      if (isSo(screen.visible().join('\n'))) return
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  return {
    gateway,
    run,
    screen,
    until,
    async rest() {
      const { code } = await run.ended
      await follow()
      await screen.write(run.bytes().subarray(seen))
      return code
    },
  }
}

const endOfFrame = Buffer.from('\u001B[?2026l')

/** The next runs at the gateway, by their models. */
async function nextRuns(gateway: Gateway, count: number): Promise<(model: string) => SteeredRun> {
  const runs: SteeredRun[] = []
  for (let nth = 0; nth < count; nth++) runs.push(await gateway.nextRun())
  return model => {
    const found = runs.find(run => run.workflow === model)
    if (!found) throw new Error(`no run of ${model} among ${runs.map(run => run.workflow).join(', ')}`)
    return found
  }
}

test('a run, frame by frame, from its first request to its summary', { timeout: 60_000 }, async context => {
  needsTerminal(context)
  const { gateway, screen, until, rest } = await watchedRun(80, 12)
  const frames = [frameOf(screen)]
  const keep = () => frames.push(frameOf(screen))
  const first = await nextRuns(gateway, 3)
  await until(text => text.includes('3 running'))
  keep()
  first('fama-tts').progress(0.4)
  await until(text => text.includes('40 %'))
  keep()
  await first('fama-imagine-image-2.0').finish()
  await until(text => text.includes('✔ hero'))
  keep()
  await first('famc-t2a').fail('no rain today')
  await until(text => text.includes('✖ rain'))
  const clip = (await nextRuns(gateway, 1))('famc-v3-turbo')
  clip.progress(0.62)
  await until(text => text.includes('62 %'))
  keep()
  await first('fama-tts').finish()
  await until(text => text.includes('✔ voice'))
  keep()
  await clip.finish()
  expect(await rest()).toBe(1)
  keep()
  expect(screen.lines().join('\n')).toContain('failed: rain (famc-t2a)')
  const svg = svgOf(frames, 80, 12)
  if (isUpdate) writeFileSync(picture, svg)
  // The picture is a recording, with its own times: its words are those of this version.
  const words = (text: string) =>
    steady(text.replaceAll(/<style>[\s\S]*?<\/style>/g, '').split(/<[^>]*>/))
      .map(part => part.replaceAll(/ +/g, ' ').replaceAll(' about 0s left', '').trim())
      .filter(part => part !== '')
  expect(words(readFileSync(picture, 'utf8'))).toEqual(words(svg))
})

// Becoming narrower is looked at in test/cli/progress/frames.test.ts, where no frame can be on its way at that moment.
test('a terminal that grows in the middle of a run is used at once, and Ctrl-C leaves it as it should be', {
  timeout: 60_000,
}, async context => {
  needsTerminal(context)
  const { gateway, run, screen, until, rest } = await watchedRun(40, 24)
  const first = await nextRuns(gateway, 3)
  await until(text => text.includes('3 running'))
  expect(screen.visible().join('\n')).not.toContain('famc-t2a')
  screen.resize(100, 24)
  run.resize(100, 24)
  await until(text => text.includes('famc-t2a'))
  const lines = screen.visible()
  expect(lines.filter(line => /^ {2}\S .*(hero|clip|voice|rain)/.test(line))).toHaveLength(4)
  await first('fama-imagine-image-2.0').finish()
  await until(text => text.includes('✔ hero'))
  run.type('\u0003')
  expect(await rest()).toBe(130)
  const text = screen.lines().join('\n')
  expect(text).toContain('stopping: no more is bought')
  expect(text).not.toContain('of 4 done')
})
