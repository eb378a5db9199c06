import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { freshFolder, genrun } from './executable.ts'

const breaking = `
const was = JSON.stringify
JSON.stringify = (...all) => {
  if (new Error().stack.includes('showModels')) throw new Error('nothing is JSON any more')
  return was(...all)
}`

test('an internal error of the executable names the line of the source that it came from', async () => {
  const cwd = freshFolder({ 'breaking.mjs': breaking })
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(cwd, 'breaking.mjs')).href}` }
  const ended = await genrun(['models', '--json'], { cwd, env })
  expect(ended).toMatchObject({ code: 70, stdout: '' })
  const place =
    /^genrun: internal error: nothing is JSON any more \(genrun .*, (src\/\S+):(\d+): a bug;/.exec(
      ended.stderr,
    )
  const [, file = '', line = ''] = place ?? []
  const source = readFileSync(join(import.meta.dirname, '..', '..', file), 'utf8')
  expect(source.split('\n')[Number(line) - 1]).toContain('JSON.stringify(')

  const told = await genrun(['models', '--json'], { cwd, env: { ...env, GENRUN_DEBUG: '1' } })
  expect(told.stderr).toMatch(new RegExp(`^    at jsonText \\(${file}:${line}\\)$`, 'm'))
  expect(told.stderr).toMatch(/^ {4}at .*showModels \(src\/cli\/commands\/models\.ts:\d+\)$/m)
})
