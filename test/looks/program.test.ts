import { expect, test } from 'vitest'
import { runProgram } from '../../src/looks/program.ts'

const node = (code: string, more: Partial<Parameters<typeof runProgram>[0]> = {}) => {
  const pieces: Uint8Array[] = []
  const base = { program: process.execPath, words: ['-e', code], seconds: 20, mostBytes: 1e6 }
  const ended = runProgram({ ...base, outputs: [piece => pieces.push(piece)], ...more })
  return ended.then(end => ({ end, said: Buffer.concat(pieces).toString() }))
}

test('a program gets its input and none of our environment', async () => {
  process.env.GENRUN_TEST_SECRET = 'a secret'
  const code =
    'process.stdin.pipe(process.stdout); process.stderr.write(process.env.GENRUN_TEST_SECRET ?? "")'
  expect(await node(code, { input: 'heard' })).toEqual({ end: { is: 'done' }, said: 'heard' })
  const { said } = await node(
    'console.log(Object.keys(process.env).filter(name => /GENRUN|KEY/.test(name)).length)',
  )
  delete process.env.GENRUN_TEST_SECRET
  expect(said).toBe('0\n')
})

test.each([
  [
    'console.error("first\\nlast"); process.exit(3)',
    {},
    { is: 'failed', why: 'it ended with 3', said: 'last' },
  ],
  ['setInterval(() => {}, 1000)', { seconds: 0.3 }, { is: 'failed', why: 'it took longer than 0.3 s' }],
  [
    'setInterval(() => console.log("x".repeat(9999)), 1)',
    { mostBytes: 50_000 },
    { is: 'failed', why: 'it writes too much' },
  ],
  ['', { stop: AbortSignal.abort() }, { is: 'stopped' }],
  ['setInterval(() => {}, 1000)', { stop: AbortSignal.timeout(200) }, { is: 'stopped' }],
] as const)('%# a program that goes wrong is ended and told', async (code, more, expected) => {
  expect((await node(code, more)).end).toEqual(expected)
})
