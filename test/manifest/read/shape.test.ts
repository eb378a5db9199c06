import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/names.ts'
import { models } from '../../../src/catalog/index.ts'
import { manifestSchema } from '../../../src/forms/schemas/manifest-schema.ts'
import { limitKeys, ownKeys, topKeys } from '../../../src/manifest/read/shape.ts'

/** The names of the properties at a place of the published schema. */
function properties(...path: string[]): string[] {
  const at = path.reduce<JsonObject>((here, step) => here[step] as JsonObject, manifestSchema())
  return Object.keys(at.properties as JsonObject).toSorted()
}

test('editors are offered the keys of a manifest', () => {
  expect(properties()).toEqual(Object.keys(topKeys).toSorted())
})

test('editors are offered the keys of a job', () => {
  expect(properties('definitions', 'job')).toEqual(Object.keys(ownKeys).toSorted())
})

test('editors are offered the keys of limits', () => {
  expect(properties('properties', 'limits')).toEqual(Object.keys(limitKeys).toSorted())
})

test('no model has a parameter with the name of a key of a job', () => {
  const names = new Set(Object.values(models).flatMap(model => Object.keys(model.params)))
  expect(Object.keys(ownKeys).filter(key => names.has(key))).toEqual([])
})
