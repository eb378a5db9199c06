import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

interface Build {
  /** A path that only the one who builds has. */
  readonly lock: string
  isFresh(): boolean
  build(): void
}

/**
 * Builds when what is there is not fresh. Several processes come here at a time: one builds and the others wait. One that
 * was killed meanwhile keeps nobody waiting.
 */
export function buildOnce({ lock, isFresh, build }: Build): void {
  while (!isFresh()) {
    if (!take(lock)) {
      if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      continue
    }
    try {
      build()
    } finally {
      rmSync(lock, { force: true })
    }
  }
}

/** In one step, and with the name of who took it from the first moment on. */
function take(lock: string): boolean {
  const draft = `${lock}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, lock)
    return true
  } catch {
    return false
  } finally {
    rmSync(draft)
  }
}

function isAbandoned(lock: string): boolean {
  let holder: number
  try {
    holder = Number(readFileSync(lock, 'utf8'))
  } catch (error) {
    // Given back meanwhile; a folder is what earlier versions left.
    return (error as NodeJS.ErrnoException).code === 'EISDIR'
  }
  try {
    process.kill(holder, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
