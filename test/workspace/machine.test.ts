import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '..', '..', 'src')

test('a command that sends nothing loads no HTTP', () => {
  const loaded = loadedWith(join(src, 'cli', 'commands', 'plan.ts'))
  expect(loaded).toContain(join(src, 'workspace', 'machine.ts'))
  expect(loaded).not.toContain('undici')
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
