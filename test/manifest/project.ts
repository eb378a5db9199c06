import type { Look, Project } from '../../src/manifest/job.ts'

/** A project in memory: what stands at each path, and nothing anywhere else. */
export function projectOf(files: { readonly [path: string]: Look }): Project {
  return { look: path => files[path.replace(/^(\.\/)+/, '')] ?? { is: 'missing' } }
}

/** A file of a few bytes whose beginning is that of the named kind. */
export function mediaFile(kind: keyof typeof heads, bytes = 1000): Look {
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
  html: new TextEncoder().encode('<!doctype html><title>x</title>'),
}

/** The project that the golden manifests are checked in. */
export const sampleProject: Project = projectOf({
  'photos/tea.png': mediaFile('png'),
  'photos/cup.gif': mediaFile('gif'),
  'photos/pour.mp4': mediaFile('mp4'),
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
