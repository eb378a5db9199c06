import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { namedTexts } from '../../../src/cli/io/texts.ts'

test('what is no file is told from what is not there', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-texts-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const server = createServer()
  await new Promise<void>(done => server.listen(join(cwd, 'door'), done))
  onTestFinished(() => void server.close())
  const { read } = namedTexts({ cwd })
  expect(read('door')).toEqual({ problem: 'door is a device or a pipe, and no file' })
  expect(read('nowhere')).toEqual({ problem: 'there is no file nowhere' })
})
