import type { Shown } from '../../../src/page/data/shown.ts'
import type { VerdictsBy } from '../../../src/page/data/verdicts.ts'
import { pixel } from '../../verbs/bench.ts'

/** A result as the page has it. */
export function shown(address: string, more: Partial<Shown> = {}): Shown {
  const job = address.replace(/#\d+$/, '')
  return {
    address,
    job,
    family: job.replace(/\[.*$/, ''),
    take: Number(/#(\d+)$/.exec(address)?.[1] ?? 1),
    model: 'fama-imagine-image',
    kind: 'image',
    standing: 'made',
    files: [{ key: keyOf(address), path: `${address}.png`, type: 'image/png', bytes: 1000 }],
    prompt: 'A pot',
    params: [],
    defaults: [],
    inputs: [],
    uses: [],
    cell: {},
    tags: [],
    place: 'tea.yaml:2',
    ...more,
  }
}

/** The same with a picture of one pixel that a browser shows. */
export function seen(address: string, more: Partial<Shown> = {}): Shown {
  const result = shown(address, more)
  return { ...result, files: result.files.map(file => ({ ...file, url: pixelUrl })) }
}

const pixelUrl = `data:image/png;base64,${pixel.toString('base64')}`

/** A digest that no other address has. */
function keyOf(address: string): string {
  return Buffer.from(address).toString('hex').padEnd(64, '0').slice(0, 64)
}

export function approved(...results: readonly Shown[]): VerdictsBy {
  const verdicts = results.map(({ address, files }) => ({
    address,
    is: 'approved' as const,
    who: 'mara',
    when: '2026-03-01T09:30:00Z',
    seen: files.map(({ key }) => `sha256:${key}`),
  }))
  return new Map(verdicts.map(each => [each.address, each]))
}
