import { expect, test } from 'vitest'
import { idsInAnswer } from '../../../src/run/one-shot/raw-answer.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import type { Spool } from '../../../src/store/files/spool.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'

function idsIn(text: string): string[] {
  const disk = { ...systemDisk, look: () => undefined, readAll: () => Buffer.from(text) }
  const spool = { find: (path: string) => path } as unknown as Spool // nothing else of it is used
  return idsInAnswer(['raw'], spool, gwV2, disk)
}

test.each([
  ['an error that names the run', '{"error":{"message":"timeout"},"id":"r_81"}', ['r_81']],
  ['an answer that was cut off', '{"id":"r_81","status":"que', ['r_81']],
  ['an answer within a page', '<html>upstream said {"id": "r_81"}</html>', ['r_81']],
  ['an id that could not be one', '{"id":".."}', []],
  ['something that only looks like it', '{"grid":"r_81"', []],
  ['a page', '<html>502 Bad Gateway</html>', []],
])('%s', (_, text, ids) => {
  expect(idsIn(text)).toEqual(ids)
})

test('an answer that is gone or cannot be read tells nothing', () => {
  const gone = { find: () => undefined } as unknown as Spool
  expect(idsInAnswer(['raw'], gone, gwV2, systemDisk)).toEqual([])
})
