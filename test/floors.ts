/** The house rules of ARCHITECTURE.md, as data and one check. */

import ts from 'typescript'

export interface Import {
  /** Relative to src. */
  readonly from: string
  /** Relative to src, or a package's name. */
  readonly to: string
}

/** Every folder of src on its floor, the lowest first; folders of one line do not see each other. */
export const floors: readonly string[] = [
  'base',
  'disk',
  'text media',
  'media/origin',
  'looks',
  'catalog',
  'forms',
  'forms/schemas',
  'manifest/shapes',
  'manifest/fill',
  'manifest/read',
  'manifest/expand',
  'manifest/resolve',
  'manifest/rules',
  'manifest store/files wire/http',
  'store/lock wire/profile',
  'store/cache store/journal store/claim store/verdicts wire/answers',
  'wire/transfer',
  'wire',
  'bucket fleet',
  'plan/shapes',
  'plan',
  'plan/request',
  'plan/division',
  'engine/gates',
  'engine gateway/http gateway/faults gateway/render/order',
  'gateway/render/h264',
  'gateway/render/draw gateway/render/sound',
  'gateway/render gateway/files gateway/s3',
  'gateway/runs',
  'gateway/pages',
  'gateway',
  'wording',
  'workspace/read',
  'workspace/service',
  'workspace',
  'workspace/records',
  'planning/up-to-date',
  'planning',
  'run/inputs',
  'run/ledger',
  'run/results',
  'run/planner',
  'run',
  'run/one-shot run/fleet',
  'convert/openapi',
  'convert',
  'verbs/orders',
  'verbs',
  'verbs/shards',
  'page/data',
  'page/client/desk',
  'page/client/parts',
  'page/client/dialogs',
  'page/client',
  'page',
  'thumbnails',
  'sdk mcp reports review',
  'cli/io',
  'cli/service',
  'cli/words',
  'cli/flags',
  'cli/settings cli/progress cli/completion',
  'cli/summary',
  'cli/doctor cli/reports',
  'cli/commands',
  'cli/declared',
  'cli/parser',
  'cli',
  'index',
  'bin',
]

const floorOf = new Map(
  floors.flatMap((line, floor) => line.split(' ').map(folder => [folder, floor] as const)),
)

/** What a room must not see, though it lies below. */
const hidden: Readonly<Record<string, readonly string[]>> = {
  store: ['text', 'media', 'catalog', 'forms', 'manifest', 'wire'],
  wire: ['manifest', 'store'],
  fleet: ['text', 'media', 'catalog', 'forms', 'manifest', 'store', 'wire'],
  plan: ['wire', 'text', 'media'],
  gateway: ['manifest', 'store', 'wire', 'plan', 'engine'],
  reports: ['manifest', 'store', 'wire', 'plan', 'engine', 'gateway', 'planning'],
  thumbnails: ['manifest', 'wire', 'plan', 'engine', 'planning'],
  review: ['manifest', 'wire', 'engine'],
  page: ['manifest', 'store', 'wire', 'engine', 'gateway', 'planning'],
  mcp: ['manifest', 'store', 'wire', 'plan', 'engine', 'gateway', 'planning'],
  sdk: ['manifest', 'store', 'wire', 'plan', 'engine', 'gateway', 'reports'],
  cli: ['manifest', 'store', 'wire', 'plan', 'engine', 'sdk'],
  bin: ['index'],
}

/** One door a package; a folder's name lets all of its files through. */
const doors: Readonly<Record<string, readonly string[]>> = {
  'node:fs': ['disk', 'store/files/disk.ts'],
  yaml: ['text/compose.ts', 'text/yaml.ts'],
  '@actions/expressions': ['text/expression.ts'],
  ajv: ['forms/compile.ts', 'forms/standalone.ts'],
  'csv-parse': ['manifest/expand/table.ts'],
  tinyglobby: ['workspace/read/globs.ts'],
  s3mini: ['bucket/s3.ts'],
  'tesseract.js': ['looks/words.ts'],
  pg: ['fleet/connections.ts'],
  bullmq: ['fleet/work-queue.ts'],
  undici: ['wire/http/http.ts', 'wire/transfer/download.ts', 'wire/http/dial.ts'],
  'p-queue': ['engine/gates/slots.ts'],
  listr2: ['cli/progress'],
  cosmiconfig: ['cli/settings'],
  '@modelcontextprotocol/server': ['mcp'],
  commander: ['cli/parser/read-args.ts'],
  picocolors: ['cli/io/colour.ts'],
  preact: ['page/client'],
  hono: ['gateway/server.ts', 'review/app.ts'],
  '@hono/node-server': ['gateway/server.ts', 'mcp/http.ts', 'review/server.ts'],
  'image-size': ['media/picture-size.ts'],
  mediabunny: ['media/probe.ts', 'gateway/render'],
  '@mediabunny/aac-encoder': ['gateway/render'],
  '@napi-rs/canvas': ['media/canvas.ts'],
  '@fontsource/inter': ['gateway/render'],
  '@echogarden/espeak-ng-emscripten': ['gateway/render'],
}

/** Every module a source text names in an import, an export … from, or an import(); not those inside texts. */
export function importsOf(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(file => file.fileName)
}

/** What is against the rules, in words. */
export function trespasses(imports: readonly Import[]): string[] {
  const found = imports.flatMap(each => trespass(each) ?? [])
  return [...found, ...cycles(imports)]
}

function trespass({ from, to }: Import): string | undefined {
  if (to.startsWith('node:')) return diskDoor(from, to)
  if (!/\.tsx?$/.test(to)) return wrongDoor(from, to)
  const [here, there] = [folderOf(from), folderOf(to)]
  if (here === there) return undefined
  const words = `${from} may not import ${to}`
  const [floor, other] = [floorOf.get(here), floorOf.get(there)]
  if (floor === undefined || other === undefined)
    return `${words}: ${floor === undefined ? here : there} is on no floor`
  if (floor === other) return `${words}: ${here} and ${there} do not see each other`
  if (other > floor) return `${words}: ${there} lies above ${here}`
  if (hidden[roomOf(here)]?.includes(roomOf(there)))
    return `${words}: ${roomOf(here)} does not see ${roomOf(there)}`
  return undefined
}

/** The file system has its doors as packages have: a room of looks and reads, and the disk that keeps what was paid for. */
function diskDoor(from: string, to: string): string | undefined {
  return to === 'node:fs' || to.startsWith('node:fs/') ? wrongDoor(from, to) : undefined
}

function wrongDoor(from: string, to: string): string | undefined {
  const name = to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/')
  const allowed = doors[name]
  if (!allowed) return `${from} may not import ${name}: it has no door`
  if (allowed.some(door => from === door || from.startsWith(`${door}/`))) return undefined
  return `${from} may not import ${name}: its door is ${allowed.join(', ')}`
}

/** The folder of a file; a file of src itself is a folder of its own. */
export function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : file.replace(/\.tsx?$/, '')
}

/** The room that a folder belongs to. */
function roomOf(folder: string): string {
  return folder.split('/')[0] ?? folder
}

function cycles(imports: readonly Import[]): string[] {
  const next = group(imports)
  const state = new Map<string, 'open' | 'done'>()
  const found: string[] = []
  const path: string[] = []
  function visit(file: string): void {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' > ')}`)
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const to of next.get(file) ?? []) visit(to)
    path.pop()
    state.set(file, 'done')
  }
  for (const file of next.keys()) visit(file)
  return found
}

function group(imports: readonly Import[]): Map<string, string[]> {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) {
    if (!/\.tsx?$/.test(to)) continue
    const list = next.get(from)
    if (list) list.push(to)
    else next.set(from, [to])
  }
  return next
}
