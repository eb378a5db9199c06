import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { exportsOf, unused } from './exports.ts'
import { floors, folderOf, type Import, importsOf, trespasses } from './floors.ts'
import { misplaced } from './mirror.ts'

const src = join(import.meta.dirname, '..', 'src')

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
}

function allImports(): Import[] {
  return sourceFiles().flatMap(from =>
    importsOf(readFileSync(join(src, from), 'utf8')).map(to => ({
      from,
      to: to.startsWith('.') ? relative(src, join(src, dirname(from), to)) : to,
    })),
  )
}

function texts(): Map<string, string> {
  const files = ['src', 'test', 'examples'].flatMap(folder =>
    readdirSync(join(src, '..', folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => join(folder, name)),
  )
  return new Map(files.map(file => [file, readFileSync(join(src, '..', file), 'utf8')]))
}

test('every file imports from its own folder and from lower floors only', () => {
  const imports = allImports()
  expect(imports.length).toBeGreaterThan(100)
  expect(trespasses(imports)).toEqual([])
})

test('a test stands where its file does, and has its name', () => {
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => name.replaceAll('\\', '/'))
  const sources = sourceFiles().map(name => name.replaceAll('\\', '/'))
  expect(misplaced(tests, sources)).toEqual([])
  expect(misplaced([...tests, 'plan/plans.test.ts'], sources)).toEqual([
    'plan/plans.test.ts: give it the name of the file that it is about, or list it in test/mirror.ts',
  ])
  expect(misplaced([...tests, 'e2e/anything.test.ts'], sources)).toEqual([])
})

test('nobody but the clock asks for the time', () => {
  const asking = sourceFiles().filter(name =>
    /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/.test(readFileSync(join(src, name), 'utf8')),
  )
  expect(asking.map(name => name.replaceAll('\\', '/'))).toEqual(['base/clock.ts'])
})

test('no folder holds more than 25 files, but for one file a command and one a verb', () => {
  const sizes = new Map<string, number>()
  for (const file of sourceFiles()) sizes.set(folderOf(file), (sizes.get(folderOf(file)) ?? 0) + 1)
  const large = [...sizes].filter(([, files]) => files > 25).map(([folder]) => folder)
  expect(large.toSorted()).toEqual(['cli/commands', 'verbs'])
})

test('every floor is a folder that holds files', () => {
  const folders = new Set(sourceFiles().map(folderOf))
  expect(floors.flatMap(line => line.split(' ')).toSorted()).toEqual([...folders].toSorted())
})

test.each<[string, Import, string]>([
  [
    'upwards',
    { from: 'plan/plan.ts', to: 'engine/engine.ts' },
    'plan/plan.ts may not import engine/engine.ts: engine lies above plan',
  ],
  [
    'upwards within a room',
    { from: 'wire/http/wire.ts', to: 'wire/profile/profile.ts' },
    'wire/http/wire.ts may not import wire/profile/profile.ts: wire/profile lies above wire/http',
  ],
  [
    'from a folder to the room around it',
    { from: 'run/results/save.ts', to: 'run/world.ts' },
    'run/results/save.ts may not import run/world.ts: run lies above run/results',
  ],
  [
    'from the plan of a manifest to what runs it',
    { from: 'planning/guards.ts', to: 'run/ledger/ledger.ts' },
    'planning/guards.ts may not import run/ledger/ledger.ts: run/ledger lies above planning',
  ],
  [
    'between neighbours',
    { from: 'sdk/client.ts', to: 'mcp/server.ts' },
    'sdk/client.ts may not import mcp/server.ts: sdk and mcp do not see each other',
  ],
  [
    'from the store to the wire',
    { from: 'store/lock/lock.ts', to: 'wire/http/wire.ts' },
    'store/lock/lock.ts may not import wire/http/wire.ts: store does not see wire',
  ],
  [
    'from the gateway to the store',
    { from: 'gateway/runs/runs.ts', to: 'store/files/disk.ts' },
    'gateway/runs/runs.ts may not import store/files/disk.ts: gateway does not see store',
  ],
  [
    'from the command line past the verbs',
    { from: 'cli/main.ts', to: 'engine/engine.ts' },
    'cli/main.ts may not import engine/engine.ts: cli does not see engine',
  ],
  [
    'to a folder without a floor',
    { from: 'plan/plan.ts', to: 'plan/helpers/helper.ts' },
    'plan/plan.ts may not import plan/helpers/helper.ts: plan/helpers is on no floor',
  ],
  [
    'by another door',
    { from: 'run/world.ts', to: 'undici' },
    'run/world.ts may not import undici: its door is wire/http/http.ts, wire/transfer/download.ts, wire/http/dial.ts',
  ],
  [
    'past the gate to the disk',
    { from: 'gateway/server.ts', to: 'node:fs/promises' },
    'gateway/server.ts may not import node:fs: its door is disk, store/files/disk.ts',
  ],
  [
    'a package nobody answers for',
    { from: 'run/world.ts', to: 'left-pad' },
    'run/world.ts may not import left-pad: it has no door',
  ],
])('an import %s is caught', (_, trespass, expected) => {
  expect(trespasses([trespass])).toEqual([expected])
})

test('a cycle is caught with its path', () => {
  const cycle: Import[] = [
    { from: 'plan/plan.ts', to: 'plan/recipe.ts' },
    { from: 'plan/recipe.ts', to: 'plan/reasons.ts' },
    { from: 'plan/reasons.ts', to: 'plan/plan.ts' },
  ]
  expect(trespasses(cycle)).toEqual(['cycle: plan/plan.ts > plan/recipe.ts > plan/reasons.ts > plan/plan.ts'])
})

test('nothing is exported that no other file takes', () => {
  const all = texts()
  expect([...all].flatMap(([file, text]) => exportsOf(file, text)).length).toBeGreaterThan(1_000)
  expect(unused(all).filter(each => each.file !== 'src/index.ts')).toEqual([])
})

test('an export is used by whoever names it, in whatever way', () => {
  const offers = 'export function a() {}\nexport const b = 1\nexport interface C {}\nexport type D = C\n'
  const all = (user: string) =>
    new Map([
      ['src/x.ts', offers],
      ['test/y.ts', user],
    ])
  const left = (user: string) => unused(all(user)).map(each => each.name)
  expect(left('')).toEqual(['a', 'b', 'C', 'D'])
  expect(left("import { a, type C } from '../src/x.ts'")).toEqual(['b', 'D'])
  expect(left("export type {\n  C,\n  D as E,\n} from '../src/x.ts'")).toEqual(['a', 'b'])
  expect(left("export * from '../src/x.ts'")).toEqual([])
  expect(left("const { a } = await import('../src/x.ts')")).toEqual(['b', 'C', 'D'])
  expect(left("import { a, b, type C, type D } from './x.ts'")).toEqual(['a', 'b', 'C', 'D'])
})

// What a profile's file is read by has the words of the catalog's parameters, as both are languages of forms.
const sharedNames = ['choice', 'text']

test('no name is exported by two files of src, but for those that are told here', () => {
  const exported = [...texts()].flatMap(([file, text]) =>
    file.startsWith('src') ? exportsOf(file, text) : [],
  )
  const names = exported.map(each => each.name)
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at))
  expect([...twice].toSorted()).toEqual(sharedNames)
})

test('no function takes more than four parameters: what belongs together is a record', () => {
  const long = sourceFiles().flatMap(name => {
    const file = ts.createSourceFile(name, readFileSync(join(src, name), 'utf8'), ts.ScriptTarget.Latest)
    return longestLists(file).map(names => `${name}: ${names.join(', ')}`)
  })
  // What `String.replace` calls back with.
  expect(long).toEqual(['text/literal.ts: _, braced, four, two, letter'])
})

function longestLists(file: ts.SourceFile): string[][] {
  const found: string[][] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && node.parameters.length > 4)
      found.push(node.parameters.map(({ name }) => name.getText(file)))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}
