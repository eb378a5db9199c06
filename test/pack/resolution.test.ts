import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Packed, pack, unpacked } from './package.ts'

// What a checker of published types asks, asked of the compiler itself: does every way of resolving find the types, are
// they of the same kind as what is run, and do both have the same names?

const place = mkdtempSync(join(tmpdir(), 'genrun-resolved-'))
let packed: Packed
let folder: string
let namesAtRun: string[]

beforeAll(() => {
  packed = pack(place)
  folder = unpacked(packed, join(place, 'project'), files)
  const script = "import('genrun').then(all => process.stdout.write(JSON.stringify(Object.keys(all).sort())))"
  namesAtRun = JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' }))
}, 60_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

const { Bundler, Node10, Node16, NodeNext } = ts.ModuleResolutionKind
const { CommonJS, ESNext } = ts.ModuleKind

const usual: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts'],
  types: [],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  ignoreDeprecations: '6.0',
}

interface Way {
  readonly how: string
  readonly options: ts.CompilerOptions
  readonly file: 'esm.mts' | 'cjs.cts' | 'any.ts'
  /** What the compiler has against it. */
  readonly told: readonly number[]
}

const ways: readonly Way[] = [
  {
    how: 'node16 by import',
    options: { module: ts.ModuleKind.Node16, moduleResolution: Node16 },
    file: 'esm.mts',
    told: [],
  },
  // There a require of a module is unknown, and the compiler names import() in its place.
  {
    how: 'node16 by require',
    options: { module: ts.ModuleKind.Node16, moduleResolution: Node16 },
    file: 'cjs.cts',
    told: [1471],
  },
  {
    how: 'nodenext by import',
    options: { module: ts.ModuleKind.NodeNext, moduleResolution: NodeNext },
    file: 'esm.mts',
    told: [],
  },
  {
    how: 'nodenext by require',
    options: { module: ts.ModuleKind.NodeNext, moduleResolution: NodeNext },
    file: 'cjs.cts',
    told: [],
  },
  { how: 'a bundler', options: { module: ESNext, moduleResolution: Bundler }, file: 'any.ts', told: [] },
  {
    how: 'the oldest way',
    options: { module: CommonJS, moduleResolution: Node10 },
    file: 'any.ts',
    told: [],
  },
]

const files = {
  'package.json': '{ "type": "module", "private": true }',
  'esm.mts': "import * as genrun from 'genrun'\nexport const made = genrun.createGenrun\n",
  'cjs.cts': "import genrun = require('genrun')\nexport const made = genrun.createGenrun\n",
  'any.ts': "import * as genrun from 'genrun'\nexport const made = genrun.createGenrun\n",
}

test.each(ways)(
  'the types are found by $how, all of them, and are of what is run',
  ({ options, file, told }) => {
    const program = ts.createProgram([join(folder, file)], { ...usual, ...options }, hostIn(folder, options))
    const found = program.getSemanticDiagnostics(program.getSourceFile(join(folder, file)))
    expect(found.map(({ code }) => code)).toEqual(told)
    const names = program
      .getSourceFiles()
      .flatMap(({ fileName }) => fileName.split('/node_modules/genrun/')[1] ?? [])
    expect(names.toSorted()).toEqual(packed.files.filter(name => name.endsWith('.d.ts')).toSorted())
    const types = program.getSourceFile(join(folder, 'node_modules/genrun/dist/index.d.ts'))
    if (!types) throw new Error('the types are not part of the program')
    // Types of one kind for code of another make imports that fail when they run.
    if (options.moduleResolution === Node16 || options.moduleResolution === NodeNext)
      expect(types.impliedNodeFormat).toBe(ESNext)
    expect(namesIn(program, types)).toEqual(namesAtRun)
  },
)

test('only the door can be imported, and its own description', () => {
  const run = (specifier: string) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', tried(specifier)], {
      cwd: folder,
      encoding: 'utf8',
    })
  expect(run('genrun/dist/index.js')).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
  // It is found; that it is JSON, every Node says in other words.
  expect(run('genrun/package.json')).toMatch(/^ERR_IMPORT_.*_MISSING$/)
  const { exports } = JSON.parse(readFileSync(join(folder, 'node_modules/genrun/package.json'), 'utf8'))
  expect(Object.keys(exports)).toEqual(['.', './package.json'])
})

function tried(specifier: string): string {
  return `import(${JSON.stringify(specifier)}).then(() => 'found', error => error.code).then(said => process.stdout.write(said))`
}

function hostIn(folder: string, options: ts.CompilerOptions): ts.CompilerHost {
  return { ...ts.createCompilerHost(options), getCurrentDirectory: () => folder }
}

/** The names of values, as the types have them. */
function namesIn(program: ts.Program, types: ts.SourceFile): string[] {
  const checker = program.getTypeChecker()
  const door = checker.getSymbolAtLocation(types)
  if (!door) throw new Error('the types are no module')
  return checker
    .getExportsOfModule(door)
    .filter(each => {
      const meant = each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each
      return (meant.flags & ts.SymbolFlags.Value) !== 0
    })
    .map(each => each.name)
    .toSorted()
}
