import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { order } from './start.ts'
import { has, needs, whereIs } from './tools.ts'

let gateway: Gateway
let browser: Browser | undefined
let page: Page | undefined

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  if (!has('chromium')) return
  // Only our own pages are opened; as root, in a container, its sandbox cannot be had.
  browser = await chromium.launch({ executablePath: whereIs('chromium'), args: ['--no-sandbox'] })
  page = await browser.newPage()
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await gateway.close()
})

/** Orders a clip and watches it: what the browser says of it, that it can be sought in, and that pictures differ. */
async function watch(params: { model: string; [name: string]: unknown }): Promise<Seen> {
  const { body } = await order(gateway, 'execute', params)
  expect([body.status, body.error]).toEqual(['completed', undefined])
  await page!.goto(gateway.pageUrl)
  return page!.locator('video').first().evaluate(lookAtVideo)
}

interface Seen {
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly hasSound: boolean
  /** Where it stands after having been told to go to the middle. */
  readonly soughtTo: number
  /** Share of pixels that changed from there to the end. */
  readonly changed: number
  /** The same, between two looks at the middle: what the measure itself makes up. */
  readonly changedAtOnePlace: number
  readonly error: string | undefined
}

/** Runs in the browser, which knows nothing of this file; the types of browsers are not part of this project. */
// oxlint-disable-next-line typescript/no-explicit-any -- as said above
async function lookAtVideo(video: any): Promise<Seen> {
  const heard = (name: string) =>
    new Promise<void>((resolve, reject) => {
      video.addEventListener(name, () => resolve(), { once: true })
      video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true })
    })
  if (video.readyState < 1) await heard('loadedmetadata')
  const seek = async (seconds: number) => {
    const done = heard('seeked')
    // `seeked` may be told before the new frame is the one that is drawn; where no frame is told, a second is enough.
    const shown = new Promise(resolve => {
      video.requestVideoFrameCallback(resolve)
      setTimeout(resolve, 1000)
    })
    video.currentTime = seconds
    await done
    await shown
  }
  const pixels = () => {
    const canvas = video.ownerDocument.createElement('canvas')
    canvas.width = 160
    canvas.height = 160
    const pen = canvas.getContext('2d')
    pen.drawImage(video, 0, 0, 160, 160)
    return pen.getImageData(0, 0, 160, 160).data
  }
  await seek(video.duration / 2)
  const soughtTo = video.currentTime
  const middle = pixels()
  await seek(video.duration - 0.1)
  const late = pixels()
  await seek(video.duration / 2)
  const again = pixels()
  // Colors are chance: what moves may stand out in any one of the three.
  const differs = (a: Uint8ClampedArray, b: Uint8ClampedArray) => {
    let pixelsThatDiffer = 0
    for (let k = 0; k < a.length; k += 4) {
      if ([0, 1, 2].some(channel => Math.abs(a[k + channel]! - b[k + channel]!) > 40)) pixelsThatDiffer++
    }
    return pixelsThatDiffer / (160 * 160)
  }
  await seek(video.duration - 0.5)
  video.muted = true
  const ended = heard('ended')
  await video.play()
  await ended
  return {
    width: video.videoWidth,
    height: video.videoHeight,
    seconds: video.duration,
    // Chromium's own counter.
    hasSound: video.webkitAudioDecodedByteCount > 0,
    soughtTo,
    changed: differs(late, middle),
    changedAtOnePlace: differs(again, middle),
    error: video.error?.message,
  }
}

const clip = { model: 'famc-v3', prompt: 'Steam rises', duration: 3 }
const storyboard = [
  { index: 1, prompt: 'The pot', duration: 1 },
  { index: 2, prompt: 'The cup', duration: 2 },
]

describe('in a browser, on the page of the gateway, clips play and can be sought in', () => {
  test.for<[string, Record<string, unknown>, Partial<Seen>]>([
    ['with sound', {}, { width: 1280, height: 720, hasSound: true }],
    ['without sound', { generateAudio: false }, { width: 1280, height: 720, hasSound: false }],
    [
      'upright, in shots',
      { aspectRatio: '9:16', multiShot: true, multiPrompt: storyboard },
      { width: 720, height: 1280, hasSound: true },
    ],
  ])('%s', { timeout: 60_000 }, async ([, params, expected], context) => {
    needs(context, 'chromium')
    check(await watch({ ...clip, ...params }), { ...expected, seconds: 3 })
  })

  test('made longer', async context => {
    needs(context, 'chromium')
    const { body } = await order(gateway, 'execute', clip)
    const longer = { model: 'fama-extend-video', prompt: 'More', videoUrl: body.outputs[0].url, duration: 3 }
    check(await watch(longer), { width: 1280, height: 720, hasSound: true, seconds: 6 })
  }, 60_000)
})

function check(seen: Seen, expected: Partial<Seen> & { seconds: number }): void {
  expect(seen).toMatchObject({
    ...expected,
    error: undefined,
    soughtTo: expected.seconds / 2,
    changedAtOnePlace: 0,
  })
  expect(seen.changed).toBeGreaterThan(0.005)
}
