import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { begin, type Shape } from './double.ts'
import { project, writeSettings } from './run.ts'
import { shapes } from './shapes.ts'

/** Predictions whose key stands in the query, at a person's who allows it or not. */
async function home(keyInQuery: boolean | undefined) {
  const cwd = await project()
  const shape: Shape = { ...shapes.predictions, auth: ['?key', key => key] }
  const double = await begin(shape, 'key-of-query-31c9')
  writeSettings(cwd, { predictions: double })
  const path = join(cwd, '.config/genrun/config.yaml')
  const settings = JSON.parse(readFileSync(path, 'utf8')) as { services: { predictions: object } }
  const allowed = keyInQuery === undefined ? {} : { keyInQuery }
  writeFileSync(
    path,
    JSON.stringify({ services: { predictions: { ...settings.services.predictions, ...allowed } } }),
  )
  const profile = join(cwd, 'predictions.profile.yaml')
  writeFileSync(profile, readFileSync(profile, 'utf8').replace('mode:', 'auth: { query: key }\nmode:'))
  const model = "'sketch/lines:5c7d1e'"
  writeFileSync(
    join(cwd, 'q.yaml'),
    `catalog: predictions.catalog.yaml\noutput: out\njobs:\n  a: { model: ${model}, prompt: A fox }\n`,
  )
  const asked: string[] = []
  double.heard = (method, at) => asked.push(`${method} ${at}`)
  async function typed(...line: string[]) {
    const around = fakeSurroundings({ cwd, env: { HOME: cwd } })
    const code = await main(line, around)
    return { code, said: around.stdout.text() + around.stderr.text() }
  }
  return { cwd, double, asked, typed }
}

/** The texts of every file of a folder but the key's own. */
function texts(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile() && !path.endsWith('-key'))
    .map(path => readFileSync(path, 'latin1'))
}

test('a key stands in the query of every request where you allow it, and in nothing that is told or written', async () => {
  const { cwd, double, asked, typed } = await home(true)
  const run = await typed('run', 'q.yaml')
  expect(run).toMatchObject({ code: 0 })
  const listed = await typed('runs', 'q.yaml')
  expect(listed).toMatchObject({ code: 0 })
  expect(double.orders.length).toBe(1)
  expect(double.unknown).toEqual([])
  expect(new Set(asked.map(each => each.split(' ')[0]))).toEqual(new Set(['POST', 'GET']))
  const curl = await typed('convert', 'q.yaml', 'a', '--to', 'curl')
  expect(curl.said).toContain(
    `curl -X POST '${double.origin}/v1/predictions'"?key=$(cat ${join(cwd, '.predictions-key')})"`,
  )
  const all = [run.said, listed.said, curl.said, ...texts(cwd)].join('\n')
  expect(all).not.toContain(double.key)
})

test.each([[undefined], [false]])(
  'nothing is sent where you do not (%s), and it says why at its place',
  async allowed => {
    const { asked, double, typed } = await home(allowed)
    const { code, said } = await typed('run', 'q.yaml')
    expect(code).toBe(2)
    expect(said).toMatch(/predictions\.profile\.yaml:\d+:1: error: the key would stand in every address/)
    expect([asked, double.orders]).toEqual([[], []])
  },
)
