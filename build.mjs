// Builds dist/: the executable, the library and two threads by esbuild, which share their code (one file a lazy part, so
// that a command loads only what it needs), and the library's types by tsc. Run by `npm run build`, and by `npm ci` through `prepare`.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, parse, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'
import ts from 'typescript'

const root = import.meta.dirname
// Of the numbers of source maps.
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
// Native, large or rarely used: loaded from node_modules when needed. typescript is dragged in by cosmiconfig's
// loaders for code, which genrun never uses.
const external = ['@napi-rs/canvas', 'mediabunny', '@mediabunny/*', '@echogarden/*', '@fontsource/*', 's3mini', 'tesseract.js', 'pg', 'bullmq', 'typescript']
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

// Built aside and put in place at the end: a build that fails, or that somebody looks into, leaves the last one whole.
const dist = join(root, 'dist.new')
rmSync(dist, { recursive: true, force: true })
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', dist], { cwd: root, stdio: 'inherit' })
keepReachable('index.d.ts')
withoutComments(dist)
// The bundle's map is read as its reader reads.
const { vlqNumbers } = await builtModule('src/cli/io/vlq.ts')

// What genrun sends with is four of undici's modules and what they need; its front door brings a browser's fetch, caches and
// mocks along, which are read at each start of a command that sends.
const undiciParts = { Agent: 'dispatcher/agent', Client: 'dispatcher/client', Pool: 'dispatcher/pool', buildConnector: 'core/connect' }
const undici = {
  name: 'undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'parts' }))
    onLoad({ filter: /^undici$/, namespace: 'parts' }, () => ({
      contents: Object.entries(undiciParts)
        .map(([name, path]) => `export { default as ${name} } from 'undici/lib/${path}.js'`)
        .join('\n'),
      resolveDir: root,
    }))
  },
}

// What ajv makes of the catalog's schemas: compiling one takes longer than most of what is asked of it.
const { compiledModels } = await builtModule('src/forms/standalone.ts')
const validators = {
  name: 'validators',
  setup({ onLoad }) {
    const resolveDir = join(root, 'src/forms')
    onLoad({ filter: /compiled-ahead\.ts$/ }, () => ({ contents: compiledModels(), resolveDir }))
  },
}

// The tool server brings an ajv of its own, for answers to forms that a server may send. We send none.
const noForms = {
  name: 'no forms',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[\\/]server[\\/]dist[\\/]ajvProvider-/ }, () => ({
      contents: "export class n { getValidator() { throw new Error('no form is sent, so that no answer is checked') } }",
    }))
  },
}

const options = {
  absWorkingDir: root,
  // Threads are started by their paths: the one that draws, and the one that reads for a review.
  entryPoints: {
    start: 'src/cli/start.ts',
    index: 'src/index.ts',
    'gateway/render/worker': 'src/gateway/render/worker.ts',
    'review/worker': 'src/review/worker.ts',
  },
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
  external,
  banner: { js: "import { createRequire as genrunRequire } from 'node:module'; const require = genrunRequire(import.meta.url);" },
  legalComments: 'none',
  // For `source-lines.br` alone.
  sourcemap: 'external',
  sourcesContent: false,
  plugins: [undici, validators, noForms],
  metafile: true,
  logLevel: 'warning',
}
const { metafile } = await build({ ...options, plugins: [undici, validators, noForms, joinParts(await partsOnDemand())] })
const page = await buildPage()
writeSourceLines()
await buildBin()
writeNotices([...Object.keys(metafile.inputs), ...Object.keys(page.metafile.inputs)])
const last = join(root, 'dist.old')
rmSync(last, { recursive: true, force: true })
if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), last)
renameSync(dist, join(root, 'dist'))
rmSync(last, { recursive: true, force: true })

/** The executable: a few lines that load what a command needs, which is another module; and what answers a run that has nothing to do. */
async function buildBin() {
  const start = {
    name: 'start',
    setup({ onResolve }) {
      onResolve({ filter: /cli\/start\.ts$/ }, () => ({ path: './start.js', external: true }))
      onResolve({ filter: /cli\/(brief|help-screens)\.ts$/ }, ({ kind, path }) =>
        kind === 'entry-point' ? undefined : { path: `./${parse(path).name}.cjs`, external: true },
      )
    },
  }
  // Of a module that is asked for one function only that function comes along.
  const pure = {
    name: 'pure',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^\.\.?\// }, async ({ path, pluginData, ...asked }) =>
        pluginData === 'pure' ? undefined : { ...(await resolve(path, { ...asked, pluginData: 'pure' })), sideEffects: false },
      )
    },
  }
  const { absWorkingDir, platform, target, define, minifyWhitespace, minifySyntax } = options
  // What asks for its own address is not reached where the version is put in.
  const quiet = { logLevel: 'warning', logOverride: { 'empty-import-meta': 'silent' } }
  const plain = { absWorkingDir, platform, target, define, minifyWhitespace, minifySyntax, ...quiet }
  const { helpScreens } = await builtModule('src/cli/help-screens.ts')
  const screens = {
    name: 'screens',
    setup({ onLoad }) {
      onLoad({ filter: /help-screens\.ts$/ }, () => ({ contents: `export const helpScreens = ${JSON.stringify(helpScreens)}` }))
    },
  }
  // What goes wrong in these is told by nobody: then the long way is gone.
  for (const path of ['bin', 'cli/brief', 'cli/help-screens']) {
    const outfile = join(dist, `${basename(path)}.cjs`)
    await build({ ...plain, entryPoints: [`src/${path}.ts`], outfile, bundle: true, format: 'cjs', treeShaking: true, plugins: [start, pure, screens], minifyIdentifiers: true })
  }
  chmodSync(join(dist, 'bin.cjs'), 0o755)
  // By the path that it had before: npx goes on calling that of a checkout that it knows, and so does who has written it down.
  writeFileSync(join(dist, 'bin.js'), "#!/usr/bin/env node\nimport './bin.cjs'\n", { mode: 0o755 })
}

/** The page of results: one script and one style, which stand in the document that shows them. */
function buildPage() {
  return build({
    absWorkingDir: root,
    entryPoints: { page: 'src/page/client/main.tsx', 'page-style': 'src/page/client/page.css' },
    outdir: join(dist, 'page'),
    entryNames: '[name]',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    // What browsers of the last years know.
    target: ['chrome116', 'firefox121', 'safari17'],
    tsconfig: 'src/page/client/tsconfig.json',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
}

/** Of every module that is loaded on demand, by its path. */
async function partsOnDemand() {
  const { metafile: { inputs } } = await build({ ...options, write: false })
  const wanted = Object.values(inputs).flatMap(input => input.imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external))
  return new Set(wanted.map(({ path }) => path))
}

/**
 * esbuild makes a file of all modules that the same parts want: hundreds of them, and every one costs a command half a millisecond.
 * So each part imports what nearly all want, whether it does or not: first what a command begins with, then what is kept
 * on the disk, up to a run without work, and then what reads a manifest, what plans it, and what carries a plan out. What is quick by itself comes without them.
 */
function joinParts(parts) {
  const groups = {
    start: ['src/cli/main.ts', 'src/cli/io/bug.ts', 'src/cli/io/process.ts'],
    begin: ['src/cli/settings/heed.ts', 'src/cli/flags/command-line.ts'],
    keep: ['src/cli/commands/run.ts', 'src/cli/hear.ts'],
    read: ['src/workspace/read/globs.ts'],
    plan: ['src/cli/commands/plan.ts'],
    work: ['src/cli/commands/status.ts'],
  }
  const alone = ['cli/settings/read', 'cli/commands/models', 'cli/commands/completion', 'workspace/read/model-set'].map(name => `src/${name}.ts`)
  // In a file of its own, which needs no more than the groups up to that one.
  const behind = { 'src/cli/commands/validate.ts': 'read' }
  const order = Object.keys(groups)
  const importsOf = part => {
    const own = order.findIndex(group => groups[group].includes(part) || group === behind[part])
    const last = alone.includes(part) || part === 'src/cli/start.ts' ? 1 : own === -1 ? undefined : own + 1
    return order.slice(0, last).map(group => `import 'group:${group}'`)
  }
  return {
    name: 'join parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.slice('group:'.length), namespace: 'group' }))
      onLoad({ filter: /./, namespace: 'group' }, ({ path }) => ({
        contents: groups[path].map(part => `import './${part}'`).join('\n'),
        resolveDir: root,
      }))
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const part = relative(root, path).replaceAll(sep, '/')
        if (!parts.has(part) && part !== 'src/cli/start.ts') return undefined
        return { contents: [readFileSync(path, 'utf8'), ...importsOf(part)].join('\n'), loader: 'ts' }
      })
    },
  }
}

/** A module of the sources with all that it imports, for the build itself. */
async function builtModule(path) {
  const outfile = join(dist, '.module.mjs')
  await build({ absWorkingDir: root, entryPoints: [path], bundle: true, format: 'esm', platform: 'node', external, outfile })
  try {
    return await import(`${pathToFileURL(outfile).href}?${path}`)
  } finally {
    rmSync(outfile)
  }
}

/**
 * What is said of a function stands in its types, of which an editor shows those that a program sees: of the door, the typed calls and
 * what they take and give. The others are there because these name them.
 */
function withoutComments(folder) {
  for (const name of filesIn(folder)) {
    if (/^(index|sdk|base|catalog|verbs)\b/.test(name)) continue
    const path = join(folder, name)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm, ''))
  }
}

/** Removes every file of types that this one does not reach, and the folders that are empty then. */
function keepReachable(entry) {
  const kept = new Set()
  const left = [join(dist, entry)]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (kept.has(path)) continue
    kept.add(path)
    for (const { fileName } of ts.preProcessFile(readFileSync(path, 'utf8'), true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue
      const to = join(dirname(path), fileName.replace(/\.[jt]s$/, '.d.ts'))
      if (!existsSync(to)) throw new Error(`${path} imports ${fileName}, which is not there`)
      left.push(to)
    }
  }
  for (const name of filesIn(dist)) if (!kept.has(join(dist, name))) rmSync(join(dist, name))
  for (const name of readdirSync(dist, { recursive: true, withFileTypes: true }).filter(each => each.isDirectory()).toReversed()) {
    const folder = join(name.parentPath, name.name)
    if (readdirSync(folder).length === 0) rmdirSync(folder)
  }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(each => each.isFile())
    .map(each => relative(folder, join(each.parentPath, each.name)))
}

/**
 * Where the bundle's code stands in src, for reports of bugs: see `src/cli/io/source-lines.ts`, which reads it. Of the source maps
 * only the lines stay, only ours, and the marks in the bundle at which another one goes on.
 */
function writeSourceLines() {
  const found = { sources: [''], files: [], marks: [], turns: [], lines: [] }
  for (const name of readdirSync(dist, { recursive: true }).filter(each => each.endsWith('.js.map'))) {
    const path = join(dist, name)
    const map = JSON.parse(readFileSync(path, 'utf8'))
    rmSync(path)
    const own = map.sources.map(source => relative(root, join(dirname(path), source)).replaceAll('\\', '/'))
    const numbers = own.map(source => (source.startsWith('src/') ? numberOf(found.sources, source) : 0))
    const places = linePlaces(map.mappings, numbers, readFileSync(path.replace(/\.map$/, ''), 'utf8'))
    const turns = places.flatMap((each, at) => (each.source === (places[at - 1]?.source ?? 0) ? [] : [{ at, source: each.source }]))
    found.files.push(name.replaceAll('\\', '/').replace(/\.map$/, ''))
    found.marks.push(vlqs(steps(places.map(each => each.marks))))
    found.lines.push(vlqs(steps(places.map(each => each.line))))
    const [at, source] = [steps(turns.map(each => each.at)), steps(turns.map(each => each.source))]
    found.turns.push(vlqs(at.flatMap((step, nth) => [step, source[nth]])))
  }
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS }
  writeFileSync(join(dist, 'source-lines.br'), brotliCompressSync(JSON.stringify(found), { params }))
}

function numberOf(sources, source) {
  const known = sources.indexOf(source)
  return known === -1 ? sources.push(source) - 1 : known
}

/** Of a source map the places at which another line goes on; of those with the same number of marks only the last can be found. */
function linePlaces(mappings, numbers, text) {
  const marksBefore = markCounter(text)
  let [source, line] = [0, 0]
  const places = []
  for (const [row, mapped] of mappings.split(';').entries()) {
    let column = 0
    for (const [columns, sources, lines] of mapped.split(',').map(vlqNumbers)) {
      column += columns ?? 0
      if (sources === undefined) continue
      source += sources
      line += lines
      const here = { marks: marksBefore(row, column), source: numbers[source], line: numbers[source] === 0 ? 0 : line }
      if (places.at(-1)?.marks === here.marks) places.pop()
      const last = places.at(-1)
      if (last?.source !== here.source || last.line !== here.line) places.push(here)
    }
  }
  return places
}

/** How many marks come before a place; asked in their order. */
function markCounter(text) {
  const starts = [0]
  for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1)
  const marks = [...text.matchAll(/[.(;]/g)].map(({ index }) => index)
  let before = 0
  return (row, column) => {
    while (before < marks.length && marks[before] < starts[row] + column) before++
    return before
  }
}

function steps(numbers) {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0))
}

function vlqs(numbers) {
  return numbers.map(vlq).join('')
}

function vlq(number) {
  let left = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    text += digits[(left & 31) | (left > 31 ? 32 : 0)]
    left >>>= 5
  } while (left > 0)
  return text
}

/** The licences of everything that is bundled, or installed beside: whichever machine it is installed on. */
function writeNotices(inputs) {
  const bundled = inputs.flatMap(path => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const installed = Object.keys(packages).filter(folder => folder !== '' && !packages[folder].dev)
  const byTerms = new Map()
  for (const folder of [...new Set([...bundled, ...installed])].sort()) {
    // What is for other machines alone is not here: the lock tells of it.
    const isHere = existsSync(join(root, folder, 'package.json'))
    const about = isHere ? JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) : packages[folder]
    const text = isHere ? licenceText(folder) : undefined
    if (text === undefined && bundled.includes(folder)) throw new Error(`${folder} is bundled, and no licence file is part of it`)
    const name = folder.replace(/^.*node_modules\//, '')
    const { holders, terms } = partsOfLicence(text ?? 'Its licence is part of the package itself.')
    const key = terms.replaceAll(/\s+/g, ' ')
    const alike = byTerms.get(key) ?? { terms, names: [] }
    alike.names.push([`${name} ${about.version} (${about.license})`, holders].filter(Boolean).join('\n'))
    byTerms.set(key, alike)
  }
  const notices = [...byTerms.values()].map(({ names, terms }) => [...names, terms].join('\n\n'))
  writeFileSync(join(dist, 'THIRD-PARTY.txt'), `${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

/** Whose it is, and the terms, which many share word by word. */
function partsOfLicence(text) {
  const start = /^(Permission is hereby granted|Permission to use|Redistribution and use)/m.exec(text)?.index ?? 0
  return { holders: text.slice(0, start).trim(), terms: text.slice(start) }
}

/** Undefined where no such file is part of it. */
function licenceText(folder) {
  const [name] = readdirSync(join(root, folder)).filter(each => /^licen[cs]e([.-]|$)/i.test(each)).toSorted()
  return name && readFileSync(join(root, folder, name), 'utf8').trim()
}
