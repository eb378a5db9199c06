// Builds dist/: the library and its types by tsc, the executable by esbuild (one file a lazy part, so that a command
// loads only what it needs). What neither of them reaches is not kept: nobody can import it. Run by `npm run build`, and
// by `npm ci` through `prepare`.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build, transformSync } from 'esbuild'
import ts from 'typescript'

const root = import.meta.dirname
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

// Built aside and put in place at the end: a build that fails, or that somebody looks into, leaves the last one whole.
const dist = join(root, 'dist.new')
rmSync(dist, { recursive: true, force: true })
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', dist], { cwd: root, stdio: 'inherit' })
// The worker that draws is started by its path.
keepReachable(['index.js', 'index.d.ts', 'gateway/render/worker.js'])
// What is said of a function stands in its types: an editor shows it from there, and nobody downloads it twice.
withoutComments(dist)

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { bin: 'src/bin.ts' },
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // Names stay: they are what a report of a bug consists of.
  minifyWhitespace: true,
  minifySyntax: true,
  // The same code as modules, without looking at the environment for each token, which takes a tenth of the reading.
  alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
  define: { GENRUN_VERSION: JSON.stringify(version) },
  // Native, large or rarely used: loaded from node_modules when needed. typescript is dragged in by cosmiconfig's
  // loaders for code, which genrun never uses.
  external: ['@napi-rs/canvas', 'mediabunny', '@mediabunny/*', '@echogarden/*', '@fontsource/*', 'typescript'],
  banner: { js: "import { createRequire as genrunRequire } from 'node:module'; const require = genrunRequire(import.meta.url);" },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
})
chmodSync(join(dist, 'bin.js'), 0o755)
writeNotices(Object.keys(metafile.inputs))
rmSync(join(root, 'dist'), { recursive: true, force: true })
renameSync(dist, join(root, 'dist'))

function withoutComments(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) withoutComments(path)
    else if (path.endsWith('.js'))
      writeFileSync(path, transformSync(readFileSync(path, 'utf8'), { format: 'esm', target: 'node20.19', legalComments: 'none' }).code)
  }
}

/** Removes every module of dist that none of these imports, and the folders that are empty then. */
function keepReachable(entries) {
  const kept = new Set()
  const left = entries.map(entry => join(dist, entry))
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (kept.has(path)) continue
    kept.add(path)
    const isTypes = path.endsWith('.d.ts')
    for (const { fileName } of ts.preProcessFile(readFileSync(path, 'utf8'), true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue
      const to = join(dirname(path), isTypes ? fileName.replace(/\.[jt]s$/, '.d.ts') : fileName)
      if (!existsSync(to)) throw new Error(`${path} imports ${fileName}, which is not there`)
      left.push(to)
    }
  }
  for (const name of readdirSync(dist, { recursive: true }))
    if (/\.(js|d\.ts)$/.test(name) && !kept.has(join(dist, name))) rmSync(join(dist, name))
  for (const name of readdirSync(dist, { recursive: true, withFileTypes: true }).filter(each => each.isDirectory()).toReversed()) {
    const folder = join(name.parentPath, name.name)
    if (readdirSync(folder).length === 0) rmdirSync(folder)
  }
}

/** The licences of everything that was bundled, as they ask. */
function writeNotices(inputs) {
  const folders = new Set(inputs.flatMap(path => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []))
  const notices = [...folders].sort().map(folder => {
    const { name, version: its, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return `${name} ${its} (${license})\n\n${licenceText(folder)}`
  })
  writeFileSync(join(dist, 'THIRD-PARTY.txt'), notices.join(`\n\n${'-'.repeat(80)}\n\n`))
}

function licenceText(folder) {
  const [name] = readdirSync(join(root, folder)).filter(each => /^licen[cs]e([.-]|$)/i.test(each)).toSorted()
  if (name === undefined) throw new Error(`${folder} is bundled, and no licence file is part of it`)
  return readFileSync(join(root, folder, name), 'utf8').trim()
}
