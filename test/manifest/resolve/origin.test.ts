import { expect, test } from 'vitest'
import type { Span } from '../../../src/base/source.ts'
import { checkManifest } from '../../../src/manifest/check.ts'
import type { Origin } from '../../../src/manifest/shapes/job.ts'
import { projectOf } from '../project.ts'

const text = `vars:
  brand: Aster
  line: \${{ vars.brand }} teapot, \${{ matrix.product.name }}
  season: winter
defaults:
  model: fama-imagine-image
  aspectRatio: '1:1'
jobs:
  still:
    matrix:
      product: { rows: products.csv, key: id }
    prompt: \${{ vars.line }} in \${{ vars.season }}
    count: 2
    override:
      - { match: { product: b }, count: 4 }
  note:
    prompt: \${{ file('style.md') }}
    model: fama-imagine-image-2.0
  voice:
    model: fama-tts
    forEach: [{ id: x, text: Hello }]
    prompt: \${{ item.text }}
`

const project = projectOf({ 'products.csv': 'id,name\na,Fox\nb,Owl\n', 'style.md': 'soft light\n' })
const given = [{ name: 'season', value: 'spring', from: '--var' }]
const { value, problems } = checkManifest({ name: 'm.yaml', text }, project, { vars: given })

function origin(address: string, name: string): Origin {
  const found = value?.jobs.find(job => job.address === address)?.written.originOf?.(name)
  if (!found) throw new Error(`no job ${address}: ${problems.map(problem => problem.message).join()}`)
  return found
}

function words({ file, start, end }: Span): string {
  return `${file.name}: ${file.text.slice(start, end).split('\n')[0]}`
}

function told({ by, at, reads }: Origin): string[] {
  return [by, at ? words(at) : '', ...reads.map(read => `${read.name} = ${words(read.at)}`)]
}

test('a value of the job is its own, and says which names it reads and where their values stand', () => {
  expect(told(origin('still[a]', 'prompt'))).toEqual([
    'job',
    'm.yaml: ${{ vars.line }} in ${{ vars.season }}',
    'vars.line = m.yaml: ${{ vars.brand }} teapot, ${{ matrix.product.name }}',
    'vars.brand = m.yaml: Aster',
    'matrix.product.name = products.csv: Fox',
    'vars.season = --var: spring',
  ])
  expect(told(origin('still[b]', 'prompt'))).toContain('matrix.product.name = products.csv: Owl')
})

test.each([
  ['still[a]', 'count', ['job', 'm.yaml: 2']],
  ['still[b]', 'count', ['override', 'm.yaml: 4']],
  ['still[b]', 'aspectRatio', ['defaults', "m.yaml: '1:1'"]],
  ['still[b]', 'model', ['defaults', 'm.yaml: fama-imagine-image']],
  ['note', 'model', ['job', 'm.yaml: fama-imagine-image-2.0']],
  ['note', 'resolution', ['built-in', '']],
  ['note', 'prompt', ['job', "m.yaml: ${{ file('style.md') }}", 'style.md = style.md: ']],
  ['voice[x]', 'prompt', ['job', 'm.yaml: ${{ item.text }}', 'item.text = m.yaml: Hello']],
])('%s %s', (address, name, expected) => {
  expect(told(origin(address, name))).toEqual(expected)
})
