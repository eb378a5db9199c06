// Programs of benchmarks that work with genrun's sources.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

export const root = join(import.meta.dirname, '..', '..')

/** Bundles a program, given as TypeScript, with the sources that it imports into a folder; the path of what node runs. */
export async function bundled(folder, text) {
  writeFileSync(join(folder, 'driver.mts'), text)
  const outfile = join(folder, 'driver.mjs')
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
  await build({
    entryPoints: [join(folder, 'driver.mts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'warning',
    nodePaths: [join(root, 'node_modules')],
  })
  return outfile
}
