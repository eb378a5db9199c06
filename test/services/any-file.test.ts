import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { begin } from './double.ts'
import { project, runAll } from './run.ts'
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
