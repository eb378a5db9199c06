/** The house rules of DESIGN section 2 (see ARCHITECTURE.md), as data and one check. */

import ts from 'typescript'

export interface Import {
  /** Relative to src. */
  readonly from: string
  /** Relative to src, or a package's name. */
  readonly to: string
}

const floors: Readonly<Record<string, number>> = {
  base: 0,
  text: 1,
  media: 1,
  catalog: 2,
  forms: 3,
  manifest: 4,
  store: 4,
  wire: 4,
  plan: 5,
  engine: 6,
  gateway: 6,
  desk: 7,
  sdk: 8,
  mcp: 8,
  report: 8,
  index: 9,
  cli: 9,
  bin: 9,
}

/** Rooms that may use less than everything below them. */
const may: Readonly<Record<string, readonly string[]>> = {
  gateway: ['wire', 'media', 'forms', 'catalog', 'text', 'base'],
  sdk: ['desk', 'catalog', 'base'],
  index: ['sdk', 'desk', 'catalog', 'base'],
  mcp: ['desk', 'forms', 'catalog', 'base'],
  report: ['desk', 'forms', 'catalog', 'base'],
  cli: ['desk', 'report', 'forms', 'catalog', 'text', 'base', 'mcp', 'gateway'],
  bin: ['cli'],
}

/** One door a package; a folder's name lets all of its files through. */
const doors: Readonly<Record<string, readonly string[]>> = {
  yaml: ['text/compose.ts', 'text/yaml.ts'],
  '@actions/expressions': ['text/expression.ts'],
  ajv: ['forms/validate.ts'],
  'csv-parse': ['manifest/rows.ts'],
  tinyglobby: ['desk/ground/globs.ts'],
  undici: ['wire/http.ts', 'wire/download.ts', 'wire/dial.ts'],
  'p-queue': ['engine/slots.ts'],
  listr2: ['cli/live'],
  cosmiconfig: ['cli/settings'],
  '@modelcontextprotocol/server': ['mcp'],
  commander: ['cli/line/args.ts'],
  picocolors: ['cli/words/colour.ts'],
  hono: ['gateway/server.ts'],
  '@hono/node-server': ['gateway/server.ts', 'mcp/http.ts'],
  'image-size': ['media/picture-size.ts'],
  mediabunny: ['media/probe.ts', 'gateway/render'],
  '@mediabunny/aac-encoder': ['gateway/render'],
  '@napi-rs/canvas': ['gateway/render'],
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
  if (to.startsWith('node:')) return undefined
  if (!to.endsWith('.ts')) return wrongDoor(from, to)
  const [here, there] = [roomOf(from), roomOf(to)]
  if (here === there) return undefined
  const words = `${from} may not import ${to}`
  const [floor, other] = [floors[here], floors[there]]
  if (floor === undefined || other === undefined) return `${words}: no such room`
  if (floor === other && here !== 'bin') return `${words}: ${here} and ${there} do not see each other`
  if (other > floor) return `${words}: ${here} is on floor ${floor}, ${there} on floor ${other}`
  const allowed = may[here]
  if (allowed && !allowed.includes(there)) return `${words}: ${here} may use ${allowed.join(' ')}`
  return undefined
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

function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, '')
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
    if (!to.endsWith('.ts')) continue
    const list = next.get(from)
    if (list) list.push(to)
    else next.set(from, [to])
  }
  return next
}
