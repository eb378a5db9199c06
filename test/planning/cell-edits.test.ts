import { expect, test } from 'vitest'
import { type Bench, manifestName } from '../verbs/bench.ts'
import { type Edit, expectAgreement, madeOnce, nothing } from '../verbs/made.ts'

const manifest = `jobs:
  still:
    matrix:
      product: { rows: products.csv, key: id }
      view: [front, back]
    model: fama-imagine-image
    prompt: \${{ matrix.product.name }} from the \${{ matrix.view }}
  voice:
    forEach: lines.csv
    model: fama-tts
    prompt: \${{ item.text }}
`
const products = 'id,name\nfox,A fox\nowl,An owl\n'

const shop = madeOnce(manifest, 6, { 'products.csv': products, 'lines.csv': 'id,text\na,Hello\nb,Bye\n' })

const gone = 'no longer in the manifest; its files stay until `genrun prune m.yaml`'

const edits: readonly (readonly [string, Edit])[] = [
  [
    'rows change their order',
    { edit: it => it.write('products.csv', 'id,name\nowl,An owl\nfox,A fox\n'), ...nothing },
  ],
  [
    'columns change their order',
    { edit: it => it.write('products.csv', 'name,id\nA fox,fox\nAn owl,owl\n'), ...nothing },
  ],
  [
    'a table becomes JSON',
    {
      edit: it => {
        it.write('products.json', '[{"id":"fox","name":"A fox"},{"id":"owl","name":"An owl"}]')
        it.edit(manifestName, 'products.csv', 'products.json')
      },
      ...nothing,
    },
  ],
  [
    'the values of an axis change their order',
    { edit: it => it.edit(manifestName, '[front, back]', '[back, front]'), ...nothing },
  ],
  [
    'a job moves to an included file',
    {
      edit: it => {
        const at = manifest.indexOf('  voice:')
        it.write('voices.yaml', `jobs:\n${manifest.slice(at)}`)
        it.write(manifestName, `include: voices.yaml\n${manifest.slice(0, at)}`)
      },
      ...nothing,
    },
  ],
  [
    'a text moves to a file',
    {
      edit: it => {
        it.write('from.md', 'from the\n')
        it.edit(manifestName, 'from the ${{', "${{ file('from.md') }} ${{")
      },
      ...nothing,
    },
  ],
  [
    'a variable is set to what was written',
    {
      edit: it => {
        it.edit(manifestName, 'jobs:', 'vars: { word: to }\njobs:')
        it.edit(manifestName, 'from the', '${{ vars.word }} the')
      },
      vars: [{ name: 'word', value: 'from', from: '--var' }],
      ...nothing,
      stays: true,
    },
  ],
  [
    'the catalog has another default by now',
    {
      edit: withOtherDefaults,
      steps: [],
      paid: 0,
    },
  ],
  [
    'an axis gets another name',
    {
      edit: it => {
        it.edit(manifestName, '      view: [', '      side: [')
        it.edit(manifestName, 'matrix.view', 'matrix.side')
      },
      ...nothing,
    },
  ],
  [
    'axes change their order',
    {
      edit: it =>
        it.edit(
          manifestName,
          '      product: { rows: products.csv, key: id }\n      view: [front, back]\n',
          '      view: [front, back]\n      product: { rows: products.csv, key: id }\n',
        ),
      steps: [
        'adopt still[front,fox]: the same as still[fox,front], which is no longer wanted',
        'adopt still[front,owl]: the same as still[owl,front], which is no longer wanted',
        'adopt still[back,fox]: the same as still[fox,back], which is no longer wanted',
        'adopt still[back,owl]: the same as still[owl,back], which is no longer wanted',
      ],
      paid: 0,
    },
  ],
  [
    'a row gets another key',
    {
      edit: it => it.write('products.csv', products.replace('owl,An', 'uhu,An')),
      steps: [
        'adopt still[uhu,front]: the same as still[owl,front], which is no longer wanted',
        'adopt still[uhu,back]: the same as still[owl,back], which is no longer wanted',
      ],
      paid: 0,
    },
  ],
  [
    'a cell becomes a job of its own',
    {
      edit: it => {
        it.edit(
          manifestName,
          'view: [front, back]',
          'view: [front, back]\n      exclude: [{ product: owl, view: back }]',
        )
        it.edit(
          manifestName,
          '  voice:',
          '  lone: { model: fama-imagine-image, prompt: An owl from the back }\n  voice:',
        )
      },
      steps: ['adopt lone: the same as still[owl,back], which is no longer wanted'],
      paid: 0,
    },
  ],
  [
    'a row is added',
    {
      edit: it => it.write('products.csv', `${products}elk,An elk\n`),
      steps: ['buy still[elk,front]: not made yet', 'buy still[elk,back]: not made yet'],
      paid: 2,
    },
  ],
  [
    'a row is removed',
    {
      edit: it => it.write('products.csv', 'id,name\nfox,A fox\n'),
      steps: [`drop still[owl,back]: ${gone}`, `drop still[owl,front]: ${gone}`],
      paid: 0,
      stays: true,
    },
  ],
  [
    'a value in a table changes',
    {
      edit: it => it.edit('lines.csv', 'Hello', 'Good day'),
      steps: ['buy voice[a]: prompt Hello → Good day (m.yaml:11)'],
      paid: 1,
    },
  ],
  [
    'an override changes one cell',
    {
      edit: it =>
        it.edit(
          manifestName,
          '  voice:',
          "    override: [{ match: { product: fox, view: back }, aspectRatio: '16:9' }]\n  voice:",
        ),
      steps: ['buy still[fox,back]: aspectRatio 1:1 → 16:9 (m.yaml:8)'],
      paid: 1,
    },
  ],
]

test.each(edits)('when %s, plan and run agree', (_, edit) => expectAgreement(shop, edit))

test('a default that the catalog changed is told, and kept', () => {
  const bench = shop.copy()
  withOtherDefaults(bench)
  expect(bench.plan().remarks).toEqual([
    'the catalog has other defaults by now (resolution 4k → 1k); what was made before is kept',
  ])
})

/** As if another catalog had made it; the journal would know better. */
function withOtherDefaults(bench: Bench): void {
  bench.write('m.lock.json', bench.read('m.lock.json').replaceAll('"resolution":"1k"', '"resolution":"4k"'))
  bench.remove('.genrun')
}
