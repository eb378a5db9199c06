import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { GatewayOptions } from '../../../src/gateway/options.ts'
import { type BackendCommand, runCommand } from '../../../src/gateway/runs/command.ts'
import { order, pixel, silence, start } from '../start.ts'

function freshFolder(files: { readonly [name: string]: string } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-backend-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** A gateway whose `model` is made by a script of Node's, which finds the order as `order` and its folder as `cwd`. */
async function backed(model: string, script: string, more: Partial<GatewayOptions['backend']> = {}) {
  const text = `import * as fs from 'node:fs'\nconst order = JSON.parse(fs.readFileSync(0, 'utf8'))\n${script}`
  const folder = freshFolder({ 'make.mjs': text })
  const command: BackendCommand = { program: process.execPath, words: ['make.mjs'] }
  const gateway = await start({ backend: { commands: new Map([[model, command]]), folder, ...more } })
  return { gateway, folder }
}

const savePicture = `const save = name => fs.writeFileSync(order.outputs + '/' + name, Buffer.from('${pixel.split(',')[1]}', 'base64'))`

test('the order has the files of every parameter as paths, in the place where they were given', async () => {
  const { gateway, folder } = await backed(
    'famc-v3-omni',
    `fs.writeFileSync('seen.json', JSON.stringify(order))`,
  )
  const elsewhere = 'https://pictures.example/fox.png'
  await order(gateway, 'execute', {
    model: 'famc-v3-omni',
    prompt: 'Steam',
    omniImageList: [
      { image_url: pixel, type: 'first_frame' },
      { image_url: elsewhere, type: 'other' },
    ],
  })
  const seen = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))
  const [{ path }] = seen.inputs
  expect(seen.inputs).toEqual([{ param: 'image_url', kind: 'image', path, at: '/omniImageList/0/image_url' }])
  expect(seen.params.omniImageList).toEqual([
    { image_url: path, type: 'first_frame' },
    { image_url: elsewhere, type: 'other' },
  ])
  expect(seen).toMatchObject({ model: 'famc-v3-omni', width: 1280, height: 720, seconds: 5, sound: false })
  // The folder goes when the run is over.
  expect([path, existsSync(path)]).toEqual([expect.stringContaining('input-1'), false])
})

test('a single file where a list is taken is a list of one', async () => {
  const { gateway, folder } = await backed('famb-v3', `fs.writeFileSync('seen.json', JSON.stringify(order))`)
  await order(gateway, 'execute', { model: 'famb-v3', prompt: 'A fox', imageUrls: pixel })
  const { params, inputs } = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))
  expect(params.imageUrls).toEqual([inputs[0].path])
})

test('what it leaves is taken by number, hidden files and folders aside', async () => {
  const { gateway } = await backed(
    'famb-v3',
    `${savePicture}\nfor (const name of ['10.png', '2.png', '.hidden.png']) save(name)\nfs.mkdirSync(order.outputs + '/cache')`,
  )
  const { body } = await order(gateway, 'execute', { model: 'famb-v3', prompt: 'A fox', count: 2 })
  expect(body).toMatchObject({ status: 'completed', outputs: [{ width: 1, height: 1 }, { width: 1 }] })
})

test.each<[string, string, { code: string; message: string }]>([
  [
    'fails',
    `console.error('two\\nlines'); process.exit(3)`,
    { code: 'backend_failed', message: 'the backend ended with 3: lines' },
  ],
  [
    'is killed',
    `process.kill(process.pid, 'SIGKILL')`,
    { code: 'backend_failed', message: 'the backend ended with SIGKILL' },
  ],
  ['leaves nothing', '', { code: 'backend_output', message: 'the backend of famb-v3 left no file' }],
  [
    'leaves what is no picture',
    `fs.writeFileSync(order.outputs + '/1.wav', Buffer.from('${silence.split(',')[1]}', 'base64'))`,
    { code: 'backend_output', message: 'the backend of famb-v3 left 1.wav: it is audio/wav' },
  ],
])('a command that %s fails the run, with a reason', async (_, script, error) => {
  const { gateway } = await backed('famb-v3', script)
  const { status, body } = await order(gateway, 'execute', { model: 'famb-v3', prompt: 'A fox' })
  expect([status, body.status, body.error]).toEqual([200, 'failed', error])
})

test('a command that is not there fails the run', async () => {
  const commands = new Map<string, BackendCommand>([['famb-v3', { program: './missing', words: [] }]])
  const gateway = await start({ backend: { commands, folder: freshFolder() } })
  const { body } = await order(gateway, 'execute', { model: 'famb-v3', prompt: 'A fox' })
  expect(body.error).toEqual({
    code: 'backend_failed',
    message: 'the backend did not run: spawn ./missing ENOENT',
  })
})

test('a command that takes too long is ended, and the run fails', async () => {
  const { gateway } = await backed('famb-v3', 'setInterval(() => {}, 1000)', { seconds: 0.2 })
  const { body } = await order(gateway, 'execute', { model: 'famb-v3', prompt: 'A fox' })
  expect(body.error).toEqual({ code: 'backend_timeout', message: 'the backend was ended after 0.2 s' })
})

/** Starts a child of its own that ignores every request to end, tells its id, and waits. */
const stubborn = `trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo $! > child; while :; do sleep 0.05; done`

test.skipIf(process.platform === 'win32').each(['late', 'stopped'] as const)(
  'a command that is %s takes its children along, even those that refuse',
  async is => {
    const cwd = freshFolder()
    const stop = new AbortController()
    const ending = runCommand(
      { shell: stubborn },
      { cwd, input: '{}', stop: stop.signal, seconds: is === 'late' ? 0.5 : 60 },
    )
    await expect
      .poll(() => existsSync(join(cwd, 'child')) && readFileSync(join(cwd, 'child'), 'utf8'))
      .toMatch(/\n/)
    const child = Number(readFileSync(join(cwd, 'child'), 'utf8'))
    expect(isAlive(child)).toBe(true)
    if (is === 'stopped') stop.abort()
    expect(await ending).toEqual({ is })
    await expect.poll(() => isAlive(child), { timeout: 10_000 }).toBe(false)
  },
)

test('a command that leaves a program running is done when it ends itself', async () => {
  const cwd = freshFolder()
  const ended = await runCommand(
    { shell: 'sleep 30 & echo $! > child' },
    { cwd, input: '', stop: new AbortController().signal, seconds: 60 },
  )
  const child = Number(readFileSync(join(cwd, 'child'), 'utf8'))
  onTestFinished(() => void process.kill(child))
  expect([ended, isAlive(child)]).toEqual([{ is: 'done' }, true])
})

test('nothing is begun once the gateway closes', async () => {
  const rules = { cwd: freshFolder(), input: '', stop: AbortSignal.abort(), seconds: 60 }
  expect(await runCommand({ shell: 'echo > begun' }, rules)).toEqual({ is: 'stopped' })
  expect(existsSync(join(rules.cwd, 'begun'))).toBe(false)
})

/** A zombie, which waits for its parent in a container, is dead. */
function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]
    return state !== 'Z'
  } catch {
    return false
  }
}
