import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny'
import { beforeEach, describe, expect, test } from 'vitest'
import { render } from '../../../src/gateway/render/index.ts'
import { boxes, posterOf } from '../../../src/gateway/render/sound/poster.ts'
import { needs } from '../tools.ts'
import { ffmpeg, pixelsOf, plainPng, videoRequest } from './tools.ts'

async function opened(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
  const video = (await input.getPrimaryVideoTrack())!
  const audio = await input.getPrimaryAudioTrack()
  const packets = []
  for await (const packet of new EncodedPacketSink(video).packets()) packets.push(packet)
  return { input, video, audio, packets, seconds: await input.computeDuration() }
}

test.each([
  [256, 144, 1, 30],
  [854, 480, 2, 60],
  [480, 854, 0.5, 15],
  [98, 50, 3.04, 92],
])('a clip of %ix%i and %f s has %i frames', async (width, height, seconds, frames) => {
  const [file] = await render(videoRequest({ width, height, seconds }))
  expect(file).toMatchObject({ type: 'video/mp4', extension: 'mp4', width, height, seconds })
  const clip = await opened(file!.bytes)
  expect([await clip.video.getDisplayWidth(), await clip.video.getDisplayHeight()]).toEqual([width, height])
  expect(clip.seconds).toBeCloseTo(seconds, 4)
  expect(clip.packets).toHaveLength(frames)
})

test('odd sizes become even, as video cannot have them', async () => {
  const [file] = await render(videoRequest({ width: 101, height: 75, seconds: 0.1 }))
  expect(file).toMatchObject({ width: 100, height: 74 })
})

test('the same request gives the same bytes, another run others', async () => {
  const [once] = await render(videoRequest({ sound: true }))
  const [again] = await render(videoRequest({ sound: true }))
  const [other] = await render(videoRequest({ sound: true, seed: 'run-2' }))
  expect(Buffer.compare(once!.bytes, again!.bytes)).toBe(0)
  expect(Buffer.compare(once!.bytes, other!.bytes)).not.toBe(0)
})

test('a clip does not say when it was made', async () => {
  const [file] = await render(videoRequest({ seconds: 0.1 }))
  const movie = [...boxes(file!.bytes, 0, file!.bytes.length)].find(box => box.type === 'moov')!
  const header = [...boxes(file!.bytes, movie.start, movie.end)].find(box => box.type === 'mvhd')!
  // Version 0: after version and flags, two times of four bytes, then units a second.
  expect([...file!.bytes.subarray(header.start, header.start + 12)]).toEqual(Array(12).fill(0))
  expect(file!.bytes.subarray(header.start + 12, header.start + 16).some(byte => byte > 0)).toBe(true)
})

describe('sound', () => {
  test('is there when asked for, as long as the picture', async () => {
    const [file] = await render(videoRequest({ sound: true, seconds: 1.5 }))
    const { audio, seconds } = await opened(file!.bytes)
    expect(await audio?.getCodec()).toBe('aac')
    expect(await audio?.computeDuration()).toBeCloseTo(1.5, 3)
    expect(seconds).toBeCloseTo(1.5, 3)
  })

  test('is not there when not asked for', async () => {
    const [file] = await render(videoRequest({ sound: false }))
    expect((await opened(file!.bytes)).audio).toBeNull()
  })

  test('is the recording that came with the order', async () => {
    const speech = {
      ...videoRequest(),
      inputType: 'tts',
      kind: 'audio',
      prompt: 'Hello there',
      inputs: [],
    } as const
    const [words] = await render(speech)
    const [other] = await render({ ...speech, prompt: 'Something else altogether' })
    const avatar = (bytes: Uint8Array) =>
      render(
        videoRequest({ sound: true, seconds: 0.5, inputs: [{ param: 'audioUrl', kind: 'audio', bytes }] }),
      )
    const [[one], [two]] = [await avatar(words!.bytes), await avatar(other!.bytes)]
    const soundOf = async (bytes: Uint8Array) => {
      const packets = []
      const { audio } = await opened(bytes)
      for await (const packet of new EncodedPacketSink(audio!).packets())
        packets.push(Buffer.from(packet.data))
      return Buffer.concat(packets)
    }
    expect(Buffer.compare(await soundOf(one!.bytes), await soundOf(two!.bytes))).not.toBe(0)
  })
})

test('every shot of a storyboard begins with a key frame', async () => {
  const item = (index: number, duration: number) => ({ index, prompt: `shot ${index}`, duration })
  const params = { multiShot: true, multiPrompt: [item(1, 1), item(2, 2)] }
  const [file] = await render(videoRequest({ params, seconds: 3 }))
  const { packets } = await opened(file!.bytes)
  const keys = packets.flatMap((packet, k) => (packet.type === 'key' ? [k] : []))
  expect(keys).toEqual([0, 30])
})

test('a clip that is made longer keeps its frames', async () => {
  const [source] = await render(videoRequest({ seconds: 1 }))
  const inputs = [{ param: 'videoUrl', kind: 'video', bytes: source!.bytes } as const]
  const order = videoRequest({
    model: 'fama-extend-video',
    inputType: 'v2v',
    seconds: 3,
    inputs,
    seed: 'run-9',
  })
  const [longer] = await render(order)
  const [before, after] = [await opened(source!.bytes), await opened(longer!.bytes)]
  expect(after.packets).toHaveLength(90)
  expect(after.packets.slice(0, 30).map(packet => packet.data)).toEqual(
    before.packets.map(packet => packet.data),
  )
  expect(after.packets[30]!.type).toBe('key')
})

test('a clip that is edited is made anew, from how it looked', async () => {
  const start = [{ param: 'startFrame', kind: 'image', bytes: plainPng('rgb(0, 160, 0)') } as const]
  const [source] = await render(videoRequest({ inputs: start }))
  const inputs = [{ param: 'videoUrl', kind: 'video', bytes: source!.bytes } as const]
  const [edited] = await render(videoRequest({ model: 'fama-edit-video', inputType: 'v2v', inputs }))
  expect((await opened(edited!.bytes)).packets).toHaveLength(30)
  const [r, g, b] = (await pixelsOf(posterOf(edited!.bytes)!)).at(0.5, 0.5)
  expect([r < 30, Math.abs(g - 160) < 12, b < 30]).toEqual([true, true, true])
})

test('a clip of others is no reason to fail', async () => {
  const inputs = [{ param: 'videoUrl', kind: 'video', bytes: new Uint8Array(500) } as const]
  const order = videoRequest({
    model: 'fama-extend-video',
    inputType: 'v2v',
    seconds: 1,
    sound: true,
    inputs,
  })
  expect((await opened((await render(order))[0]!.bytes)).packets).toHaveLength(30)
})

test('ten seconds of 720p stay below 1.5 MB', async () => {
  const [file] = await render(videoRequest({ width: 1280, height: 720, seconds: 10 }))
  expect(file!.bytes.length).toBeLessThan(1_500_000)
})

describe('ffmpeg', () => {
  beforeEach(context => needs(context, 'ffmpeg'))

  const frames = (bytes: Uint8Array, picked: string) =>
    ffmpeg(bytes, ['-vf', `select='${picked}'`, '-vsync', '0', '-f', 'image2pipe', '-c:v', 'png']).out

  test.each([
    [256, 144, false],
    [854, 480, true],
  ])('decodes every frame of %ix%i, sound %s, without a warning', async (width, height, sound) => {
    const [file] = await render(videoRequest({ width, height, sound, seconds: 2 }))
    expect(ffmpeg(file!.bytes, ['-f', 'null']).said).toBe('')
  })

  test('decodes a clip that was made longer without a warning', async () => {
    const [source] = await render(videoRequest({ seconds: 1, sound: true }))
    const inputs = [{ param: 'videoUrl', kind: 'video', bytes: source!.bytes } as const]
    const order = videoRequest({ inputType: 'v2v', seconds: 2, sound: true, inputs })
    expect(ffmpeg((await render(order))[0]!.bytes, ['-f', 'null']).said).toBe('')
  })

  test('sees the start frame first and the end frame last', async () => {
    const inputs = [
      { param: 'startFrame', kind: 'image', bytes: plainPng('rgb(0, 0, 200)') },
      { param: 'endFrame', kind: 'image', bytes: plainPng('rgb(200, 0, 0)') },
    ] as const
    const [file] = await render(videoRequest({ inputs, width: 480, height: 270 }))
    const [first, last] = await Promise.all(
      ['eq(n,0)', 'eq(n,29)'].map(n => pixelsOf(frames(file!.bytes, n))),
    )
    const isNear = (a: readonly number[], b: readonly number[]) =>
      a.every((value, k) => Math.abs(value - b[k]!) < 12)
    // Corners where neither time code nor disc comes; the end frame comes in from the right.
    expect(first!.at(0.985, 0.01)).toSatisfy((seen: number[]) => isNear(seen, [0, 0, 200]))
    expect(last!.at(0.004, 0.01)).toSatisfy((seen: number[]) => isNear(seen, [200, 0, 0]))
  })

  test('sees every frame move', async () => {
    const [file] = await render(videoRequest({ seconds: 1 }))
    const { out } = ffmpeg(file!.bytes, ['-f', 'framemd5'])
    const sums = String(out)
      .split('\n')
      .filter(line => /^\d/.test(line))
      .map(line => line.split(',').at(-1))
    expect(new Set(sums).size).toBe(30)
  })
})
