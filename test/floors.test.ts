import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { type Import, importsOf, trespasses } from './floors.ts'

const src = join(import.meta.dirname, '..', 'src')

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
}

function allImports(): Import[] {
  return sourceFiles().flatMap(from =>
    importsOf(readFileSync(join(src, from), 'utf8')).map(to => ({
      from,
      to: to.startsWith('.') ? relative(src, join(src, dirname(from), to)) : to,
    })),
  )
}

test('every file imports from its own folder and from lower floors only', () => {
  const imports = allImports()
  expect(imports.length).toBeGreaterThan(100)
  expect(trespasses(imports)).toEqual([])
})

test('nobody but the clock asks for the time', () => {
  const asking = sourceFiles().filter(name =>
    /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/.test(readFileSync(join(src, name), 'utf8')),
  )
  expect(asking.map(name => name.replaceAll('\\', '/'))).toEqual(['base/clock.ts'])
})

test.each<[string, Import, string]>([
  [
    'upwards',
    { from: 'plan/plan.ts', to: 'engine/engine.ts' },
    'plan/plan.ts may not import engine/engine.ts: plan is on floor 5, engine on floor 6',
  ],
  [
    'between neighbours',
    { from: 'store/lock.ts', to: 'wire/wire.ts' },
    'store/lock.ts may not import wire/wire.ts: store and wire do not see each other',
  ],
  [
    'from engine to gateway',
    { from: 'engine/engine.ts', to: 'gateway/server.ts' },
    'engine/engine.ts may not import gateway/server.ts: engine and gateway do not see each other',
  ],
  [
    'from the gateway to the store',
    { from: 'gateway/runs.ts', to: 'store/disk.ts' },
    'gateway/runs.ts may not import store/disk.ts: gateway may use wire media forms catalog text base',
  ],
  [
    'from the command line past the desk',
    { from: 'cli/main.ts', to: 'engine/engine.ts' },
    'cli/main.ts may not import engine/engine.ts: cli may use desk report forms catalog text base mcp gateway',
  ],
  [
    'by another door',
    { from: 'desk/run.ts', to: 'undici' },
    'desk/run.ts may not import undici: its door is wire/http.ts, wire/download.ts, wire/dial.ts',
  ],
  [
    'a package nobody answers for',
    { from: 'desk/run.ts', to: 'left-pad' },
    'desk/run.ts may not import left-pad: it has no door',
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
