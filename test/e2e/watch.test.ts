import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { filesIn, freshFolder, startGenrun } from './executable.ts'

const jobs = (prompt: string, more = '') => `include: [shared.yaml]
jobs:
  hero: { model: fama-imagine-image, prompt: ${prompt} }
${more}`
const shared = (brand: string) => `vars: { brand: ${brand} }\n`
const files = { 'c.yaml': jobs("'${{ vars.brand }}'"), 'shared.yaml': shared('Aster') }

test('watch plans anew on every save of a file that it reads, buys nothing, and ends by Ctrl-C', async () => {
  const gateway = await startGateway({ outputs: 'memory', ledger: true })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder(files)
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const running = startGenrun(['watch', 'c.yaml'], { cwd, env })
  const save = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  await running.shows('stderr', 'watching 2 files; Ctrl-C ends it\n')
  expect(await running.shows('stdout', '1 paid request\n')).toContain(
    'buy       hero  fama-imagine-image  not made yet\n',
  )

  save('c.yaml', jobs("'${{ vars.brand }}'", '  more: { model: famc-t2a, prompt: Rain }\n'))
  await running.shows('stdout', '+ buy more: not made yet\n2 paid requests\n')

  save(
    'shared.yaml',
    'vars: { brand: Aster, brnd: x }\njobs: { rain: { model: famc-t2a, prompt: "${{ vars.brnd }}" } }\n',
  )
  await running.shows('stdout', '+ buy rain: not made yet\n3 paid requests\n')

  rmSync(join(cwd, 'shared.yaml'))
  await running.shows('stderr', 'c.yaml:1:11: error: ')

  // A mistake ends nothing, and what comes back is compared with the last plan that was good.
  save('shared.yaml', shared('Aster'))
  await running.shows('stdout', '- rain\n2 paid requests\n')

  // What would be ordered is another thing, though the steps and their number stay.
  save('shared.yaml', shared('Bluebell'))
  await running.shows('stdout', '~ buy hero: not made yet; prompt Aster → Bluebell\n2 paid requests\n')
  save('shared.yaml', `# no other\n${shared('Bluebell')}`)
  await running.shows('stdout', 'the plan is the same: 2 paid requests\n')

  running.child.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/ended\n$/) })
  expect(gateway.ledger().billed).toEqual({ execute: 0, submit: 0 })
  expect(filesIn(cwd)).toEqual(['c.yaml', 'shared.yaml'])
})

test('with --rehearse the placeholders are made, whatever service is set', async () => {
  const gateway = await startGateway({ outputs: 'memory', ledger: true })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder(files)
  const env = {
    GENRUN_BASE_URL: gateway.baseUrl,
    GENRUN_API_KEY: gateway.key,
    CI: '1',
    GENRUN_UNTRUSTED: 'false',
  }
  const running = startGenrun(['watch', 'c.yaml', '--rehearse'], { cwd, env })
  await running.shows('stdout', 'out/c.preview/hero.png\n')
  await running.shows(
    'stderr',
    'note: that is what a run would buy; here nothing is bought, placeholders are made\n',
  )
  await running.shows('stderr', 'watching 2 files')
  writeFileSync(join(cwd, 'shared.yaml'), shared('Bluebell'))
  await running.shows(
    'stdout',
    '~ buy hero: not made yet; prompt Aster → Bluebell\n1 paid request\nout/c.preview/hero.png\n',
  )
  await running.shows('stderr', 'hero  made  hero.png')
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
  expect(gateway.ledger().billed).toEqual({ execute: 0, submit: 0 })
})
