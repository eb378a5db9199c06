import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'

/** Programs of others that look at our files, with the Debian package each is in. `.ci/run` installs them where it can. */
const packages = {
  ffprobe: 'ffmpeg',
  ffmpeg: 'ffmpeg',
  identify: 'imagemagick',
  'espeak-ng': 'espeak-ng',
  chromium: 'chromium',
  curl: 'curl',
} as const

type Tool = keyof typeof packages

const known = new Map<Tool, string>()

/** Its path; empty where it is missing. */
export function whereIs(tool: Tool): string {
  const path = known.get(tool) ?? String(spawnSync('sh', ['-c', `command -v ${tool}`]).stdout).trim()
  known.set(tool, path)
  return path
}

export function has(tool: Tool): boolean {
  return whereIs(tool) !== ''
}

/** Skips a test whose tool is missing, and prints why. */
export function needs({ skip }: TestContext, tool: Tool): void {
  if (has(tool)) return
  const why = `${tool} is missing (Debian package ${packages[tool]})`
  console.warn(`skipped: ${why}`)
  skip(why)
}

/**
 * What ImageMagick and ffprobe say a file is: `PNG 1024x1024`, `h264 1280x720 5 s, aac`, `pcm_s16le 3.5 s`. Throws when
 * they find anything wrong with it.
 */
export function lookAt(bytes: Uint8Array): string {
  const path = temporary(bytes)
  return bytes[0] === 0x89 || bytes[0] === 0xff || ascii(bytes, 8) === 'WEBP' ? picture(path) : tracks(path)
}

function picture(path: string): string {
  // The whole file is decoded: its checksum stands for every pixel.
  const [format, size, sum] = run('identify', ['-format', '%m %wx%h %#', path]).split(' ')
  if (sum?.length !== 64) throw new Error(`identify counted no pixels: ${sum}`)
  return `${format} ${size}`
}

interface Stream {
  readonly codec_type: 'video' | 'audio'
  readonly codec_name: string
  readonly width?: number
  readonly height?: number
}

function tracks(path: string): string {
  const shown = ['-show_entries', 'stream=codec_type,codec_name,width,height:format=duration', '-of', 'json']
  const { streams, format } = JSON.parse(run('ffprobe', ['-v', 'warning', ...shown, path])) as {
    streams: Stream[]
    format: { duration: string }
  }
  const seconds = `${Math.round(Number(format.duration) * 100) / 100} s`
  const video = streams.find(stream => stream.codec_type === 'video')
  const audio = streams.find(stream => stream.codec_type === 'audio')
  if (!video) return `${audio?.codec_name} ${seconds}`
  return [`${video.codec_name} ${video.width}x${video.height} ${seconds}`, audio?.codec_name]
    .filter(Boolean)
    .join(', ')
}

/** Runs a program that has to end well and say nothing on stderr; gives what it wrote. */
function run(program: string, words: readonly string[], input?: Uint8Array): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { input, maxBuffer: 1 << 28 })
  if (error || status !== 0 || stderr.length > 0)
    throw new Error(`${program}: ${error?.message ?? String(stderr)}`)
  return String(stdout)
}

/** A file with these bytes, removed after the test. */
function temporary(bytes: Uint8Array, name = 'file'): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-look-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

function ascii(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}
