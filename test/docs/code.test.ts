import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { transformSync } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { executable } from '../e2e/executable.ts'
import { blocksOf, pages, root, textOf } from './pages.ts'

// Programs on the pages run as programs, beside the files of their pages, with the built package.
const programs = pages.flatMap(page => {
  const blocks = blocksOf(textOf(page))
  const files = blocks.flatMap(({ file, body }) => (file === undefined ? [] : [{ file, body }]))
  return blocks
    .filter(({ language }) => language === 'ts' || language === 'py')
    .map(({ language, body }) => ({ page, language, body, files }))
})

test('there are programs', () => {
  expect(new Set(programs.map(({ language }) => language))).toEqual(new Set(['ts', 'py']))
})

const python = ['python3', 'python'].find(name => spawnSync(name, ['--version']).status === 0)

test.for(programs)(
  'the $language program of $page runs',
  { timeout: 180_000 },
  ({ language, body, files }, { skip }) => {
    const [program, name] = language === 'py' ? [python, 'make.py'] : [process.execPath, 'make.mjs']
    if (program === undefined) return skip('there is no Python here')
    const cwd = mkdtempSync(join(tmpdir(), 'genrun-docs-'))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    for (const { file, body: text } of files) writeFileSync(join(cwd, file), text)
    mkdirSync(join(cwd, 'node_modules'))
    symlinkSync(root, join(cwd, 'node_modules/genrun'), 'junction')
    writeFileSync(join(cwd, 'genrun'), `#!/bin/sh\nexec "${process.execPath}" "${executable}" "$@"\n`)
    chmodSync(join(cwd, 'genrun'), 0o755)
    writeFileSync(join(cwd, name), language === 'py' ? body : transformSync(body, { loader: 'ts' }).code)
    const env = { PATH: [cwd, dirname(process.execPath), process.env.PATH].join(delimiter), HOME: cwd }
    const { status, stdout, stderr } = spawnSync(program, [name], { cwd, env, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/\.png/)
  },
)
