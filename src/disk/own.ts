import * as fs from 'node:fs'

// What lies neither in a project nor with a person: genrun's own package, and what the system tells about itself and hands to it.

/** A file of an installed package, genrun's or one that it depends on: never a path that anybody gave. */
export function readAsset(path: string | URL): Buffer {
  return fs.readFileSync(path)
}

/** Whether such a file is installed. */
export function isAsset(path: string | URL): boolean {
  return fs.existsSync(path)
}

/** What Linux tells about itself and its processes, below /proc and /etc; empty where it does not. */
export function readSystemText(path: `/proc/${string}` | '/etc/machine-id'): string {
  return quietly(() => fs.readFileSync(path, 'utf8'))
}

/** The same where it tells by a link. */
export function readSystemLink(path: `/proc/${string}`): string {
  return quietly(() => fs.readlinkSync(path))
}

/** So many bytes of what is piped in as fit; 0 at its end. Throws what the system says. */
export function readPiped(into: Uint8Array): number {
  return fs.readSync(0, into)
}

/**
 * Writes all of it to a file that genrun was started with. Node's own stream for it takes a part for the whole: a disk that is almost
 * full takes what fits, and throws only at the next call.
 */
export function writeGiven(fd: number, text: string): void {
  fs.writeFileSync(fd, text)
}

function quietly(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}
