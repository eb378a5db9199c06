import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { renderProblem } from '../../src/base/excerpt.ts'
import { checkManifest } from '../../src/manifest/check.ts'
import { sampleProject } from './project.ts'

const folder = fileURLToPath(new URL('../golden/problems/', import.meta.url))
const manifests = readdirSync(folder).filter(name => /\.(yaml|json)$/.test(name))

/** A case is added by adding two files; `UPDATE=1 npx vitest run test/manifest/problems` writes the second. */
test.each(manifests)('%s is told as its golden file says', name => {
  const file = { name, text: readFileSync(`${folder}${name}`, 'utf8') }
  const { problems } = checkManifest(file, sampleProject)
  const said = `${problems.map(problem => renderProblem(problem)).join('\n')}\n`
  const golden = `${folder}${name.replace(/\.(yaml|json)$/, '.out')}`
  if (process.env.UPDATE === '1') writeFileSync(golden, said)
  expect(said).toBe(existsSync(golden) ? readFileSync(golden, 'utf8') : '')
})

test('every golden file belongs to a manifest', () => {
  const stems = new Set(manifests.map(name => name.replace(/\.(yaml|json)$/, '')))
  const outs = readdirSync(folder).filter(name => name.endsWith('.out'))
  expect(outs.filter(name => !stems.has(name.slice(0, -4)))).toEqual([])
  expect(manifests.length).toBeGreaterThanOrEqual(140)
})
