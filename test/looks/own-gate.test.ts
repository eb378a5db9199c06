import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { askOwnGate } from '../../src/looks/own-gate.ts'
import { closeBench, manifestName, openBench, paidAt } from '../verbs/bench.ts'

const folder = mkdtempSync(join(tmpdir(), 'genrun-gate-'))
afterAll(() => rmSync(folder, { recursive: true }))

function gate(name: string, script: string) {
  const program = join(folder, name)
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return { name: 'brand', program }
}

const question = {
  file: '/p/a.part',
  type: 'image/png',
  digest: 'sha256:1',
  job: 'hero',
  model: 'm',
  params: {},
}
const unseen = (why: string) => ({ look: 'brand', verdict: 'not looked at', why })

test.each([
  ['is good', `echo '{ "verdict": "ok", "score": 1 }'`, undefined],
  [
    'is broken',
    `echo '{ "verdict": "fail", "score": 0.25, "why": "no\\u001b[2J logo" }'`,
    { look: 'brand', verdict: 'fail', why: 'no [2J logo (0.25)' },
  ],
  [
    'is doubtful, without a reason',
    `echo '{ "verdict": "warn" }'`,
    { look: 'brand', verdict: 'warn', why: 'brand says warn' },
  ],
  [
    'has another verdict',
    `echo '{ "verdict": "bad" }'`,
    unseen(expect.stringContaining('it says no') as never),
  ],
  ['is no JSON', 'echo fail', unseen(expect.stringContaining('it says no') as never)],
  ['ended the gate', 'echo broken >&2; exit 3', unseen('it ended with 3: broken')],
  ['made it talk without end', 'yes', unseen('it writes too much')],
  [
    'is told as a path and as a line',
    `read line; echo "{ \\"verdict\\": \\"warn\\", \\"why\\": \\"$1 $(echo "$line" | wc -l)\\" }"`,
    { look: 'brand', verdict: 'warn', why: '/p/a.part 1' },
  ],
])('a gate of a person’s own, to which a file %s', async (name, script, expected) => {
  expect(await askOwnGate(gate(name.replaceAll(/\W/g, '-'), script), question, undefined)).toEqual(expected)
})

test('a gate that is not there has not looked', async () => {
  const program = join(folder, 'none')
  expect(await askOwnGate({ name: 'brand', program }, question, undefined)).toMatchObject({
    verdict: 'not looked at',
    why: expect.stringContaining('ENOENT'),
  })
})

test('counts as the job says, stands in the lock, and must be declared', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  const gates = [gate('no-logo', `echo '{ "verdict": "fail", "why": "no logo" }'`)]
  const broken = { name: 'broken', program: join(folder, 'none') }
  const hero = (prompt: string, how: string) =>
    bench.write(
      manifestName,
      `jobs: { hero: { model: fama-imagine-image, prompt: ${prompt}, gate: ${how} } }\n`,
    )
  hero('Tea', '{ brand: fail }')
  expect(await bench.run()).toMatchObject({
    got: 'refused',
    problems: [{ message: 'there is no look brand' }],
  })
  expect(paidAt(gateway)).toBe(0)
  expect(await bench.run({ gates })).toMatchObject({
    report: { exit: 1, jobs: [{ ending: 'made', message: expect.stringContaining('hero.png: no logo') }] },
  })
  expect(bench.read('m.lock.json')).toContain(
    '"looked":{"found":[{"look":"brand","verdict":"fail","why":"no logo"}],"verdict":"fail"}',
  )
  hero('Hat', '{ brand: warn }')
  expect(await bench.run({ gates })).toMatchObject({
    report: { exit: 0, jobs: [{ message: expect.stringContaining('hero.png: no logo') }] },
  })
  // A gate that fails is never a flaw of the file.
  hero('Cup', '{ broken: fail }')
  expect(await bench.run({ gates: [broken] })).toMatchObject({ report: { exit: 0 } })
  expect(bench.read('m.lock.json')).toMatch(
    /"looked":\{"found":\[\{"look":"broken".*?"verdict":"not looked at"\}/,
  )
  const told = bench.read('m.lock.json').match(/"looked"/g)
  hero('Pot', '{ all: off }')
  await bench.run({ gates })
  expect(bench.read('m.lock.json').match(/"looked"/g)).toEqual(told)
  closeBench(bench)
  await gateway.close()
})
