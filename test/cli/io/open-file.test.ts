import { expect, test } from 'vitest'
import { openerOf, openFile } from '../../../src/cli/io/open-file.ts'

test.each([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', ['xdg-open']],
  ['freebsd', ['xdg-open']],
] as const)('on %s files are shown by the program of the system, and never by a shell', (platform, words) => {
  expect(openerOf(platform)).toEqual(words)
})

test('where there is no such program, the file and the program are named', async () => {
  expect(await openFile('/media/tea.mp4', { PATH: '/nowhere' })).toMatch(
    /^\/media\/tea\.mp4 cannot be shown: \S+: there is no such program$/,
  )
})
