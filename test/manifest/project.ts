import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { InputLook, Project } from '../../src/manifest/shapes/job.ts'

/** A project in memory: what stands at each path, and nothing anywhere else. A text is a file of that text. */
export function projectOf(files: { readonly [path: string]: InputLook | string }): Project {
  const at = (path: string) => files[path.replace(/^(\.\/)+/, '')]
  const read = (path: string): ReturnType<Project['read']> => {
    const found = at(path)
    if (typeof found === 'string') return { is: 'text', file: { name: path, text: found } }
    if (!found) return { is: 'missing' }
    return { is: found.is === 'file' ? 'binary' : found.is }
  }
  return {
    look(path) {
      const found = at(path)
      const head = typeof found === 'string' && new TextEncoder().encode(found)
      return head ? { is: 'file', bytes: head.length, head } : ((found as InputLook) ?? { is: 'missing' })
    },
    read,
    seconds: path => lengths[path],
    pixels: path => (path === 'photos/tall.png' ? { width: 3000, height: 4000 } : undefined),
    // One star within one folder is all that the tests ask for.
    glob(pattern) {
      const parts = pattern.split('*').map(part => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      const fits = new RegExp(`^${parts.join('[^/]*')}$`)
      return Object.keys(files)
        .filter(path => fits.test(path))
        .toSorted()
    },
  }
}

const lengths: { readonly [path: string]: number } = { 'photos/dance.mp4': 42, 'photos/pour.mp4': 5 }

/** A file of a few bytes whose beginning is that of the named kind. */
export function mediaFile(kind: keyof typeof heads, bytes = 1000): InputLook {
  return { is: 'file', bytes, head: heads[kind] }
}

const heads = {
  png: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]),
  gif: new TextEncoder().encode('GIF89a\u0001\u0000\u0001\u0000'),
  wav: new TextEncoder().encode('RIFF\u0024\u0000\u0000\u0000WAVEfmt '),
  mp4: Uint8Array.from([
    0,
    0,
    0,
    24,
    ...new TextEncoder().encode('ftypisom'),
    0,
    0,
    2,
    0,
    ...new TextEncoder().encode('isomiso2'),
  ]),
  webm: Uint8Array.from([
    0x1a,
    0x45,
    0xdf,
    0xa3,
    0x87,
    0x42,
    0x82,
    0x84,
    ...new TextEncoder().encode('webm'),
  ]),
  html: new TextEncoder().encode('<!doctype html><title>x</title>'),
}

/** The project that the golden manifests are checked in. */
const dataFolder = fileURLToPath(new URL('../golden/problems/data/', import.meta.url))
const data = Object.fromEntries(
  readdirSync(dataFolder).map(name => [`data/${name}`, readFileSync(`${dataFolder}${name}`, 'utf8')]),
)

export const sampleProject: Project = projectOf({
  ...data,
  'photos/tea.png': mediaFile('png'),
  'photos/cup.gif': mediaFile('gif'),
  'photos/pour.mp4': mediaFile('mp4'),
  'photos/dance.mp4': mediaFile('mp4'),
  'photos/live.webm': mediaFile('webm'),
  'photos/tall.png': mediaFile('png'),
  'photos/page.png': mediaFile('html'),
  'photos/empty.png': { is: 'file', bytes: 0, head: new Uint8Array() },
  'photos/huge.png': mediaFile('png', 61.4 * 1024 * 1024),
  'photos/secret.png': { is: 'unreadable' },
  'photos/pipe.png': { is: 'special' },
  photos: { is: 'folder' },
  '.photos/tea.png': { is: 'hidden' },
  '../other/tea.png': { is: 'outside' },
  '/etc/tea.png': { is: 'outside' },
  'sound/rain.wav': mediaFile('wav'),
})
