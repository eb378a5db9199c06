import { join } from 'node:path'
import { expect, test } from 'vitest'
import { globFiles, manifestPaths } from '../../../src/workspace/read/globs.ts'
import { placeOf } from '../../../src/workspace/read/place.ts'
import { freshFolder } from '../../e2e/executable.ts'

const names = ['aab-front-1', 'xx', 'a-b-c-d', 'a.b.c', 's/t/a-1-2-3', '.hidden-a-b-c']
const files = Object.fromEntries(names.map(name => [`q/${name}.png`, '']))
const found = (pattern: string, at: string) =>
  globFiles(pattern, placeOf(join(at, 'm.yaml'))).map(path => path.replace(/^q\/|\.png$/g, ''))

test.each<[string, readonly string[]]>([
  ['q/*-*-*-*.png', ['a-b-c-d']],
  ['q/**/*-*-*-*.png', ['a-b-c-d', 's/t/a-1-2-3']],
  ['q/*.*.*.png', ['a.b.c']],
  ['q/{a,x}*.png', ['a-b-c-d', 'a.b.c', 'aab-front-1', 'xx']],
  ['q/*-{front,b}-*-*.png', ['a-b-c-d']],
  ['q/{a-{b,c},x}*.png', ['a-b-c-d', 'xx']],
  ['q/*[a-b]-*-*.png', ['a-b-c-d', 'aab-front-1']],
  ['q/*-[!c-z]-*-?.png', ['a-b-c-d']],
  ['**/?-?-*-*.png', ['a-b-c-d', 's/t/a-1-2-3']],
  ['q/*.png', ['a-b-c-d', 'a.b.c', 'aab-front-1', 'xx']],
  ['q/xx.png', ['xx']],
  [`q/{${Array.from({ length: 400 }, (_, nth) => `n${nth}`).join(',')},xx}.png`, ['xx']],
  ['q/+(x).png', []],
])('%s finds %j', (pattern, expected) => {
  expect(found(pattern, freshFolder(files))).toEqual(expected)
})

test.each(['*(a*)'.repeat(7), '*a'.repeat(30), `${'{a,b}'.repeat(20)}*`, '?*'.repeat(40), '[a]*'.repeat(30)])(
  'of %s and long names an end is found',
  pattern => {
    const at = freshFolder(
      Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`${'a'.repeat(100 + nth)}.png`, ''])),
    )
    const began = performance.now()
    found(`${pattern}b.png`, at)
    expect(performance.now() - began).toBeLessThan(2000)
  },
)

test('a word of the command line knows no nested repetitions, which could run for ever', () => {
  const cwd = freshFolder({ 'xx.yaml': '' })
  expect(manifestPaths('+(x)*.yaml', cwd)).toEqual(['+(x)*.yaml'])
  expect(manifestPaths('x*.yaml', cwd)).toEqual(['xx.yaml'])
})
