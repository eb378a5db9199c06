import { expect, test, vi } from 'vitest'
import { galleryOf } from '../../src/verbs/gallery.ts'
import { placedResults } from '../../src/workspace/records/known.ts'
import { freshFolder } from '../e2e/executable.ts'

vi.mock(import('../../src/workspace/records/known.ts'), async original => {
  const known = await original()
  return { ...known, placedResults: vi.fn(known.placedResults) }
})

/** How often all purchases were gone through for so many jobs. */
function passesFor(jobs: number): number {
  vi.mocked(placedResults).mockClear()
  const cells = Array.from({ length: jobs }, (_, nth) => nth)
  const job = { model: 'fama-imagine-image', prompt: 'Teapot ${{ matrix.n }}', matrix: { n: cells } }
  const cwd = freshFolder({ 'tea.yaml': JSON.stringify({ jobs: { still: job } }) })
  const gallery = galleryOf({ manifest: 'tea.yaml', cwd })
  expect(gallery.got === 'gallery' && gallery.exhibits.length).toBe(jobs)
  return vi.mocked(placedResults).mock.calls.length
}

test('a gallery goes through all purchases no oftener where there are more jobs', () => {
  expect(passesFor(20)).toBe(passesFor(2))
})
