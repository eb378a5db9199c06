import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/names.ts'
import { jobAddress } from '../../src/base/names.ts'
import { headOf } from '../../src/base/source.ts'
import type { Recipe } from '../../src/base/state.ts'
import { type Model, modelIds, models } from '../../src/catalog/index.ts'
import { canonicalParams } from '../../src/forms/defaults.ts'
import type { FileRef, Job } from '../../src/manifest/shapes/job.ts'
import { draftRecipe, linkIdentity, sameRecipe } from '../../src/plan/shapes/recipe.ts'
import { recipeKey } from '../../src/store/cache/cache-text.ts'
import { canonicalJson } from '../../src/store/files/digest.ts'
import { fullest, smallest } from '../forms/samples.ts'

/**
 * What genrun stored for every model at version 1, kept for ever: an upgrade that makes another recipe of the same job
 * would buy it again (docs/contract.md P6). A change of this file is a change that costs money. A model or a parameter
 * that is new may be added: `UPDATE=1 npx vitest run test/plan/golden.test.ts` writes what is missing, and only that.
 */
const path = fileURLToPath(new URL('../golden/recipes/version-1.json', import.meta.url))

interface Golden {
  readonly [name: string]: { readonly recipe: Recipe; readonly key: string }
}

const golden: Golden = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Golden) : {} // written below

/** A job with every parameter that is no file, and one file of each kind of place. */
function job(model: Model, given: JsonObject): Job {
  const isFile = (name: string) => model.params[name]?.type === 'file'
  const files = Object.keys(given).filter(isFile)
  const refs: FileRef[] = [
    { from: 'path', path: 'a.png' },
    { from: 'url', url: 'https://files.example/b.png?signature=secret' },
    { from: 'job', address: jobAddress('hero'), nth: 0 },
  ]
  const plain = Object.fromEntries(Object.entries(given).filter(([name]) => !isFile(name)))
  const at = headOf({ name: 'm.yaml', text: '' })
  return {
    address: jobAddress('golden'),
    model,
    mode: 'submit',
    params: canonicalParams(model, plain),
    files: Object.fromEntries(files.map((name, nth) => [`/${name}`, [refs[nth % refs.length] as FileRef]])), // never empty
    needs: [],
    output: 'golden',
    count: 1,
    take: 1,
    tags: [],
    retries: 0,
    at,
    written: { locate: () => at },
  }
}

function recipeNow(model: Model, given: JsonObject): Recipe {
  return draftRecipe(job(model, given), ref => {
    if (ref.from === 'url') return linkIdentity(ref.url)
    return `sha256:${(ref.from === 'path' ? 'a' : 'b').repeat(64)}`
  }).recipe
}

const cases = modelIds.flatMap(id => {
  const model: Model = models[id]
  return [
    [`${id}, the least`, model, smallest(model)],
    [`${id}, everything`, model, fullest(model)],
  ] as const
})

if (process.env.UPDATE === '1') {
  const missing = cases.filter(([name]) => !golden[name])
  const added = missing.map(([name, model, given]) => {
    const recipe = recipeNow(model, given)
    return [name, { recipe, key: recipeKey(recipe) }] as const
  })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify({ ...golden, ...Object.fromEntries(added) }, undefined, 1)}\n`)
}

describe('the recipe of a job is what it always was', () => {
  test.each(cases)('%s', (name, model, given) => {
    const now = recipeNow(model, given)
    const before = golden[name]
    if (!before) throw new Error(`there is no golden recipe of ${name}`)
    expect(canonicalJson(now as never)).toBe(canonicalJson(before.recipe as never)) // both are JSON throughout
    expect(sameRecipe(before.recipe, now)).toBe(true)
    expect(recipeKey(now)).toBe(before.key)
  })

  test('no golden recipe is without its model', () => {
    expect(Object.keys(golden).toSorted()).toEqual(cases.map(([name]) => name).toSorted())
  })
})
