import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderProblem } from '../../src/base/excerpt.ts'
import { checkProfile } from '../../src/verbs/profile-check.ts'
import { readSource } from './catalogs.ts'
import { examples } from './run.ts'
import { wrongProfiles } from './wrong-profiles.ts'

const golden = join(import.meta.dirname, '../golden/wrong-profiles.out')
const own = readSource(join(examples, 'codes.catalog.yaml'))

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'wrong-'))
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

function told(text: string): { readonly ok: boolean; readonly said: string } {
  writeFileSync(join(cwd, 'p.yaml'), text)
  const { ok, problems } = checkProfile({ path: 'p.yaml', cwd, own })
  return { ok, said: problems.map(problem => renderProblem(problem)).join('\n') }
}

// `UPDATE=1 npx vitest run test/services/wrong-profiles.test.ts` writes it anew: read it before it is committed.
test('each of sixty wrong profiles is refused, with a message at its place', () => {
  expect(Object.keys(wrongProfiles).length).toBeGreaterThanOrEqual(60)
  const said = Object.entries(wrongProfiles).map(([name, text]) => ({ name, ...told(text) }))
  expect(said.filter(({ ok }) => ok).map(({ name }) => name)).toEqual([])
  const page = said.map(({ name, said: words }) => `# ${name}\n${words}\n`).join('\n')
  if (process.env.UPDATE === '1') writeFileSync(golden, page)
  expect(page).toBe(readFileSync(golden, 'utf8'))
})

test('the profile that they are made wrong from is right', () => {
  expect(told(readFileSync(join(examples, 'codes.profile.yaml'), 'utf8'))).toEqual({ ok: true, said: '' })
})
