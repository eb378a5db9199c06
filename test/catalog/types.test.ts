import { expectTypeOf, test } from 'vitest'
import { findModel, type Model, type ModelId, models } from '../../src/catalog/index.ts'
import { choice } from '../../src/catalog/param.ts'

type Params<Id extends ModelId> = (typeof models)[Id]['params']

test('values are known to the compiler one by one', () => {
  expectTypeOf<Params<'famc-v3'>['duration']['values'][number]>().toEqualTypeOf<3 | 5 | 8 | 10 | 12 | 15>()
  expectTypeOf<Params<'famc-o1-image'>['resolution']['values'][number]>().toEqualTypeOf<'1k' | '2k'>()
  expectTypeOf<Params<'famb-p-image'>['renderingSpeed']['default']>().toEqualTypeOf<'medium'>()
  expectTypeOf<'emoji'>().toExtend<Params<'famc-video-effects'>['style']['values'][number]>()
  expectTypeOf<Params<'famc-v3'>['multiPrompt']['members'][number]>().toEqualTypeOf<
    'index' | 'prompt' | 'duration'
  >()
})

test('whether a parameter is required is known to the compiler', () => {
  expectTypeOf<Params<'famc-v3'>['prompt']['required']>().toEqualTypeOf<true>()
  expectTypeOf<Params<'famc-avatar'>['prompt']>().not.toHaveProperty('required')
})

test('ids are a union, and any model is a Model', () => {
  expectTypeOf<'famc-v3'>().toExtend<ModelId>()
  expectTypeOf<'famc-v9'>().not.toExtend<ModelId>()
  expectTypeOf<(typeof models)[ModelId]>().toExtend<Model>()
  expectTypeOf(findModel('famc-v9')).toEqualTypeOf<Model | undefined>()
})

test('the compiler rejects a default, a label or a bound of a value that is not listed', () => {
  choice('-d', [3, 5], { default: 5 })
  // @ts-expect-error 7 is not among the values
  choice('-d', [3, 5], { default: 7 })
  // @ts-expect-error text is not a number
  choice('-d', [3, 5], { default: '5' })
  // @ts-expect-error FAST is not among the values
  choice('--speed', ['TURBO', 'QUALITY'], { default: 'FAST' })
  // @ts-expect-error FAST is not among the values
  choice('--speed', ['TURBO', 'QUALITY'], { default: 'TURBO', labels: { FAST: 'Fast' } })
  // @ts-expect-error FAST is not among the values
  choice('--speed', ['TURBO', 'QUALITY'], { default: 'TURBO', referenceSeconds: { FAST: 10 } })
})
