// What the looks find: `node test/bench/looks.mjs [good files] [planted files of each kind] [kinds]`. Defects are planted with real encoders
// (ffmpeg, which it needs), good files are placeholders of the gateway. Prints recall, false alarms, and the processor time of a
// picture and of a second of clip, the program's own time included. Prints what was missed and what was wrongly told.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')
const [good = 2000, planted = 20] = process.argv.slice(2, 4).map(Number)
const kinds = process.argv.slice(4)

const subjects = [
  'A teapot on wet slate in the first light',
  'A lighthouse at night, heavy sea, long exposure',
  'Say it slowly: the tide comes back before the boats are painted',
  'A white cup on a white table',
  'Three friends laugh in a kitchen full of steam',
  'A black cat in a coal cellar, one eye open',
  'Rain on a tin roof, then a slow piano',
  'Un marché au printemps, des couleurs vives',
]

const sizes = ['512x512', '1024x768', '768x1024', '1280x720', '640x640']
const colors = ['white', '0x334455', 'red', '0x00ff88', '0xc0c0c0', 'blue', '0xffeedd']
const pictures = [
  ['png'],
  ['jpg', '-q:v', '3'],
  ['webp', '-quality', '80'],
  ['jpg', '-q:v', '12'],
  ['webp', '-lossless', '1'],
  // By the canvas library.
  ['jpeg', 80],
  ['webp', 70],
  ['png'],
]
const clips = [
  ['mp4', '-c:v', 'libx264', '-crf', '23', '-pix_fmt', 'yuv420p'],
  ['webm', '-c:v', 'libvpx', '-b:v', '800k', '-deadline', 'realtime'],
  ['mp4', '-c:v', 'libx264', '-crf', '32', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'],
  ['webm', '-c:v', 'libvpx-vp9', '-b:v', '500k', '-deadline', 'realtime', '-cpu-used', '8'],
]
const sounds = [
  ['wav'],
  ['mp3', '-b:a', '128k'],
  ['flac'],
  ['ogg', '-c:a', 'libvorbis'],
  ['m4a', '-c:a', 'aac'],
  ['ogg', '-c:a', 'libopus'],
  ['wav', '-c:a', 'pcm_s24le'],
  ['aac', '-c:a', 'aac'],
]
const spoken = new Set()
const scenes = ['testsrc2', 'mandelbrot']

/** Each makes the files that show it, and gives their paths. */
const defects = {
  blank: (nth, at) => [still(`color=c=${pick(colors, nth)}:s=${pick(sizes, nth)}`, nth, at)],
  'blank clip': (nth, at) => [clip(`color=c=${pick(colors, nth)}:s=640x360:r=24`, nth, at)],
  dark: (nth, at) => [still(`color=c=black:s=${pick(sizes, nth)},noise=alls=${nth % 9}`, nth, at)],
  'dark clip': (nth, at) => [clip(`color=c=black:s=640x360:r=24,noise=alls=${nth % 9}:allf=t`, nth, at)],
  letterbox: (nth, at) => [still(barred(nth), nth, at)],
  'letterbox clip': (nth, at) => [clip(barred(nth, ':r=24'), nth, at)],
  frozen: (nth, at) => [
    clip(
      `testsrc2=s=640x360:r=24,trim=start_frame=${nth}:end_frame=${nth + 1},loop=-1:1:0,setpts=N/24/TB`,
      nth,
      at,
    ),
  ],
  silent: (nth, at) => [
    sound(
      nth % 3 ? `anullsrc=r=44100:cl=${nth % 2 ? 'mono' : 'stereo'}` : 'anoisesrc=a=0.0002:r=48000',
      nth,
      at,
    ),
  ],
  'silent clip': (nth, at) => [clip('testsrc2=s=640x360:r=24', nth, at, 'anullsrc=r=48000:cl=stereo')],
  clipping: (nth, at) => [
    sound(
      `${nth % 2 ? 'sine=f=220' : 'anoisesrc=a=0.5:c=pink'}:r=44100,volume=${24 + (nth % 5) * 2}dB,aformat=s16`,
      nth,
      at,
    ),
  ],
  'loudness, too quiet': (nth, at) => [
    sound(`anoisesrc=a=${0.012 - (nth % 4) * 0.001}:c=pink:r=44100`, nth, at),
  ],
  'loudness, too loud': (nth, at) => [sound(`anoisesrc=a=0.98:c=white:r=44100,aformat=s16`, nth, at)],
  'silence before': (nth, at) => [sound(`${heard(nth)},adelay=${2000 + nth * 50}:all=1`, nth, at, 6)],
  'silence after': (nth, at) => [
    sound(`${heard(nth)},atrim=duration=3,apad=pad_dur=${2 + nth / 10}`, nth, at, 6),
  ],
  twice: (nth, at) => {
    const scene = `${pick(['testsrc2', 'mandelbrot'], nth)}=s=1024x768`
    return [
      still(scene, nth, `${at}a`, nth),
      still(`${scene},scale=${pick(['768x576', '1280x960', '1000x760'], nth)}`, nth + 1, `${at}b`, nth),
    ]
  },
  'twice clip': (nth, at) => [
    clip('testsrc2=s=640x360:r=24', nth, `${at}a`),
    clip('testsrc2=s=640x360:r=24,scale=854:480', nth + 1, `${at}b`),
  ],
}

const names = {
  pictures: 'a picture (≤ 10 ms)',
  image: 'one of up to 1.2 MP (≤ 10 ms)',
  larger: 'one of 1.2 to 4.2 MP',
}

// The looks of the sources, and the renderer, as one program.
const entry = `
export { lookAtFile } from '${root}/src/looks/look-at.ts'
export { areAlike, judgeFile, shownBy } from '${root}/src/looks/judge.ts'
export { render } from '${root}/src/gateway/render/render.ts'
export { renderRequest } from '${root}/src/gateway/runs/work.ts'
export { models } from '${root}/src/catalog/index.ts'
export { programAt } from '${root}/src/disk/program.ts'
`
const folder = mkdtempSync(join(root, 'node_modules', '.bench-looks-'))
try {
  const outfile = join(folder, 'looks.mjs')
  await build({
    stdin: { contents: entry, resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
    logLevel: 'error',
  })
  await measure(await import(outfile))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(genrun) {
  const media = mkdtempSync(join(tmpdir(), 'genrun-looks-'))
  try {
    const tools = { ffmpeg: genrun.programAt('ffmpeg', process.env.PATH) }
    if (!tools.ffmpeg) throw new Error('there is no ffmpeg here')
    await recall(genrun, tools, media)
    await falseAlarms(genrun, tools, media)
  } finally {
    for (const path of [media, ...spoken]) rmSync(path, { recursive: true, force: true })
  }
}

/** Each kind of defect, many times, by different encoders and in different sizes. */
async function recall({ lookAtFile, judgeFile, areAlike, shownBy }, tools, media) {
  for (const [kind, make] of Object.entries(defects)) {
    if (kinds.length > 0 && !kinds.includes(kind)) continue
    let found = 0
    for (let nth = 0; nth < planted; nth++) {
      const paths = await Promise.all(make(nth, join(media, `${kind}${nth}`)))
      const seen = []
      for (const path of paths) seen.push(await lookAtFile(path, tools))
      const facts = seen.map(each => each.facts)
      const isFound =
        facts.every(Boolean) &&
        (kind.startsWith('twice')
          ? areAlike(...facts.map(shownBy))
          : judgeFile(facts[0]).some(({ look }) => kind.startsWith(look)))
      if (isFound) found++
      else console.log(`  missed: ${kind} ${nth} ${JSON.stringify(seen)}`)
    }
    row(`recall: ${kind}`, `${found} of ${planted}`)
  }
}

async function falseAlarms(genrun, tools, media) {
  const { lookAtFile, judgeFile, areAlike, shownBy } = genrun
  const files = []
  for (let nth = 0; nth < good; nth++) files.push(await goodFile(nth, media, genrun))
  let alarms = 0
  const tally = {}
  const cost = { pictures: [0, 0], image: [0, 0], larger: [0, 0], video: [0, 0], audio: [0, 0] }
  const takes = new Map()
  for (const { nth, path, model, kind, prompt, width, height, seconds = 1 } of files) {
    const before = await usage()
    const seen = await lookAtFile(path, tools)
    const spent = (await usage()) - before
    // Most of it is the decoder's, by the pixel.
    const what = kind === 'image' && width * height > 1.2e6 ? 'larger' : kind
    for (const each of kind === 'image' ? ['pictures', what] : [what]) {
      const [sum, count] = cost[each]
      cost[each] = [sum + spent, count + (kind === 'image' ? 1 : seconds)]
    }
    const found = seen.facts ? judgeFile(seen.facts) : [{ look: 'unseen', why: seen.why }]
    const siblings = takes.get(model + prompt) ?? []
    const shows = seen.facts ? shownBy(seen.facts) : []
    if (siblings.some(other => areAlike(other, shows)))
      found.push({ look: 'twice', why: 'like another take' })
    takes.set(model + prompt, [...siblings, shows])
    if (found.length > 0) alarms++
    for (const { look } of found) tally[look] = (tally[look] ?? 0) + 1
    if (found.length > 0 && alarms <= 40)
      console.log(`  alarm: ${nth} ${model} ${JSON.stringify(found)} ${JSON.stringify(seen.facts)}`)
  }
  row('load of the machine', loadavg()[0].toFixed(1))
  row('false alarms (≤ 0.5 %)', `${alarms} of ${files.length}`, JSON.stringify(tally))
  for (const [kind, [sum, count]] of Object.entries(cost))
    if (count > 0)
      row(
        `processor time of ${names[kind] ?? `a second of ${kind} (≤ 100 ms)`}`,
        `${(sum / count).toFixed(1)} ms`,
        `${Math.round(count)}`,
      )
}

/** Of 40 in a row 32 are pictures, four speech, two music or effects, and two clips. Four takes of each, which differ by the run alone. */
async function goodFile(nth, media, { render, renderRequest, models }) {
  const all = Object.values(models)
  const of = (...kinds) => all.filter(({ inputType }) => kinds.includes(inputType))
  const turn = nth % 40
  const group =
    turn < 32
      ? of('t2i')
      : turn < 36
        ? of('tts')
        : turn < 38
          ? of('t2v', 'i2v')
          : all.filter(
              model => !of('tts').includes(model) && /audio|music|sfx/.test(model.inputType + model.id),
            )
  const round = Math.floor(nth / 40)
  const model = group[Math.floor(round / 4 + turn) % group.length] ?? of('t2i')[0]
  const prompt = `${subjects[(turn + Math.floor(round / 4)) % subjects.length]}, number ${turn}`
  const ratios =
    model.params.aspectRatio?.values ??
    model.params.find?.(({ name }) => name === 'aspectRatio')?.values ??
    []
  const aspectRatio = ratios[(turn + round) % ratios.length]
  const params = { prompt, ...(aspectRatio && { aspectRatio }) }
  const request = renderRequest({ model, params, inputs: [] }, `run-${nth}`, ['png', 'jpeg', 'webp'][nth % 3])
  // A clip takes the renderer a second or more a second: short and small ones are as good here.
  const [file] = await render(
    request.kind === 'video' ? { ...request, seconds: 3, width: 640, height: 360 } : request,
  )
  const path = join(media, `good${nth}.${file.extension}`)
  writeFileSync(path, file.bytes)
  const { bytes: _, ...rest } = file
  return { ...rest, nth, path, model: model.id, kind: request.kind, prompt }
}

function barred(nth, rate = '') {
  const bar = 24 + (nth % 6) * 16
  const scene = `${pick(scenes, nth)}=s=640x480${rate}`
  return nth % 2
    ? `${scene},pad=640:${480 + bar * 2}:0:${bar}:black`
    : `${scene},pad=${640 + bar * 2}:480:${bar}:0:black`
}

function pick(list, nth) {
  return list[nth % list.length]
}

async function still(source, nth, at, skip = 0) {
  const [extension, ...words] = pick(pictures, nth)
  const isCanvas = nth % pictures.length >= 5
  const path = made(
    [...generated(source), '-vf', `select=gte(n\\,${skip})`, '-frames:v', '1', ...(isCanvas ? [] : words)],
    `${at}.${isCanvas ? 'png' : extension}`,
  )
  if (!isCanvas) return path
  const image = await loadImage(path)
  const canvas = createCanvas(image.width, image.height)
  canvas.getContext('2d').drawImage(image, 0, 0)
  writeFileSync(`${at}c.${extension}`, await canvas.encode(extension, ...words))
  return `${at}c.${extension}`
}

/** A tone, or somebody who speaks. */
function heard(nth) {
  if (nth % 2) return 'sine=f=330:r=44100,volume=-12dB'
  const path = join(tmpdir(), `genrun-looks-speech-${process.pid}.wav`)
  if (!existsSync(path))
    execFileSync('espeak-ng', ['-w', path, 'The tide comes back before the boats are painted'])
  spoken.add(path)
  return `amovie=${path},silenceremove=start_periods=1:start_threshold=-45dB`
}

function clip(source, nth, at, track) {
  const [extension, ...words] = pick(clips, nth)
  const heard = track ? [...generated(track), '-c:a', extension === 'mp4' ? 'aac' : 'libopus'] : []
  return made([...generated(source), ...heard, '-t', '3', ...words], `${at}.${extension}`)
}

function sound(source, nth, at, seconds = 4) {
  const [extension, ...words] = pick(sounds, nth)
  return made([...generated(source), '-t', String(seconds), ...words], `${at}.${extension}`)
}

function generated(text) {
  return ['-f', 'lavfi', '-i', text]
}

function made(words, path) {
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...words, path])
  return path
}

/** Processor time of this process, and of the programs that it waited for, in milliseconds. */
async function usage() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').map(Number)
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + (fields[13] + fields[14]) * 10
}

function row(what, figure, more = '') {
  console.log(`${what.padEnd(44)} ${figure.padStart(14)}  ${more}`)
}
