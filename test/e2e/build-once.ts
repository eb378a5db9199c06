import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

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
      if (isAbandoned(lock)) giveBack(lock)
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      continue
    }
    try {
      // Whoever had the lock before may have come to its end between the look above and the lock.
      if (!isFresh()) build()
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

/** Of a lock that is abandoned: aside first, as another may have done the same, and taken it, since it was looked at. */
function giveBack(lock: string): void {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    if (!isAbandoned(aside)) linkSync(aside, lock)
  } catch {
    // Gone meanwhile, or another's again.
  } finally {
    rmSync(aside, { recursive: true, force: true })
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
