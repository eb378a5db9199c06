import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder, genrun } from './executable.ts'
import { openShop } from './shop.ts'

/** A call with a lock that was let go: its answer is lost. */
async function lost() {
  const shop = await openShop({
    faults: { rules: [{ fault: { does: 'lose' }, model: 'famc-t2a', first: 1 }] },
  })
  const cwd = freshFolder()
  const run = (...words: readonly string[]) => genrun(words, { cwd, env: shop.env })
  const call = () =>
    run('generate', '-m', 'famc-t2a', '-p', 'Rain', '-d', '3', '-o', 'sound/rain.wav', '--lock', lock)
  const first = await call()
  expect(first.code, first.stderr).toBe(3)
  return { cwd, run, call, first, paid: shop.paid, sold: () => shop.orders.map(({ id }) => id) }
}

const lock = 'art.lock.json'

/** The first command that a text tells, as its words. */
function commandIn(text: string): string[] {
  const [, words = ''] = /`genrun ([^`]+)`/.exec(text) ?? []
  return words.split(' ')
}

test('a call with a lock that is in doubt names what settles it, and that works when followed literally', async () => {
  const { cwd, call, run, first, paid, sold } = await lost()
  expect((await call()).code).toBe(3)
  const told = await run(...commandIn(first.stderr))
  expect(told.code).toBe(0)
  expect(told.stdout).toContain('sound/rain: in doubt')
  expect(told.stdout).toContain(
    '  the same call leaves it alone\n' +
      '  genrun resolve art.lock.json sound/rain --adopt ID, or --resubmit, or --abandon',
  )
  const [id = ''] = sold()
  expect(await run('resolve', lock, 'sound/rain', '--adopt', id)).toMatchObject({
    code: 0,
    stdout: 'sound/rain: the same call fetches it, nothing is paid\n',
  })
  expect(await call()).toMatchObject({ code: 0, stdout: 'sound/rain.wav\n' })
  expect([paid(), existsSync(join(cwd, 'sound/rain.wav'))]).toEqual([1, true])
  expect((await run('status', lock)).stderr).toContain('1 job: 1 done')
})

test('`result` lists what a lock has in doubt, and fetches what was adopted', async () => {
  const { cwd, run, call, paid, sold } = await lost()
  const [id = ''] = sold()
  const listed = await run('result')
  expect(listed.code).toBe(3)
  expect(listed.stderr).toContain('sound/rain: an earlier order of famc-t2a is in doubt')
  const words = commandIn(listed.stderr)
  expect(words).toEqual(['resolve', lock, 'sound/rain', '--adopt', 'ID'])
  expect((await run('result', '--forget')).stderr).toContain(
    '`genrun resolve art.lock.json sound/rain --abandon`',
  )
  expect((await run('status', lock)).stdout).toContain('in doubt')
  expect((await run(...words.slice(0, -1), id)).code).toBe(0)
  expect(await run('result')).toMatchObject({ code: 0, stdout: 'sound/rain.wav\n' })
  const text = readFileSync(join(cwd, lock), 'utf8')
  expect((await run('result')).stderr).toContain('nothing was left behind here')
  expect(await call()).toMatchObject({ code: 0, stdout: 'sound/rain.wav\n' })
  expect([readFileSync(join(cwd, lock), 'utf8'), paid()]).toEqual([text, 1])
})

test('given up it is held with the way on, and ordered again by the word that is told', async () => {
  const { run, call, paid } = await lost()
  expect((await run('resolve', lock, 'sound/rain', '--abandon')).stdout).toBe(
    'sound/rain: the same call leaves it alone\n',
  )
  const held = await call()
  expect(held.code).toBe(4)
  const told = await run(...commandIn(held.stderr))
  expect(told.stdout).toContain(
    '  genrun resolve art.lock.json sound/rain --resubmit, and the same call orders it again',
  )
  expect((await run('resolve', lock, 'sound/rain', '--resubmit')).stdout).toBe(
    'sound/rain: the same call orders it anew\n',
  )
  expect(paid()).toBe(1)
  expect(await call()).toMatchObject({ code: 0, stdout: 'sound/rain.wav\n' })
  expect(paid()).toBe(2)
})
