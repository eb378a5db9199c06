import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { Lives } from './live-apart.ts'

/**
 * Lives histories by a process of its own and as one file, which takes a seventh less: in a test every name that a module takes from
 * another is looked up at each use. Nearly all that a history makes is garbage at once, for which the usual room is small.
 */
export async function apart<Name extends keyof Lives>(
  name: Name,
  ...given: Parameters<Lives[Name]>
): Promise<Awaited<ReturnType<Lives[Name]>>> {
  const modules = join(import.meta.dirname, '..', '..', 'node_modules')
  const outfile = join(modules, `.genrun-${process.pid}-${count++}.mjs`)
  try {
    await build({
      entryPoints: [join(import.meta.dirname, 'live-apart.ts')],
      ...{
        outfile,
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
        logLevel: 'warning',
      },
    })
    const args = ['--max-semi-space-size=64', outfile, name, JSON.stringify(given)]
    const lived = promisify(execFile)(process.execPath, args, { maxBuffer: Number.POSITIVE_INFINITY })
    lived.child.stderr?.pipe(process.stderr)
    return JSON.parse((await lived).stdout)
  } finally {
    rmSync(outfile, { force: true })
  }
}

let count = 0
