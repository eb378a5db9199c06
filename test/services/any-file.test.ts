import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { openRehearsal } from '../../src/verbs/rehearse.ts'
import { begin, type Shape } from './double.ts'
import { project, runAll, servicesAt } from './run.ts'
import { shapes } from './shapes.ts'

test('a file of any kind goes where a model takes one, and only there', async () => {
  const cwd = await project()
  const double = await begin(shapes.predictions)
  const catalog = readFileSync(join(cwd, 'predictions.catalog.yaml'), 'utf8')
  const taking = (media: string) =>
    writeFileSync(
      join(cwd, 'predictions.catalog.yaml'),
      catalog.replace('guidance: {', `mesh: { type: file, media: ${media} }\n      guidance: {`),
    )
  writeFileSync(join(cwd, 'tea.glb'), Buffer.from('glTF\x02\x00\x00\x00'))
  writeFileSync(join(cwd, 'notes.txt'), 'any bytes')
  writeFileSync(
    join(cwd, 'any.yaml'),
    `catalog: predictions.catalog.yaml
output: out
jobs:
  a: { model: 'sketch/lines:5c7d1e', prompt: A, mesh: tea.glb }
  b: { model: 'sketch/lines:5c7d1e', prompt: B, mesh: notes.txt }
`,
  )
  taking('file')
  const run = () => runAll(cwd, { predictions: double }, { manifest: 'any.yaml' })
  expect(await run()).toMatchObject({ paid: 2, exit: 0 })
  const meshes = double.orders.map(({ body }) => (body.input as { mesh: string }).mesh).toSorted()
  expect(meshes).toEqual([
    'data:application/octet-stream;base64,YW55IGJ5dGVz',
    'data:model/gltf-binary;base64,Z2xURgIAAAA=',
  ])
  taking('image')
  await expect(run()).rejects.toThrow(/mesh takes an image, and tea\.glb is no PNG/)
})

describe('a model that makes a file of any kind', () => {
  const glb = Buffer.from('glTF\x02\x00\x00\x00\x0c\x00\x00\x00')
  const kinds: { readonly [path: string]: Buffer } = {
    '/cdn/b.glb': glb,
    '/cdn/b.pdf': Buffer.from('%PDF-1.4\n%%EOF\n'),
    '/cdn/b.stl': Buffer.alloc(84, 7),
    '/cdn/b.obj': Buffer.from('o tea\nv 0 0 0\n'),
  }

  /** A double of its own: it gives links to these files, by the prompt. */
  const sculptor: Shape = {
    ...shapes.predictions,
    answer(heard, shop) {
      const { input } = heard.json as { input?: { prompt?: string } }
      const said = shapes.predictions.answer(heard, shop)
      const [, id] = /predictions\/(\w+)$/.exec(heard.path) ?? []
      const of = shop.find(id)?.body as { input?: { prompt?: string } } | undefined
      const isDone = said?.json && (said.json as { status?: string }).status === 'succeeded'
      if (!isDone || input) return said
      return { json: { ...(said.json as object), output: [`${shop.origin}${of?.input?.prompt}`] } }
    },
    files: kinds,
  }

  async function sculpted() {
    const cwd = await project()
    const double = await begin(sculptor)
    const catalog = readFileSync(join(cwd, 'predictions.catalog.yaml'), 'utf8')
    writeFileSync(
      join(cwd, 'predictions.catalog.yaml'),
      catalog.replaceAll('inputType: t2i', 'inputType: t2f'),
    )
    const jobs = Object.keys(kinds).map(path => [path.split('.')[1], path])
    const lines = jobs.map(([name, path]) => `  ${name}: { model: 'sketch/lines:5c7d1e', prompt: ${path} }\n`)
    writeFileSync(
      join(cwd, 'any.yaml'),
      `catalog: predictions.catalog.yaml\noutput: out\njobs:\n${lines.join('')}`,
    )
    return { cwd, double }
  }

  test('has it under its own ending; a text is kept, for you to accept', async () => {
    const { cwd, double } = await sculpted()
    const run = () => runAll(cwd, { predictions: double }, { manifest: 'any.yaml' })
    const { jobs, paid } = await run()
    expect(paid).toBe(4)
    expect(jobs.map(({ address, ending, files }) => [address, ending, files.map(each => each.path)])).toEqual(
      [
        ['glb', 'made', ['glb.glb']],
        ['pdf', 'made', ['pdf.pdf']],
        ['stl', 'made', ['stl.bin']],
        ['obj', 'failed', [expect.stringMatching(/^unusual\/obj@\w+\.txt$/)]],
      ],
    )
    expect(readFileSync(join(cwd, 'out/glb.glb'))).toEqual(glb)
    expect(await run()).toMatchObject({ paid: 0, exit: 4 })
    const service = servicesAt(cwd, { predictions: double })
    await acceptJobs({ manifest: 'any.yaml', cwd, service })
    expect(await run()).toMatchObject({ paid: 0, exit: 0 })
    expect(double.orders.length).toBe(4)
  })

  test('is rehearsed, too, and its file goes where one is taken', async () => {
    const { cwd } = await sculpted()
    const rehearsal = openRehearsal()
    onTestFinished(() => rehearsal.release())
    const report = await runAll(cwd, {}, { manifest: 'any.yaml', service: await rehearsal.take() })
    expect(report.jobs.map(({ files }) => files.map(({ type }) => type)).flat()).toEqual(
      Array.from({ length: 4 }, () => 'model/gltf-binary'),
    )
  })
})
