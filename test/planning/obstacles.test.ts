import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Diagnostic, problemRecord } from '../../src/base/diagnostic.ts'
import { makePlan } from '../../src/planning/make-plan.ts'
import { openWorkspace } from '../../src/planning/open-workspace.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { thisMachine } from '../../src/workspace/machine.ts'
import { readRecorded } from '../../src/workspace/records/recorded.ts'
import { type Bench, manifestName, openBenchWith, paidAt } from '../verbs/bench.ts'

const manifest = `jobs:
  top: { model: fama-imagine-image, prompt: A teapot }
  one: { model: fama-imagine-image, prompt: A cup, output: sub/deep/one }
  two: { model: fama-imagine-image, prompt: A bowl, output: sub/deep/two }
  other: { model: fama-imagine-image, prompt: A jug, output: other/jug }
`

/** Why nothing is bought, with the lines that say so. */
async function refusal(bench: Bench) {
  const result = await bench.run()
  if (result.got !== 'refused') throw new Error(JSON.stringify(result))
  return told(result.problems)
}

function told(problems: readonly Diagnostic[]) {
  return problems.map(problemRecord).map(({ code, line, message }) => [code, line, message])
}

test('a file in the place of a folder for results is told before anything is ordered', async () => {
  const { bench, gateway } = await openBenchWith(manifest)
  bench.write('out/m/sub/deep', 'a file')
  const path = join(bench.folder, 'out/m/sub/deep')
  expect(await refusal(bench)).toEqual([
    ['output-folder', 3, `the folder ${path} cannot be used: it is in the way: a folder is needed there`],
  ])
  expect(paidAt(gateway)).toBe(0)
  const remark = `a run would stop: the folder ${path} cannot be used: it is in the way: a folder is needed there`
  expect(bench.plan()).toMatchObject({ paid: 4, remarks: [remark] })
  bench.remove('out/m/sub/deep')
  expect(bench.plan().remarks).toEqual([])
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 4 } })
})

test('so is one in the place of the output folder where all is paid for already', async () => {
  const { bench } = await openBenchWith(manifest)
  expect(await bench.run()).toMatchObject({ report: { exit: 0 } })
  bench.remove('out')
  bench.write('out/m', 'a file')
  expect(await refusal(bench)).toEqual([
    ['output-folder', 1, `the output folder cannot be made: ${join(bench.folder, 'out/m')} is a file`],
  ])
  bench.remove('out')
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
})

test('files that lie where an earlier run put them are told, and not looked for anew once they are moved', async () => {
  const { bench } = await openBenchWith(manifest)
  expect(await bench.run()).toMatchObject({ report: { exit: 0 } })
  const lie = `the files of 4 jobs lie in out/m, where an earlier run put them`
  const elsewhere = { output: 'b' }
  expect(bench.plan(elsewhere).remarks).toContainEqual(expect.stringContaining(lie))
  const rebuying = bench.plan({ ...elsewhere, choices: { rebuy: true } })
  expect(rebuying).toMatchObject({ paid: 0, counts: { fetch: 4 } })
  expect(rebuying.remarks).toContainEqual(expect.stringContaining(lie))
  const status = statusOf({ ...bench.request(), ...elsewhere })
  expect(status.got === 'status' && status.status.open.map(({ remedy }) => remedy)).toContainEqual(
    expect.stringMatching(/genrun run m\.yaml \S+ -o b --rebuy/),
  )
  renameSync(join(bench.folder, 'out/m'), join(bench.folder, 'b'))
  expect(bench.plan(elsewhere)).toMatchObject({ counts: { keep: 4 }, remarks: [] })
})

test('so is a folder that leads out of the output folder', async () => {
  const { bench, gateway } = await openBenchWith(manifest)
  bench.write('out/m/kept.txt', 'a file')
  bench.makeFolder('elsewhere')
  symlinkSync(join(bench.folder, 'elsewhere'), join(bench.folder, 'out/m/other'))
  expect(await refusal(bench)).toEqual([
    ['output-folder', 5, expect.stringMatching(/other cannot be used: it is a link that leads out/)],
  ])
  expect(paidAt(gateway)).toBe(0)
})

test('so is one that may not be written to; each is looked at once, by the nearest that exists', async () => {
  const { bench } = await openBenchWith(manifest)
  bench.write('out/m/sub/kept.txt', 'a file')
  const asked: string[] = []
  const whyReadOnly = (folder: string) => {
    asked.push(folder)
    return folder.endsWith('sub')
      ? new StorageError(folder, 'write', 'permission denied', 'EACCES')
      : undefined
  }
  const sub = join(bench.folder, 'out/m/sub')
  const workspace = openWorkspace({ manifest: manifestName, cwd: bench.folder })
  if ('got' in workspace) throw new Error(JSON.stringify(workspace))
  const recorded = readRecorded(workspace)
  if ('got' in recorded) throw new Error(recorded.message)
  const planned = makePlan({ ...workspace, machine: { ...thisMachine, whyReadOnly } }, {}, recorded)
  if (planned.got === 'refused') throw new Error(JSON.stringify(planned))
  expect(told(planned.obstacles)).toEqual([
    ['output-folder', 3, `the folder ${sub} cannot be used: permission denied`],
  ])
  expect(asked).toEqual([join(bench.folder, 'out/m'), bench.folder, sub])
})

test('a folder of the lock that may not be written to is told before anything is ordered, and stops nobody who has nothing to do', async () => {
  const { bench, gateway } = await openBenchWith(manifest)
  bench.write('out/m/kept.txt', 'a file')
  const whyReadOnly = (folder: string) =>
    folder === bench.folder ? new StorageError(folder, 'write', 'permission denied', 'EACCES') : undefined
  const obstacles = () => {
    const workspace = openWorkspace({ manifest: manifestName, cwd: bench.folder })
    if ('got' in workspace) throw new Error(JSON.stringify(workspace))
    const recorded = readRecorded(workspace)
    if ('got' in recorded) throw new Error(recorded.message)
    const planned = makePlan({ ...workspace, machine: { ...thisMachine, whyReadOnly } }, {}, recorded)
    return planned.got === 'refused' ? planned.problems : planned.obstacles
  }
  const lock = join(bench.folder, 'm.lock.json')
  expect(told(obstacles())).toEqual([
    ['output-folder', 1, `the folder of the lock ${lock} cannot be written: permission denied`],
  ])
  expect(paidAt(gateway)).toBe(0)
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 4 } })
  expect(obstacles()).toEqual([])
})

test('where nothing is bought for it, it is nobody’s concern', async () => {
  const { bench } = await openBenchWith(manifest)
  await bench.run()
  bench.remove('out/m/other')
  bench.write('out/m/other', 'a file')
  bench.edit(manifestName, '  other: { model: fama-imagine-image, prompt: A jug, output: other/jug }\n', '')
  bench.edit(manifestName, 'A teapot', 'A kettle')
  expect(await bench.run()).toMatchObject({ got: 'report', report: { paid: 1 } })
})
