import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { executable, freshFolder, genrun } from './executable.ts'

const manifest = 'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n'

/** What a shell does with `genrun … > /dev/full`. */
function ontoFullDisk(line: string, cwd: string) {
  const full = openSync('/dev/full', 'w')
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, HOME: cwd }
  const words = [executable, ...line.split(' ')]
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd,
    env,
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(full)
  return { code: status, stderr }
}

const unsaved =
  'genrun: error: the result could not be written to stdout: no space left on the disk [unsaved-report]\n'

test.skipIf(!existsSync('/dev/full'))(
  'what a full disk takes no result of is told, ends with 7, and breaks no run',
  { timeout: 60_000 },
  async () => {
    const cwd = freshFolder({ 'm.yaml': manifest })
    const made = ontoFullDisk('run m.yaml --local --json', cwd)
    expect(made).toMatchObject({ code: 7, stderr: expect.stringContaining(unsaved) })
    // What was made is saved and recorded.
    const again = await genrun(['m.yaml', '--local', '--json'], { cwd })
    expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, exit: 0, paid: 0, counts: { kept: 1 } })
    for (const line of ['plan m.yaml --local', 'audit m.yaml --local --csv', 'models', '--help', '--version'])
      expect([line, ontoFullDisk(line, cwd)]).toMatchObject([
        line,
        { code: 7, stderr: expect.stringContaining(unsaved) },
      ])
    // A refusal stays one, and what is said of it.
    const refused = ontoFullDisk('run other.yaml --json', cwd)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('other.yaml') })
  },
)

test('a result that the disk takes in part is told as well', () => {
  const cwd = freshFolder()
  const line = 'ulimit -f 1; exec "$0" "$@" > models.json'
  const words = ['-c', line, process.execPath, executable, 'models', '--json']
  const { status, stderr } = spawnSync('bash', words, { cwd, encoding: 'utf8' })
  expect(readFileSync(join(cwd, 'models.json'))).toHaveLength(1024)
  expect([status, stderr]).toEqual([
    7,
    expect.stringContaining('the result could not be written to stdout: '),
  ])
})

test('a reader that reads no further ends nothing badly', () => {
  const words = ['-c', '"$0" "$1" models | true; echo ${PIPESTATUS[0]}', process.execPath, executable]
  expect(spawnSync('bash', words, { cwd: freshFolder(), encoding: 'utf8' })).toMatchObject({
    stdout: '0\n',
    stderr: expect.not.stringContaining('error'),
  })
})
