import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { thisMachine } from '../../src/workspace/machine.ts'

const src = join(import.meta.dirname, '..', '..', 'src')

test('a command that sends nothing loads no HTTP', () => {
  const loaded = loadedWith(join(src, 'cli', 'commands', 'plan.ts'))
  expect(loaded).toContain(join(src, 'workspace', 'machine.ts'))
  expect(loaded).not.toContain('undici')
})

test('no test reads what runs of other days left outside of their projects', () => {
  expect(basename(tmpdir())).toMatch(/^genrun-\w{6}$/)
  expect(dirname(thisMachine.refuge ?? '')).toBe(tmpdir())
})

/** All that is loaded together with a file: its imports and theirs, types and `await import` left out. */
function loadedWith(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return []
  seen.add(path)
  if (!path.endsWith('.ts')) return [...seen]
  const text = readFileSync(path, 'utf8')
  for (const [, what = '', from = ''] of text.matchAll(/^(?:import|export) ([^'"]*?)from '([^']+)'/gms))
    if (!what.startsWith('type ')) loadedWith(from.startsWith('.') ? join(dirname(path), from) : from, seen)
  return [...seen]
}
