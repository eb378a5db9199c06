import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { freshFolder } from '../e2e/executable.ts'
import { fakeSink, fakeSurroundings } from './fake.ts'

const manifest = 'jobs:\n  rain: { model: famc-t2a, prompt: Rain, duration: 3 }\n'
const lock = `{"genrun":2,"lineage":"${'ab'.repeat(16)}","manifest":"m.yaml","jobs":[\nnull]}\n`

test.each<[string, string, { readonly [path: string]: string }, number]>([
  ['what was bought before is not rehearsed', 'run m.yaml', { 'm.lock.json': lock }, 2],
  ['also by its bare name', 'm.yaml', { 'm.lock.json': lock }, 2],
  ['but by a word', 'run m.yaml --local', { 'm.lock.json': lock }, 0],
  ['what was never bought is rehearsed', 'run m.yaml', {}, 0],
  ['what was only rehearsed is rehearsed again', 'run m.yaml', { 'm.preview.lock.json': lock }, 0],
  ['a manifest that is not there says so', 'run n.yaml', {}, 2],
])('without a service, %s', async (_, line, files, code) => {
  const cwd = freshFolder({ 'm.yaml': manifest, ...files })
  const [stdout, stderr] = [fakeSink(), fakeSink()]
  const end = await main(line.split(' '), fakeSurroundings({ cwd, stdout, stderr, env: { HOME: cwd } }))
  expect(end, stderr.text()).toBe(code)
  expect(existsSync(join(cwd, 'out/m.preview'))).toBe(code === 0)
  if (code === 2 && !line.includes('n.yaml')) {
    expect(stderr.text()).toContain('m.yaml was made at a service before, and none is configured now')
    expect(stderr.text()).toMatch(/GENRUN_BASE_URL.* or give --local/)
  }
})
